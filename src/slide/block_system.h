#pragma once

#include <memory>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/sparse.h"
#include "cutis/mesh/topology.h"
#include "slide/rest_surface.h"

namespace cutis::slide {

/// What a solve did.
struct SolveResult {
    int iterations = 0;
    double residual = 0.0;  ///< relative, in the norm of the block-diagonal
    bool is_solved = true;
};

/// Symmetric positive definite matrix of 2x2 blocks on a triangle mesh: one row per vertex, its
/// neighbours in the order of the fan. Conjugate gradients with the diagonal blocks, or with an old
/// Cholesky factor, as preconditioner.
class BlockSystem {
public:
    BlockSystem() = default;
    explicit BlockSystem(const Topology& topology);
    /// Room for the rows of the first vertices; the unknowns of all others are zero.
    void make_rows(int rows);

    int rows() const { return rows_; }
    int row_begin(int v) const { return row_starts_[static_cast<size_t>(v)]; }
    int row_end(int v) const { return row_starts_[static_cast<size_t>(v) + 1]; }
    int column(int entry) const { return columns_[static_cast<size_t>(entry)]; }
    double* block(int entry) { return blocks_.at(entry); }  ///< 2x2, column by column
    const double* block(int entry) const { return blocks_.at(entry); }
    double* diagonal(int v) { return diagonals_.at(v); }
    const double* diagonal(int v) const { return diagonals_.at(v); }
    double* right(int v) { return right_.data() + 2 * v; }
    const double* right(int v) const { return right_.data() + 2 * v; }

    /// Blocks of these rows are ready (call per chunk of rows).
    void finish_rows(int begin, int end);

    /// Solves for x, starting from what it holds.
    SolveResult solve(double tolerance, int most_iterations, bool use_factor,
                      const Workers& workers, std::vector<double>& x);

    /// y = A x.
    void multiply(const std::vector<double>& x, std::vector<double>& y,
                  const Workers& workers) const;

    /// Factors the matrix as it is now, for solves with use_factor.
    void refactor();
    void drop_factor() { has_factor_ = false; }
    bool has_factor() const { return has_factor_; }

    size_t bytes() const;

private:
    int vertex_count_ = 0;
    int rows_ = 0;
    std::vector<int> row_starts_;
    std::vector<int> columns_;
    Records blocks_, diagonals_, inverses_;
    std::vector<float> rough_blocks_;
    Records direction_;  // p0 p0 p1 p1 per vertex, ready for one multiplication with a block
    std::vector<double> right_, residual_, preconditioned_, product_;
    std::vector<double> sums_;  // three per chunk of rows

    std::unique_ptr<SparseSolver> factor_;
    SparseLower lower_;
    std::vector<int> lower_slots_;  // where each number of a block row goes; -1 above the diagonal
    bool has_factor_ = false;
};

}  // namespace cutis::slide
