#include "core/math.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numbers>
#include <utility>

// Arguments are brought close to zero by sums that are exact or nearly so (W. J. Cody and W. Waite, Software Manual for
// the Elementary Functions, 1980); there a Taylor polynomial ends below the last bit.

namespace cutis::math {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double half_pi = 0.5 * std::numbers::pi;

/// The bits of one type as another; Emscripten's library has no std::bit_cast yet.
template <class To, class From>
To bits_as(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(To));
    return to;
}

/// c[0] + c[1] x + c[2] x^2 ...
template <std::size_t count>
double polynomial(const std::array<double, count>& c, double x) {
    double sum = c[count - 1];
    for (std::size_t k = count - 1; k-- > 0;) {
        sum = sum * x + c[k];
    }
    return sum;
}

/// x = quarter pi/2 + rest, |rest| <= pi/4.
struct Quarter {
    double rest;
    unsigned quarter;  ///< 0 .. 3
};
Quarter quarter_of(double x) {
    if (std::abs(x) > 1.6e6) {
        x = std::fmod(x, 2.0 * std::numbers::pi);
    }
    const double n = std::floor(x * (2.0 / std::numbers::pi) + 0.5);
    // pi/2 in three parts of 33, 33 and 53 bits: the first two products are exact.
    const double rest = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
    return {rest, static_cast<unsigned>(static_cast<std::int64_t>(n) & 3)};
}

double sine_near_zero(double r) {
    static constexpr std::array<double, 8> c = {
        -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
        -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
    const double z = r * r;
    return r + r * z * polynomial(c, z);
}

double cosine_near_zero(double r) {
    static constexpr std::array<double, 7> c = {
        1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,         -1.0 / 3628800.0,
        1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0};
    const double z = r * r;
    return 1.0 - (0.5 * z - z * z * polynomial(c, z));
}

double sine_of(const Quarter& q) {
    const double value = (q.quarter & 1) != 0 ? cosine_near_zero(q.rest) : sine_near_zero(q.rest);
    return (q.quarter & 2) != 0 ? -value : value;
}

/// e^r - 1 for |r| <= ln(2)/2
double expm1_near_zero(double r) {
    static constexpr std::array<double, 13> c = {
        1.0 / 2.0,         1.0 / 6.0,          1.0 / 24.0,         1.0 / 120.0,     1.0 / 720.0,
        1.0 / 5040.0,      1.0 / 40320.0,      1.0 / 362880.0,     1.0 / 3628800.0, 1.0 / 39916800.0,
        1.0 / 479001600.0, 1.0 / 6227020800.0, 1.0 / 87178291200.0};
    return r + r * r * polynomial(c, r);
}

constexpr double ln2_high = 0x1.62e42fee00000p-1;  ///< 32 bits: k times it is exact
constexpr double ln2_low = 1.9082149292705877e-10;

/// x = 2^exponent (1 + fraction), sqrt(1/2) <= 1 + fraction < sqrt(2). \pre x > 0, finite
struct Binary {
    double fraction;
    int exponent;
};
Binary binary_of(double x) {
    int exponent = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent = -54;
    }
    auto bits = bits_as<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffULL) | 0x3ff0000000000000ULL;
    auto mantissa = bits_as<double>(bits);
    if (mantissa > std::numbers::sqrt2) {
        mantissa *= 0.5;
        ++exponent;
    }
    return {mantissa - 1.0, exponent};
}

/// log(1 + f) = 2 atanh(s), s = f / (2 + f), |s| < 0.172, as f - s (f - ...), so that f's own bits are kept.
double log_near_one(double f) {
    static constexpr std::array<double, 10> c = {2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,  2.0 / 9.0,  2.0 / 11.0,
                                                 2.0 / 13.0, 2.0 / 15.0, 2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0};
    const double s = f / (2.0 + f);
    const double z = s * s;
    return f - s * (f - z * polynomial(c, z));
}

/// What log gives beyond numbers above zero.
double log_outside(double x) {
    return x == 0.0 ? -infinity : x > 0.0 ? x : not_a_number;
}
bool is_inside_log(double x) {
    return x > 0.0 && x < infinity;
}

/// 0 <= x <= 1
double atan_below_one(double x) {
    static constexpr std::array<double, 9> at_eighths = {0.0,
                                                         0.12435499454676143503,
                                                         0.24497866312686415417,
                                                         0.3587706702705722204,
                                                         0.46364760900080611621,
                                                         0.55859931534356243597,
                                                         0.6435011087932843868,
                                                         0.71882999962162450542,
                                                         0.78539816339744830962};
    static constexpr std::array<double, 6> c = {-1.0 / 3.0, 1.0 / 5.0, -1.0 / 7.0, 1.0 / 9.0, -1.0 / 11.0, 1.0 / 13.0};
    const auto k = static_cast<std::size_t>(x * 8.0 + 0.5);
    const double centre = static_cast<double>(k) / 8.0;
    const double u = (x - centre) / (1.0 + x * centre);  // |u| <= 1/16
    const double z = u * u;
    return at_eighths[k] + (u + u * z * polynomial(c, z));
}

/// 2^k for -1022 <= k <= 1023
double power_of_two(int k) {
    return bits_as<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

}  // namespace

double sin(double x) {
    if (x == 0.0) {
        return x;  // with its sign
    }
    return std::isfinite(x) ? sine_of(quarter_of(x)) : not_a_number;
}

double cos(double x) {
    if (!std::isfinite(x)) {
        return not_a_number;
    }
    Quarter q = quarter_of(x);
    ++q.quarter;
    return sine_of(q);
}

double atan(double x) {
    const double size = std::abs(x);
    if (std::isnan(x)) {
        return x;
    }
    const double angle = size <= 1.0 ? atan_below_one(size) : half_pi - atan_below_one(1.0 / size);
    return std::copysign(angle, x);
}

double atan2(double y, double x) {
    if (std::isnan(x) || std::isnan(y)) {
        return not_a_number;
    }
    double a = std::abs(y), b = std::abs(x);
    if (a == infinity && b == infinity) {
        a = b = 1.0;
    }
    double angle = 0.0;  // of (b, a), in the first quarter
    if (a > b) {
        angle = half_pi - atan_below_one(b / a);
    } else if (b > 0.0) {
        angle = atan_below_one(a / b);
    }
    if (std::signbit(x)) {
        angle = std::numbers::pi - angle;
    }
    return std::copysign(angle, y);
}

double acos(double x) {
    return std::abs(x) <= 1.0 ? 2.0 * atan2(std::sqrt(1.0 - x), std::sqrt(1.0 + x)) : not_a_number;
}

double exp(double x) {
    if (!(x > -746.0 && x < 710.0)) {
        return std::isnan(x) ? x : x > 0.0 ? infinity : 0.0;
    }
    const double k = std::floor(x * std::numbers::log2e + 0.5);
    const double value = 1.0 + expm1_near_zero((x - k * ln2_high) - k * ln2_low);
    const int half = static_cast<int>(k) / 2;  // in two steps: 2^k alone may overflow or vanish
    return value * power_of_two(half) * power_of_two(static_cast<int>(k) - half);
}

double expm1(double x) {
    if (x == 0.0) {
        return x;  // with its sign
    }
    return std::abs(x) < 0.34 ? expm1_near_zero(x) : exp(x) - 1.0;
}

double tanh(double x) {
    const double size = std::abs(x);
    if (!(size < 20.0)) {
        return std::isnan(x) ? x : std::copysign(1.0, x);
    }
    const double e = expm1(2.0 * size);
    return std::copysign(e / (e + 2.0), x);
}

double log(double x) {
    if (!is_inside_log(x)) {
        return log_outside(x);
    }
    const Binary b = binary_of(x);
    return b.exponent * ln2_high + (log_near_one(b.fraction) + b.exponent * ln2_low);
}

double log1p(double x) {
    const double sum = 1.0 + x;
    if (!is_inside_log(sum)) {
        return log_outside(sum);
    }
    const double rounded = sum - 1.0;
    return rounded == 0.0 ? x : log(sum) * (x / rounded);
}

double log2(double x) {
    if (!is_inside_log(x)) {
        return log_outside(x);
    }
    const Binary b = binary_of(x);
    return b.exponent + log_near_one(b.fraction) * std::numbers::log2e;
}

double log10(double x) {
    if (!is_inside_log(x)) {
        return log_outside(x);
    }
    const double value = log(x) * std::numbers::log10e;
    const double whole = std::floor(value + 0.5);
    double power = 1.0;
    for (int k = 0; k < static_cast<int>(std::abs(whole)) && k < 23; ++k) {
        power *= 10.0;
    }
    return x == (whole < 0.0 ? 1.0 / power : power) ? whole : value;
}

double cbrt(double x) {
    if (x == 0.0 || !std::isfinite(x)) {
        return x;
    }
    const double size = std::abs(x);
    double y = exp(log(size) / 3.0);
    y -= (y - size / (y * y)) / 3.0;  // Newton's step leaves the rounding of its own sum
    return std::copysign(y, x);
}

double pow(double x, double y) {
    if (y == 0.0 || x == 1.0) {
        return 1.0;
    }
    if (std::isnan(x) || std::isnan(y)) {
        return not_a_number;
    }
    const bool is_whole = std::floor(y) == y;
    const bool is_odd = is_whole && std::abs(y) < 0x1p53 && std::fmod(y, 2.0) != 0.0;
    const double sign = std::signbit(x) && is_odd ? -1.0 : 1.0;
    const double size = std::abs(x);
    if (x < 0.0 && !is_whole && size < infinity) {
        return not_a_number;
    }
    if (is_whole && std::abs(y) <= 16.0) {
        double power = 1.0;
        for (int k = 0; k < static_cast<int>(std::abs(y)); ++k) {
            power *= size;
        }
        return sign * (y < 0.0 ? 1.0 / power : power);
    }
    const double exponent = y * log(size);
    return std::isnan(exponent) ? 1.0 : sign * exp(exponent);  // only 1^infinity, the limit both ways
}

double hypot(double x, double y) {
    double large = std::abs(x), small = std::abs(y);
    if (large == infinity || small == infinity) {
        return infinity;
    }
    if (large < small) {
        std::swap(large, small);
    }
    if (!(large > 0.0)) {
        return large + small;  // 0, or not a number
    }
    const double ratio = small / large;
    return large * std::sqrt(1.0 + ratio * ratio);
}

double hypot(double x, double y, double z) {
    return hypot(hypot(x, y), z);
}

}  // namespace cutis::math
