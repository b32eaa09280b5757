#include "core/sparse.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <numbers>
#include <numeric>
#include <thread>

#include "core/numbers.h"
#include "cutis/core/error.h"
#include "support/allocations.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

using test::message_of;

// Five-point Laplacian on a grid of unknowns; `shift` is added to the diagonal. With fixed borders
// the diagonal is 4 everywhere, with free ones it is the number of neighbours (singular, shift 0).
std::vector<SparseEntry> grid_laplacian(int width, int height, bool is_free, double shift) {
    std::vector<SparseEntry> entries;
    const auto index = [&](int i, int j) { return j * width + i; };
    for (int j = 0; j < height; ++j) {
        for (int i = 0; i < width; ++i) {
            const int neighbours = (i > 0) + (i + 1 < width) + (j > 0) + (j + 1 < height);
            entries.push_back({index(i, j), index(i, j), (is_free ? neighbours : 4) + shift});
            if (i > 0) {
                entries.push_back({index(i, j), index(i - 1, j), -1.0});
            }
            if (j > 0) {
                entries.push_back({index(i, j), index(i, j - 1), -1.0});
            }
        }
    }
    return entries;
}

Dense dense_of(const SparseLower& matrix) {
    Dense dense = Dense::Zero(matrix.size, matrix.size);
    for (int i = 0; i < matrix.size; ++i) {
        for (int p = matrix.row_starts[i]; p < matrix.row_starts[static_cast<size_t>(i) + 1]; ++p) {
            const int j = matrix.columns[p];
            dense(i, j) = dense(j, i) = matrix.values[p];
        }
    }
    return dense;
}

// Random sparse symmetric entries with a dominant diagonal, some given in several pieces.
std::vector<SparseEntry> random_entries(int n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::uniform_int_distribution<int> index(0, n - 1);
    std::vector<SparseEntry> entries;
    std::vector<double> row_sums(static_cast<size_t>(n), 0.0);
    for (int e = 0; e < 3 * n; ++e) {
        const int a = index(random);
        const int b = index(random);
        if (a != b) {
            const double value = uniform(random);
            entries.push_back({std::max(a, b), std::min(a, b), value});
            row_sums[a] += std::abs(value);
            row_sums[b] += std::abs(value);
        }
    }
    for (int i = 0; i < n; ++i) {
        entries.push_back({i, i, row_sums[i]});
        entries.push_back({i, i, 0.5 + 0.5 * std::abs(uniform(random))});
    }
    std::shuffle(entries.begin(), entries.end(), random);
    return entries;
}

TEST(sparse, compressing_adds_entries_of_one_place_in_the_order_given_and_keeps_every_diagonal) {
    const std::vector<SparseEntry> entries = {{2, 0, 1.0}, {0, 0, 5.0}, {2, 0, 1e17}, {2, 2, 3.0}, {2, 0, -1e17}};
    const CompressedEntries compressed = compress_lower(3, entries);
    EXPECT_EQ(compressed.matrix.row_starts, (std::vector<int>{0, 1, 2, 4}));
    EXPECT_EQ(compressed.matrix.columns, (std::vector<int>{0, 1, 0, 2}));
    // (1 + 1e17) - 1e17 is 0 in double precision; any other order gives 1.
    EXPECT_EQ(compressed.matrix.values, (std::vector<double>{5.0, 0.0, 0.0, 3.0}));
    EXPECT_EQ(compressed.slot_of_entry, (std::vector<int>{2, 0, 2, 3, 2}));
}

TEST(sparse, random_systems_equal_a_dense_solve_for_any_number_of_columns) {
    std::mt19937_64 random(6);
    for (const int n : {1, 2, 5, 30, 120}) {
        const SparseLower matrix = compress_lower(n, random_entries(n, random)).matrix;
        const SparseSolver solver(matrix);
        EXPECT_EQ(solver.size(), n);
        const Eigen::LLT<Dense> dense(dense_of(matrix));
        EXPECT_NO_THROW(solver.solve_many({}, 0));
        for (const int columns : {1, 2, 3, 4, 5, 8, 9, 21}) {
            std::vector<double> x = random_numbers(static_cast<size_t>(n) * static_cast<size_t>(columns), random);
            const RowMajor b = Eigen::Map<RowMajor>(x.data(), n, columns);
            solver.solve_many(x, columns);
            const RowMajor error = Eigen::Map<RowMajor>(x.data(), n, columns) - dense.solve(b);
            ASSERT_LT(error.cwiseAbs().maxCoeff(), 1e-13) << n << " rows, " << columns << " columns";
        }
    }
}

// sin(pi a i) sin(pi b j) is an eigenvector of the five-point Laplacian with eigenvalue
// 4 - 2 cos(pi a) - 2 cos(pi b), so it is its own solution up to that factor.
double eigenvector_error(const SparseSolver& solver, int width, int height) {
    using std::numbers::pi;
    const double a = 2.0 / (width + 1);
    const double b = 3.0 / (height + 1);
    const double eigenvalue = 4.0 - 2.0 * std::cos(pi * a) - 2.0 * std::cos(pi * b);
    std::vector<double> x;
    for (int j = 1; j <= height; ++j) {
        for (int i = 1; i <= width; ++i) {
            x.push_back(std::sin(pi * a * i) * std::sin(pi * b * j));
        }
    }
    const std::vector<double> mode = x;
    solver.solve(x);
    double error = 0.0;
    for (size_t i = 0; i < x.size(); ++i) {
        error = std::max(error, std::abs(x[i] * eigenvalue - mode[i]));
    }
    return error;
}

TEST(sparse, an_eigenvector_of_the_grid_laplacian_is_divided_by_its_eigenvalue) {
    const SparseSolver solver(compress_lower(31 * 17, grid_laplacian(31, 17, false, 0.0)).matrix);
    EXPECT_LT(eigenvector_error(solver, 31, 17), 1e-12);
}

TEST(sparse, a_grid_of_a_hundred_thousand_unknowns_is_solved_with_little_fill) {
    const SparseSolver solver(compress_lower(320 * 320, grid_laplacian(320, 320, false, 0.0)).matrix);
    EXPECT_LT(eigenvector_error(solver, 320, 320), 1e-9);
    // Without a fill-reducing order L would hold 320 numbers a row; nested dissection-like
    // orders need about 31/4 log2(320) = 64 at most.
    EXPECT_LT(solver.factor_entries(), 64LL * 320 * 320);
}

TEST(sparse, refactoring_gives_the_same_bits_as_a_fresh_solver) {
    std::mt19937_64 random(7);
    CompressedEntries compressed = compress_lower(200, random_entries(200, random));
    SparseLower other = compressed.matrix;
    for (double& value : other.values) {
        value *= 1.0 + 0.1 * random_numbers(1, random)[0];
    }
    for (int i = 0; i < 200; ++i) {
        other.values[static_cast<size_t>(other.row_starts[static_cast<size_t>(i) + 1]) - 1] += 5.0;
    }
    SparseSolver solver(compressed.matrix);
    solver.refactor(other.values);
    const SparseSolver fresh(other);
    std::vector<double> x = random_numbers(200 * 4, random);
    std::vector<double> y = x;
    solver.solve_many(x, 4);
    fresh.solve_many(y, 4);
    EXPECT_EQ(x, y);
    // And back again.
    solver.refactor(compressed.matrix.values);
    x = y;
    solver.solve_many(x, 4);
    SparseSolver(compressed.matrix).solve_many(y, 4);
    EXPECT_EQ(x, y);
}

TEST(sparse, three_coordinates_in_one_pass_equal_three_single_solves) {
    std::mt19937_64 random(8);
    const int n = 40 * 40;
    const SparseSolver solver(compress_lower(n, grid_laplacian(40, 40, false, 0.01)).matrix);
    MatrixX3d x(n, 3);
    for (int i = 0; i < n; ++i) {
        const std::vector<double> numbers = random_numbers(3, random);
        x.row(i) << numbers[0], numbers[1], numbers[2];
    }
    const MatrixX3d loads = x;
    solver.solve(x);
    for (int k = 0; k < 3; ++k) {
        Eigen::VectorXd single = loads.col(k);
        solver.solve({single.data(), static_cast<size_t>(n)});
        EXPECT_LE((x.col(k) - single).cwiseAbs().maxCoeff(), 1e-14 * single.cwiseAbs().maxCoeff());
    }
}

TEST(sparse, renumbering_the_unknowns_renumbers_the_solution) {
    std::mt19937_64 random(9);
    const int n = 25 * 25;
    std::vector<SparseEntry> entries = grid_laplacian(25, 25, false, 0.1);
    std::vector<double> x = random_numbers(static_cast<size_t>(n), random);
    std::vector<int> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> y(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
        y[order[i]] = x[i];
    }
    SparseSolver(compress_lower(n, entries).matrix).solve(x);
    for (SparseEntry& entry : entries) {
        const int a = order[entry.row];
        const int b = order[entry.column];
        entry.row = std::max(a, b);
        entry.column = std::min(a, b);
    }
    SparseSolver(compress_lower(n, entries).matrix).solve(y);
    for (size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(y[order[i]], x[i], 1e-13);
    }
}

TEST(sparse, solving_allocates_nothing_after_the_first_call) {
    const SparseSolver solver(compress_lower(400, grid_laplacian(20, 20, false, 0.0)).matrix);
    MatrixX3d three = MatrixX3d::Ones(400, 3);
    std::vector<double> one(400, 1.0);
    std::vector<double> many(400 * 11, 1.0);
    const auto solve_all = [&] {
        solver.solve_many(many, 11);
        solver.solve(three);
        solver.solve(one);
    };
    solve_all();
    const long before = allocation_count();
    const double* const room = three.data();
    solve_all();
    EXPECT_EQ(allocation_count(), before);
    EXPECT_EQ(three.data(), room);
}

TEST(sparse, several_threads_may_solve_with_one_solver) {
    std::mt19937_64 random(10);
    const SparseSolver solver(compress_lower(900, grid_laplacian(30, 30, false, 0.0)).matrix);
    const std::vector<double> load = random_numbers(900 * 3, random);
    std::vector<double> expected = load;
    solver.solve_many(expected, 3);
    std::vector<std::vector<double>> results(4);
    std::vector<std::thread> threads;
    for (std::vector<double>& result : results) {
        threads.emplace_back([&] {
            for (int repeat = 0; repeat < 20; ++repeat) {
                result = load;
                solver.solve_many(result, 3);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<double>& result : results) {
        EXPECT_EQ(result, expected);
    }
}

TEST(sparse, a_matrix_that_is_not_positive_definite_is_refused_naming_the_row) {
    // Only row 7 is bad, and no other row can be blamed for it: the matrix is diagonal.
    std::vector<SparseEntry> diagonal;
    for (int i = 0; i < 12; ++i) {
        diagonal.push_back({i, i, i == 7 ? -2.0 : 1.0 + i});
    }
    const SparseLower matrix = compress_lower(12, diagonal).matrix;
    EXPECT_NE(message_of<SolverFailure>([&] { SparseSolver{matrix}; }).find("row 7"), std::string::npos);
    diagonal[7].value = 0.0;
    const SparseLower zero = compress_lower(12, diagonal).matrix;
    EXPECT_NE(message_of<SolverFailure>([&] { SparseSolver{zero}; }).find("row 7"), std::string::npos);
    // Constants solve the free Laplacian: singular, seen only in rounding.
    for (const int side : {3, 40, 100}) {
        const SparseLower free = compress_lower(side * side, grid_laplacian(side, side, true, 0.0)).matrix;
        EXPECT_THROW(SparseSolver{free}, SolverFailure) << side;
    }
    // Barely shifted it is regular.
    EXPECT_NO_THROW(SparseSolver(compress_lower(1600, grid_laplacian(40, 40, true, 1e-8)).matrix));
}

TEST(sparse, after_a_failed_refactor_nothing_is_solved_until_one_succeeds) {
    const SparseLower matrix = compress_lower(9, grid_laplacian(3, 3, false, 0.0)).matrix;
    SparseSolver solver(matrix);
    std::vector<double> x(9, 1.0);
    std::vector<double> expected(9, 1.0);
    solver.solve(expected);
    std::vector<double> bad = matrix.values;
    bad.back() = -1.0;
    EXPECT_THROW(solver.refactor(bad), SolverFailure);
    EXPECT_THROW(solver.solve(x), SolverFailure);
    bad.back() = nan;
    EXPECT_THROW(solver.refactor(bad), InvalidInput);
    EXPECT_THROW(solver.solve(x), SolverFailure);
    solver.refactor(matrix.values);
    solver.solve(x);
    EXPECT_EQ(x, expected);
}

TEST(sparse, numbers_that_are_not_finite_are_refused_naming_the_entry) {
    for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
        std::vector<SparseEntry> entries = grid_laplacian(4, 4, false, 0.0);
        entries[3].value = bad;
        EXPECT_NE(message_of<InvalidInput>([&] { compress_lower(16, entries); }).find("entry 3"), std::string::npos);
        SparseLower matrix = compress_lower(16, grid_laplacian(4, 4, false, 0.0)).matrix;
        SparseSolver solver(matrix);
        matrix.values[matrix.row_starts[6]] = bad;
        EXPECT_NE(message_of<InvalidInput>([&] { solver.refactor(matrix.values); }).find("row 6, column 2"),
                  std::string::npos);
        EXPECT_THROW(SparseSolver{matrix}, InvalidInput);
    }
    const SparseSolver solver(compress_lower(16, grid_laplacian(4, 4, false, 0.0)).matrix);
    std::vector<double> x(16 * 3, 1.0);
    x[3 * 5 + 2] = nan;
    EXPECT_NE(message_of<InvalidInput>([&] { solver.solve_many(x, 3); }).find("row 5, column 2"), std::string::npos);
    EXPECT_EQ(x[0], 1.0) << "the right-hand side must be left alone";
    std::vector<double> huge(1, 1e300);
    const SparseSolver tiny(compress_lower(1, std::vector<SparseEntry>{{0, 0, 1e-300}}).matrix);
    EXPECT_THROW(tiny.solve(huge), SolverFailure);
}

TEST(sparse, arrays_that_are_no_lower_triangle_are_refused) {
    const SparseLower good = compress_lower(9, grid_laplacian(3, 3, false, 0.0)).matrix;
    EXPECT_NO_THROW(SparseSolver{good});
    const auto refuses = [&](auto damage) {
        SparseLower bad = good;
        damage(bad);
        EXPECT_THROW(SparseSolver{bad}, InvalidInput);
    };
    refuses([](SparseLower& m) { m = {}; });
    refuses([](SparseLower& m) { m.size = 8; });
    refuses([](SparseLower& m) { m.size = -1; });
    refuses([](SparseLower& m) { m.values.pop_back(); });
    refuses([](SparseLower& m) { m.columns.push_back(8); });
    refuses([](SparseLower& m) { m.row_starts[0] = 1; });
    refuses([](SparseLower& m) { m.row_starts[4] = 1000000; });
    refuses([](SparseLower& m) { m.row_starts[4] = -5; });
    refuses([](SparseLower& m) { m.columns[2] = 5; });
    refuses([](SparseLower& m) { m.columns[2] = -1; });
    refuses([](SparseLower& m) { std::swap(m.columns[1], m.columns[2]); });
    refuses([](SparseLower& m) { m.columns.back() = 7; });
    using Entries = std::vector<SparseEntry>;
    EXPECT_THROW(compress_lower(0, {}), InvalidInput);
    EXPECT_THROW(compress_lower(2, Entries{{0, 1, 1.0}}), InvalidInput);
    EXPECT_THROW(compress_lower(2, Entries{{2, 1, 1.0}}), InvalidInput);
    EXPECT_THROW(compress_lower(2, Entries{{1, -1, 1.0}}), InvalidInput);
    const SparseSolver solver(good);
    std::vector<double> x(10, 1.0);
    EXPECT_THROW(solver.solve(x), InvalidInput);
    EXPECT_THROW(solver.solve_many(x, -1), InvalidInput);
}

}  // namespace
}  // namespace cutis
