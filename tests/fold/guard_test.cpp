#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "core/math.h"
#include "fold/guard.h"
#include "stripes/crowding.h"

namespace cutis {
namespace {

using simd::Floats;

/// What the corners keep of their heights where one triangle turns away from its normal, at `degrees`, and its
/// directions stay parallel: nothing presses.
float share_at(double degrees, const stripes::Fading& fading) {
    const auto number = [](double value) { return simd::all<Floats>(value); };
    const double angle = degrees * std::numbers::pi / 180.0;
    using Vector = simd::Triple<Floats>;
    const Vector up = {number(0.0), number(0.0), number(1.0)};
    const Vector corner[3] = {{number(0.0), number(0.0), number(0.0)},
                              {number(1.0), number(0.0), number(0.0)},
                              {number(0.0), number(math::cos(angle)), number(math::sin(angle))}};
    const Vector directions[3] = {up, up, up};
    const Floats heights[3] = {number(0.3), number(0.3), number(0.3)};
    const Floats power = stripes::crowding_power(corner, up, directions, heights, number(1.0), fading);
    return stripes::share_of(std::max(0.0F, power[0] - static_cast<float>(stripes::idle_power)));
}

TEST(FoldGuard, lets_go_over_many_degrees_of_a_triangle_that_turns_away) {
    const stripes::Fading abrupt;  // as wrinkles have it, on skin that does not turn over
    float steepest[2] = {0.0F, 0.0F};
    for (int degrees = 0; degrees < 90; ++degrees) {
        const auto fall = [&](const stripes::Fading& fading) {
            return share_at(degrees, fading) - share_at(degrees + 1.0, fading);
        };
        EXPECT_GE(fall(fold_detail::guard_fading), 0.0F) << degrees << " degrees";
        steepest[0] = std::max(steepest[0], fall(abrupt));
        steepest[1] = std::max(steepest[1], fall(fold_detail::guard_fading));
    }
    EXPECT_GT(steepest[0], 0.15F);
    EXPECT_LT(steepest[1], 0.08F);
    EXPECT_EQ(share_at(0.0, fold_detail::guard_fading), 1.0F);
    EXPECT_EQ(share_at(90.0, fold_detail::guard_fading), 0.0F);
    EXPECT_EQ(share_at(120.0, fold_detail::guard_fading), 0.0F);
}

}  // namespace
}  // namespace cutis
