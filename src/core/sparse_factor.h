#pragma once

#include <memory>
#include <span>

#include "core/sparse.h"

namespace cutis {

/// P A P^T = L D L^T as plain arrays: strictly lower part of L by columns, rows ascending.
struct FactorView {
    int size = 0;
    const int* column_starts = nullptr;  // size + 1
    const int* rows = nullptr;
    const double* values = nullptr;
    const double* pivots = nullptr;     // D
    const int* row_of_pivot = nullptr;  // row of A that stands at place k
};

/// Behind this stands Eigen: its headers are heavy. The input has been checked.
class SparseFactor {
public:
    virtual ~SparseFactor() = default;
    SparseFactor() = default;
    SparseFactor(const SparseFactor&) = delete;
    SparseFactor& operator=(const SparseFactor&) = delete;

    /// Numeric factorisation. Returns how many leading pivots are valid: the size when it went
    /// through, else the place where it stopped (that pivot is then not positive).
    virtual int factor(std::span<const double> values) = 0;
    virtual FactorView view() const = 0;
};

/// Order and analyse.
std::unique_ptr<SparseFactor> make_factor(const SparseLower& matrix);

}  // namespace cutis
