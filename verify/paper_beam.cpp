#include "verify/paper_beam.h"

#include <cmath>
#include <numbers>

#include "cutis/core/error.h"

namespace cutis {

namespace {

double fourth_power(double x) {
    return x * x * x * x;
}

void require_intervals(int intervals, int lowest) {
    require(intervals >= lowest, "curve: expected at least ", lowest + 1, " nodes, found ", intervals + 1, " (", lowest,
            " intervals are the fewest that bend)");
}

void require_size(const char* what, Eigen::Index rows, Eigen::Index columns, Eigen::Index expected_rows,
                  Eigen::Index expected_columns) {
    require(rows == expected_rows && columns == expected_columns, what, ": expected ", expected_rows, " x ",
            expected_columns, ", found ", rows, " x ", columns);
}

}  // namespace

std::vector<double> beam_band(int intervals, double c, double mu) {
    require_intervals(intervals, 2);
    const int size = intervals - 1;
    std::vector<double> band(static_cast<size_t>(size) * 3, 0.0);
    for (int i = 0; i < size; ++i) {
        double* row = band.data() + 3 * static_cast<size_t>(i);
        row[0] = 6.0 * c + mu;
        row[1] = i >= 1 ? -4.0 * c : 0.0;
        row[2] = i >= 2 ? c : 0.0;
    }
    // The virtual nodes q_-1 = q_1 - 2 s0 / N and q_N+1 = q_N-1 + 2 s1 / N.
    band[0] += c;
    band[3 * static_cast<size_t>(size - 1)] += c;
    return band;
}

double stiffness_for_frequency(int intervals, double frequency_hz) {
    const double lambda = beam_modes(intervals, CurveEnds::clamped, 1).eigenvalues[0];
    const double omega = 2.0 * std::numbers::pi * frequency_hz;
    return omega * omega / (fourth_power(intervals) * lambda);
}

BeamEndValues BeamEndValues::of(const RowMatrixXd& nodes) {
    const Eigen::Index last = nodes.rows() - 1;
    require_intervals(static_cast<int>(last), 2);
    const double n = static_cast<double>(last);
    BeamEndValues ends;
    ends.d0 = nodes.row(0);
    ends.d1 = nodes.row(last);
    ends.s0 = 0.5 * n * (-3.0 * nodes.row(0) + 4.0 * nodes.row(1) - nodes.row(2));
    ends.s1 = 0.5 * n * (3.0 * nodes.row(last) - 4.0 * nodes.row(last - 1) + nodes.row(last - 2));
    return ends;
}

void add_end_load(int intervals, double c, const BeamEndValues& ends, double ratio, RowMatrixXd& load) {
    const int last = intervals - 2;
    const double n = intervals;
    const double scale = c * ratio;
    load.row(0) += scale * (4.0 * ends.d0 + 2.0 / n * ends.s0).transpose();
    load.row(last) += scale * (4.0 * ends.d1 - 2.0 / n * ends.s1).transpose();
    if (intervals >= 3) {
        load.row(1) -= scale * ends.d0.transpose();
        load.row(last - 1) -= scale * ends.d1.transpose();
    }
}

BeamMarch::BeamMarch(int intervals, int columns, double a1, double a2, double dt) : intervals_(intervals) {
    require_intervals(intervals, 2);
    require(columns >= 1 && a1 > 0.0 && a2 >= 0.0 && dt > 0.0 && std::isfinite(a1 + a2 + 1.0 / dt),
            "curve: expected columns >= 1, a1 > 0, a2 >= 0 and a step > 0, found ", columns, ", ", a1, ", ", a2,
            " and ", dt);
    c_ = a1 * fourth_power(intervals);
    mu_ = a2 / (dt * dt);
    // Chaudhry et al. 2014 A6 and A7: q^-1 = q^1 doubles the mass term of the first step.
    first_factor_.factor(intervals - 1, 2, beam_band(intervals, c_, 2.0 * mu_));
    factor_.factor(intervals - 1, 2, beam_band(intervals, c_, mu_));
    now_ = before_ = RowMatrixXd::Zero(intervals - 1, columns);
}

void BeamMarch::reset() {
    now_.setZero();
    before_.setZero();
    steps_ = 0;
}

void BeamMarch::step(const RowMatrixXd& force, const BeamEndValues& ends) {
    require_size("force", force.rows(), force.cols(), now_.rows(), now_.cols());
    require_size("ends", ends.d0.size(), 1, now_.cols(), 1);
    // Chaudhry et al. 2014 A5, A7: (c D + mu I) q^{m+1} = f + b + mu (2 q^m - q^{m-1}); the new
    // takes the place of the oldest.
    const double mu = steps_ == 0 ? 0.0 : mu_;
    before_ = force + mu * (2.0 * now_ - before_);
    add_end_load(intervals_, c_, ends, 1.0, before_);
    const BandedFactor& factor = steps_ == 0 ? first_factor_ : factor_;
    factor.solve({before_.data(), static_cast<size_t>(before_.size())}, static_cast<int>(before_.cols()));
    before_.swap(now_);
    ++steps_;
}

RowMatrixXd identify_force(int intervals, double a1, double a2, int M, const RowMatrixXd& target) {
    require_intervals(intervals, 2);
    require_size("target", target.rows(), target.cols(), intervals + 1, target.cols());
    const BeamModes modes = beam_modes(intervals, CurveEnds::clamped, intervals - 1);
    const double c = a1 * fourth_power(intervals);
    RowMatrixXd modal = modes.shapes.transpose() * target.middleRows(1, intervals - 1);
    for (int j = 0; j < modes.count(); ++j) {
        const double stiffness = c * modes.eigenvalues[j];
        const double growth = a2 > 0.0 ? paper_growth(std::sqrt(stiffness / a2) / M, M, M) : 1.0;
        modal.row(j) *= stiffness / growth;
    }
    RowMatrixXd force = modes.shapes * modal;
    add_end_load(intervals, c, BeamEndValues::of(target), -1.0, force);
    return force;
}

RatioIteration iterate_force(int intervals, double a1, double a2, int M, const RowMatrixXd& target, int max_iterations,
                             double tolerance) {
    require_size("target", target.rows(), target.cols(), intervals + 1, target.cols());
    const auto columns = static_cast<int>(target.cols());
    const BeamEndValues ends = BeamEndValues::of(target);
    const RowMatrixXd wanted = target.middleRows(1, intervals - 1);
    BeamMarch march(intervals, columns, a1, a2, 1.0 / M);
    const auto final_shape = [&](const RowMatrixXd& force) {
        march.reset();
        for (int m = 1; m <= M; ++m) {
            const double r = static_cast<double>(m) / M;
            march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
        }
        return march.inner();
    };
    // Chaudhry et al. 2014 before Eq. (9): the first force is that of Eq. (8) with M = 1.
    const double c = a1 * fourth_power(intervals);
    RatioIteration result;
    RowMatrixXd force = RowMatrixXd::Zero(intervals - 1, columns);
    for (int n = 0; n < intervals - 1; ++n) {
        const auto at = [&](int k) { return target.row(k); };
        force.row(n) = (6.0 * c + 2.0 * a2) * at(n + 1) - 4.0 * c * (at(n) + at(n + 2));
        if (n - 1 >= 0) {
            force.row(n) += c * at(n - 1);
        } else {
            force.row(n) += c * (at(1) - 2.0 / intervals * ends.s0.transpose());
        }
        if (n + 3 <= intervals) {
            force.row(n) += c * at(n + 3);
        } else {
            force.row(n) += c * (at(intervals - 1) + 2.0 / intervals * ends.s1.transpose());
        }
    }
    RowMatrixXd reached = final_shape(force);
    result.first_error = result.error = result.last_error = (reached - wanted).cwiseAbs().maxCoeff();
    result.force = force;
    while (result.iterations < max_iterations && result.error > tolerance) {
        for (Eigen::Index i = 0; i < force.size(); ++i) {
            if (reached.data()[i] != 0.0) {
                force.data()[i] *= wanted.data()[i] / reached.data()[i];
            }
        }
        ++result.iterations;
        if (!force.allFinite()) {
            break;
        }
        reached = final_shape(force);
        result.last_error = (reached - wanted).cwiseAbs().maxCoeff();
        if (result.last_error < result.error) {
            result.error = result.last_error;
            result.force = force;
        }
    }
    return result;
}

}  // namespace cutis
