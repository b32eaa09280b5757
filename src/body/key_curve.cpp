#include "body/key_curve.h"

#include <algorithm>

namespace cutis {

namespace {

constexpr double furthest_reach = 1.5;

Eigen::RowVectorXd limited(Eigen::RowVectorXd velocity, double interval, double largest_step) {
    const double reach = velocity.norm() * interval;
    if (reach > furthest_reach * largest_step) {
        velocity *= furthest_reach * largest_step / reach;
    }
    return velocity;
}

}  // namespace

Eigen::MatrixXd key_velocities(const std::vector<double>& times, const Eigen::MatrixXd& steps, bool closes) {
    const Eigen::Index count = static_cast<Eigen::Index>(times.size());
    Eigen::MatrixXd velocities = Eigen::MatrixXd::Zero(count, steps.cols());
    if (count < 2) {
        return velocities;
    }
    const auto interval = [&](Eigen::Index i) { return times[static_cast<size_t>(i) + 1] - times[i]; };
    // Parabola through three keys, at the middle one: each slope weighted by the other interval.
    const auto between = [&](Eigen::Index before, Eigen::Index after) {
        const double h0 = interval(before);
        const double h1 = interval(after);
        const Eigen::RowVectorXd velocity = (steps.row(before) * (h1 / h0) + steps.row(after) * (h0 / h1)) / (h0 + h1);
        return limited(velocity, std::max(h0, h1), std::max(steps.row(before).norm(), steps.row(after).norm()));
    };
    for (Eigen::Index i = 1; i + 1 < count; ++i) {
        velocities.row(i) = between(i - 1, i);
    }
    const Eigen::Index last = count - 1;
    if (closes) {
        velocities.row(0) = between(last - 1, 0);
        velocities.row(last) = velocities.row(0);
        return velocities;
    }
    // Parabola at an end: its mean velocity over the end interval is the slope there. Evenly spaced
    // keys reach up to two steps, hence the larger limit.
    const auto at_end = [&](Eigen::Index end_step, Eigen::Index next_step, Eigen::Index inner_key) {
        const Eigen::RowVectorXd slope = steps.row(end_step) / interval(end_step);
        return limited(2.0 * slope - velocities.row(inner_key), std::max(interval(end_step), interval(next_step)),
                       4.0 / 3.0 * std::max(steps.row(end_step).norm(), steps.row(next_step).norm()));
    };
    if (count == 2) {
        velocities.row(0) = steps.row(0) / interval(0);
        velocities.row(1) = velocities.row(0);
    } else {
        velocities.row(0) = at_end(0, 1, 1);
        velocities.row(last) = at_end(last - 1, last - 2, last - 1);
    }
    return velocities;
}

}  // namespace cutis
