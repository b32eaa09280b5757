#include "core/math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

namespace cutis {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

/// Error of a value in units in the last place of the true one, which the C library gives in long doubles (64 bits of
/// mantissa on x86: eleven more than are asked for).
double ulps(double value, long double truth) {
    const auto rounded = static_cast<double>(truth);
    const double unit = std::nextafter(std::abs(rounded), infinity) - std::abs(rounded);
    return static_cast<double>(std::abs(static_cast<long double>(value) - truth) / unit);
}

/// Largest error over numbers drawn evenly between two ends, or by their logarithms.
template <class Ours, class Truth>
double worst(Ours ours, Truth truth, double low, double high, bool by_logarithm = false) {
    std::mt19937_64 random(7);
    double most = 0.0;
    for (int i = 0; i < 40000; ++i) {
        const double share = static_cast<double>(random() >> 11) * 0x1p-53;
        const double x =
            by_logarithm ? std::exp(std::log(low) + share * std::log(high / low)) : low + share * (high - low);
        const long double exact = truth(static_cast<long double>(x));
        if (std::isfinite(static_cast<double>(exact)) && std::abs(exact) > 1e-300L) {
            most = std::max(most, ulps(ours(x), exact));
        }
    }
    return most;
}

constexpr double promised = 4.0;  // units in the last place, as core/math.h says
#define WORST(name, low, high, ...) \
    worst([](double x) { return math::name(x); }, [](long double x) { return std::name(x); }, low, high, ##__VA_ARGS__)

class Math : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::numeric_limits<long double>::digits < 64) {
            GTEST_SKIP() << "long doubles of this machine are no wider than doubles";
        }
    }
};

TEST_F(Math, functions_keep_their_promise_over_the_ranges_that_are_used) {
    EXPECT_LE(WORST(sin, -10.0, 10.0), promised);
    EXPECT_LE(WORST(cos, -10.0, 10.0), promised);
    EXPECT_LE(WORST(acos, -1.0, 1.0), promised);
    EXPECT_LE(WORST(atan, -30.0, 30.0), promised);
    EXPECT_LE(WORST(exp, -700.0, 700.0), promised);
    EXPECT_LE(WORST(expm1, -2.0, 2.0), promised);
    EXPECT_LE(WORST(tanh, -4.0, 4.0), promised);
    EXPECT_LE(WORST(cbrt, -1e3, 1e3), promised);
    EXPECT_LE(WORST(log, 0.1, 10.0), promised);
    EXPECT_LE(WORST(log1p, -0.5, 3.0), promised);
}

TEST_F(Math, and_over_all_sizes) {
    EXPECT_LE(WORST(sin, 1e-300, 1e6, true), promised);
    EXPECT_LE(WORST(cos, 1e-300, 1e6, true), promised);
    EXPECT_LE(WORST(atan, 1e-300, 1e300, true), promised);
    EXPECT_LE(WORST(expm1, 1e-300, 700.0, true), promised);
    EXPECT_LE(WORST(tanh, 1e-300, 100.0, true), promised);
    EXPECT_LE(WORST(log, 1e-307, 1e308, true), promised);
    EXPECT_LE(WORST(log1p, 1e-300, 1e300, true), promised);
    EXPECT_LE(WORST(log2, 1e-307, 1e308, true), promised);
    EXPECT_LE(WORST(log10, 1e-307, 1e308, true), promised);
    EXPECT_LE(WORST(cbrt, 1e-300, 1e300, true), promised);
}

/// sin(k pi) of the double nearest to k pi is that double's own distance from k pi: all that is left after pi is taken
/// off. A pi of 53 bits gives none of its digits.
TEST_F(Math, sine_and_cosine_are_exact_near_their_zeros) {
    for (int k = 1; k < 200000; k += 1 + k / 50) {
        const double whole = k * pi;
        const double half = (k + 0.5) * pi;
        // Relative to the angle's own last place: the sum of three parts of pi has about 2^-120 of it.
        EXPECT_NEAR(math::sin(whole), static_cast<double>(std::sin(static_cast<long double>(whole))),
                    1e-15 * std::abs(static_cast<double>(std::sin(static_cast<long double>(whole)))) + 1e-24 * k)
            << k;
        EXPECT_NEAR(math::cos(half), static_cast<double>(std::cos(static_cast<long double>(half))),
                    1e-15 * std::abs(static_cast<double>(std::cos(static_cast<long double>(half)))) + 1e-24 * k)
            << k;
    }
}

TEST_F(Math, angles_of_two_coordinates_and_lengths) {
    std::mt19937_64 random(11);
    const auto number = [&random] {
        const double share = static_cast<double>(random() >> 11) * 0x1p-53;
        const double size = std::ldexp(1.0 + share, static_cast<int>(random() % 60) - 30);
        return random() % 2 == 0 ? size : -size;
    };
    double angle = 0.0, length = 0.0, power = 0.0;
    for (int i = 0; i < 40000; ++i) {
        const double x = number(), y = number();
        angle = std::max(angle, ulps(math::atan2(y, x), std::atan2(static_cast<long double>(y), x)));
        length = std::max(length, ulps(math::hypot(x, y), std::hypot(static_cast<long double>(x), y)));
        const double exponent = 6.0 * static_cast<double>(random() >> 11) * 0x1p-53 - 3.0;
        const long double truth = std::pow(static_cast<long double>(std::abs(x)), static_cast<long double>(exponent));
        const double promise =
            2.0 * (1.0 + std::abs(static_cast<double>(std::log(truth))));  // of 2^-52, as the header says
        power = std::max(power, ulps(math::pow(std::abs(x), exponent), truth) / promise);
    }
    EXPECT_LE(angle, promised);
    EXPECT_LE(length, promised);
    EXPECT_LE(power, 1.0);
}

TEST_F(Math, special_values_are_those_of_the_standard) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double numbers[] = {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, 3.0, infinity, -infinity, nan, 1e308, 5e-324};
    const auto same = [](double a, double b, double error = 1e-15) {
        return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b)) ||
               (std::isfinite(b) && a != 0.0 && b != 0.0 && std::abs(a - b) <= error * std::abs(b));
    };
    for (const double x : numbers) {
        EXPECT_TRUE(same(math::exp(x), std::exp(x))) << x;
        EXPECT_TRUE(same(math::expm1(x), std::expm1(x))) << x;
        EXPECT_TRUE(same(math::tanh(x), std::tanh(x))) << x;
        EXPECT_TRUE(same(math::atan(x), std::atan(x))) << x;
        EXPECT_TRUE(same(math::acos(x), std::acos(x))) << x;
        EXPECT_TRUE(same(math::cbrt(x), std::cbrt(x))) << x;
        EXPECT_TRUE(same(math::log(x), std::log(x))) << x;
        EXPECT_TRUE(same(math::log2(x), std::log2(x))) << x;
        EXPECT_TRUE(same(math::log10(x), std::log10(x))) << x;
        EXPECT_TRUE(same(math::log1p(x), std::log1p(x))) << x << " " << math::log1p(x);
        if (std::abs(x) < 1e300 || !std::isfinite(x)) {
            EXPECT_TRUE(same(math::sin(x), std::sin(x))) << x;
            EXPECT_TRUE(same(math::cos(x), std::cos(x))) << x;
        }
        for (const double y : numbers) {
            EXPECT_TRUE(same(math::atan2(y, x), std::atan2(y, x))) << y << " " << x;
            EXPECT_TRUE(same(math::hypot(x, y), std::hypot(x, y))) << x << " " << y;
            if (std::abs(y) < 1e300 || std::abs(x) < 1e300) {
                const double error = 1e-15 * (1.0 + std::abs(std::log(std::abs(std::pow(x, y)))));
                EXPECT_TRUE(same(math::pow(x, y), std::pow(x, y), error)) << x << "^" << y << " " << math::pow(x, y);
            }
        }
    }
}

TEST_F(Math, whole_powers_have_whole_logarithms) {
    for (int k = -1022; k <= 1023; ++k) {
        EXPECT_EQ(math::log2(std::ldexp(1.0, k)), k);
    }
    double power = 1.0;
    for (int k = 0; k <= 22; ++k, power *= 10.0) {
        EXPECT_EQ(math::log10(power), k);
    }
}

}  // namespace
}  // namespace cutis
