#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dense.h"
#include "core/math.h"
#include "curve/beam.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int most_dense_intervals = 1024;

/// Angle t of mode j, between j pi/N and (j+1) pi/N. The slope condition v_-1 = v_1 says
///   symmetric (j odd):  tan(N t/2) = -tanh(N p/2) r,    antisymmetric:  tan(N t/2) = tanh(N p/2) /
///   r
/// with sinh(p/2) = sin(t/2) = s and r = sinh p / sin t = sqrt((1 + s^2) / (1 - s^2)). Solved for
/// N t/2 the right side hardly depends on t: Newton's steps need two or three rounds.
/// \param t  a first guess
double mode_angle(int j, int intervals, double t) {
    const bool is_symmetric = j % 2 == 1;
    constexpr int most_steps = 60;
    for (int i = 0; i < most_steps; ++i) {
        const double s = math::sin(0.5 * t);
        const double c = math::cos(0.5 * t);
        const double root = std::sqrt(1.0 + s * s);
        const double r = root / c;
        const double r_slope = s / (c * c * root);
        // tanh(N p/2) = (1 - e) / (1 + e), and 1 to the last digit from N p/2 = 21 on.
        const double e = intervals * s > 24.0 ? 0.0 : math::exp(-2 * intervals * math::log(s + root));
        const double tanh = (1.0 - e) / (1.0 + e);
        const double tanh_slope = 2.0 * e / ((1.0 + e) * (1.0 + e)) * intervals * c / root;
        const double tangent = is_symmetric ? -tanh * r : tanh / r;
        const double tangent_slope =
            is_symmetric ? -tanh_slope * r - tanh * r_slope : (tanh_slope - tanh * r_slope / r) / r;
        const double per = 2.0 / intervals;
        const double right = (is_symmetric ? j + 1 : j) * std::numbers::pi / intervals + per * math::atan(tangent);
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
    using Eigen::ArrayXd;
    BeamModes modes;
    const int size = intervals - 1;
    count = std::min(count, size);
    modes.eigenvalues.resize(count);
    modes.shapes.resize(size, count);
    const double half = 0.5 * intervals;
    // v_n = cos(t x) - cos(t N/2) cosh(p x) / cosh(p N/2), x = n - N/2, or the same with sines. All
    // modes at once go from node to node by products, exactly anew every few nodes.
    ArrayXd angle(count), decay(count), sign(count);
    ArrayXd wave(count), other(count), turn_cos(count), turn_sin(count);
    ArrayXd near(count), far(count), grow(count), shrink(count), scale(count);
    constexpr double nothing = 90.0;  // e^-45 in the middle
    const auto begin_at = [&](int k, int n) {
        const double c = math::cos(angle[k] * (n - half));
        const double s = math::sin(angle[k] * (n - half));
        wave[k] = sign[k] > 0.0 ? c : s;
        other[k] = sign[k] > 0.0 ? s : c;
        near[k] = math::exp(-decay[k] * n);
        far[k] = decay[k] * intervals < nothing ? math::exp(decay[k] * (n - intervals)) : 0.0;
    };
    double shift = 0.0;  // of an angle from its even place; it changes slowly from mode to mode
    double shift_before = 0.0;
    for (int k = 0; k < count; ++k) {
        const int j = k + 1;
        const double even = (j + 0.5) * std::numbers::pi / intervals;
        angle[k] = mode_angle(j, intervals, even + 2.0 * shift - shift_before);
        shift_before = k == 0 ? angle[k] - even : shift;
        shift = angle[k] - even;
        sign[k] = j % 2 == 1 ? 1.0 : -1.0;
        const double s = math::sin(0.5 * angle[k]);
        const double square = 4.0 * s * s;
        modes.eigenvalues[k] = square * square;
        const double root = s + std::sqrt(1.0 + s * s);
        decay[k] = 2.0 * math::log(root);
        grow[k] = root * root;  // e^p
        turn_cos[k] = 1.0 - 2.0 * s * s;
        turn_sin[k] = sign[k] * 2.0 * s * math::cos(0.5 * angle[k]);
        begin_at(k, 0);
        scale[k] = wave[k] / (near[k] + sign[k] * far[k]);
    }
    shrink = grow.inverse();
    const int left = (size + 1) / 2;  // nodes up to the middle; the others mirror them
    ArrayXd square = ArrayXd::Zero(count);
    constexpr int anew = 32;
    for (int i = 0; i < left; ++i) {
        const int n = i + 1;
        if (n % anew == 0) {
            for (int k = 0; k < count; ++k) {
                begin_at(k, n);
            }
        } else {
            for (int k = 0; k < count; ++k) {
                const double before = wave[k];
                wave[k] = turn_cos[k] * before - turn_sin[k] * other[k];
                other[k] = turn_sin[k] * before + turn_cos[k] * other[k];
                near[k] *= shrink[k];
                far[k] *= grow[k];
            }
        }
        const double weight = 2 * n == intervals ? 1.0 : 2.0;
        auto shape = modes.shapes.row(i).array();
        shape = (wave - scale * (near + sign * far)).transpose();
        square += weight * shape.square().transpose();
    }
    const ArrayXd unit = square.sqrt().inverse();
    for (int i = 0; i < left; ++i) {
        modes.shapes.row(i).array() *= unit.transpose();
        modes.shapes.row(size - 1 - i).array() = modes.shapes.row(i).array() * sign.transpose();
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
        const double angle = 2.0 * std::numbers::pi * wave / intervals;
        const double size = 2.0 * math::sin(0.5 * angle);
        modes.eigenvalues[k] = size * size * size * size;
        for (int n = 0; n < intervals; ++n) {
            modes.shapes(n, k) = k % 2 == 1 ? math::cos(angle * n) : (wave == 0 ? 1.0 : math::sin(angle * n));
        }
        modes.shapes.col(k).normalize();
    }
    return modes;
}

/// D = B^T W B with the second differences at nodes 0 (slope held, half weight) to N - 1; none at
/// the free node N, where moment and force vanish.
BeamModes free_modes(int intervals, int count) {
    require(intervals <= most_dense_intervals, "curve: expected at most ", most_dense_intervals,
            " intervals for a free end, found ", intervals);
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
    const SymmetricEigen all = symmetric_eigen(gram_matrix(second));
    BeamModes modes;
    count = std::min(count, intervals);
    modes.eigenvalues = all.values.head(count);
    modes.shapes = all.vectors.leftCols(count);
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
    require(intervals >= lowest && count >= 1, "curve: expected at least ", lowest,
            " intervals between nodes and 1 mode, found ", intervals, " and ", count);
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
