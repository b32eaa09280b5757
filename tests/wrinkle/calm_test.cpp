#include "wrinkle/calm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cutis {
namespace {

using wrinkle_detail::Calm;

constexpr double calm = 0.03;
constexpr double step = 1.0 / 120.0;
const double keep = std::exp(-step / calm);

TEST(WrinkleCalm, is_two_low_passes_where_nothing_is_too_quick) {
    Calm follower;
    follower.start(0.2);
    double once = 0.2;
    double twice = 0.2;
    for (int i = 1; i < 300; ++i) {
        const double wanted = 1.0 + std::sin(0.05 * i);
        once = keep * once + (1.0 - keep) * wanted;
        twice = keep * twice + (1.0 - keep) * once;
        follower.follow(wanted, keep, step, 1e9);
        EXPECT_NEAR(follower.value, twice, 1e-12);
    }
}

TEST(WrinkleCalm, never_changes_its_speed_faster_than_it_may_nor_goes_below_0) {
    std::mt19937 random(5);
    for (const double most : {0.1, 1.0, 10.0, 300.0}) {
        Calm follower;
        follower.start(0.0);
        double last[2] = {0.0, 0.0};
        double wanted = 0.0;
        double highest = 0.0;
        for (int i = 0; i < 20000; ++i) {
            // Jumps between nothing and up to 1, and stays for a while.
            if (random() % 10 == 0) {
                wanted = random() % 2 == 0 ? 0.0 : static_cast<double>(random() % 1000) / 1000.0;
            }
            follower.follow(wanted, keep, step, most);
            EXPECT_GE(follower.value, 0.0);
            EXPECT_LE(std::abs(follower.value - 2.0 * last[1] + last[0]), (1.0 + 1e-9) * most * step * step + 1e-15);
            last[0] = last[1];
            last[1] = follower.value;
            highest = std::max(highest, follower.value);
        }
        EXPECT_GT(highest, 5.0 * most * step * step) << "it did follow";
    }
}

TEST(WrinkleCalm, arrives_without_swinging_past) {
    Calm follower;
    follower.start(1.0);
    constexpr double most = 20.0;
    double seconds = 0.0;
    for (double last = 1.0; follower.value > 1e-3 && seconds < 10.0; seconds += step) {
        follower.follow(0.0, keep, step, most);
        EXPECT_LE(follower.value, last);
        last = follower.value;
    }
    // There and braked: no sooner than 2 sqrt(way / most); the low passes add a few times their own.
    EXPECT_GT(seconds, 2.0 * std::sqrt(1.0 / most));
    EXPECT_LT(seconds, 2.0 * std::sqrt(1.0 / most) + 8.0 * calm);
}

}  // namespace
}  // namespace cutis
