#include "slide/block_system.h"

#include <algorithm>

#include "slide/parts.h"

namespace cutis::slide {

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
void BlockSystem::make(Numbers<Real>& numbers) const {
    const size_t entries = static_cast<size_t>(row_starts_[static_cast<size_t>(rows_)]);
    numbers.blocks.assign(4 * entries, Real(0));
    numbers.lower.assign(4 * lower_.columns.size(), Real(0));
    numbers.upper.assign(4 * upper_.columns.size(), Real(0));
    numbers.remote.assign(4 * remote_.columns.size(), Real(0));
    for (std::vector<Real>* blocks : {&numbers.diagonals, &numbers.inverses}) {
        blocks->assign(4 * static_cast<size_t>(rows_ + 1), Real(0));
    }
    for (std::vector<Real>* vector :
         {&numbers.direction, &numbers.residual, &numbers.solution, &numbers.inner, &numbers.outer}) {
        vector->assign(2 * static_cast<size_t>(rows_ + 1), Real(0));
    }
}

template <class Real>
size_t BlockSystem::Numbers<Real>::bytes() const {
    return sizeof(Real) *
           (blocks.size() + lower.size() + upper.size() + remote.size() + 2 * diagonals.size() + 5 * direction.size());
}

void BlockSystem::make_rows(int rows, double tolerance) {
    rows_ = rows;
    tolerance_ = tolerance;
    is_rough_ = tolerance >= finest_rough;
    // Within a chunk rows of several strands take turns, so that a row seldom waits for the one
    // eliminated just before it. Even chunks are eliminated before odd ones, all of a kind at once:
    // where rows are numbered along the surface a chunk meets those beside it alone.
    constexpr int strand = 256;
    std::vector<int> place(static_cast<size_t>(rows));
    sequence_.clear();
    for (int begin = 0; begin < rows; begin += solver_chunk) {
        for (int i = 0; i < strand; ++i) {
            for (int v = begin + i; v < std::min(begin + solver_chunk, rows); v += strand) {
                place[static_cast<size_t>(v)] = static_cast<int>(sequence_.size());
                sequence_.push_back(v);
            }
        }
    }
    const auto entry_at = [&](int v, int w) {
        return static_cast<int>(std::find(columns_.begin() + row_begin(v), columns_.begin() + row_end(v), w) -
                                columns_.begin());
    };
    for (Groups* groups : {&lower_, &upper_, &remote_}) {
        *groups = Groups{{0}, {}, {}};
        for (const int v : sequence_) {
            for (int i = row_begin(v); i < row_end(v); ++i) {
                const int w = column(i);
                if (w >= rows) {
                    continue;
                }
                const int ours = v / solver_chunk;
                const int other = w / solver_chunk;
                const bool is_remote = other != ours && other % 2 == ours % 2;
                const bool is_before = other == ours ? place[static_cast<size_t>(w)] < place[static_cast<size_t>(v)]
                                                     : other % 2 < ours % 2;
                if (groups == (is_remote ? &remote_ : is_before ? &lower_ : &upper_)) {
                    groups->columns.push_back(place[static_cast<size_t>(w)]);
                    groups->entries.push_back(groups == &upper_ ? entry_at(w, v) : i);
                }
            }
            while (groups->columns.size() % 4 != 0) {
                groups->columns.push_back(rows);
                groups->entries.push_back(-1);
            }
            groups->starts.push_back(static_cast<int>(groups->columns.size() / 4));
        }
    }
    // What is above the diagonal is below it, too, and is taken from there once that is scaled.
    std::vector<int> lower_of(columns_.size(), -1);
    for (size_t i = 0; i < lower_.entries.size(); ++i) {
        if (lower_.entries[i] >= 0) {
            lower_of[static_cast<size_t>(lower_.entries[i])] = static_cast<int>(i);
        }
    }
    for (int& entry : upper_.entries) {
        entry = entry < 0 ? -1 : lower_of[static_cast<size_t>(entry)];
    }
    known_columns_ = columns_;
    for (int& column : known_columns_) {
        column = std::min(column, rows);
    }
    if (is_rough_) {
        make(rough_);
    } else {
        make(fine_);
    }
    diagonals_ = Records(rows);
    right_.resize(2 * static_cast<size_t>(rows));
    awake_places_.reserve(static_cast<size_t>(rows));
    awake_ends_.reserve(static_cast<size_t>(rows / solver_chunk + 1));
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

void BlockSystem::multiply(const std::vector<double>& x, std::vector<double>& y, const Workers& workers) const {
    workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            Vector2d sum =
                Eigen::Map<const Eigen::Matrix2d>(diagonal(v)) * Eigen::Map<const Vector2d>(x.data() + 2 * v);
            for (int i = row_begin(v); i < row_end(v); ++i) {
                sum += block(i) * Eigen::Map<const Vector2d>(x.data() + 2 * column(i));
            }
            y[2 * static_cast<size_t>(v)] = sum[0];
            y[2 * static_cast<size_t>(v) + 1] = sum[1];
        }
    });
}

size_t BlockSystem::bytes() const {
    size_t integers = 2 * columns_.size() + row_starts_.size() + 2 * sequence_.size();
    for (const Groups* groups : {&lower_, &upper_, &remote_}) {
        integers += groups->starts.size() + 2 * groups->columns.size();
    }
    return rough_.bytes() + fine_.bytes() + diagonals_.bytes() + sizeof(double) * right_.size() +
           sizeof(int) * integers;
}

}  // namespace cutis::slide
