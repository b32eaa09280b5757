#pragma once

#include <span>
#include <vector>

namespace cutis {

/// Symmetric positive definite matrix with few diagonals, factored once (L D L^T, no pivoting) and
/// solved often, for many right-hand sides at once.
///
/// Right-hand sides are node-major: row i of the system holds its `columns` numbers side by side,
/// so that every step of the recurrence is one vector operation over all right-hand sides. Each
/// column's result is the same bits however many columns are solved with it.
class BandedFactor {
public:
    BandedFactor() = default;

    /// Same as factor().
    BandedFactor(int size, int bandwidth, std::span<const double> band);

    /// Factors a new matrix; allocates only when it is larger than any before.
    /// \param size       rows, at least 1
    /// \param bandwidth  diagonals below the main one: 1 tridiagonal, 2 pentadiagonal. May reach
    ///                   past the matrix (size 1 with bandwidth 2 is fine)
    /// \param band       size * (bandwidth + 1): entry [i * (bandwidth + 1) + k] is A(i, i - k);
    ///                   entries left of column 0 are not read
    /// \throw InvalidInput   sizes do not fit, entry not finite (names row and column)
    /// \throw SolverFailure  not positive definite to rounding (names the row of the pivot); the
    ///                       factor is then empty
    void factor(int size, int bandwidth, std::span<const double> band);

    int size() const { return size_; }
    int bandwidth() const { return bandwidth_; }

    /// Replaces right-hand sides by solutions. Allocates nothing; may be called from several
    /// threads at once.
    /// \param values  size() * columns, node-major
    /// \throw InvalidInput   wrong length, or a number that is not finite (names row and column);
    ///                       `values` is then partly overwritten
    /// \throw SolverFailure  the solution overflowed
    void solve(std::span<double> values, int columns) const;

    /// The same for the columns [begin, end) alone, so that threads can share one call's work.
    void solve_columns(std::span<double> values, int columns, int begin, int end) const;

private:
    int size_ = 0;
    int bandwidth_ = 0;
    std::vector<double> lower_;          // size * bandwidth: [i * bandwidth + k - 1] is L(i, i - k)
    std::vector<double> inverse_pivot_;  // 1 / D(i)
};

}  // namespace cutis
