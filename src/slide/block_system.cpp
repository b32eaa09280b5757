#include "slide/block_system.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "slide/parts.h"

namespace cutis::slide {

using simd::Doubles;

BlockSystem::BlockSystem(const Topology& topology) : vertex_count_(topology.vertex_count()) {
    const MatrixX3i& triangles = topology.triangles();
    row_starts_.reserve(static_cast<size_t>(vertex_count_) + 1);
    row_starts_.push_back(0);
    columns_.reserve(2 * topology.edges().size());
    for (int v = 0; v < vertex_count_; ++v) {
        const auto fan = topology.triangles_around(v);
        int last = -1;
        for (const int f : fan) {
            const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
            columns_.push_back(triangles(f, (k + 1) % 3));
            last = triangles(f, (k + 2) % 3);
        }
        if (topology.is_boundary_vertex(v)) {
            columns_.push_back(last);
        }
        row_starts_.push_back(static_cast<int>(columns_.size()));
    }
}

template <class Real>
void BlockSystem::Numbers<Real>::make(size_t count, size_t entries, size_t vertices) {
    const size_t rows = (count + 3) / 4 * 4;  // whole registers
    blocks.assign(4 * entries, Real(0));
    diagonals.assign(4 * rows, Real(0));
    inverses.assign(4 * rows, Real(0));
    direction.assign(4 * std::max(rows, vertices), Real(0));
    change.assign(2 * rows, Real(0));
    residual.assign(2 * rows, Real(0));
    preconditioned.assign(2 * rows, Real(0));
    product.assign(2 * rows, Real(0));
}

template <class Real>
size_t BlockSystem::Numbers<Real>::bytes() const {
    return sizeof(Real) * (blocks.size() + diagonals.size() + inverses.size() + direction.size() +
                           4 * change.size());
}

void BlockSystem::make_rows(int rows, double tolerance) {
    rows_ = rows;
    tolerance_ = tolerance;
    is_rough_ = tolerance >= finest_rough;
    const size_t count = static_cast<size_t>(rows);
    const size_t entries = static_cast<size_t>(row_starts_[count]);
    if (is_rough_) {
        rough_.make(count, entries, static_cast<size_t>(vertex_count_));
    } else {
        fine_.make(count, entries, static_cast<size_t>(vertex_count_));
    }
    diagonals_ = Records(rows);
    right_.resize(2 * count);
    sums_.resize(3 * static_cast<size_t>(rows / vertex_chunk + 1));
}

Eigen::Matrix2d BlockSystem::block(int entry) const {
    using RowByRow = Eigen::Matrix<double, 2, 2, Eigen::RowMajor>;
    const size_t at = 4 * static_cast<size_t>(entry);
    if (is_rough_) {
        const float* b = rough_.blocks.data() + at;
        return (RowByRow() << b[0], b[1], b[2], b[3]).finished();
    }
    return Eigen::Map<const RowByRow>(fine_.blocks.data() + at);
}

void BlockSystem::set_block(int entry, const Eigen::Matrix2d& value) {
    for (int k = 0; k < 4; ++k) {
        const double number = value(k / 2, k % 2);
        const size_t at = 4 * static_cast<size_t>(entry) + static_cast<size_t>(k);
        if (is_rough_) {
            rough_.blocks[at] = static_cast<float>(number);
        } else {
            fine_.blocks[at] = number;
        }
    }
}

template <class Real>
void BlockSystem::finish(Numbers<Real>& numbers, int begin, int end) {
    constexpr double largest = 1e30;  // single precision holds no more; such a vertex stays still
    for (int v = begin; v < end; ++v) {
        const std::ptrdiff_t at = 4 * static_cast<std::ptrdiff_t>(v);
        const Doubles d = simd::load(diagonals_.at(v));
        const double determinant = d[0] * d[3] - d[1] * d[2];
        const double scale = determinant > 0.0 ? 1.0 / determinant : 0.0;
        const double used = (d[0] + d[3]) * scale < largest ? scale : 0.0;
        const Doubles inverse =
            __builtin_shufflevector(d, d, 3, 1, 2, 0) * Doubles{used, -used, -used, used};
        simd::store_four(numbers.diagonals.data() + at, d);
        simd::store_four(numbers.inverses.data() + at, inverse);
    }
}

void BlockSystem::finish_rows(int begin, int end) {
    if (is_rough_) {
        finish(rough_, begin, end);
    } else {
        finish(fine_, begin, end);
    }
}

void BlockSystem::multiply(const std::vector<double>& x, std::vector<double>& y,
                           const Workers& workers) const {
    workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            Vector2d sum = Eigen::Map<const Eigen::Matrix2d>(diagonal(v)) *
                           Eigen::Map<const Vector2d>(x.data() + 2 * v);
            for (int i = row_begin(v); i < row_end(v); ++i) {
                sum += block(i) * Eigen::Map<const Vector2d>(x.data() + 2 * column(i));
            }
            y[2 * static_cast<size_t>(v)] = sum[0];
            y[2 * static_cast<size_t>(v) + 1] = sum[1];
        }
    });
}

void BlockSystem::refactor() {
    has_factor_ = false;
    if (lower_.size == 0) {
        // The lower triangle: both halves of a block row, sorted once.
        std::vector<SparseEntry> entries;
        for (int v = 0; v < rows_; ++v) {
            for (int a = 0; a < 2; ++a) {
                for (int c = 0; c <= a; ++c) {
                    entries.push_back({2 * v + a, 2 * v + c, 0.0});
                }
            }
            for (int i = row_begin(v); i < row_end(v); ++i) {
                if (column(i) < v) {
                    for (int a = 0; a < 2; ++a) {
                        for (int c = 0; c < 2; ++c) {
                            entries.push_back({2 * v + a, 2 * column(i) + c, 0.0});
                        }
                    }
                }
            }
        }
        CompressedEntries compressed = compress_lower(2 * rows_, {entries.data(), entries.size()});
        lower_ = std::move(compressed.matrix);
        lower_slots_ = std::move(compressed.slot_of_entry);
    }
    size_t next = 0;
    for (int v = 0; v < rows_; ++v) {
        const double* d = diagonal(v);
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[0];
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[1];
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[3];
        for (int i = row_begin(v); i < row_end(v); ++i) {
            if (column(i) < v) {
                const Eigen::Matrix2d values = block(i);
                for (int k = 0; k < 4; ++k) {
                    lower_.values[static_cast<size_t>(lower_slots_[next++])] = values(k / 2, k % 2);
                }
            }
        }
    }
    try {
        if (factor_) {
            factor_->refactor(lower_.values);
        } else {
            factor_ = std::make_unique<SparseSolver>(lower_);
        }
        has_factor_ = true;
    } catch (const SolverFailure&) {
        has_factor_ = false;  // rounding made it indefinite: the diagonal blocks serve instead
    }
}

size_t BlockSystem::bytes() const {
    return rough_.bytes() + fine_.bytes() + diagonals_.bytes() +
           sizeof(double) *
               (right_.size() + sums_.size() + factored_.size() + lower_.values.size()) +
           sizeof(int) * (columns_.size() + row_starts_.size() + lower_slots_.size());
}

}  // namespace cutis::slide
