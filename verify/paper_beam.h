#pragma once

#include "core/banded.h"
#include "curve/beam.h"

// The scheme of Chaudhry et al. 2014 as printed, with the corrections listed in docs/curve.md:
// what tests, checks and benchmarks compare the curve layer with.

namespace cutis {

/// Lower band (bandwidth 2, as BandedFactor wants it) of c D + mu I for clamped ends, D the fourth
/// difference on N equal intervals with the end slopes' virtual nodes folded in (Chaudhry et al.
/// 2014 A5 with its misprints corrected: added, never assigned, so that N = 2 gives [8] and N = 3
/// [7 -4; -4 7]). \throw InvalidInput  fewer than 2 intervals
std::vector<double> beam_band(int intervals, double c, double mu);

/// a1 / a2 of Chaudhry et al. 2014 Eq. (2) for which the first frequency of the *discrete* clamped
/// curve is f1. Time in seconds. Continuous curve: (2 pi f1 / 22.3733)^2.
double stiffness_for_frequency(int intervals, double frequency_hz);

/// Deformation and its slope d/dv at both ends of every column, at one time.
struct BeamEndValues {
    VectorXd d0, s0, d1, s1;

    /// Ends of a whole deformation (N + 1 rows), slopes to second order (one-sided for N = 2).
    static BeamEndValues of(const RowMatrixXd& nodes);
};

/// The paper's implicit scheme, Chaudhry et al. 2014 Eqs. (7), (8), A5 to A7, with any force:
/// factored once, each step one banded solve for all columns (curves times coordinates) at once.
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

/// Adds the load of the ends, times `ratio`, to N - 1 rows.
void add_end_load(int intervals, double c, const BeamEndValues& ends, double ratio, RowMatrixXd& load);

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
RatioIteration iterate_force(int intervals, double a1, double a2, int M, const RowMatrixXd& target, int max_iterations,
                             double tolerance);

}  // namespace cutis
