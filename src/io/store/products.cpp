#include "io/store/products.h"

#include <algorithm>

#include "core/simd.h"

namespace cutis {
namespace {

using simd::Doubles;

constexpr int panel_rows = 4;
constexpr int panel_columns = 8;
constexpr int gram_columns = 256;

/// Four rows of `left` times eight columns that stand one row after the other.
void multiply_panel(const double* left, const double* right, int inner, Doubles (&sums)[panel_rows][2]) {
    Doubles s[panel_rows][2] = {};
    for (int f = 0; f < inner; ++f, left += panel_rows, right += panel_columns) {
        const Doubles first = simd::load(right);
        const Doubles second = simd::load(right + 4);
        for (int i = 0; i < panel_rows; ++i) {
            const Doubles a = simd::all(left[i]);
            s[i][0] += a * first;
            s[i][1] += a * second;
        }
    }
    for (int i = 0; i < panel_rows; ++i) {
        sums[i][0] = s[i][0];
        sums[i][1] = s[i][1];
    }
}

/// Dot products of up to two rows with up to four; `stride` numbers from row to row, a multiple of four.
template <int rows, int others>
void add_dots(const double* a, const double* b, int stride, int count, double (&sums)[2][4]) {
    Doubles s[rows][others] = {};
    for (int c = 0; c < count; c += 4) {
        Doubles right[others];
        for (int j = 0; j < others; ++j) {
            right[j] = simd::load(b + static_cast<ptrdiff_t>(j) * stride + c);
        }
        for (int i = 0; i < rows; ++i) {
            const Doubles left = simd::load(a + static_cast<ptrdiff_t>(i) * stride + c);
            for (int j = 0; j < others; ++j) {
                s[i][j] += left * right[j];
            }
        }
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < others; ++j) {
            sums[i][j] = (s[i][j][0] + s[i][j][1]) + (s[i][j][2] + s[i][j][3]);
        }
    }
}

}  // namespace

ProductPanels::ProductPanels(const Eigen::MatrixXd& matrix)
    : rows_(static_cast<int>(matrix.rows())), inner_(static_cast<int>(matrix.cols())) {
    const int padded = (rows_ + panel_rows - 1) / panel_rows * panel_rows;
    numbers_.assign(static_cast<size_t>(padded) * static_cast<size_t>(inner_), 0.0);
    for (int i = 0; i < rows_; ++i) {
        double* out = numbers_.data() + static_cast<size_t>(i / panel_rows * panel_rows) * inner_ + i % panel_rows;
        for (int f = 0; f < inner_; ++f, out += panel_rows) {
            *out = matrix(i, f);
        }
    }
}

void add_product(const ProductPanels& left, const FrameRows& right, double sign, FrameRows& out) {
    const auto columns = static_cast<int>(right.cols());
    const int inner = left.inner();
    std::vector<double> packed(static_cast<size_t>(inner) * panel_columns, 0.0);
    Doubles sums[panel_rows][2];
    const Doubles signs = simd::all(sign);
    for (int c = 0; c < columns; c += panel_columns) {
        const int count = std::min(panel_columns, columns - c);
        for (int f = 0; f < inner; ++f) {
            std::copy_n(&right(f, c), count, &packed[static_cast<size_t>(f) * panel_columns]);
        }
        for (int i = 0; i < left.rows(); i += panel_rows) {
            multiply_panel(left.panel(i), packed.data(), inner, sums);
            for (int r = 0; r < std::min(panel_rows, left.rows() - i); ++r) {
                double* row = &out(i + r, c);
                if (count == panel_columns) {
                    simd::store(row, simd::load(row) + signs * sums[r][0]);
                    simd::store(row + 4, simd::load(row + 4) + signs * sums[r][1]);
                    continue;
                }
                for (int k = 0; k < count; ++k) {
                    row[k] += sign * sums[r][k / 4][k % 4];
                }
            }
        }
    }
}

void add_gram(const FrameRows& rows, Eigen::MatrixXd& gram) {
    const auto n = static_cast<int>(rows.rows());
    const auto columns = static_cast<int>(rows.cols());
    // Rows beyond the last are 0 and summed into nothing.
    std::vector<double> packed(static_cast<size_t>(n + 4) * gram_columns, 0.0);
    double sums[2][4];
    for (int c = 0; c < columns; c += gram_columns) {
        const int count = std::min(gram_columns, columns - c);
        const int stride = (count + 3) / 4 * 4;
        for (int f = 0; f < n; ++f) {
            double* row = packed.data() + static_cast<ptrdiff_t>(f) * stride;
            std::copy_n(&rows(f, c), count, row);
            std::fill(row + count, row + stride, 0.0);
        }
        std::fill_n(packed.data() + static_cast<ptrdiff_t>(n) * stride, 4 * stride, 0.0);
        for (int j = 0; j < n; j += 4) {
            for (int i = j; i < n; i += 2) {
                add_dots<2, 4>(packed.data() + static_cast<ptrdiff_t>(i) * stride,
                               packed.data() + static_cast<ptrdiff_t>(j) * stride, stride, stride, sums);
                for (int r = 0; r < std::min(2, n - i); ++r) {
                    for (int k = 0; k < std::min(4, i + r - j + 1); ++k) {
                        gram(i + r, j + k) += sums[r][k];
                    }
                }
            }
        }
    }
}

}  // namespace cutis
