#pragma once

#include <vector>

#include "mesh/subdivide.h"

namespace cutis {

/// Loop subdivision that is fine in some places and coarse in others, without cracks.
///
/// Every kept vertex takes its row from the finest uniform level, so neighbouring triangles of
/// different size share exact positions, and coarse parts lie on the same surface as fine ones.
/// Triangles of neighbouring size differ by at most one level; one with a single halved side is cut
/// in two from that side's middle.
class AdaptiveLoop {
public:
    /// \param base         the mesh to refine
    /// \param coarse_level 0 .. levels: the uniform level whose triangles carry `wanted`
    /// \param wanted       per triangle of that level (numbered as LoopSubdivision does): level it
    ///                     shall have at least, 0 .. levels
    /// \param levels       0 to 8: the finest level
    /// \throw InvalidInput  what LoopSubdivision refuses; wrong number of wanted levels, one out of
    ///                      range (names it)
    AdaptiveLoop(const Topology& base, int coarse_level, const std::vector<unsigned char>& wanted, int levels);

    /// The refined mesh. Vertices that the base has keep their order and come first (until
    /// renumbered).
    const Topology& topology() const { return topology_; }
    /// From base vertices to refined ones.
    const Stencils& stencils() const { return stencils_; }
    /// Corner k of refined triangle f as a point of its base triangle, at 3 f + k (parameters, not
    /// moved by smoothing): for what stays linear per base triangle, such as UVs.
    const std::vector<SurfacePoint>& corner_points() const { return corner_points_; }
    /// The same place of the base's parameters as a point of the refined mesh.
    /// \param point  of the base mesh
    SurfacePoint locate(const SurfacePoint& point) const;
    /// Gives the vertices a new order (for memory that is walked in it).
    /// \param order  old number of each vertex; a permutation
    /// \throw InvalidInput  it is not one
    void renumber(const std::vector<int>& order);
    int levels() const { return levels_; }
    /// Vertices of the uniform mesh of the same finest level.
    int uniform_vertex_count() const { return uniform_vertex_count_; }

private:
    struct Tree;

    int levels_ = 0;
    int uniform_vertex_count_ = 0;
    Topology topology_;
    Stencils stencils_;
    std::vector<SurfacePoint> corner_points_;
    // Per level and triangle: -2 split further, -1 not there, else first refined triangle of the
    // leaf; green_side_ tells the halved side of a leaf, -1 none.
    std::vector<std::vector<int>> leaf_;
    std::vector<short> green_side_;  // per refined triangle (of the first one of a leaf)
};

}  // namespace cutis
