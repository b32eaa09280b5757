#pragma once

#include <algorithm>

#include "cutis/mesh/stencils.h"

namespace cutis {

/// out(k, c) = sum over n of a(k, n) x(n, c) for columns [begin, end): a row of x is used for
/// four sums at a time, every inner step runs over columns. Allocates nothing; each column's result
/// is the same whatever the range. `out` must not overlap `x`.
inline void product(const double* a, Eigen::Index rows, Eigen::Index inner, Eigen::Index a_stride,
                    const double* x, Eigen::Index x_stride, double* out, Eigen::Index out_stride,
                    int begin, int end) {
    constexpr int block = 8;  // columns kept in registers, four rows of the result at once
    using Lane = Eigen::Array<double, block, 1>;
    using From = Eigen::Map<const Lane>;
    using To = Eigen::Map<Lane>;
    int first = begin;
    while (end - begin >= block && first < end) {
        // The last block reaches back over columns that are done: they come out the same again.
        first = std::min(first, end - block);
        Eigen::Index k = 0;
        for (; k + 4 <= rows; k += 4) {
            Lane s0 = Lane::Zero(), s1 = Lane::Zero(), s2 = Lane::Zero(), s3 = Lane::Zero();
            const double* w = a + k * a_stride;
            for (Eigen::Index n = 0; n < inner; ++n) {
                const Lane row = From(x + n * x_stride + first);
                s0 += w[n] * row;
                s1 += w[n + a_stride] * row;
                s2 += w[n + 2 * a_stride] * row;
                s3 += w[n + 3 * a_stride] * row;
            }
            To(out + k * out_stride + first) = s0;
            To(out + (k + 1) * out_stride + first) = s1;
            To(out + (k + 2) * out_stride + first) = s2;
            To(out + (k + 3) * out_stride + first) = s3;
        }
        for (; k < rows; ++k) {
            Lane sum = Lane::Zero();
            for (Eigen::Index n = 0; n < inner; ++n) {
                sum += a[k * a_stride + n] * From(x + n * x_stride + first);
            }
            To(out + k * out_stride + first) = sum;
        }
        first += block;
    }
    for (Eigen::Index k = 0; k < rows && first < end; ++k) {
        for (int c = first; c < end; ++c) {
            double sum = 0.0;
            for (Eigen::Index n = 0; n < inner; ++n) {
                sum += a[k * a_stride + n] * x[n * x_stride + c];
            }
            out[k * out_stride + c] = sum;
        }
    }
}

}  // namespace cutis
