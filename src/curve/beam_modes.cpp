#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/curve/beam.h"

namespace cutis {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr int most_dense_intervals = 1024;

/// Angle t of mode j, between j pi/N and (j+1) pi/N. The slope condition v_-1 = v_1 says
///   symmetric (j odd):  tan(N t/2) = -tanh(N p/2) r,    antisymmetric:  tan(N t/2) = tanh(N p/2) /
///   r
/// with sinh(p/2) = sin(t/2) = s and r = sinh p / sin t = sqrt((1 + s^2) / (1 - s^2)). Solved for
/// N t/2 the right side hardly depends on t: Newton's steps need two or three rounds.
double mode_angle(int j, int intervals) {
    const bool is_symmetric = j % 2 == 1;
    double t = (j + 0.5) * pi / intervals;
    constexpr int most_steps = 60;
    for (int i = 0; i < most_steps; ++i) {
        const double s = std::sin(0.5 * t);
        const double c = std::cos(0.5 * t);
        const double root = std::sqrt(1.0 + s * s);
        const double r = root / c;
        const double r_slope = s / (c * c * root);
        // tanh(N p/2) = (1 - e) / (1 + e), and 1 to the last digit from N p/2 = 21 on.
        const double e = intervals * s > 24.0 ? 0.0 : std::exp(-2 * intervals * std::log(s + root));
        const double tanh = (1.0 - e) / (1.0 + e);
        const double tanh_slope = 2.0 * e / ((1.0 + e) * (1.0 + e)) * intervals * c / root;
        const double tangent = is_symmetric ? -tanh * r : tanh / r;
        const double tangent_slope =
            is_symmetric ? -tanh_slope * r - tanh * r_slope : (tanh_slope - tanh * r_slope / r) / r;
        const double per = 2.0 / intervals;
        const double right = (is_symmetric ? j + 1 : j) * pi / intervals + per * std::atan(tangent);
        const double slope = per * tangent_slope / (1.0 + tangent * tangent);
        const double step = (right - t) / (1.0 - slope);
        t += step;
        if (std::abs(step) <= 1e-9 * t) {
            break;  // the next step would be its square
        }
    }
    return t;
}

BeamModes clamped_modes(int intervals, int count) {
    BeamModes modes;
    const int size = intervals - 1;
    count = std::min(count, size);
    modes.eigenvalues.resize(count);
    modes.shapes.resize(size, count);
    const double half = 0.5 * intervals;
    const int left = (size + 1) / 2;  // nodes up to the middle; the others mirror them
    VectorXd shape(left);
    for (int k = 0; k < count; ++k) {
        const int j = k + 1;
        const double sign = j % 2 == 1 ? 1.0 : -1.0;
        const double t = mode_angle(j, intervals);
        const double s = std::sin(0.5 * t);
        const double p = 2.0 * std::asinh(s);
        const double wave = 2.0 * s;
        modes.eigenvalues[k] = wave * wave * wave * wave;
        // v_n = cos(t x) - cos(t N/2) cosh(p x) / cosh(p N/2), x = n - N/2, or the same with
        // sines; from node to node by products, exactly anew every few nodes.
        double cosine = std::cos(t * half);
        double sine = -std::sin(t * half);
        const double end = sign > 0.0 ? cosine : sine;
        constexpr double nothing = 90.0;  // e^-45 in the middle
        const bool has_far = p * intervals < nothing;
        double near = 1.0;
        double far = has_far ? std::exp(-p * intervals) : 0.0;
        const double scale = end / (1.0 + sign * far);
        const double turn_cos = 1.0 - 2.0 * s * s;
        const double turn_sin = 2.0 * s * std::cos(0.5 * t);
        const double root = s + std::sqrt(1.0 + s * s);
        const double grow = root * root;  // e^p
        const double shrink = 1.0 / grow;
        constexpr int anew = 16;
        double square = 0.0;
        for (int i = 0; i < left; ++i) {
            const int n = i + 1;
            if (n % anew == 0) {
                cosine = std::cos(t * (n - half));
                sine = std::sin(t * (n - half));
                near = std::exp(-p * n);
                far = has_far ? std::exp(p * (n - intervals)) : 0.0;
            } else {
                const double before = cosine;
                cosine = turn_cos * cosine - turn_sin * sine;
                sine = turn_sin * before + turn_cos * sine;
                near *= shrink;
                far *= grow;
            }
            shape[i] = (sign > 0.0 ? cosine : sine) - scale * (near + sign * far);
            square += (2 * n == intervals ? 1.0 : 2.0) * shape[i] * shape[i];
        }
        const double unit = 1.0 / std::sqrt(square);
        for (int i = 0; i < left; ++i) {
            modes.shapes(i, k) = unit * shape[i];
            modes.shapes(size - 1 - i, k) = sign * modes.shapes(i, k);
        }
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
