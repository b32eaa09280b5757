#include "fold/solve.h"

#include <limits>

#include "cutis/core/error.h"
#include "cutis/fold/profile.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using namespace test;

struct Line {
    MatrixX3d points;
    MatrixX3d offsets;
    double length = 0.0;

    double grown(double height) const {
        const MatrixX3d q = points + height * offsets;
        return (q.bottomRows(q.rows() - 1) - q.topRows(q.rows() - 1)).rowwise().norm().sum();
    }
};

// An arc of `turn` radians (positive: concave, normals converge) and length 2, with blob offsets.
Line arc(int segments, double turn) {
    Line line;
    line.points.resize(segments + 1, 3);
    line.offsets.resize(segments + 1, 3);
    const FoldProfile blob = FoldProfile::blob();
    for (int i = 0; i <= segments; ++i) {
        const double x = -1.0 + 2.0 * i / segments;
        const double angle = 0.5 * turn * x;
        const double radius = turn == 0.0 ? 0.0 : 2.0 / turn;
        line.points.row(i) << (turn == 0.0 ? x : radius * std::sin(angle)), radius * (1.0 - std::cos(angle)), 0.0;
        line.offsets.row(i) = blob.at(x) * Eigen::RowVector3d(-std::sin(angle), std::cos(angle), 0.0);
    }
    line.length = line.grown(0.0);
    return line;
}

TEST(FoldSolve, a_tent_over_a_flat_line_has_the_height_of_a_right_triangle) {
    MatrixX3d points(3, 3);
    points << 0, 0, 0, 3, 0, 0, 6, 0, 0;
    MatrixX3d offsets = MatrixX3d::Zero(3, 3);
    offsets(1, 1) = 1.0;
    const FoldHeight found = solve_fold(points, offsets, 10.0);
    EXPECT_NEAR(found.height, 4.0, 1e-13);  // 3-4-5
    EXPECT_TRUE(found.converged);
    EXPECT_LT(std::abs(found.fischer_burmeister()), 2e-13);
}

TEST(FoldSolve, a_line_that_is_long_enough_stays) {
    const Line line = arc(20, 0.3);
    for (const double rest : {line.length, 0.9 * line.length}) {
        const FoldHeight found = solve_fold(line.points, line.offsets, rest);
        EXPECT_EQ(found.height, 0.0);
        EXPECT_EQ(found.iterations, 0);
        EXPECT_EQ(found.fischer_burmeister(), 0.0);
    }
}

TEST(FoldSolve, zero_is_taken_where_a_concave_line_has_further_roots) {
    // An arc that turns by 0.6 over length 2, rest length 1.99: tau has roots at 0.0395 and 0.2077.
    const Line line = arc(400, 0.6);
    const auto stretch = [&](double height) { return line.grown(height) - 1.99; };
    ASSERT_GT(stretch(0.0), 0.0);
    ASSERT_LT(stretch(0.1), 0.0);
    ASSERT_GT(stretch(0.25), 0.0);
    EXPECT_EQ(solve_fold(line.points, line.offsets, 1.99).height, 0.0);
}

TEST(FoldSolve, agrees_with_bisection) {
    Random random(5);
    for (int round = 0; round < 300; ++round) {
        Line line = arc(3 + random.below(40), random.uniform(-1.5, 1.5));
        for (int i = 0; i < line.points.rows(); ++i) {
            line.points.row(i) += 0.01 * random.direction().transpose();
        }
        const double base = line.grown(0.0);
        const double rest = base * random.uniform(1.0001, 2.5);
        const FoldHeight found = solve_fold(line.points, line.offsets, rest);
        double low = 0.0;
        double high = 100.0;
        ASSERT_GT(line.grown(high), rest);
        for (int i = 0; i < 200; ++i) {
            const double middle = 0.5 * (low + high);
            (line.grown(middle) < rest ? low : high) = middle;
        }
        EXPECT_NEAR(found.height, low, 1e-11 * (1.0 + low)) << "round " << round;
        EXPECT_LE(found.iterations, 16);
        EXPECT_LE(std::abs(line.grown(found.height) - rest), 2e-14 * rest);
    }
}

TEST(FoldSolve, height_near_the_onset_follows_the_square_root_law) {
    // tau'' = integral of B'^2 = 2.4 / alpha: X = sqrt(2 c L0 alpha / 2.4), alpha = 1, L0 = 2.
    const Line line = arc(2000, 0.0);
    for (const double compression : {1e-4, 1e-5, 1e-6}) {
        const double rest = line.length / (1.0 - compression);
        const double expected = std::sqrt(2.0 * compression * rest / 2.4);
        EXPECT_NEAR(solve_fold(line.points, line.offsets, rest).height / expected, 1.0, 10.0 * compression + 1e-5);
    }
}

TEST(FoldSolve, bad_lines_are_refused) {
    const Line line = arc(4, 0.0);
    const MatrixX3d none = MatrixX3d::Zero(5, 3);
    MatrixX3d bad = line.points;
    bad(2, 1) = std::numeric_limits<double>::infinity();
    expect_error<InvalidInput>([&] { solve_fold(line.points, line.offsets, 0.0); }, {"above 0"});
    expect_error<InvalidInput>([&] { solve_fold(line.points, line.offsets.topRows(3), 1.0); }, {"5", "3"});
    expect_error<InvalidInput>([&] { solve_fold(bad, line.offsets, 1.0); }, {"finite"});
    expect_error<InvalidInput>([&] { solve_fold(line.points, none, 3.0); }, {"no offset"});
    EXPECT_EQ(solve_fold(line.points, none, 1.0).height, 0.0);
}

}  // namespace
}  // namespace cutis
