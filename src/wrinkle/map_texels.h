#pragma once

#include <cstdint>
#include <vector>

#include "wrinkle/layout.h"

// What of a map does not move: material points under the middles of its texels.

namespace cutis::wrinkle_detail {

using Eigen::Vector2f;

/// A triangle of the surface over the picture.
struct Patch {
    int vertex[3];      // of the surface
    int uv[3];          // place in the list of posed frames
    Vector2f along[3];  // derivative of each corner's weight by u and v
    int origin[2];      // a pixel, column and row, from which its blocks count
    float weight[3];    // of each corner there
};

/// Eight texels of one patch. The sign of phi and of its slope is free, together, so that of both only products are
/// kept.
struct alignas(32) TexelBlock {
    static constexpr int size = 8;
    float cosine[size];  // of phi
    float rise_u[size];  // sine of phi times its slope, by u
    float rise_v[size];  // and by v
    float height[size];  // presence times the factor that breaks lines
    float lead[size];
    float fine[size];         // height of the fine lines, in those of the wrinkles
    float fine_square[size];  // of the sine of the fine lines' phi
    float fine_rise_u[size];  // height, sine, cosine and slope of theirs
    float fine_rise_v[size];
    // Where in the patch values of its corners are taken, pixels from its origin times MapTexels::parts: the texel's
    // middle, or the point of the piece next to it where that lies outside.
    std::int16_t column[size];
    std::int16_t row[size];
    std::int32_t pixel[size];  // in the picture
    int patch;
    int count;  // of texels; lanes behind them repeat the last one
};

/// All texels that wrinkles may reach, patch by patch, neighbours near each other in memory.
struct MapTexels {
    int size = 0;             // pixels of a side
    int parts = 1;            // of a pixel that blocks count in: as fine as 16 bits let them
    double overlap = 0.0;     // part of the texels that belongs to more than one place
    int tiles = 0;            // that UVs lie in
    double wavelength = 0.0;  // texels, the median
    long count = 0;
    std::vector<Patch> patches;
    std::vector<TexelBlock> blocks;
    // Corners of patches that share surface vertex and UV share a posed frame.
    std::vector<int> first_fan;  // of each frame, and one more
    std::vector<int> fan;        // patches around it

    MapTexels(const WrinkleLayout& layout, const Topology& topology, const MatrixX3d& rest, const WrinkleMaps::Art& art,
              int side, int padding, const Workers& workers);
};

}  // namespace cutis::wrinkle_detail
