#pragma once

#include <vector>

#include "cutis/mesh/stencils.h"

namespace cutis {

/// Shapes of a tube as rings that turn, so that shapes between and beyond examples keep their girth: each ring has a
/// rotation, split into the smallest turn of its axis (swing) and a turn about it (twist), a step to the next ring in
/// the turned frame, and what is left. All are plain numbers that may be blended, extrapolated and given modes.
/// A straight line from node to node (Chaudhry et al. 2014 Fig. 11) would narrow the tube between examples and swell
/// it beyond.
class TurningShapes {
public:
    /// \param rest  nodes at rest, row n * curve_count + c; at least 2 rings of 3
    TurningShapes(const MatrixX3d& rest, int curve_count);

    int columns() const { return 3 * curve_count_ + 10; }
    /// Displacements (node rows x 3) as coordinates, a row per ring. Twist is unwrapped from the first ring on.
    RowMatrixXd coordinates(const MatrixX3d& moved) const;
    /// And back. Allocates nothing after the first call with the same `moved`.
    void displacements(const RowMatrixXd& coordinates, MatrixX3d& moved) const;

private:
    int rings_, curve_count_;
    MatrixX3d rest_, centres_, axes_;
};

}  // namespace cutis
