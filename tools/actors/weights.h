#pragma once

#include <string>
#include <vector>

#include "actors/rigging.h"
#include "implicit.h"

namespace cutis::actor {

/// Weights by heat from the nearest bone that is visible through the inside (Baran and Popovic
/// 2007): (L + A H) w = A H p, H = 1 / distance^2. Warmth spreads over the surface, so neighbouring
/// fingers do not bleed into each other.
/// \return #V x #bones, rows sum to one
Eigen::MatrixXd heat_weights(const SurfaceMesh& mesh, const Sculpture& sculpture, const std::vector<Bone>& bones);

}  // namespace cutis::actor
