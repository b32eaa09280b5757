#pragma once

#include "cutis/shell/options.h"

namespace cutis {

/// y' = a y + b w, w' = c y + d w over one step, exactly: y is the distance from the goal, w its
/// rate of change, the goal moves on a straight line during the step.
struct VibrationStep {
    double a = 1.0;
    double b = 0.0;
    double c = 0.0;
    double d = 1.0;
    double lag = 0.0;  ///< 2 damping / omega: damping against the room instead of the goal rests
                       ///< this many seconds of goal motion behind the goal
};

/// Coefficients for a step of any length, stable always (spectral radius at most 1).
/// \param seconds  >= 0
/// \throw InvalidInput  frequency not above 0, damping negative, a number not finite
VibrationStep exact_step(const Oscillation& oscillation, double seconds);

/// The paper's numbers (Eq. 3) as frequency and damping: with them the exact step gives the paper's
/// sequence for a goal at rest, for steps of the length the paper's frames had.
///
/// Complex roots z of z^2 - (2 - omega - zeta) z + (1 - zeta) map to ln(z) / seconds. Two positive
/// roots are overdamped (damping above 1). Negative roots (omega + zeta too large for one step)
/// have no counterpart in continuous time: the frequency is capped at half the frame rate, with the
/// decay of the slower root. \param omega    stiffness, 0 < omega < 4 - 2 zeta \param zeta damping,
/// 0 .. 1 (1 excluded: it stops in one step, which no oscillator does) \param seconds  step of the
/// paper's frames, > 0 \throw InvalidInput  out of range
Oscillation from_paper(double omega, double zeta, double seconds);

}  // namespace cutis
