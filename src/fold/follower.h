#pragma once

#include "cutis/mesh/surface_point.h"

namespace cutis::fold_detail {

/// A point that moves with three vertices a, b, c: a + weight[0] (b - a) + weight[1] (c - a).
struct Follower {
    int number[3];  ///< of each vertex' x among all coordinates
    float weight[2];
};

inline Follower follower(const SurfacePoint& point, const MatrixX3i& triangles) {
    Follower result{};
    for (int k = 0; k < 3; ++k) {
        result.number[k] = 3 * triangles(point.triangle, k);
    }
    result.weight[0] = static_cast<float>(point.barycentric[1]);
    result.weight[1] = static_cast<float>(point.barycentric[2]);
    return result;
}

inline void follow(const Follower& follower, const double* values, double* out) {
    using Pair = double __attribute__((vector_size(16), aligned(8)));
    const auto pair = [](const double* from) { return *reinterpret_cast<const Pair*>(from); };
    const double* a = values + follower.number[0];
    const double* b = values + follower.number[1];
    const double* c = values + follower.number[2];
    const double v = follower.weight[0];
    const double w = follower.weight[1];
    const double u = 1.0 - v - w;
    *reinterpret_cast<Pair*>(out) = u * pair(a) + v * pair(b) + w * pair(c);
    out[2] = u * a[2] + v * b[2] + w * c[2];
}

}  // namespace cutis::fold_detail
