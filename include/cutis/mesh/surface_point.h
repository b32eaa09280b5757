#pragma once

#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// A place on a triangle mesh that moves with it.
struct SurfacePoint {
    int triangle = 0;
    Vector3d barycentric = Vector3d(1, 0, 0);  ///< weights of the triangle's corners: >= 0, sum 1
};

/// Vertex v as a point of the first triangle of its fan.
SurfacePoint point_at_vertex(const Topology& topology, int v);

/// Refuses a triangle that does not exist and weights that are not finite, below -1e-9, or do not
/// sum to 1 +- 1e-6 (for points that come from outside: files, saved states).
/// \throw InvalidInput
void require_valid_point(const Topology& topology, const SurfacePoint& point);

/// What a per-vertex quantity (#V rows: positions, UVs, weights) is at a point.
inline Vector3d interpolate(const MatrixX3d& values, const MatrixX3i& triangles, const SurfacePoint& point) {
    const int f = point.triangle;
    const Vector3d& b = point.barycentric;
    return (b[0] * values.row(triangles(f, 0)) + b[1] * values.row(triangles(f, 1)) +
            b[2] * values.row(triangles(f, 2)))
        .transpose();
}

inline Vector2d interpolate(const MatrixX2d& values, const MatrixX3i& triangles, const SurfacePoint& point) {
    const int f = point.triangle;
    const Vector3d& b = point.barycentric;
    return (b[0] * values.row(triangles(f, 0)) + b[1] * values.row(triangles(f, 1)) +
            b[2] * values.row(triangles(f, 2)))
        .transpose();
}

inline double interpolate(const VectorXd& values, const MatrixX3i& triangles, const SurfacePoint& point) {
    const int f = point.triangle;
    const Vector3d& b = point.barycentric;
    return b[0] * values[triangles(f, 0)] + b[1] * values[triangles(f, 1)] + b[2] * values[triangles(f, 2)];
}

/// Where the point is: interpolate() of positions.
inline Vector3d position_at(const MatrixX3d& positions, const MatrixX3i& triangles, const SurfacePoint& point) {
    return interpolate(positions, triangles, point);
}

}  // namespace cutis
