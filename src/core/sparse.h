#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// One number of a sparse matrix.
struct SparseEntry {
    int row = 0;
    int column = 0;
    double value = 0.0;
};

/// Lower triangle of a symmetric matrix, compressed by rows: the entries of row i stand at
/// [row_starts[i], row_starts[i + 1]).
struct SparseLower {
    int size = 0;
    std::vector<int> row_starts;  ///< size + 1, starting with 0
    std::vector<int> columns;     ///< ascending within a row; the last one is the row itself
    std::vector<double> values;   ///< as many as columns
};

/// What compress_lower gives: the matrix, and where each entry went.
struct CompressedEntries {
    SparseLower matrix;
    std::vector<int> slot_of_entry;  ///< index into matrix.values: add there to assemble anew
};

/// Sorts entries into compressed rows. Entries at the same place are added in the order given;
/// a diagonal place without an entry is kept with value 0.
/// \param entries  lower triangle only (row >= column)
/// \throw InvalidInput  size below 1, index out of range or above the diagonal, value not finite;
///                      names the entry
CompressedEntries compress_lower(int size, std::span<const SparseEntry> entries);

/// Sparse symmetric positive definite matrix: ordered and analysed once, factored (L D L^T) for
/// each new set of values, solved often.
///
/// Solves are const, may run on several threads at once, and allocate only when more of them (or
/// wider ones) run at the same time than ever before.
class SparseSolver {
public:
    /// Orders, analyses and factors.
    /// \throw InvalidInput   arrays that do not describe a lower triangle, a value that is not
    ///                       finite (names the entry)
    /// \throw SolverFailure  not positive definite to rounding (names the row)
    explicit SparseSolver(const SparseLower& matrix);
    ~SparseSolver();
    SparseSolver(SparseSolver&&) noexcept;
    SparseSolver& operator=(SparseSolver&&) noexcept;

    /// Factors new values at the same places; the same bits as a solver made afresh. When it
    /// throws, nothing can be solved until a later refactor succeeds.
    /// \param values  in the order of the matrix given at construction
    /// \throw InvalidInput, SolverFailure  as above
    void refactor(std::span<const double> values);

    int size() const;

    /// Numbers in L below its diagonal.
    long long factor_entries() const;

    /// Replaces one right-hand side by its solution.
    /// \throw InvalidInput   wrong length or a number that is not finite (names it); `x` is
    ///                       unchanged
    /// \throw SolverFailure  the solution overflowed, or the last refactor failed
    void solve(std::span<double> x) const;

    /// The three coordinates of every vertex in one pass over L.
    /// \param x  size() x 3
    void solve(MatrixX3d& x) const;

    /// Any number of right-hand sides, node-major: row i holds its `columns` numbers side by side.
    /// \param x  size() * columns
    void solve_many(std::span<double> x, int columns) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis
