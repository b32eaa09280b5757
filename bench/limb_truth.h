#pragma once

#include <vector>

#include "cutis/body/skinning.h"
#include "cutis/mesh/topology.h"

namespace cutis::bench {

/// A limb of soft tissue around two bones, simulated by finite elements: truth that owes nothing to
/// any skinning.
///
/// Corotational linear elasticity on tetrahedra; the inner surface is fixed to the bones but for a
/// gap at the joint, the ends are fixed. Deterministic.
struct LimbTruth {
    MatrixX3d rest;  ///< outer surface, two open ends
    MatrixX3i triangles;
    SkinWeights weights;  ///< of the two bones, smooth across the joint
    std::vector<MatrixX3d> frames;
    std::vector<std::vector<Eigen::Affine3d>> bones;  ///< per frame: two skinning matrices
    double fps = 30.0;
    double residual = 0.0;  ///< largest unbalanced force over the largest elastic force
};

enum class LimbMotion {
    bend,   ///< 70 degrees in 1 s at even angular speed, at every frame in equilibrium
    flick,  ///< 70 degrees in 0.4 s, then held 0.6 s: the flesh swings
};

/// Simulated, or read from the folder that the environment's CUTIS_CACHE names, where an earlier
/// run left it (same bits); without that variable nothing is stored.
LimbTruth simulate_limb(LimbMotion motion);

}  // namespace cutis::bench
