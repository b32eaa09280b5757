#pragma once

#include <algorithm>
#include <cmath>

#include "core/simd.h"

// How far triangles of a surface that is lifted along given directions come from turning over, and what heights must
// leave for that.

namespace cutis::stripes {

// Of the rest area, what must stay.
constexpr double least_area = 0.01;
// Heights fade while a triangle of the base itself comes down to this much more.
constexpr double fade = 0.1;
// What a triangle can lose begins as a square below this, so that shares leave 0 without a kink.
constexpr double first_room = 0.02;
// Beyond this nothing is left of a height.
constexpr double most_crowding = 1e3;
// Fourth power of crowding that counts as none, taken off all: triangles far from turning over cost nothing further. Up
// to 1 shares stay below the inverse of the crowding.
constexpr double idle_power = 0.004;

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
inline simd::Floats crowding_power(const simd::Triple<simd::Floats> (&at)[3], const simd::Triple<simd::Floats>& along,
                                   const simd::Triple<simd::Floats> (&n)[3], const simd::Floats (&h)[3],
                                   simd::Floats rest_area) {
    using simd::Floats;
    const simd::Triple<Floats> edge[2] = {at[1] - at[0], at[2] - at[0]};
    const simd::Triple<Floats> m =
        (simd::all<Floats>(1.0) / (simd::larger(length(along), simd::all<Floats>(1e-12)) * rest_area)) * along;
    // (a x b) . m = b . (m x a)
    const simd::Triple<Floats> u1 = cross(m, edge[0]);
    const simd::Triple<Floats> u2 = cross(m, edge[1]);
    const simd::Triple<Floats> v1 = cross(m, n[1]);
    const simd::Triple<Floats> v2 = cross(m, n[2]);
    const Floats none = simd::all<Floats>(0.0);
    const Floats left = simd::larger(dot(edge[1], u1) - simd::all<Floats>(least_area), none);
    const Floats room = left * left / (left + simd::all<Floats>(first_room));
    // All that lowers the area, as if nothing raised it.
    const Floats lost = h[0] * (simd::larger(dot(n[0], u1 - u2), none) + h[1] * simd::larger(dot(n[0], v1), none)) +
                        h[1] * (simd::larger(dot(n[1], u2), none) + h[2] * simd::larger(dot(n[1], v2), none)) +
                        h[2] * (simd::larger(-dot(n[2], u1), none) + h[0] * simd::larger(-dot(n[0], v2), none)) +
                        simd::all<Floats>(fade);
    return fourth_power(lost / simd::larger(room, lost * simd::all<Floats>(1.0 / most_crowding)));
}

/// What a vertex keeps of its height: (1 + sum of the powers around it)^(-1/4), less than the inverse of any crowding,
/// and smooth in the pose.
inline float share_of(float sum) {
    const float left = 1.0F / std::sqrt(std::sqrt(1.0F + sum));
    constexpr auto none = static_cast<float>(1.1 / most_crowding);
    return std::max(0.0F, left - none) / (1.0F - none);
}

}  // namespace cutis::stripes
