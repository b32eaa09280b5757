#pragma once

#include <algorithm>
#include <cmath>

// The cross-section of wrinkles.

namespace cutis::wrinkle_detail {

/// Mean of |sin|: crests and valleys move no skin on average.
constexpr double mean_height = 0.6366197723675814;

/// Sharp valleys at phi = 0, pi, ..., round crests between: with s = sin^2 phi
///   f = (sqrt(s + d^2) - d) / (sqrt(1 + d^2) - d),   0 .. 1.
/// Its slopes are distributed as those of a sinusoid of the same period and height, whatever the sharpness d: so is
/// its arc length.
template <class Number>
struct WrinkleProfile {
    Number sharpness;
    Number scale;  // 1 / (sqrt(1 + d^2) - d)
    explicit WrinkleProfile(Number d) : sharpness(d), scale(std::sqrt(1 + d * d) + d) {}
    Number root(Number s) const { return std::sqrt(s + sharpness * sharpness); }
    Number at(Number s) const { return (root(s) - sharpness) * scale; }
};

/// Height over period of a profile that is longer than its base by r: from the arc length of a sinusoid,
/// error below 0.65 % of the length up to r = 1.
inline double height_over_period(double r) {
    return std::sqrt(r * (4.0 + 2.7 * r)) * 0.3183098861837907;
}

/// Round where wrinkles begin, sharper the more they take up.
inline double sharpness_at(double r) {
    return 0.12 + 0.48 * std::exp(-r / 0.15);
}

/// How much every second valley leads: less where all are open.
inline double lead_at(double r) {
    return 0.45 + 0.55 * std::exp(-r / 0.12);
}

}  // namespace cutis::wrinkle_detail
