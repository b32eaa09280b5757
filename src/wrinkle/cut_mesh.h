#pragma once

#include <array>
#include <vector>

#include "stripes/stripe_mesh.h"

namespace cutis::wrinkle_detail {

/// The part of a surface that wrinkles, its triangles cut into flat pieces fine enough for stripes.
struct CutMesh {
    stripes::StripeMesh mesh;
    VectorXd widths;                              ///< per vertex of the pieces
    std::vector<int> base_triangle;               ///< of each piece
    std::vector<std::array<Vector3d, 3>> corner;  ///< of each piece, weights of its base triangle's corners
    std::vector<int> vertex_of_base;              ///< per base vertex; -1: it takes no part
    std::vector<unsigned char> is_rim;            ///< per vertex: where the part ends, but not the surface
    bool is_coarse = false;                       ///< the budget left edges longer than asked for
};

/// \param normals    of base vertices
/// \param is_active  per base triangle
/// \param widths     per base vertex; edges become at most `part` of them
CutMesh cut_up(const Topology& base, const MatrixX3d& rest, const MatrixX3d& normals,
               const std::vector<unsigned char>& is_active, const VectorXd& widths, double part, int most_vertices);

}  // namespace cutis::wrinkle_detail
