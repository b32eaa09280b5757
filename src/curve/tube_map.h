#pragma once

#include <vector>

#include "cutis/mesh/surface_point.h"

namespace cutis {

/// A tube laid flat: s in [0, 1] from its first loop to its second, theta one turn round it.
///
/// Both are convex combinations of their neighbours (positive weights), so no triangle is turned
/// over. Theta has no twist: the offset of the second loop is the one of least energy.
struct TubeMap {
    VectorXd s;        ///< per vertex
    VectorXd theta;    ///< per vertex, in turns, any whole number may be added
    MatrixX3i turn;    ///< per corner: whole turns to add so that a triangle is not torn
    int flipped = 0;   ///< triangles that are inverted; 0 by construction
    double twist = 0;  ///< turns that were taken out
};

/// \param loop0, loop1  indices into topology.boundary_loops(), which holds just these two
/// \throw InvalidInput  not a tube: other loops or handles (names what was found)
TubeMap map_tube(const MatrixX3d& positions, const Topology& topology, int loop0, int loop1);

/// Finds the surface point at (s, theta).
class TubeLocator {
public:
    TubeLocator(const Topology& topology, const TubeMap& map);
    SurfacePoint find(double s, double theta) const;

private:
    const Topology* topology_;
    const TubeMap* map_;
    int rows_ = 1, columns_ = 1;
    std::vector<int> starts_, triangles_;  // per bin
};

}  // namespace cutis
