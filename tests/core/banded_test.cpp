#include "core/banded.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <limits>

#include "core/numbers.h"
#include "cutis/core/error.h"
#include "support/allocations.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::message_of;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> band_of(const Dense& matrix, int bandwidth) {
    const auto n = static_cast<int>(matrix.rows());
    // Places left of the matrix hold NaN: they must not be read.
    std::vector<double> band(static_cast<size_t>(n * (bandwidth + 1)), nan);
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k <= std::min(bandwidth, i); ++k) {
            band[i * (bandwidth + 1) + k] = matrix(i, i - k);
        }
    }
    return band;
}

// B^T B + I with a random banded B is positive definite, with the same bandwidth.
Dense random_banded(int n, int bandwidth, std::mt19937_64& random) {
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Dense b = Dense::Zero(n, n);
    for (int i = 0; i < n; ++i) {
        for (int j = std::max(0, i - bandwidth); j <= i; ++j) {
            b(i, j) = uniform(random);
        }
    }
    return b.transpose() * b + Dense::Identity(n, n);
}

// The clamped fourth difference of the curve notes, section 2, assembled by adding.
Dense clamped_fourth_difference(int segments) {
    const int n = segments - 1;
    Dense d = Dense::Zero(n, n);
    const double stencil[] = {1.0, -4.0, 6.0, -4.0, 1.0};
    for (int i = 1; i <= n; ++i) {
        for (int offset = -2; offset <= 2; ++offset) {
            int j = i + offset;
            // Ghost nodes -1 and segments + 1 mirror nodes 1 and segments - 1; ends are zero.
            j = j == -1 ? 1 : j == segments + 1 ? segments - 1 : j;
            if (j >= 1 && j <= n) {
                d(i - 1, j - 1) += stencil[offset + 2];
            }
        }
    }
    return d;
}

TEST(banded, equals_a_dense_solve_for_every_bandwidth_size_and_number_of_columns) {
    std::mt19937_64 random(2);
    for (const int bandwidth : {0, 1, 2, 3, 4, 7}) {
        for (const int n : {1, 2, 3, 8, 40}) {
            for (const int columns : {1, 3, 4, 17, 300}) {
                const Dense a = random_banded(n, std::min(bandwidth, n - 1), random);
                const BandedFactor factor(n, bandwidth, band_of(a, bandwidth));
                std::vector<double> x = random_numbers(static_cast<size_t>(n) * static_cast<size_t>(columns), random);
                using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
                const RowMajor b = Eigen::Map<RowMajor>(x.data(), n, columns);
                factor.solve(x, columns);
                const Dense expected = a.llt().solve(b);
                const double error = (Eigen::Map<RowMajor>(x.data(), n, columns) - expected).cwiseAbs().maxCoeff();
                ASSERT_LT(error, 1e-13) << bandwidth << ' ' << n << ' ' << columns;
            }
        }
    }
}

// Curve notes, section 3: q = f v^2 (1-v)^2 / (24 a1), and the scheme's relative error at the
// middle is exactly 8/N^2.
TEST(banded, clamped_beam_under_uniform_load_errs_by_exactly_8_over_n_squared) {
    for (const int segments : {2, 4, 8, 16, 32, 64, 128}) {
        const double n = segments;
        const int rows = segments - 1;
        const BandedFactor factor(rows, 2, band_of(clamped_fourth_difference(segments), 2));
        std::vector<double> q(static_cast<size_t>(rows), 1.0 / (n * n * n * n));
        factor.solve(q, 1);
        double largest_error = 0.0;
        double largest = 0.0;
        for (int i = 1; i < segments; ++i) {
            const double v = i / n;
            const double exact = v * v * (1.0 - v) * (1.0 - v) / 24.0;
            largest = std::max(largest, exact);
            largest_error = std::max(largest_error, std::abs(q[i - 1] - exact));
        }
        // cond(D) ~ N^4 / 31 limits what can be seen of the equality.
        EXPECT_NEAR(largest_error / largest, 8.0 / (n * n), 1e-15 * n * n * n * n + 1e-14) << segments;
    }
}

// One column by one load each: node-major columns must not mix.
TEST(banded, columns_are_independent_and_have_the_same_bits_alone_together_or_in_ranges) {
    std::mt19937_64 random(3);
    for (const int bandwidth : {1, 2, 3, 5}) {
        const int n = 33;
        const int columns = 203;
        const BandedFactor factor(n, bandwidth, band_of(random_banded(n, bandwidth, random), bandwidth));
        const std::vector<double> loads = random_numbers(static_cast<size_t>(n * columns), random);
        std::vector<double> together = loads;
        factor.solve(together, columns);

        std::vector<double> in_ranges = loads;
        factor.solve_columns(in_ranges, columns, 150, columns);
        factor.solve_columns(in_ranges, columns, 0, 7);
        factor.solve_columns(in_ranges, columns, 7, 150);
        EXPECT_EQ(in_ranges, together);

        for (int c = 0; c < columns; ++c) {
            std::vector<double> alone(static_cast<size_t>(n));
            for (int i = 0; i < n; ++i) {
                alone[i] = loads[i * columns + c];
            }
            factor.solve(alone, 1);
            for (int i = 0; i < n; ++i) {
                ASSERT_EQ(alone[i], together[i * columns + c])
                    << "bandwidth " << bandwidth << ", row " << i << ", column " << c;
            }
        }
    }
}

TEST(banded, small_clamped_systems_are_those_of_the_notes) {
    EXPECT_EQ(clamped_fourth_difference(2)(0, 0), 8.0);
    std::vector<double> one = {4.0};
    BandedFactor(1, 2, band_of(clamped_fourth_difference(2), 2)).solve(one, 1);
    EXPECT_EQ(one[0], 0.5);
    // [[7,-4],[-4,7]]^-1 (1, 0) = (7, 4) / 33
    std::vector<double> two = {1.0, 0.0};
    BandedFactor(2, 2, band_of(clamped_fourth_difference(3), 2)).solve(two, 1);
    EXPECT_NEAR(two[0], 7.0 / 33.0, 1e-16);
    EXPECT_NEAR(two[1], 4.0 / 33.0, 1e-16);
}

TEST(banded, refactoring_and_solving_allocate_nothing) {
    std::mt19937_64 random(4);
    const std::vector<double> band = band_of(random_banded(20, 2, random), 2);
    BandedFactor factor(20, 2, band);
    std::vector<double> x(20 * 6, 1.0);
    const long before = allocation_count();
    factor.factor(20, 2, band);
    factor.solve(x, 6);
    EXPECT_EQ(allocation_count(), before);
}

TEST(banded, a_matrix_that_is_not_positive_definite_is_refused_naming_the_pivot_row) {
    Dense a = clamped_fourth_difference(12);
    a(5, 5) = -1.0;
    EXPECT_NE(message_of<SolverFailure>([&] { BandedFactor(11, 2, band_of(a, 2)); }).find("pivot in row 5,"),
              std::string::npos);
    // Free-free second difference: singular (constants), the last pivot vanishes.
    Dense free = Dense::Zero(50, 50);
    for (int i = 0; i + 1 < 50; ++i) {
        free(i, i) += 0.1;
        free(i + 1, i + 1) += 0.1;
        free(i + 1, i) = free(i, i + 1) = -0.1;
    }
    EXPECT_NE(message_of<SolverFailure>([&] { BandedFactor(50, 1, band_of(free, 1)); }).find("pivot in row 49,"),
              std::string::npos);
    EXPECT_THROW(BandedFactor(1, 0, std::vector<double>{0.0}), SolverFailure);
    // The factor of a failed attempt cannot be used by mistake.
    BandedFactor factor(1, 0, std::vector<double>{1.0});
    EXPECT_THROW(factor.factor(1, 0, std::vector<double>{-1.0}), SolverFailure);
    std::vector<double> x = {1.0};
    EXPECT_THROW(factor.solve(x, 1), InvalidInput);
}

TEST(banded, the_stiff_clamped_system_of_2000_segments_is_still_accepted) {
    EXPECT_NO_THROW(BandedFactor(1999, 2, band_of(clamped_fourth_difference(2000), 2)));
}

TEST(banded, numbers_that_are_not_finite_are_refused_naming_the_place) {
    for (const double bad : {nan, infinity, -infinity}) {
        Dense a = clamped_fourth_difference(12);
        a(7, 6) = bad;
        EXPECT_NE(message_of<InvalidInput>([&] { BandedFactor(11, 2, band_of(a, 2)); }).find("entry (7, 6)"),
                  std::string::npos);
        for (const int bandwidth : {0, 1, 2, 3}) {
            const BandedFactor factor(11, bandwidth, band_of(Dense::Identity(11, 11), bandwidth));
            std::vector<double> x(11 * 200, 1.0);
            x[3 * 200 + 150] = bad;
            EXPECT_NE(message_of<InvalidInput>([&] { factor.solve(x, 200); }).find("row 3, column 150"),
                      std::string::npos);
        }
    }
    const BandedFactor tiny(1, 0, std::vector<double>{1e-300});
    std::vector<double> huge = {1e300};
    EXPECT_ANY_THROW(tiny.solve(huge, 1));
}

TEST(banded, sizes_that_do_not_fit_are_refused) {
    const std::vector<double> six(6, 1.0);
    EXPECT_THROW(BandedFactor(0, 1, {}), InvalidInput);
    EXPECT_THROW(BandedFactor(3, -1, six), InvalidInput);
    EXPECT_THROW(BandedFactor(4, 1, six), InvalidInput);
    EXPECT_THROW(BandedFactor(std::numeric_limits<int>::max(), 2, six), InvalidInput);
    BandedFactor factor(2, 0, std::vector<double>{1.0, 2.0});
    std::vector<double> x(6, 1.0);
    EXPECT_THROW(factor.solve(x, 2), InvalidInput);
    EXPECT_THROW(factor.solve(x, -3), InvalidInput);
    EXPECT_THROW(factor.solve_columns(x, 3, 2, 4), InvalidInput);
    EXPECT_THROW(factor.solve_columns(x, 3, -1, 2), InvalidInput);
    EXPECT_THROW(BandedFactor().solve(x, 3), InvalidInput);
}

}  // namespace
}  // namespace cutis
