#include "wrinkle/profile.h"

#include <gtest/gtest.h>

#include <numbers>

#include "cutis/wrinkle/options.h"

namespace cutis {
namespace {

using namespace wrinkle_detail;

/// Length of one period over the period, by summing chords.
double length(double height_over_a_period, double sharpness) {
    const WrinkleProfile<double> profile(sharpness);
    constexpr int steps = 40'000;
    double sum = 0.0;
    const auto height = [&](int i) {
        const double s = std::sin(std::numbers::pi * i / steps);
        return height_over_a_period * profile.at(s * s);
    };
    for (int i = 0; i < steps; ++i) {
        sum += std::hypot(1.0 / steps, height(i + 1) - height(i));
    }
    return sum;
}

TEST(WrinkleProfile, takes_up_the_compression_whatever_its_sharpness) {
    for (const double r : {0.01, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0}) {
        for (const double sharpness : {0.12, 0.3, 0.6}) {
            EXPECT_NEAR(length(height_over_period(r), sharpness) / (1.0 + r), 1.0, 0.007) << r << " " << sharpness;
        }
    }
}

TEST(WrinkleProfile, has_sharp_valleys_and_round_crests) {
    const WrinkleProfile<double> sharp(0.12);
    EXPECT_EQ(sharp.at(0.0), 0.0);
    EXPECT_NEAR(sharp.at(1.0), 1.0, 1e-15);
    const auto at = [&](double phi) { return sharp.at(std::sin(phi) * std::sin(phi)); };
    const double step = 0.02;
    const double valley = at(step) - 2.0 * at(0.0) + at(-step);
    const double middle = std::numbers::pi / 2;
    const double crest = -(at(middle + step) - 2.0 * at(middle) + at(middle - step));
    EXPECT_GT(valley, 5.0 * crest);
}

TEST(WrinkleOptions, wavelength_and_onset_come_from_one_ratio) {
    // Both incompressible: onset strain = (pi h / lambda)^2.
    for (const double ratio : {4.0, 6.0, 20.0}) {
        const double wavelength = wrinkle_wavelength(ratio);
        EXPECT_NEAR(wrinkle_onset(ratio), std::pow(std::numbers::pi / wavelength, 2), 1e-12);
    }
    EXPECT_NEAR(1e-3 * wrinkle_wavelength(4.0), 6.9e-3, 0.05e-3);    // forehead
    EXPECT_NEAR(0.5e-3 * wrinkle_wavelength(4.0), 3.5e-3, 0.05e-3);  // crow's feet
}

}  // namespace
}  // namespace cutis
