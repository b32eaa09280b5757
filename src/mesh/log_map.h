#pragma once

#include "cutis/mesh/surface_point.h"

namespace cutis {

/// Places around a point of a surface on a flat sheet: how far and in which direction they lie
/// along the surface (the inverse of the exponential map), for the vertices within some distance.
///
/// Dijkstra's way with directions averaged over the vertices already reached: R. Schmidt, C. Grimm,
/// B. Wyvill: Interactive Decal Compositing with Discrete Exponential Maps, SIGGRAPH 2006, section 3.
struct LogMap {
    MatrixX2d places;              ///< #V x 2, metres: first axis `right`, second normal x right
    std::vector<char> is_reached;  ///< #V

    /// Whether a triangle lies on the sheet in one piece: all corners reached, not folded, no side
    /// torn to more than three times its length (where the sheet meets itself behind a limb).
    bool covers(const MatrixX3d& positions, const MatrixX3i& triangles, int f) const;
};

/// \param right   of the sheet, in the tangent plane
/// \param radius  metres along the surface
LogMap log_map(const Topology& topology, const MatrixX3d& positions, const SurfacePoint& centre, const Vector3d& right,
               double radius);

}  // namespace cutis
