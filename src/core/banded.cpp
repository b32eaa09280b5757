#include "core/banded.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "cutis/core/error.h"

namespace cutis {
namespace {

// Columns swept together: wide enough to hide the latency of the recurrence, narrow enough that
// the rows in use stay in the first-level cache.
constexpr std::ptrdiff_t columns_per_sweep = 128;

// The right-hand sides of one sweep. Every operation works on `width` neighbouring numbers of a
// row; each is a chain of products subtracted one after the other, so that fused multiply-add has
// only one way to contract it and a column's bits do not depend on its neighbours.
struct Sweep {
    double* first;
    std::ptrdiff_t stride;
    std::ptrdiff_t width;

    double* row(std::ptrdiff_t i) const { return first + i * stride; }

    void scale(std::ptrdiff_t i, double factor) const {
        double* const x = row(i);
        for (std::ptrdiff_t c = 0; c < width; ++c) {
            x[c] *= factor;
        }
    }

    // x_i -= l x_j
    void subtract(std::ptrdiff_t i, double l, std::ptrdiff_t j) const {
        double* const __restrict x = row(i);
        const double* const __restrict other = row(j);
        for (std::ptrdiff_t c = 0; c < width; ++c) {
            x[c] -= l * other[c];
        }
    }

    // x_i -= l2 x_j2, then x_i -= l1 x_j1: one pass instead of two.
    void subtract_two(std::ptrdiff_t i, double l2, std::ptrdiff_t j2, double l1, std::ptrdiff_t j1) const {
        double* const __restrict x = row(i);
        const double* const __restrict second = row(j2);
        const double* const __restrict nearest = row(j1);
        for (std::ptrdiff_t c = 0; c < width; ++c) {
            const double partial = x[c] - l2 * second[c];
            x[c] = partial - l1 * nearest[c];
        }
    }

    // The same, and x_j2 *= factor, which was read anyway: x_j2 has then served its last row.
    void subtract_two_and_scale(std::ptrdiff_t i, double l2, std::ptrdiff_t j2, double l1, std::ptrdiff_t j1,
                                double factor) const {
        double* const __restrict x = row(i);
        double* const __restrict second = row(j2);
        const double* const __restrict nearest = row(j1);
        for (std::ptrdiff_t c = 0; c < width; ++c) {
            const double done = second[c];
            const double partial = x[c] - l2 * done;
            x[c] = partial - l1 * nearest[c];
            second[c] = done * factor;
        }
    }
};

// Row `i` minus its neighbours at distance bandwidth .. 1, two at a time. `l(k)` and `other(k)` are
// the multiplier and the row at distance k; rows past the border are left out by `reach`.
template <class Multiplier, class Other>
void subtract_neighbours(const Sweep& sweep, std::ptrdiff_t i, std::ptrdiff_t reach, Multiplier l, Other other) {
    std::ptrdiff_t k = reach;
    for (; k >= 2; k -= 2) {
        sweep.subtract_two(i, l(k), other(k), l(k - 1), other(k - 1));
    }
    if (k == 1) {
        sweep.subtract(i, l(1), other(1));
    }
}

bool is_row_finite(const Sweep& sweep, std::ptrdiff_t i) {
    const double* const x = sweep.row(i);
    bool is_finite = true;
    for (std::ptrdiff_t c = 0; c < sweep.width; ++c) {
        is_finite &= std::abs(x[c]) <= std::numeric_limits<double>::max();
    }
    return is_finite;
}

// The first number that is not finite, looking at whole rows from the top.
[[noreturn]] void refuse_right_hand_side(const Sweep& sweep, std::ptrdiff_t first_column) {
    std::ptrdiff_t i = 0;
    while (is_row_finite(sweep, i)) {
        ++i;
    }
    std::ptrdiff_t c = 0;
    while (std::isfinite(sweep.row(i)[c])) {
        ++c;
    }
    throw InvalidInput(
        concat("banded solve: right-hand side, row ", i, ", column ", first_column + c, " is not finite or overflows"));
}

// L D L^T row by row: w_j = A_ij - sum_m w_m L_jm, L_ij = w_j / D_j, D_i = A_ii - sum_j w_j L_ij,
// where w stands in the row's own place in `lower` until its turn comes. Returns the first row
// without a positive pivot, or the number of rows. A compile-time bandwidth unrolls the inner
// loops.
template <size_t Bandwidth>
size_t factor_rows(size_t n, size_t bandwidth, std::span<const double> band, std::vector<double>& lower,
                   std::vector<double>& inverse_pivot) {
    const size_t b = Bandwidth > 0 ? Bandwidth : bandwidth;
    // Rounding moves every row by about epsilon of its diagonal, and the last pivot feels the sum
    // of them all: what is smaller than that is no pivot.
    const double rounding = static_cast<double>(n) * std::numeric_limits<double>::epsilon();
    const auto factor_row = [&](size_t i, size_t reach) {
        double* const row = lower.data() + i * b;
        const double* const entries = band.data() + i * (b + 1);
        double pivot = entries[0];
        for (size_t k = reach; k >= 1; --k) {
            const double* const other = lower.data() + (i - k) * b;
            double w = entries[k];
            for (size_t m = k + 1; m <= reach; ++m) {
                w -= row[m - 1] * other[m - k - 1];
            }
            row[k - 1] = w;
        }
        for (size_t k = reach; k >= 1; --k) {
            const double w = row[k - 1];
            row[k - 1] = w * inverse_pivot[i - k];
            pivot -= w * row[k - 1];
        }
        inverse_pivot[i] = 1.0 / pivot;
        return pivot > rounding * entries[0] && pivot <= std::numeric_limits<double>::max();
    };
    for (size_t i = 0; i < std::min(b, n); ++i) {
        std::fill_n(lower.data() + i * b, b, 0.0);
        if (!factor_row(i, i)) {
            return i;
        }
    }
    for (size_t i = b; i < n; ++i) {
        if (!factor_row(i, b)) {
            return i;
        }
    }
    return n;
}

// Every entry of a row goes into its pivot, so one that is not finite shows there.
[[noreturn]] void explain_failure(size_t row, size_t b, std::span<const double> band) {
    for (size_t k = 0; k <= std::min(b, row); ++k) {
        const double entry = band[row * (b + 1) + k];
        require(std::isfinite(entry), "banded matrix: entry (", row, ", ", row - k, ") is not finite: ", entry);
    }
    throw SolverFailure(concat("banded matrix: not positive definite: no positive pivot in row ", row,
                               ", diagonal entry ", band[row * (b + 1)]));
}

}  // namespace

BandedFactor::BandedFactor(int size, int bandwidth, std::span<const double> band) {
    factor(size, bandwidth, band);
}

void BandedFactor::factor(int size, int bandwidth, std::span<const double> band) {
    size_ = 0;
    require(size >= 1 && bandwidth >= 0, "banded matrix: expected size >= 1 and bandwidth >= 0, found ", size, " and ",
            bandwidth);
    const auto n = static_cast<size_t>(size);
    const auto b = static_cast<size_t>(bandwidth);
    require(band.size() / (b + 1) == n && band.size() % (b + 1) == 0, "banded matrix: expected ", size, " rows of ",
            b + 1, " entries, found ", band.size(), " numbers");
    lower_.resize(n * b);
    inverse_pivot_.resize(n);

    const size_t failed = b == 2   ? factor_rows<2>(n, b, band, lower_, inverse_pivot_)
                          : b == 1 ? factor_rows<1>(n, b, band, lower_, inverse_pivot_)
                                   : factor_rows<0>(n, b, band, lower_, inverse_pivot_);
    if (failed < n) {
        explain_failure(failed, b, band);
    }
    size_ = size;
    bandwidth_ = bandwidth;
}

void BandedFactor::solve(std::span<double> values, int columns) const {
    solve_columns(values, columns, 0, columns);
}

void BandedFactor::solve_columns(std::span<double> values, int columns, int begin, int end) const {
    require(size_ != 0, "banded solve: nothing has been factored");
    require(columns >= 0 && values.size() == static_cast<size_t>(size_) * static_cast<size_t>(columns),
            "banded solve: expected ", size_, " rows of ", columns, " numbers, found ", values.size(), " numbers");
    require(begin >= 0 && end <= columns && begin <= end, "banded solve: columns ", begin, " to ", end,
            " are not within 0 to ", columns);
    const std::ptrdiff_t n = size_;
    const std::ptrdiff_t b = bandwidth_;
    const double* const lower = lower_.data();
    for (std::ptrdiff_t column = begin; column < end; column += columns_per_sweep) {
        const Sweep sweep{values.data() + column, columns, std::min(columns_per_sweep, end - column)};
        // L y = b. A row is divided by its pivot as soon as no later row reads it.
        for (std::ptrdiff_t i = 0; i < n; ++i) {
            const double* const l = lower + i * b;
            if (i >= b && b == 2) {
                sweep.subtract_two_and_scale(i, l[1], i - 2, l[0], i - 1, inverse_pivot_[i - 2]);
                continue;
            }
            subtract_neighbours(
                sweep, i, std::min(b, i), [&](std::ptrdiff_t k) { return l[k - 1]; },
                [&](std::ptrdiff_t k) { return i - k; });
            if (i >= b) {
                sweep.scale(i - b, inverse_pivot_[i - b]);
            }
        }
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, n - b); i < n; ++i) {
            sweep.scale(i, inverse_pivot_[i]);
        }
        // What is not finite stays so down to the last row (0 * inf and 0 * NaN are NaN), so one
        // row tells. A diagonal matrix has no such chain.
        for (std::ptrdiff_t i = b == 0 ? 0 : n - 1; i < n; ++i) {
            if (!is_row_finite(sweep, i)) {
                refuse_right_hand_side(sweep, column);
            }
        }
        // L^T x = y / D.
        for (std::ptrdiff_t i = n - 2; i >= 0; --i) {
            subtract_neighbours(
                sweep, i, std::min(b, n - 1 - i), [&](std::ptrdiff_t k) { return lower[(i + k) * b + k - 1]; },
                [&](std::ptrdiff_t k) { return i + k; });
        }
        if (!is_row_finite(sweep, 0)) {
            throw SolverFailure(
                concat("banded solve: the solution overflows in columns ", column, " to ", column + sweep.width - 1));
        }
    }
}

}  // namespace cutis
