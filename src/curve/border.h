#pragma once

#include "curve/part.h"

namespace cutis {

// Where a part is cut out of a body the flesh must not tear: what it moves runs on beyond the cut, and what is given
// (examples) fades towards it. Both leave the body's own open borders alone.

/// Lets a part's displacement run on over the vertices beyond its cuts, and vanish there with its slope: the biharmonic
/// field that goes on from the part's. Adds rows to part.vertices and part.transfer; those of the part stay as they
/// are. \param width  reach beyond the cuts, metres; three rings of vertices at least, and up to three times as far
///               until the first mode is no steeper and hardly more creased there than inside. 0: nothing is added
void add_skirt(const MatrixX3d& rest, const Topology& topology, double width, CurvePart& part);

/// Per node row: 0 at the part's cuts, 1 from `width` metres on, C1. 1 everywhere where the part is not cut out of
/// anything.
VectorXd border_window(const MatrixX3d& rest, const Topology& topology, double width, const CurvePart& part);

}  // namespace cutis
