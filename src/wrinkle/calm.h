#pragma once

#include <algorithm>
#include <cmath>

namespace cutis::wrinkle_detail {

/// A value that follows another one calmly: two low passes of `calm` seconds each, and never faster than `most`
/// (units / s^2) from one speed to the next. Its way is braked in time, so that it does not swing past what it follows
/// when that stands still, and not below 0 where that never is.
struct Calm {
    double once = 0.0;   ///< after the first low pass
    double value = 0.0;  ///< what is shown
    double speed = 0.0;

    void start(double at) {
        once = value = at;
        speed = 0.0;
    }
    /// \param keep  exp(-step / calm); \param step  seconds, above 0
    void follow(double wanted, double keep, double step, double most) {
        once = keep * once + (1.0 - keep) * wanted;
        const double away = std::abs(once - value);
        double fast = away * (1.0 - keep) / step;
        // Braked by most * step from step to step, the way from a speed v to 0 is below v^2 / (2 most) + v step.
        if (fast * (fast / (2.0 * most) + step) > away) {
            const double change = most * step;
            fast = std::sqrt(change * change + 2.0 * most * away) - change;
        }
        const double best = once < value ? -fast : fast;
        const double next = value + step * std::clamp(best, speed - most * step, speed + most * step);
        speed = (next - value) / step;
        value = next;
    }
};

}  // namespace cutis::wrinkle_detail
