#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <vector>

#include "cutis/core/types.h"

namespace cutis::actor {

/// Triangles while a shape is being made.
struct SurfaceMesh {
    std::vector<Vector3d> points;
    std::vector<Eigen::Vector3i> triangles;  ///< counter-clockwise seen from outside
};

/// What remeshing holds on to.
struct RemeshGuide {
    std::function<double(const Vector3d&)> edge_length;    ///< wanted edge length at a point, metres
    std::function<Vector3d(const Vector3d&)> project;      ///< nearest point of the surface
    std::function<Vector3d(const Vector3d&)> project_rim;  ///< open meshes: nearest point of the rim
    int rounds = 7;                                        ///< split, collapse, flip, relax; 3 .. 20
};

/// Even triangles (Botsch and Kobbelt 2004): edges of the wanted length, six triangles a vertex,
/// vertices relaxed in the tangent plane and put back on the surface. Works through vertices and
/// triangles in index order: the same input gives the same bytes.
SurfaceMesh remesh(const SurfaceMesh& mesh, const RemeshGuide& guide);

/// Drops all triangles but those of the largest connected piece, and the vertices they leave
/// unused.
void keep_largest_piece(SurfaceMesh& mesh);

/// Cosine of the smallest corner angle of a triangle; 1 where it has no area.
double worst_cosine(const Vector3d& a, const Vector3d& b, const Vector3d& c);

/// Smallest corner angle of all triangles, degrees.
double smallest_angle_deg(const SurfaceMesh& mesh);

}  // namespace cutis::actor
