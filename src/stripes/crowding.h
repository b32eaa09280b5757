#pragma once

#include <algorithm>
#include <cmath>

#include "core/simd.h"

// How far triangles of a surface that is lifted along given directions come from turning over, and what heights must
// leave for that.

namespace cutis::stripes {

// Of the rest area, what must stay.
constexpr double least_area = 0.01;
// What a triangle can lose begins as a square below this, so that shares leave 0 without a kink.
constexpr double first_room = 0.02;
// Beyond this nothing is left of a height.
constexpr double most_crowding = 1e3;
// Fourth power of crowding that counts as none, taken off all: triangles far from turning over cost nothing further. Up
// to 1 shares stay below the inverse of the crowding.
constexpr double idle_power = 0.004;

/// How heights fade while a triangle of the base itself comes near turning over, however low they are.
struct Fading {
    double most = 0.1;   ///< added to what a triangle loses, once it has no area,
    double below = 0.0;  ///< growing smoothly from 0 at this part of its rest area; 0: `most` always
    double tilt = 0.0;   ///< of the squared tangent of the angle to its normal, added to its crowding
};

template <class T>
T fourth_power(T x) {
    x *= x;
    return x * x;
}

/// The sum of all that lowers the area of each of eight triangles, over what they can lose: its fourth power.
///
/// The area of a triangle along a fixed normal is linear in the share of each corner: for any shares from 0 to t <= 1
/// it falls by at most t times the sum of all terms that lower it.
/// \param at         corners without heights
/// \param along      normal of the triangle, any length
/// \param n          unit directions of the corners
/// \param h          their heights, not below 0
/// \param rest_area  doubled
/// \param fading     a constant, so that what it leaves out costs nothing
inline simd::Floats crowding_power(const simd::Triple<simd::Floats> (&at)[3], const simd::Triple<simd::Floats>& along,
                                   const simd::Triple<simd::Floats> (&n)[3], const simd::Floats (&h)[3],
                                   simd::Floats rest_area, const Fading& fading = {}) {
    using simd::Floats;
    const auto number = [](double value) { return simd::all<Floats>(value); };
    const simd::Triple<Floats> edge[2] = {at[1] - at[0], at[2] - at[0]};
    const simd::Triple<Floats> m =
        (simd::all<Floats>(1.0) / (simd::larger(length(along), simd::all<Floats>(1e-12)) * rest_area)) * along;
    // (a x b) . m = b . (m x a)
    const simd::Triple<Floats> u1 = cross(m, edge[0]);
    const simd::Triple<Floats> u2 = cross(m, edge[1]);
    const simd::Triple<Floats> v1 = cross(m, n[1]);
    const simd::Triple<Floats> v2 = cross(m, n[2]);
    const Floats none = simd::all<Floats>(0.0);
    const Floats area = dot(edge[1], u1);  // along the normal, of that at rest
    const Floats left = simd::larger(area - number(least_area), none);
    const Floats room = left * left / (left + number(first_room));
    Floats faded = number(fading.most);
    if (fading.below > 0.0) {
        const Floats x = simd::smaller(simd::larger(area * number(1.0 / fading.below), none), number(1.0));
        faded *= number(1.0) - x * x * (number(3.0) - (x + x));
    }
    // All that lowers the area, as if nothing raised it.
    const Floats lost = h[0] * (simd::larger(dot(n[0], u1 - u2), none) + h[1] * simd::larger(dot(n[0], v1), none)) +
                        h[1] * (simd::larger(dot(n[1], u2), none) + h[2] * simd::larger(dot(n[1], v2), none)) +
                        h[2] * (simd::larger(-dot(n[2], u1), none) + h[0] * simd::larger(-dot(n[0], v2), none)) + faded;
    Floats crowding = lost / simd::larger(room, lost * number(1.0 / most_crowding));
    if (fading.tilt > 0.0) {
        const simd::Triple<Floats> whole = (number(1.0) / rest_area) * cross(edge[0], edge[1]);
        const Floats square = dot(whole, whole);
        const Floats seen = simd::larger(area, none);
        const Floats tangent = square / simd::larger(seen * seen, number(1e-6) * square + number(1e-30));
        crowding += number(fading.tilt) * simd::larger(tangent - number(1.0), none);
        crowding = simd::smaller(crowding, number(most_crowding));
    }
    return fourth_power(crowding);
}

/// What a vertex keeps of its height: (1 + sum of the powers around it)^(-1/4), less than the inverse of any crowding,
/// and smooth in the pose.
inline float share_of(float sum) {
    const float left = 1.0F / std::sqrt(std::sqrt(1.0F + sum));
    constexpr auto none = static_cast<float>(1.1 / most_crowding);
    return std::max(0.0F, left - none) / (1.0F - none);
}

}  // namespace cutis::stripes
