#include "shell/oscillator.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {}  // namespace

VibrationStep exact_step(const Oscillation& oscillation, double seconds) {
    const double xi = oscillation.damping;
    require(oscillation.frequency_hz > 0.0 && std::isfinite(oscillation.frequency_hz),
            "shell frequency: expected a number above 0 Hz, found ", oscillation.frequency_hz);
    require(xi >= 0.0 && std::isfinite(xi), "shell damping: expected a ratio of at least 0, found ", xi);
    require(seconds >= 0.0 && std::isfinite(seconds), "shell step: expected at least 0 s, found ", seconds);
    const double omega = 2.0 * std::numbers::pi * oscillation.frequency_hz;
    const double s = xi * omega;
    // eC = e^(-s t) cos(wd t), eS = e^(-s t) sin(wd t) / wd, and their limits beyond xi = 1.
    double eC = 0.0;
    double eS = 0.0;
    const double spread = omega * std::sqrt(std::abs(1.0 - xi * xi));
    const double turn = spread * seconds;
    if (turn < 1e-4) {
        // Close to critical damping: series of cos and sin (cosh and sinh) in (wd t)^2.
        const double square = (xi < 1.0 ? -1.0 : 1.0) * turn * turn;
        const double e = math::exp(-s * seconds);
        eC = e * (1.0 + square / 2.0 + square * square / 24.0);
        eS = e * seconds * (1.0 + square / 6.0 + square * square / 120.0);
    } else if (xi < 1.0) {
        const double e = math::exp(-s * seconds);
        eC = e * math::cos(turn);
        eS = e * math::sin(turn) / spread;
    } else {
        const double slow = math::exp((spread - s) * seconds);
        const double fast = math::exp((-spread - s) * seconds);
        eC = 0.5 * (slow + fast);
        eS = 0.5 * (slow - fast) / spread;
    }
    VibrationStep step;
    step.a = eC + s * eS;
    step.b = eS;
    step.c = -omega * omega * eS;
    step.d = eC - s * eS;
    step.lag = 2.0 * xi / omega;
    return step;
}

Oscillation from_paper(double omega, double zeta, double seconds) {
    require(zeta >= 0.0 && zeta < 1.0, "shell zeta: expected 0 .. 1 (1 excluded), found ", zeta);
    require(omega > 0.0 && omega < 4.0 - 2.0 * zeta, "shell omega: expected 0 .. ", 4.0 - 2.0 * zeta,
            " (4 - 2 zeta, ends excluded), found ", omega);
    require(seconds > 0.0 && std::isfinite(seconds), "shell step: expected above 0 s, found ", seconds);
    const double half = 0.5 * (2.0 - omega - zeta);
    const double product = 1.0 - zeta;
    const double discriminant = half * half - product;
    std::complex<double> rate;  // the slowest, or one of a pair
    std::complex<double> other;
    if (discriminant < 0.0) {
        rate = std::complex<double>(0.5 * math::log(product), math::atan2(std::sqrt(-discriminant), half)) / seconds;
        other = std::conj(rate);
    } else if (half > 0.0) {
        const double root = std::sqrt(discriminant);
        rate = math::log(half + root) / seconds;
        other = math::log(product / (half + root)) / seconds;
    } else {
        const double slow = half - std::sqrt(discriminant);  // the larger in size
        rate = std::complex<double>(math::log(-slow), std::numbers::pi) / seconds;
        other = std::conj(rate);
    }
    // omega0^2 is the product of both rates, 2 xi omega0 minus their sum.
    const double omega0 = std::sqrt((rate * other).real());
    Oscillation out;
    out.frequency_hz = omega0 / (2.0 * std::numbers::pi);
    out.damping = std::max(0.0, -0.5 * (rate + other).real() / omega0);
    return out;
}

}  // namespace cutis
