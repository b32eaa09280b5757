#pragma once

#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/stencils.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// Loop subdivision, computed once for a topology and applied to points every frame.
///
/// Same rules and weights as OpenSubdiv's Loop scheme with sharp corners (VTX_BOUNDARY_EDGE_AND_CORNER):
/// Loop's original vertex weights inside, (1, 6, 1)/8 and (1, 1)/2 along the boundary; a boundary vertex
/// that belongs to one triangle only stays where it is.
///
/// Vertices of a level: first those of the level before in the same order, then one per edge in the
/// order of Topology::edges(). Triangle f of a level becomes 4 f + k, at corner k, for k = 0, 1, 2
/// (corner k first) and 4 f + 3 in the middle.
class LoopSubdivision {
public:
    /// \param levels  0 to 8
    /// \throw InvalidInput  levels out of range or result beyond int range
    LoopSubdivision(const Topology& base, int levels);

    int levels() const { return levels_; }

    /// The finest level.
    const Topology& topology() const { return topologies_.back(); }

    /// From base vertices straight to the finest level.
    Stencils stencils() const;
    /// The same for some of its vertices: where few are needed, memory and time are in proportion to those.
    /// \param vertices  rising
    /// \throw InvalidInput  they are not, or out of range
    Stencils stencils(const std::vector<int>& vertices) const;

    /// Corner k of triangle f of the finest level as a point of its base triangle (where it sits in
    /// the base's own parameters, not moved by smoothing). Good for what must stay linear per base
    /// triangle, such as UVs per corner.
    SurfacePoint point_in_parent(int f, int k) const;

private:
    int levels_ = 0;
    std::vector<Topology> topologies_;  // the base's first
};

}  // namespace cutis
