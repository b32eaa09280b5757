#pragma once

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/simd.h"

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
template <class Number>
Number height_over_period(Number r) {
    return simd::root(r * (simd::all<Number>(4.0) + simd::all<Number>(2.7) * r)) *
           simd::all<Number>(0.3183098861837907);
}

/// What wrinkles are to take up of skin that is longer than its place by q > 0: nearly q far above the softness s, and
/// q^4 / s^3 where they begin, so that heights, which grow as its root, begin as q^2 without a kink.
template <class Number>
Number taken_of(Number q, Number softness) {
    return q * q * q * q / ((q + softness) * (q * q + softness * softness));
}

/// Round where wrinkles begin, sharper the more they take up.
inline double sharpness_at(double r) {
    return 0.12 + 0.48 * math::exp(-r / 0.15);
}

/// How much every second valley leads: less where all are open.
inline double lead_at(double r) {
    return 0.45 + 0.55 * math::exp(-r / 0.12);
}

}  // namespace cutis::wrinkle_detail
