#include "curve/oscillator.h"

#include <cmath>

#include "core/math.h"

namespace cutis {

OscillatorStep oscillator_step(double omega, double damping, double h) {
    OscillatorStep step;
    if (!(h > 0.0)) {
        return step;
    }
    // Free motion: e^(-xi w t) (C + ..., S = sin(wd t) / wd); S -> h as wd -> 0 (xi = 1).
    const double decay = damping * omega;
    const double damped = omega * std::sqrt((1.0 - damping) * (1.0 + damping));
    const double e = math::exp(-decay * h);
    const double cosine = math::cos(damped * h);
    const double sine = damped * h > 1e-8 ? math::sin(damped * h) / damped : h;
    step.yy = e * (cosine + decay * sine);
    step.yv = e * sine;
    step.vy = -e * omega * omega * sine;
    step.vv = e * (cosine - decay * sine);
    // Particular motion along the ramp: u(t) - (2 xi / w) u', with speed u' = (u1 - u0) / h.
    const double lag = 2.0 * damping / (omega * h);
    step.yu1 = 1.0 - lag + step.yy * lag - step.yv / h;
    step.yu0 = lag - step.yy * (1.0 + lag) + step.yv / h;
    step.vu1 = 1.0 / h + step.vy * lag - step.vv / h;
    step.vu0 = -1.0 / h - step.vy * (1.0 + lag) + step.vv / h;
    return step;
}

double ramp_answer(double omega, double damping, double t) {
    const double x = omega * t;
    if (x < 1e-3) {
        // Series: the closed form below would lose its digits.
        return t * x * x * (1.0 / 6.0 - damping * x / 12.0 - x * x / 120.0);
    }
    // The ramp less its lag of 2 xi / w, and what rings off from the start.
    const double lag = 2.0 * damping / omega;
    constexpr double gone = 45.0;  // e^-45 is far below the last digit
    if (damping * x > gone) {
        return t - lag;
    }
    const double damped = omega * std::sqrt((1.0 - damping) * (1.0 + damping));
    const double angle = damped * t;
    const double cosine = math::cos(angle);
    const double sine = math::sin(angle);  // both at once
    const double swing = angle > 1e-8 ? sine / damped : t;
    return t - lag + math::exp(-damping * x) * (lag * cosine + (2.0 * damping * damping - 1.0) * swing);
}

}  // namespace cutis
