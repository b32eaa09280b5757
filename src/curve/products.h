#pragma once

#include <algorithm>

#include "cutis/mesh/stencils.h"

namespace cutis {

/// `count` rows of the product below for `width` columns, all sums in registers.
template <int count, int width, bool add>
void product_block(const double* a, Eigen::Index inner, Eigen::Index a_stride, const double* x, Eigen::Index x_stride,
                   double* out, Eigen::Index out_stride) {
    using Lane = Eigen::Array<double, width, 1>;
    Lane sums[count];
    for (int k = 0; k < count; ++k) {
        if (add) {
            sums[k] = Eigen::Map<const Lane>(out + k * out_stride);
        } else {
            sums[k].setZero();
        }
    }
    for (Eigen::Index n = 0; n < inner; ++n) {
        const Lane row = Eigen::Map<const Lane>(x + n * x_stride);
        for (int k = 0; k < count; ++k) {
            sums[k] += a[k * a_stride + n] * row;
        }
    }
    for (int k = 0; k < count; ++k) {
        Eigen::Map<Lane>(out + k * out_stride) = sums[k];
    }
}

/// All rows of the product for `width` columns, four at a time.
template <int width, bool add>
void product_columns(const double* a, Eigen::Index rows, Eigen::Index inner, Eigen::Index a_stride, const double* x,
                     Eigen::Index x_stride, double* out, Eigen::Index out_stride) {
    for (; rows >= 4; rows -= 4, a += 4 * a_stride, out += 4 * out_stride) {
        product_block<4, width, add>(a, inner, a_stride, x, x_stride, out, out_stride);
    }
    if (rows == 3) {
        product_block<3, width, add>(a, inner, a_stride, x, x_stride, out, out_stride);
    } else if (rows == 2) {
        product_block<2, width, add>(a, inner, a_stride, x, x_stride, out, out_stride);
    } else if (rows == 1) {
        product_block<1, width, add>(a, inner, a_stride, x, x_stride, out, out_stride);
    }
}

/// out(k, c) = sum over n of a(k, n) x(n, c) for columns [begin, end). Allocates nothing; each
/// column's result is the same whatever the range. `out` must not overlap `x`.
inline void product(const double* a, Eigen::Index rows, Eigen::Index inner, Eigen::Index a_stride, const double* x,
                    Eigen::Index x_stride, double* out, Eigen::Index out_stride, int begin, int end) {
    constexpr int wide = 8;
    int first = begin;
    while (end - begin >= wide && first < end) {
        // The last block reaches back over columns that are done: they come out the same again.
        first = std::min(first, end - wide);
        product_columns<wide, false>(a, rows, inner, a_stride, x + first, x_stride, out + first, out_stride);
        first += wide;
    }
    for (; first < end; ++first) {
        product_columns<1, false>(a, rows, inner, a_stride, x + first, x_stride, out + first, out_stride);
    }
}

/// The same, added to what `out` holds, for columns [0, end).
inline void add_product(const double* a, Eigen::Index rows, Eigen::Index inner, Eigen::Index a_stride, const double* x,
                        Eigen::Index x_stride, double* out, Eigen::Index out_stride, int end) {
    constexpr int wide = 8;
    int first = 0;
    for (; first + wide <= end; first += wide) {
        product_columns<wide, true>(a, rows, inner, a_stride, x + first, x_stride, out + first, out_stride);
    }
    for (; first < end; ++first) {
        product_columns<1, true>(a, rows, inner, a_stride, x + first, x_stride, out + first, out_stride);
    }
}

/// to = R^T v for `count` nodes: v three numbers each, R nine numbers each, row by row.
inline void turned_back(const double* v, const double* r, Eigen::Index count, double* to) {
    // Four numbers at a time; the fourth is the next node's and is written over by it.
    using Lane = Eigen::Array<double, 4, 1>;
    using From = Eigen::Map<const Lane>;
    for (Eigen::Index i = 0; i + 1 < count; ++i, v += 3, r += 9, to += 3) {
        Eigen::Map<Lane> four(to);
        four = v[0] * From(r) + v[1] * From(r + 3) + v[2] * From(r + 6);
    }
    for (int k = 0; k < 3 && count > 0; ++k) {
        to[k] = v[0] * r[k] + v[1] * r[k + 3] + v[2] * r[k + 6];
    }
}

}  // namespace cutis
