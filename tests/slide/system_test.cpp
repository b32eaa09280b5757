// The linear system of a step.

#include <gtest/gtest.h>

#include <random>

#include "slide/block_system.h"
#include "slide/parts.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// Stiff springs of random direction along the edges of a mesh, in tangent coordinates, and masses.
struct Springs {
    test::Shape shape;
    Topology topology;
    slide::BlockSystem system;

    explicit Springs(const test::Shape& given, int rows, double tolerance)
        : shape(given), topology(shape.triangles, static_cast<int>(shape.positions.rows())), system(topology) {
        system.make_rows(rows, tolerance);
        std::mt19937 random(7);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        for (int v = 0; v < rows; ++v) {
            Eigen::Map<Eigen::Matrix2d>(system.diagonal(v)) = 0.01 * Eigen::Matrix2d::Identity();
            system.right(v)[0] = number(random);
            system.right(v)[1] = number(random);
        }
        for (int v = 0; v < rows; ++v) {
            for (int i = system.row_begin(v); i < system.row_end(v); ++i) {
                const int w = system.column(i);
                if (w < v || w >= rows) {
                    continue;
                }
                const Vector2d along = 3.0 * Vector2d(number(random), number(random));
                const Eigen::Matrix2d stiffness = along * along.transpose();
                Eigen::Map<Eigen::Matrix2d>(system.diagonal(v)) += stiffness;
                Eigen::Map<Eigen::Matrix2d>(system.diagonal(w)) += stiffness;
                system.set_block(i, -stiffness);
                for (int j = system.row_begin(w); j < system.row_end(w); ++j) {
                    if (system.column(j) == v) {
                        system.set_block(j, -stiffness);
                    }
                }
            }
        }
    }

    std::vector<double> solve(int threads, slide::SolveResult& result) {
        std::vector<double> x(2 * static_cast<size_t>(topology.vertex_count()), 0.1);
        std::fill(x.begin() + 2 * system.rows(), x.end(), 0.0);
        result = system.solve(5000, Workers(threads), x);
        return x;
    }
    double residual(const std::vector<double>& x) {
        std::vector<double> y(x.size());
        system.multiply(x, y, Workers(1));
        double square = 0.0;
        double whole = 0.0;
        for (int v = 0; v < system.rows(); ++v) {
            for (int c = 0; c < 2; ++c) {
                const double b = system.right(v)[c];
                square += (y[2 * static_cast<size_t>(v) + static_cast<size_t>(c)] - b) *
                          (y[2 * static_cast<size_t>(v) + static_cast<size_t>(c)] - b);
                whole += b * b;
            }
        }
        return std::sqrt(square / whole);
    }
};

TEST(slide_system, a_solution_solves_the_system_in_both_precisions_whatever_the_threads) {
    // Several chunks of rows, the last one short; and one chunk.
    for (const int side : {70, 20}) {
        for (const double tolerance : {1e-12, 1e-4}) {
            const test::Shape shape = test::planar_grid(side, side);
            Springs springs(shape, static_cast<int>(shape.positions.rows()) - 5, tolerance);
            slide::SolveResult result;
            const std::vector<double> one = springs.solve(1, result);
            EXPECT_TRUE(result.is_solved);
            EXPECT_LE(result.residual, tolerance);
            EXPECT_LT(springs.residual(one), 30.0 * tolerance);
            for (const int threads : {2, 3}) {
                EXPECT_EQ(springs.solve(threads, result), one);
            }
        }
    }
}

TEST(slide_system, an_exact_guess_takes_no_iteration_and_one_too_long_is_shortened) {
    const test::Shape shape = test::planar_grid(20, 20);
    Springs springs(shape, static_cast<int>(shape.positions.rows()), 1e-10);
    slide::SolveResult result;
    std::vector<double> x = springs.solve(1, result);
    EXPECT_GT(result.iterations, 5);
    for (double& number : x) {
        number *= 3.0;
    }
    springs.system = Springs(shape, static_cast<int>(shape.positions.rows()), 1e-8).system;
    result = springs.system.solve(5000, Workers(1), x);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_LT(springs.residual(x), 1e-7);
}

// What the preconditioner is for: fewer than half the iterations of the diagonal blocks alone (which
// take 2 to 3 times sqrt(stiffness over mass) on such a mesh).
TEST(slide_system, stiff_neighbours_take_few_iterations) {
    const test::Shape shape = test::planar_grid(40, 40);
    Springs springs(shape, static_cast<int>(shape.positions.rows()), 1e-3);
    slide::SolveResult result;
    springs.solve(1, result);
    EXPECT_TRUE(result.is_solved);
    RecordProperty("iterations", result.iterations);
    EXPECT_LT(result.iterations, 150);
}

}  // namespace
}  // namespace cutis
