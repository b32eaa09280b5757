#include "core/sparse.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <mutex>
#include <utility>

#include "core/sparse_factor.h"
#include "core/sparse_kernels.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

void check_value(double value, size_t index, int row, int column) {
    require(std::isfinite(value), "sparse matrix: entry ", index, " at row ", row, ", column ", column,
            " is not finite: ", value);
}

void check_pattern(const SparseLower& matrix) {
    const auto n = static_cast<size_t>(std::max(matrix.size, 0));
    require(matrix.size >= 1 && matrix.row_starts.size() == n + 1,
            "sparse matrix: expected at least one row and one row start more, ", "found ", matrix.size, " rows and ",
            matrix.row_starts.size(), " starts");
    const size_t entries = matrix.columns.size();
    require(matrix.values.size() == entries, "sparse matrix: ", entries, " columns, but ", matrix.values.size(),
            " values");
    if (matrix.row_starts.front() != 0 || std::cmp_not_equal(matrix.row_starts.back(), entries)) {
        throw InvalidInput(concat("sparse matrix: row starts go from ", matrix.row_starts.front(), " to ",
                                  matrix.row_starts.back(), ", expected 0 to ", entries));
    }
    for (size_t i = 0; i < n; ++i) {
        const int begin = matrix.row_starts[i];
        const int end = matrix.row_starts[i + 1];
        // The last start is in range, so a start out of range shows as a decrease somewhere; look
        // at entries only of rows that lie inside.
        require(begin < end && std::cmp_less_equal(end, entries), "sparse matrix: row ", i, " goes from entry ", begin,
                " to ", end, ", expected at least its diagonal and at most ", entries);
        int before = -1;
        for (int p = begin; p < end; ++p) {
            const int column = matrix.columns[p];
            require(column > before && std::cmp_less_equal(column, i), "sparse matrix: entry ", p, " of row ", i,
                    " is in column ", column, ", expected ", before + 1, " to ", i);
            before = column;
        }
        require(std::cmp_equal(before, i), "sparse matrix: row ", i, " has no diagonal entry");
    }
}

void check_right_hand_side(std::span<const double> x, int columns) {
    // 0 times what is not finite is not a number: one sum tells whether to look closer.
    if ((0.0 * Eigen::Map<const Eigen::ArrayXd>(x.data(), static_cast<Eigen::Index>(x.size()))).sum() == 0.0) {
        return;
    }
    const auto is_bad = [](double value) { return !std::isfinite(value); };
    const auto bad = std::find_if(x.begin(), x.end(), is_bad);
    if (bad != x.end()) {
        const auto index = bad - x.begin();
        throw InvalidInput(concat("sparse solve: right-hand side, row ", index / columns, ", column ", index % columns,
                                  " is not finite: ", *bad));
    }
}

}  // namespace

CompressedEntries compress_lower(int size, std::span<const SparseEntry> entries) {
    require(size >= 1, "sparse matrix: expected at least one row, found ", size);
    const auto n = static_cast<size_t>(size);
    require(entries.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) - n,
            "sparse matrix: ", entries.size(), " entries are too many");
    std::vector<int> ends(n + 1, 0);  // of each row's entries in `order`
    for (size_t e = 0; e < entries.size(); ++e) {
        const SparseEntry& entry = entries[e];
        require(entry.column >= 0 && entry.row >= entry.column && entry.row < size, "sparse matrix: entry ", e,
                " at row ", entry.row, ", column ", entry.column, ", expected 0 <= column <= row < ", size);
        check_value(entry.value, e, entry.row, entry.column);
        ++ends[static_cast<size_t>(entry.row) + 1];
    }
    for (size_t i = 0; i < n; ++i) {
        ends[i + 1] += ends[i];
    }
    std::vector<int> order(entries.size());
    for (size_t e = 0; e < entries.size(); ++e) {
        order[ends[entries[e].row]++] = static_cast<int>(e);
    }

    CompressedEntries result;
    result.slot_of_entry.resize(entries.size());
    SparseLower& matrix = result.matrix;
    matrix.size = size;
    matrix.row_starts.reserve(n + 1);
    matrix.row_starts.push_back(0);
    auto begin = order.begin();
    for (int i = 0; i < size; ++i) {
        const auto end = order.begin() + ends[i];
        std::stable_sort(begin, end, [&](int a, int b) { return entries[a].column < entries[b].column; });
        int last = -1;
        for (; begin != end; ++begin) {
            const SparseEntry& entry = entries[*begin];
            if (entry.column != last) {
                last = entry.column;
                matrix.columns.push_back(last);
                matrix.values.push_back(0.0);
            }
            matrix.values.back() += entry.value;
            result.slot_of_entry[*begin] = static_cast<int>(matrix.values.size()) - 1;
        }
        if (last != i) {
            matrix.columns.push_back(i);
            matrix.values.push_back(0.0);
        }
        matrix.row_starts.push_back(static_cast<int>(matrix.columns.size()));
    }
    return result;
}

struct SparseSolver::Parts {
    std::vector<int> row_starts;
    std::vector<int> entry_columns;
    std::unique_ptr<SparseFactor> factor;
    FactorView view;
    std::vector<double> inverse_pivots;
    std::vector<unsigned char> runs;  // the pattern of L stays, so these are found once
    bool is_factored = false;

    // Room for the ordered right-hand sides. A solve takes one and gives it back, so that several
    // may run at once.
    std::mutex mutex;
    std::vector<Eigen::VectorXd> idle_rooms;

    Eigen::VectorXd take_room(Eigen::Index length) {
        Eigen::VectorXd room;
        {
            const std::lock_guard lock(mutex);
            if (!idle_rooms.empty()) {
                room.swap(idle_rooms.back());
                idle_rooms.pop_back();
            }
        }
        if (room.size() < length) {
            room.resize(length);
        }
        return room;
    }

    void give_back(Eigen::VectorXd& room) {
        const std::lock_guard lock(mutex);
        idle_rooms.emplace_back().swap(room);
    }

    // Columns [first, first + used) of `x`, padded with zeros to Width.
    template <int Width>
    void solve_block(double* x, int columns, int first, int used) {
        const int n = view.size;
        Eigen::VectorXd room = take_room(static_cast<Eigen::Index>(n) * Width);
        double* ordered = room.data();
        for (int k = 0; k < n; ++k, ordered += Width) {
            const double* const from = x + static_cast<std::ptrdiff_t>(view.row_of_pivot[k]) * columns + first;
            for (int c = 0; c < Width; ++c) {
                ordered[c] = c < used ? from[c] : 0.0;
            }
        }
        OrderedSolve<Width>(view, inverse_pivots.data(), room.data()).run(runs);
        const bool is_finite = room.head(static_cast<Eigen::Index>(n) * Width).allFinite();
        ordered = room.data();
        for (int k = 0; is_finite && k < n; ++k, ordered += Width) {
            double* const to = x + static_cast<std::ptrdiff_t>(view.row_of_pivot[k]) * columns + first;
            for (int c = 0; c < used; ++c) {
                to[c] = ordered[c];
            }
        }
        give_back(room);
        if (!is_finite) {
            throw SolverFailure(
                concat("sparse solve: the solution overflows in columns ", first, " to ", first + used - 1));
        }
    }

    void check_pivots(std::span<const double> values) {
        // Rounding moves every row by about epsilon of its diagonal, and the last pivot feels the
        // sum of them all: what is smaller than that is no pivot.
        const double rounding = view.size * std::numeric_limits<double>::epsilon();
        for (int k = 0; k < view.size; ++k) {
            const int row = view.row_of_pivot[k];
            const double diagonal = values[static_cast<size_t>(row_starts[static_cast<size_t>(row) + 1]) - 1];
            const double pivot = view.pivots[k];
            if (!(pivot > rounding * diagonal) || !std::isfinite(pivot)) {
                throw SolverFailure(concat("sparse matrix: not positive definite: pivot of row ", row, " is ", pivot,
                                           ", diagonal entry ", diagonal));
            }
            inverse_pivots[k] = 1.0 / pivot;
        }
    }
};

SparseSolver::SparseSolver(const SparseLower& matrix) {
    check_pattern(matrix);
    parts_ = std::make_unique<Parts>();
    parts_->row_starts = matrix.row_starts;
    parts_->entry_columns = matrix.columns;
    parts_->inverse_pivots.resize(static_cast<size_t>(matrix.size));
    parts_->factor = make_factor(matrix);
    refactor(matrix.values);
}

SparseSolver::~SparseSolver() = default;
SparseSolver::SparseSolver(SparseSolver&&) noexcept = default;
SparseSolver& SparseSolver::operator=(SparseSolver&&) noexcept = default;

void SparseSolver::refactor(std::span<const double> values) {
    Parts& parts = *parts_;
    parts.is_factored = false;
    require(values.size() == parts.entry_columns.size(), "sparse matrix: expected ", parts.entry_columns.size(),
            " values, found ", values.size());
    for (size_t i = 0; i + 1 < parts.row_starts.size(); ++i) {
        for (auto p = static_cast<size_t>(parts.row_starts[i]); std::cmp_less(p, parts.row_starts[i + 1]); ++p) {
            check_value(values[p], p, static_cast<int>(i), parts.entry_columns[p]);
        }
    }
    const int valid_pivots = parts.factor->factor(values);
    parts.view = parts.factor->view();
    if (valid_pivots < parts.view.size) {
        throw SolverFailure(concat("sparse matrix: not positive definite: pivot of row ",
                                   parts.view.row_of_pivot[valid_pivots], " is not positive"));
    }
    parts.check_pivots(values);
    if (parts.runs.empty()) {
        parts.runs = find_column_runs(parts.view);
    }
    parts.is_factored = true;
}

int SparseSolver::size() const {
    return static_cast<int>(parts_->inverse_pivots.size());
}

long long SparseSolver::factor_entries() const {
    return parts_->is_factored ? parts_->view.column_starts[parts_->view.size] : 0;
}

void SparseSolver::solve(std::span<double> x) const {
    solve_many(x, 1);
}

void SparseSolver::solve(MatrixX3d& x) const {
    solve_many({x.data(), static_cast<size_t>(x.size())}, 3);
}

void SparseSolver::solve_many(std::span<double> x, int columns) const {
    if (!parts_->is_factored) {
        throw SolverFailure("sparse solve: the last refactor failed");
    }
    require(columns >= 0 && x.size() == static_cast<size_t>(size()) * static_cast<size_t>(columns),
            "sparse solve: expected ", size(), " rows of ", columns, " numbers, found ", x.size(), " numbers");
    check_right_hand_side(x, columns);
    for (int first = 0; first < columns;) {
        const int left = columns - first;
        if (left == 1) {
            parts_->solve_block<1>(x.data(), columns, first, 1);
            first += 1;
        } else if (left <= 4) {
            parts_->solve_block<4>(x.data(), columns, first, left);
            first += left;
        } else {
            parts_->solve_block<8>(x.data(), columns, first, std::min(left, 8));
            first += std::min(left, 8);
        }
    }
}

}  // namespace cutis
