#pragma once

#include <string>
#include <vector>

#include "actors/implicit.h"
#include "cutis/body/skinning.h"

namespace cutis::actor {

/// One joint with the piece of bone it moves. Joints are not rotated at rest.
struct Bone {
    std::string name;
    std::string parent;   ///< empty: child of the root
    Vector3d head;        ///< the joint, metres
    Vector3d tail;        ///< end of the bone: weights are hottest along head-tail
    std::string chart;    ///< UV chart of the surface it moves most
    std::string part;     ///< named part of the mesh; empty: the chart's name
    bool deforms = true;  ///< false: gets no weight from heat (painted, or carries others only)
    double thick = 0.0;   ///< the bone stands for a volume of this radius (ribs) when bones compete
};

/// Weights by heat from the nearest bone that is visible through the inside (Baran and Popovic
/// 2007): (L + A H) w = A H p, H = 1 / distance^2. Warmth spreads over the surface, so neighbouring
/// fingers do not bleed into each other.
/// \return #V x #bones, rows sum to one
Eigen::MatrixXd heat_weights(const SurfaceMesh& mesh, const Sculpture& sculpture,
                             const std::vector<Bone>& bones);

/// The four largest of each row, normalised.
SkinWeights strongest_weights(const Eigen::MatrixXd& weights);

}  // namespace cutis::actor
