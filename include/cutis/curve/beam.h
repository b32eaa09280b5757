#pragma once

#include "cutis/core/banded.h"
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

/// Lower band (bandwidth 2, as BandedFactor wants it) of c D + mu I for clamped ends, D the fourth
/// difference on N equal intervals with the end slopes' virtual nodes folded in (P2 A5 with its
/// misprints corrected: added, never assigned, so that N = 2 gives [8] and N = 3 [7 -4; -4 7]).
/// \throw InvalidInput  fewer than 2 intervals
std::vector<double> beam_band(int intervals, double c, double mu);

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

/// a1 / a2 of P2 Eq. (2) for which the first frequency of the *discrete* clamped curve is f1, and
/// back. Time in seconds. Continuous curve: (2 pi f1 / 22.3733)^2.
double stiffness_for_frequency(int intervals, double frequency_hz);
double frequency_for_stiffness(int intervals, double a1_over_a2);

/// Deformation and its slope d/dv at both ends of every column, at one time.
struct BeamEndValues {
    VectorXd d0, s0, d1, s1;

    /// Ends of a whole deformation (N + 1 rows), slopes to second order (one-sided for N = 2).
    static BeamEndValues of(const RowMatrixXd& nodes);
};

/// The paper's implicit scheme, P2 Eqs. (7), (8), A5 to A7, with any force: factored once, each
/// step one banded solve for all columns (curves times coordinates) at once.
///
/// First order in time, strongly damped (amplification 1/(1 - i omega dt)), and its result depends
/// on the step: kept for fidelity. a2 = 0 gives the static solution of each step.
class BeamMarch {
public:
    /// \param a1       bending stiffness, > 0;  \param a2  mass, >= 0
    /// \param dt       step; the paper has 1/M
    /// \throw InvalidInput  value out of range
    BeamMarch(int intervals, int columns, double a1, double a2, double dt);

    /// Back to rest at time 0.
    void reset();
    /// One step. Allocates nothing.
    /// \param force  N - 1 x columns, at the new time
    /// \param ends   at the new time
    /// \throw InvalidInput  wrong size
    void step(const RowMatrixXd& force, const BeamEndValues& ends);
    /// Deformation of the inner nodes, N - 1 x columns.
    const RowMatrixXd& inner() const { return now_; }
    int steps() const { return steps_; }

private:
    int intervals_;
    double c_, mu_;
    BandedFactor first_factor_, factor_;
    RowMatrixXd now_, before_;
    int steps_ = 0;
};

/// Adds the load of the ends, b of curve-notes section 2, times `ratio`, to N - 1 rows.
void add_end_load(int intervals, double c, const BeamEndValues& ends, double ratio,
                  RowMatrixXd& load);

/// Growth of one mode under a force that rises linearly from 0, in units of its static answer at
/// m = M: the paper's scheme in closed form, m - m-th step of M (any real number works).
/// \param omega_step  omega dt = sqrt(a1 N^4 lambda / a2) / M, > 0
double paper_growth(double omega_step, double m, double M);

/// The force (N - 1 x columns, value at m = M, rising as m / M) with which the paper's scheme ends
/// exactly on `target` (N + 1 x columns), for every target: zeros and sign changes included.
RowMatrixXd identify_force(int intervals, double a1, double a2, int M, const RowMatrixXd& target);

/// What the paper's ratio iteration (Eqs. 10, 11) made of the same task, for comparison. Where
/// q^M is 0 the force stays as it is.
struct RatioIteration {
    RowMatrixXd force;
    double first_error = 0.0;  ///< largest |q^M - target| before the first correction
    double error = 0.0;        ///< the smallest reached
    double last_error = 0.0;   ///< after the last iteration
    int iterations = 0;
};
RatioIteration iterate_force(int intervals, double a1, double a2, int M, const RowMatrixXd& target,
                             int max_iterations, double tolerance);

}  // namespace cutis
