#pragma once

#include <limits>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/stencils.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// Sharpness that never wears off. A finite sharpness s < 10 is semi-sharp: sharp for about s
/// levels, then smooth; 10 and more count as infinite.
inline constexpr double infinitely_sharp = std::numeric_limits<double>::infinity();

struct CreaseEdge {
    int a = 0;  ///< vertices of an edge of the mesh, in either order
    int b = 0;
    double sharpness = infinitely_sharp;  ///< >= 0
};

struct SharpCorner {
    int vertex = 0;
    double sharpness = infinitely_sharp;  ///< >= 0
};

/// What happens to a boundary vertex that belongs to one triangle only. Boundary edges are always
/// infinitely sharp creases.
enum class BoundaryCorners {
    sharp,   ///< stays where it is (OpenSubdiv: VTX_BOUNDARY_EDGE_AND_CORNER)
    smooth,  ///< rounded like the rest of the boundary (OpenSubdiv: VTX_BOUNDARY_EDGE_ONLY)
};

struct LoopOptions {
    std::vector<CreaseEdge> creases;
    std::vector<SharpCorner> corners;
    BoundaryCorners boundary_corners = BoundaryCorners::sharp;
};

/// Loop subdivision, computed once for a topology and applied to points every frame.
///
/// Same rules and weights as OpenSubdiv's Loop scheme with uniform creasing: Loop's original vertex
/// weights, crease and boundary vertices (1, 6, 1)/8, crease and boundary edges (1, 1)/2, corners
/// fixed, semi-sharp features blended over their last level.
///
/// Vertices of a level: first those of the level before in the same order, then one per edge in the
/// order of Topology::edges(). Triangle f of a level becomes 4 f + k, at corner k, for k = 0, 1, 2
/// (corner k first) and 4 f + 3 in the middle.
class LoopSubdivision {
public:
    /// \param levels  0 to 8
    /// \throw InvalidInput  levels out of range or result beyond int range; a crease that is not an
    ///                      edge, a corner that is not a vertex, a sharpness that is negative or
    ///                      NaN
    LoopSubdivision(const Topology& base, int levels, const LoopOptions& options = {});

    int levels() const { return levels_; }

    /// The finest level.
    const Topology& topology() const { return topology_; }

    /// From base vertices straight to the finest level.
    const Stencils& stencils() const { return stencils_; }

    /// Base triangle that triangle f of the finest level lies in.
    int parent_triangle(int f) const { return f >> (2 * levels_); }

    /// Corner k of triangle f of the finest level as a point of its base triangle (where it sits in
    /// the base's own parameters, not moved by smoothing). Good for what must stay linear per base
    /// triangle, such as UVs per corner.
    SurfacePoint point_in_parent(int f, int k) const;

private:
    int levels_ = 0;
    Topology topology_;
    Stencils stencils_;
};

}  // namespace cutis
