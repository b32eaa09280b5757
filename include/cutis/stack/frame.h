#pragma once

#include <map>
#include <string>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// A named value per vertex.
struct ChannelData {
    std::string unit;            ///< "m", "1", "N/m"; "1" for ratios
    int width = 1;               ///< numbers per vertex: 1 scalar, 3 direction
    std::vector<double> values;  ///< #A * width
};

/// One output time: plain data, everything on the artist's vertices.
struct Frame {
    int number = 0;       ///< as the user counts them, first frame of the bake = 1
    double time = 0.0;    ///< seconds of body time
    MatrixX3d positions;  ///< #A x 3, metres
    MatrixX2d uv;         ///< #T x 2 when UVs move this frame; empty: as in the rest mesh
    std::map<std::string, ChannelData> channels;
};

}  // namespace cutis
