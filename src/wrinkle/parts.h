#pragma once

#include "wrinkle/calm.h"
#include "wrinkle/layout.h"

namespace cutis::wrinkle_detail {

/// What a WrinkleSolver is made of.
struct WrinkleParts {
    WrinkleOptions options;  // of their skin
    double calm = 0.0;
    WrinkleLayout layout;
    MatrixX3i corners;                           // of the triangles that take part
    std::vector<std::array<double, 3>> inverse;  // Chart::inverse of each
    /// A triangle's part in the metric of one of its corners: row of `metrics`, and its weight times the products of
    /// cosine and sine of the vertex's direction in the triangle's plane.
    struct Share {
        int triangle;
        float cc, cs, ss;
    };
    std::vector<int> vertices;     // that take part
    std::vector<int> first_share;  // of each, and one more
    std::vector<Share> shares;
    std::vector<Vector2d> ways;   // of each share: weight times the direction, for crests
    std::vector<int> first_near;  // of each: neighbours for the mean
    std::vector<int> near;        // places in `vertices`
    std::vector<double> near_weight;
    // Per place in `vertices`, and up to whole lanes.
    Eigen::VectorXf longer, softness, share, strength, cap, period;
    // Of the pose.
    MatrixX3d metrics;  // per triangle: xx, xy, yy in its plane
    MatrixX3d raw;      // per place: along, between, across
    /// Per place, where there are low passes: height and take-up.
    struct Memory {
        Calm height, take_up;
    };
    std::vector<Memory> memory;
    Eigen::VectorXf along, between, across, height, take_up;  // per place, as `longer`
    bool has_past = false;
};

}  // namespace cutis::wrinkle_detail
