#pragma once

#include <vector>

#include "remesh.h"

namespace cutis::actor {

/// UV coordinates with their own indices.
struct UvLayout {
    MatrixX2d uv;            ///< #T x 2 in [0, 1]
    MatrixX3i uv_triangles;  ///< #F x 3 into uv
};

/// Cuts the mesh into the given charts, each chart to a disk, flattens each without overlap and
/// packs them into the unit square at one scale.
/// \param chart_of_triangle  labels >= 0; scattered specks are given to their neighbours first and
///                           the array holds what was used
/// \param seam_side  seams prefer the side of the surface facing this direction
/// \throw SolverFailure  a chart of higher genus, or one that cannot be flattened
UvLayout make_uv(const SurfaceMesh& mesh, std::vector<int>& chart_of_triangle, const Vector3d& seam_side);

/// A disk cut out of the mesh, with its own vertices.
struct Chart {
    std::vector<int> triangle;             ///< triangles of the mesh
    std::vector<Eigen::Vector3i> corners;  ///< the same triangles, into local vertices
    std::vector<Vector3d> points;          ///< local vertices in space
    std::vector<int> rim;                  ///< boundary loop of local vertices, surface on the left
};

/// Cuts the triangles with one label to a disk: boundary loops are joined along short paths, deep
/// caps (fingers, stumps) are slit to their tips.
/// \param across  triangle across each side, -1 at a rim
/// \throw SolverFailure  the chart has a handle
Chart cut_to_disk(const SurfaceMesh& mesh, const std::vector<Eigen::Vector3i>& across, const std::vector<int>& label,
                  int chart, const Vector3d& seam_side);

/// Flattens a disk: Tutte's embedding in a circle, then accelerated quadratic proxy descent
/// (Kovalsky et al. 2016) of the symmetric Dirichlet energy. Steps never flip a triangle and
/// never let the rim cross itself, so the result has no overlap.
std::vector<Vector2d> flatten(const Chart& chart);

/// Is a closed polygon free of crossings?
bool is_simple(const std::vector<Vector2d>& polygon);

}  // namespace cutis::actor
