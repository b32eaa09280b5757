#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis::mesh_internal {

/// All sides of all triangles, sorted by edge: first by lower vertex, then by higher vertex, then
/// by side number 3 f + k. Sides of one edge are neighbours in this order.
struct SortedSides {
    std::vector<int> offsets;  ///< #V + 1: sides whose lower vertex is v are offsets[v] ..
    std::vector<int> higher;   ///< higher vertex of each side
    std::vector<int> side;     ///< 3 f + k

    size_t size() const { return side.size(); }
};

/// Refuses indices outside 0 .. vertex_count-1 and meshes too large for int side numbers.
/// \throw InvalidInput
void require_indices_in_range(const MatrixX3i& triangles, int vertex_count);

/// Indices must be in range and the three corners of a triangle different.
SortedSides sort_sides(const MatrixX3i& triangles, int vertex_count);

/// Refuses repeated triangles, edges with more than two triangles and edges whose two triangles
/// disagree on the winding. The lowest edge is reported.
/// \throw InvalidInput
void require_manifold_edges(const MatrixX3i& triangles, const SortedSides& sides);

/// Neighbour across each side, -1 at a boundary. Edges must have passed require_manifold_edges.
MatrixX3i neighbours_of(const MatrixX3i& triangles, const SortedSides& sides);

/// Corners around each vertex, in triangle order (not yet sorted into fans).
struct CornersAround {
    std::vector<int> offsets;  ///< #V + 1
    std::vector<int> corner;   ///< 3 f + k
};
CornersAround corners_around(const MatrixX3i& triangles, int vertex_count);

/// Writes the fan of vertex v that holds `corner` into `fan` (as corners 3 f + k),
/// counter-clockwise, beginning at the boundary where there is one. Returns the number of corners
/// written; `fan` must have room for all corners of v.
int walk_fan(const MatrixX3i& neighbours, const MatrixX3i& triangles, int corner, int* fan);

}  // namespace cutis::mesh_internal
