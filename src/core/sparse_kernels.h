#pragma once

#include <Eigen/Core>

#include "core/sparse_factor.h"

namespace cutis {

/// L D L^T x = b for `Width` right-hand sides at once, in place: place k of the ordered system is
/// the `Width` numbers at x + k * Width (32-byte aligned). One pass over L down, one up, each
/// number of L read once for all right-hand sides.
template <int Width>
void solve_ordered(const FactorView& factor, const double* inverse_pivots, double* x) {
    using Block = Eigen::Array<double, Width, 1>;
    using Aligned = Eigen::Map<Block, Width % 4 == 0 ? Eigen::Aligned32 : Eigen::Unaligned>;
    const auto block = [x](int k) { return Aligned(x + static_cast<Eigen::Index>(k) * Width); };

    for (int j = 0; j < factor.size; ++j) {
        const Block known = block(j);
        for (int p = factor.column_starts[j]; p < factor.column_starts[j + 1]; ++p) {
            block(factor.rows[p]) -= factor.values[p] * known;
        }
    }
    for (int j = factor.size - 1; j >= 0; --j) {
        // Two sums, so that one need not wait for the other.
        Block even = Block::Zero();
        Block odd = Block::Zero();
        const int end = factor.column_starts[j + 1];
        int p = factor.column_starts[j];
        for (; p + 1 < end; p += 2) {
            even += factor.values[p] * block(factor.rows[p]);
            odd += factor.values[p + 1] * block(factor.rows[p + 1]);
        }
        if (p < end) {
            even += factor.values[p] * block(factor.rows[p]);
        }
        block(j) = block(j) * inverse_pivots[j] - (even + odd);
    }
}

}  // namespace cutis
