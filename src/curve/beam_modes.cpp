#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/curve/beam.h"

namespace cutis {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int most_dense_intervals = 1024;

/// Slope condition v_-1 = v_1 of a symmetric (or antisymmetric) shape as a function of the angle t;
/// its root is the mode. Divided by cosh (sinh) of the large argument.
double slope_condition(double t, int intervals, bool is_symmetric) {
    const double half = 0.5 * intervals;
    const double p = 2.0 * std::asinh(std::sin(0.5 * t));  // cosh p - 1 = 1 - cos t
    const double c = std::cos(half * t);
    const double s = std::sin(half * t);
    const double hyperbolic = std::tanh(half * p);
    return is_symmetric ? s * std::sin(t) + c * hyperbolic * std::sinh(p)
                        : c * std::sin(t) * hyperbolic - s * std::sinh(p);
}

/// Root between jpi/N and (j+1)pi/N, where the condition changes its sign exactly once.
double mode_angle(int j, int intervals) {
    const bool is_symmetric = j % 2 == 1;
    double low = j * pi / intervals;
    double high = (j + 1) * pi / intervals;
    double at_low = slope_condition(low, intervals, is_symmetric);
    double at_high = slope_condition(high, intervals, is_symmetric);
    // Illinois: superlinear, and never leaves the bracket.
    double t = 0.5 * (low + high);
    for (int i = 0; i < 100; ++i) {
        t = (low * at_high - high * at_low) / (at_high - at_low);
        if (!(t > low && t < high)) {
            t = 0.5 * (low + high);
        }
        const double value = slope_condition(t, intervals, is_symmetric);
        if (value == 0.0 || high - low <= 4e-16 * high) {
            break;
        }
        if ((value > 0.0) == (at_low > 0.0)) {
            // Twice the same side: halve the other value.
            const double step = t - low;
            low = t;
            at_low = value;
            at_high *= 0.5;
            if (step <= 2e-16 * high) {
                break;
            }
        } else {
            const double step = high - t;
            high = t;
            at_high = value;
            at_low *= 0.5;
            if (step <= 2e-16 * high) {
                break;
            }
        }
    }
    return t;
}

/// cosh(p x) / cosh(p half) for |x| <= half, without overflow.
double cosh_ratio(double p, double x, double half) {
    return (std::exp(p * (x - half)) + std::exp(-p * (x + half))) /
           (1.0 + std::exp(-2.0 * p * half));
}

double sinh_ratio(double p, double x, double half) {
    return (std::exp(p * (x - half)) - std::exp(-p * (x + half))) /
           (1.0 - std::exp(-2.0 * p * half));
}

BeamModes clamped_modes(int intervals, int count) {
    BeamModes modes;
    const int size = intervals - 1;
    count = std::min(count, size);
    modes.eigenvalues.resize(count);
    modes.shapes.resize(size, count);
    const double half = 0.5 * intervals;
    for (int k = 0; k < count; ++k) {
        const int j = k + 1;
        const bool is_symmetric = j % 2 == 1;
        const double t = mode_angle(j, intervals);
        const double p = 2.0 * std::asinh(std::sin(0.5 * t));
        const double wave = 2.0 * std::sin(0.5 * t);
        modes.eigenvalues[k] = wave * wave * wave * wave;
        for (int n = 1; n <= size; ++n) {
            const double x = n - half;
            modes.shapes(n - 1, k) =
                is_symmetric ? std::cos(t * x) - std::cos(t * half) * cosh_ratio(p, x, half)
                             : std::sin(t * x) - std::sin(t * half) * sinh_ratio(p, x, half);
        }
        modes.shapes.col(k).normalize();
    }
    return modes;
}

/// Periodic D: Fourier shapes, lambda = (2 - 2 cos(2 pi k / N))^2, the mean first.
BeamModes ring_modes(int intervals, int count) {
    BeamModes modes;
    count = std::min(count, intervals);
    modes.eigenvalues.resize(count);
    modes.shapes.resize(intervals, count);
    for (int k = 0; k < count; ++k) {
        const int wave = (k + 1) / 2;
        const double angle = 2.0 * pi * wave / intervals;
        const double size = 2.0 * std::sin(0.5 * angle);
        modes.eigenvalues[k] = size * size * size * size;
        for (int n = 0; n < intervals; ++n) {
            modes.shapes(n, k) =
                k % 2 == 1 ? std::cos(angle * n) : (wave == 0 ? 1.0 : std::sin(angle * n));
        }
        modes.shapes.col(k).normalize();
    }
    return modes;
}

/// D = B^T W B with the second differences at nodes 0 (slope held, half weight) to N - 1; none at
/// the free node N, where moment and force vanish.
BeamModes free_modes(int intervals, int count) {
    if (intervals > most_dense_intervals) {
        throw InvalidInput(say("curve: expected at most ", most_dense_intervals,
                               " intervals for a free end, found ", intervals));
    }
    Eigen::MatrixXd second = Eigen::MatrixXd::Zero(intervals, intervals);
    second(0, 0) = 2.0 * std::sqrt(0.5);  // q_-1 = q_1
    for (int n = 1; n < intervals; ++n) {
        if (n >= 2) {
            second(n, n - 2) += 1.0;
        }
        second(n, n - 1) -= 2.0;
        second(n, n) += 1.0;
    }
    // Half an interval belongs to the free node: with x = M^(1/2) q the problem is symmetric again.
    const double root = std::sqrt(2.0);
    second.col(intervals - 1) *= root;
    const Eigen::MatrixXd d = second.transpose() * second;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(d);
    BeamModes modes;
    count = std::min(count, intervals);
    modes.eigenvalues = solver.eigenvalues().head(count);
    modes.shapes = solver.eigenvectors().leftCols(count);
    for (int k = 0; k < count; ++k) {
        // The sign of an eigenvector is anyone's choice: the free end goes up.
        if (modes.shapes(intervals - 1, k) < 0.0) {
            modes.shapes.col(k) *= -1.0;
        }
    }
    modes.projector = modes.shapes.transpose();
    modes.projector.col(intervals - 1) /= root;
    modes.shapes.row(intervals - 1) *= root;
    return modes;
}

}  // namespace

BeamModes beam_modes(int intervals, CurveEnds ends, int count) {
    const int lowest = ends == CurveEnds::ring ? 3 : 2;
    if (intervals < lowest || count < 1) {
        throw InvalidInput(say("curve: expected at least ", lowest,
                               " intervals between nodes and 1 mode, found ", intervals, " and ",
                               count));
    }
    BeamModes modes = ends == CurveEnds::clamped ? clamped_modes(intervals, count)
                      : ends == CurveEnds::ring  ? ring_modes(intervals, count)
                                                 : free_modes(intervals, count);
    if (modes.projector.size() == 0) {
        modes.projector = modes.shapes.transpose();
    }
    modes.intervals = intervals;
    modes.ends = ends;
    return modes;
}

}  // namespace cutis
