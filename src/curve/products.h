#pragma once

#include <algorithm>
#include <cmath>

#include "core/simd.h"

namespace cutis {

/// `count` rows of the product below for `width` columns, all sums in registers: 1, or a multiple of four.
template <int count, int width, bool add>
void product_block(const double* a, Eigen::Index inner, Eigen::Index a_stride, const double* x, Eigen::Index x_stride,
                   double* out, Eigen::Index out_stride) {
    if constexpr (width == 1) {
        double sums[count];
        for (int k = 0; k < count; ++k) {
            sums[k] = add ? out[k * out_stride] : 0.0;
        }
        for (Eigen::Index n = 0; n < inner; ++n) {
            for (int k = 0; k < count; ++k) {
                sums[k] += a[k * a_stride + n] * x[n * x_stride];
            }
        }
        for (int k = 0; k < count; ++k) {
            out[k * out_stride] = sums[k];
        }
    } else {
        constexpr int lanes = width / 4;
        simd::Doubles sums[count][lanes];
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < lanes; ++i) {
                sums[k][i] = add ? simd::load(out + k * out_stride + 4 * i) : simd::all(0.0);
            }
        }
        for (Eigen::Index n = 0; n < inner; ++n) {
            simd::Doubles row[lanes];
            for (int i = 0; i < lanes; ++i) {
                row[i] = simd::load(x + n * x_stride + 4 * i);
            }
            for (int k = 0; k < count; ++k) {
                const simd::Doubles factor = simd::all(a[k * a_stride + n]);
                for (int i = 0; i < lanes; ++i) {
                    sums[k][i] += factor * row[i];
                }
            }
        }
        for (int k = 0; k < count; ++k) {
            for (int i = 0; i < lanes; ++i) {
                simd::store(out + k * out_stride + 4 * i, sums[k][i]);
            }
        }
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
    for (Eigen::Index i = 0; i + 1 < count; ++i, v += 3, r += 9, to += 3) {
        simd::store(to, simd::all(v[0]) * simd::load(r) + simd::all(v[1]) * simd::load(r + 3) +
                            simd::all(v[2]) * simd::load(r + 6));
    }
    for (int k = 0; k < 3 && count > 0; ++k) {
        to[k] = v[0] * r[k] + v[1] * r[k + 3] + v[2] * r[k + 6];
    }
}

/// Whether all numbers are finite: differences with themselves are 0 then, and their sum, in any order, too.
inline bool all_finite(const double* values, Eigen::Index count) {
    simd::Doubles sums[4] = {};
    Eigen::Index i = 0;
    for (; i + 16 <= count; i += 16) {
        for (int k = 0; k < 4; ++k) {
            const simd::Doubles one = simd::load(values + i + 4 * k);
            sums[k] += one - one;
        }
    }
    double rest = 0.0;
    for (; i < count; ++i) {
        rest += values[i] - values[i];
    }
    const simd::Doubles sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest == 0.0;
}

}  // namespace cutis
