#pragma once

#include <functional>

#include "implicit.h"

namespace cutis::actor {

/// Cloth lying on a sculpture: the surface `gap` above the clay where `fence` is negative, with
/// even triangles and rims on fence = 0. \param fence  smooth; its zero set must cross the surface
/// in loops without corners \param skin   mesh of the clay's surface; of what the fence leaves, the
/// largest piece is kept
SurfaceMesh cut_garment(const Sculpture& clay, const SurfaceMesh& skin, double gap,
                        const std::function<double(const Vector3d&)>& fence);

/// Carries rows given at the vertices of `body` (weights) to points near its surface, by the
/// nearest point on the triangles around the nearest vertex.
Eigen::MatrixXd carry_over(const SurfaceMesh& body, const Eigen::MatrixXd& rows, const std::vector<Vector3d>& points);

}  // namespace cutis::actor
