#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "cutis/fold/profile.h"
#include "fold/solve.h"
#include "verify/fold_cases.h"

// Lines in the plane: roots, uniqueness and rates that follow from the equation of Ly et al. 2017 section 4.2.

namespace cutis::verify {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

double length_of(const MatrixX3d& q) {
    return (q.bottomRows(q.rows() - 1) - q.topRows(q.rows() - 1)).rowwise().norm().sum();
}

struct RandomFolds {
    double worst_residual = 0.0;
    double worst_complementarity = 0.0;
    double worst_root = 0.0;
    int most_iterations = 0;
};

// 3 to 59 segments, turning -1.5 to 1.5, compression 1e-6 to 0.63, noisy points.
RandomFolds random_folds(int count) {
    std::mt19937 random(17);
    const auto uniform = [&](double low, double high) {
        return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
    };
    const FoldProfile blob = FoldProfile::blob();
    RandomFolds found;
    for (int n = 0; n < count; ++n) {
        const int segments = 3 + static_cast<int>(random() % 57);
        const double turn = uniform(-1.5, 1.5);
        MatrixX3d points(segments + 1, 3);
        MatrixX3d offsets(segments + 1, 3);
        for (int i = 0; i <= segments; ++i) {
            const double x = -1.0 + 2.0 * i / segments;
            const double angle = 0.5 * turn * x;
            const double noise = 0.05 / segments;
            points.row(i) << 2.0 * std::sin(angle) / turn + uniform(-noise, noise),
                2.0 * (1.0 - std::cos(angle)) / turn + uniform(-noise, noise), uniform(-noise, noise);
            offsets.row(i) = blob.at(x) * Eigen::RowVector3d(-std::sin(angle), std::cos(angle), 0.0);
        }
        const double compression = std::pow(10.0, uniform(-6.0, -0.2));
        const double rest = length_of(points) / (1.0 - compression);
        const FoldHeight height = solve_fold(points, offsets, rest);
        found.worst_residual =
            std::max(found.worst_residual, std::abs(length_of(points + height.height * offsets) - rest) / rest);
        found.worst_complementarity =
            std::max(found.worst_complementarity, std::abs(height.fischer_burmeister()) / rest);
        found.most_iterations = std::max(found.most_iterations, height.iterations);
        if (n % 10 == 0) {  // the same root by halving an interval
            double low = 0.0;
            double high = 50.0;
            for (int i = 0; i < 100; ++i) {
                const double middle = 0.5 * (low + high);
                (length_of(points + middle * offsets) < rest ? low : high) = middle;
            }
            found.worst_root = std::max(found.worst_root, std::abs(low - height.height));
        }
    }
    return found;
}

double height_with_two_more_roots() {
    const int segments = 400;
    MatrixX3d points(segments + 1, 3);
    MatrixX3d offsets(segments + 1, 3);
    for (int i = 0; i <= segments; ++i) {
        const double x = -1.0 + 2.0 * i / segments;
        const double angle = 0.3 * x;
        points.row(i) << std::sin(angle) / 0.3, (1.0 - std::cos(angle)) / 0.3, 0.0;
        offsets.row(i) = FoldProfile::blob().at(x) * Eigen::RowVector3d(-std::sin(angle), std::cos(angle), 0.0);
    }
    return solve_fold(points, offsets, 1.99).height;
}

/// The naive model (Ly et al. 2017 Eq. 1): every vertex of a bent line has a height of its own, and
/// its edge to the next is to have its rest length. Solved vertex by vertex from one end, the other
/// end does not close.
struct Naive {
    double gap = 0.0;        // of the last edge, relative
    double roughness = 0.0;  // largest angle between neighbouring edges, degrees
};
Naive naive_folds() {
    constexpr int count = 40;
    MatrixX3d rest(count + 1, 3);
    MatrixX3d base(count + 1, 3);
    MatrixX3d normal(count + 1, 3);
    for (int i = 0; i <= count; ++i) {
        const double x = -1.0 + 2.0 * i / count;
        rest.row(i) << x, 0.0, 0.0;
        base.row(i) << 0.8 * x, 0.1 * x * x, 0.0;
        normal.row(i) << -0.25 * x, 1.0, 0.0;
        normal.row(i).normalize();
    }
    MatrixX3d folded = base;
    double gap = 0.0;
    for (int i = 0; i < count; ++i) {
        // |base_{i+1} + X n - folded_i| = rest length, X >= 0, the smaller root.
        const double length = (rest.row(i + 1) - rest.row(i)).norm();
        const Vector3d e = base.row(i + 1) - folded.row(i);
        const double b = e.dot(normal.row(i + 1));
        const double c = e.squaredNorm() - length * length;
        const double d = b * b - c;
        const double low = d >= 0.0 ? -b - std::sqrt(d) : -1.0;
        const double high = d >= 0.0 ? -b + std::sqrt(d) : -1.0;
        const double x = low >= 0.0 ? low : std::max(0.0, high);
        folded.row(i + 1) += x * normal.row(i + 1);
        gap = std::max(gap, std::abs((folded.row(i + 1) - folded.row(i)).norm() / length - 1.0));
    }
    Naive result;
    result.gap = gap;
    for (int i = 1; i < count; ++i) {
        const Vector3d before = (folded.row(i) - folded.row(i - 1)).normalized();
        const Vector3d after = (folded.row(i + 1) - folded.row(i)).normalized();
        result.roughness = std::max(result.roughness, std::acos(std::clamp(before.dot(after), -1.0, 1.0)) / degree);
    }
    return result;
}

}  // namespace

std::vector<Case> verify_fold_lines() {
    const std::string notes = "convexity of tau; Ly et al. 2017 section 4.2";
    const RandomFolds random = random_folds(4000);
    std::vector<Case> cases = {
        fold_at_most("4000 random folds: length error", random.worst_residual, 1e-14, "of the rest length", notes),
        fold_at_most("4000 random folds: Fischer-Burmeister residual", random.worst_complementarity, 2e-14,
                     "of the rest length", "Ly et al. 2017 section 4.1"),
        fold_at_most("4000 random folds: Newton iterations", random.most_iterations, 16, "", "monotone from the right"),
        fold_at_most("400 random folds: difference to bisection", random.worst_root, 1e-11, "m",
                     "tau has one root where tau(0) < 0"),
        fold_at_most("a concave line with two more roots stays at zero", height_with_two_more_roots(), 0.0, "m",
                     "tau(0) >= 0: X = 0"),
    };
    cases.push_back(fold_at_least("naive model: largest angle between neighbouring edges", naive_folds().roughness,
                                  60.0, "degrees",
                                  "Ly et al. 2017 Eq. 1 and Fig. 3a: without bending every vertex is a fold"));
    return cases;
}

}  // namespace cutis::verify
