#pragma once

#include "cutis/mesh/stencils.h"

namespace cutis {

/// How the curve's ends are held.
enum class CurveEnds {
    clamped,   ///< both ends follow their targets in place and slope (the paper's curves)
    free_far,  ///< the last node swings freely: tails, tips
    ring,      ///< closed curve; node N is node 0
};

/// Nodes of a curve that the dynamics move: N - 1 (clamped), N (free_far) or N (ring). The first
/// moved node is node 1, or node 0 of a ring.
int moved_nodes(int intervals, CurveEnds ends);

/// Vibration shapes of a curve: D v_j = lambda_j v_j, lowest first, v_j orthonormal (free_far: D v
/// = lambda M v with half a mass at the free node, v_j orthonormal in M).
struct BeamModes {
    int intervals = 0;
    CurveEnds ends = CurveEnds::clamped;
    VectorXd eigenvalues;   ///< of D; the ring's translation has 0
    RowMatrixXd shapes;     ///< moved nodes x modes
    RowMatrixXd projector;  ///< modes x moved nodes, projector * shapes = I; the transpose of
                            ///< shapes but for a free end, whose node has half a mass

    int count() const { return static_cast<int>(eigenvalues.size()); }
};

/// Modes in closed form (clamped and ring; no decomposition, linear in nodes times modes) or from a
/// dense decomposition (free_far, up to 1024 intervals).
///
/// Clamped: v_n = cos(t x) - cosh(p x) cos(t N/2) / cosh(p N/2) with x = n - N/2 (and the same with
/// sines), where (2 - 2 cos t)^2 = (2 cosh p - 2)^2 = lambda and the slope condition fixes t.
/// \param count  modes wanted; more than there are gives all
/// \throw InvalidInput  fewer than 2 intervals (ring: 3), count below 1, too many intervals
BeamModes beam_modes(int intervals, CurveEnds ends, int count);

/// The first frequency of the *discrete* clamped curve with a1 / a2 of Chaudhry et al. 2014 Eq.
/// (2). Continuous curve: 22.3733 sqrt(a1 / a2) / (2 pi).
double frequency_for_stiffness(int intervals, double a1_over_a2);

/// Growth of one mode under a force that rises linearly from 0, in units of its static answer at
/// m = M: the paper's scheme in closed form, m - m-th step of M (any real number works).
/// \param omega_step  omega dt = sqrt(a1 N^4 lambda / a2) / M, > 0
double paper_growth(double omega_step, double m, double M);

}  // namespace cutis
