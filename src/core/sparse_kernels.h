#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/sparse_factor.h"

namespace cutis {

/// Most neighbouring columns of L worked on together.
inline constexpr int longest_run = 4;

/// Lengths of runs of neighbouring columns that share their rows: column j holds j+1 and otherwise
/// the rows of column j+1. In an elimination order most columns stand in such runs; working on a
/// run at once reads row numbers and right-hand sides once instead of once per column.
inline std::vector<unsigned char> find_column_runs(const FactorView& factor) {
    const auto count = [&](int j) { return factor.column_starts[j + 1] - factor.column_starts[j]; };
    // The rows of column j below j+1 are always among those of column j+1 when j+1 is the first
    // of them; equal numbers make them equal.
    const auto continues = [&](int j) {
        return count(j) == count(j + 1) + 1 && factor.rows[factor.column_starts[j]] == j + 1;
    };
    std::vector<unsigned char> runs;
    for (int j = 0; j < factor.size;) {
        int length = 1;
        while (length < longest_run && j + length < factor.size && continues(j + length - 1)) {
            ++length;
        }
        runs.push_back(static_cast<unsigned char>(length));
        j += length;
    }
    return runs;
}

/// L D L^T x = b for `Width` right-hand sides at once, in place: place k of the ordered system is
/// the `Width` numbers at x + k * Width (32-byte aligned). One pass over L down, one up, each
/// number of L read once for all right-hand sides.
template <int Width>
class OrderedSolve {
public:
    OrderedSolve(const FactorView& factor, const double* inverse_pivots, double* x)
        : factor_(factor), inverse_pivots_(inverse_pivots), x_(x) {}

    void run(const std::vector<unsigned char>& runs) const {
        int j = 0;
        for (const unsigned char length : runs) {
            switch (length) {
                case 1:
                    down<1>(j);
                    break;
                case 2:
                    down<2>(j);
                    break;
                case 3:
                    down<3>(j);
                    break;
                default:
                    down<4>(j);
                    break;
            }
            j += length;
        }
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
            j -= *run;
            switch (*run) {
                case 1:
                    up<1>(j);
                    break;
                case 2:
                    up<2>(j);
                    break;
                case 3:
                    up<3>(j);
                    break;
                default:
                    up<4>(j);
                    break;
            }
        }
    }

private:
    using Block = Eigen::Array<double, Width, 1>;
    using Place = Eigen::Map<Block, Width % 4 == 0 ? Eigen::Aligned32 : Eigen::Unaligned>;

    Place place(int k) const { return Place(x_ + static_cast<Eigen::Index>(k) * Width); }

    // A run's columns: first a dense triangle among themselves, then the rows they share.
    template <int Columns>
    struct Run {
        Run(const FactorView& factor, int j) {
            for (int c = 0; c < Columns; ++c) {
                triangle[c] = factor.values + factor.column_starts[j + c];
                shared[c] = triangle[c] + (Columns - 1 - c);
            }
            rows = factor.rows + factor.column_starts[j + Columns - 1];
            row_count = factor.column_starts[j + Columns] - factor.column_starts[j + Columns - 1];
        }
        const double* triangle[Columns];
        const double* shared[Columns];
        const int* rows;
        int row_count;
    };

    // L y = b for the unknowns of the run, then their part in later rows.
    template <int Columns>
    void down(int j) const {
        const Run<Columns> run(factor_, j);
        Block known[Columns];
        for (int c = 0; c < Columns; ++c) {
            known[c] = place(j + c);
            for (int earlier = 0; earlier < c; ++earlier) {
                known[c] -= run.triangle[earlier][c - earlier - 1] * known[earlier];
            }
            place(j + c) = known[c];
        }
        for (int q = 0; q < run.row_count; ++q) {
            Place target = place(run.rows[q]);
            Block value = target;
            for (int c = 0; c < Columns; ++c) {
                value -= run.shared[c][q] * known[c];
            }
            target = value;
        }
    }

    // L^T x = y / D for the unknowns of the run from the later ones.
    template <int Columns>
    void up(int j) const {
        const Run<Columns> run(factor_, j);
        Block sums[Columns];
        for (int c = 0; c < Columns; ++c) {
            sums[c].setZero();
        }
        for (int q = 0; q < run.row_count; ++q) {
            const Block known = place(run.rows[q]);
            for (int c = 0; c < Columns; ++c) {
                sums[c] += run.shared[c][q] * known;
            }
        }
        for (int c = Columns - 1; c >= 0; --c) {
            for (int later = c + 1; later < Columns; ++later) {
                sums[c] += run.triangle[c][later - c - 1] * place(j + later);
            }
            place(j + c) = place(j + c) * inverse_pivots_[j + c] - sums[c];
        }
    }

    const FactorView& factor_;
    const double* inverse_pivots_;
    double* x_;
};

}  // namespace cutis
