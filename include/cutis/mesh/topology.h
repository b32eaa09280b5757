#pragma once

#include <array>
#include <span>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Who touches whom on a manifold triangle mesh. Immutable: built once, then only read.
///
/// Side k of a triangle runs from its corner k to its corner (k+1)%3.
class Topology {
public:
    Topology() = default;

    /// \param triangles     #F x 3 vertex indices, counter-clockwise seen from outside
    /// \param vertex_count  #V; every vertex must be used by a triangle
    /// \throw InvalidInput  index out of range, repeated vertex in a triangle, duplicate triangle,
    /// an edge with three
    ///                      triangles or two of opposite winding, a vertex whose triangles do not
    ///                      form one fan (bow-tie), a vertex without triangles; the message names
    ///                      the offender's index
    Topology(MatrixX3i triangles, int vertex_count);

    int vertex_count() const { return vertex_count_; }
    int triangle_count() const { return static_cast<int>(triangles_.rows()); }
    const MatrixX3i& triangles() const { return triangles_; }

    /// Triangle across side k of triangle f, or -1 at a boundary.
    int neighbour(int f, int k) const { return neighbours_(f, k); }
    const MatrixX3i& neighbours() const { return neighbours_; }

    /// Triangles around vertex v, counter-clockwise; at a boundary vertex the first one begins at
    /// the boundary.
    std::span<const int> triangles_around(int v) const;

    /// Undirected edges (i < j), sorted by (i, j).
    const std::vector<std::array<int, 2>>& edges() const { return edges_; }

    /// Index into edges() of side k of triangle f.
    int edge_of_side(int f, int k) const { return edge_of_side_(f, k); }

    bool is_boundary_vertex(int v) const { return is_boundary_vertex_[v] != 0; }
    bool is_closed() const { return boundary_loops_.empty(); }

    /// Each loop walks the boundary with the surface on its left; the first vertex is the lowest
    /// index of the loop.
    const std::vector<std::vector<int>>& boundary_loops() const { return boundary_loops_; }

    /// Connected part of each vertex, numbered by lowest vertex index.
    const std::vector<int>& part_of_vertex() const { return part_of_vertex_; }
    int part_count() const { return part_count_; }

private:
    MatrixX3i triangles_;
    MatrixX3i neighbours_;
    MatrixX3i edge_of_side_;
    int vertex_count_ = 0;
    int part_count_ = 0;
    std::vector<int> fan_offsets_;
    std::vector<int> fan_triangles_;
    std::vector<std::array<int, 2>> edges_;
    std::vector<unsigned char> is_boundary_vertex_;
    std::vector<std::vector<int>> boundary_loops_;
    std::vector<int> part_of_vertex_;
};

}  // namespace cutis
