#pragma once

#include <memory>
#include <vector>

#include "core/sparse.h"
#include "cutis/core/parallel.h"
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
    /// A tolerance from here on can be met with numbers in single precision, which take half the
    /// time to read.
    static constexpr double finest_rough = 1e-6;

    BlockSystem() = default;
    explicit BlockSystem(const Topology& topology);
    /// Room for the rows of the first vertices; the unknowns of all others are zero.
    /// \param tolerance  of the solves to come: decides the precision
    void make_rows(int rows, double tolerance);

    int rows() const { return rows_; }
    int row_begin(int v) const { return row_starts_[static_cast<size_t>(v)]; }
    int row_end(int v) const { return row_starts_[static_cast<size_t>(v) + 1]; }
    int column(int entry) const { return columns_[static_cast<size_t>(entry)]; }
    bool is_rough() const { return is_rough_; }
    /// Blocks off the diagonal: 2x2, row by row. One of the two is empty, see is_rough.
    float* rough_blocks() { return rough_.blocks.data(); }
    double* fine_blocks() { return fine_.blocks.data(); }
    Eigen::Matrix2d block(int entry) const;
    void set_block(int entry, const Eigen::Matrix2d& value);
    double* diagonal(int v) { return diagonals_.at(v); }  ///< symmetric
    const double* diagonal(int v) const { return diagonals_.at(v); }
    double* right(int v) { return right_.data() + 2 * v; }
    const double* right(int v) const { return right_.data() + 2 * v; }

    /// Diagonal blocks of these rows are ready (call per chunk of rows).
    void finish_rows(int begin, int end);

    /// Solves for x to the tolerance of make_rows, starting from what it holds.
    SolveResult solve(int most_iterations, bool use_factor, const Workers& workers,
                      std::vector<double>& x);

    /// y = A x.
    void multiply(const std::vector<double>& x, std::vector<double>& y,
                  const Workers& workers) const;

    /// Factors the matrix as it is now, for solves with use_factor.
    void refactor();
    void drop_factor() { has_factor_ = false; }
    bool has_factor() const { return has_factor_; }

    size_t bytes() const;

private:
    // What conjugate gradients read and write, in the precision of the solves. Blocks are 2x2, row
    // by row; directions p0 p1 p0 p1, ready for one multiplication with a block. Beyond the last
    // row there is room for a full register of zeros.
    template <class Real>
    struct Numbers {
        std::vector<Real> blocks, diagonals, inverses;
        std::vector<Real> direction;                                  // of all vertices
        std::vector<Real> change, residual, preconditioned, product;  // two per row
        void make(size_t count, size_t entries, size_t vertices);
        size_t bytes() const;
    };
    template <class Real>
    class Gradients;
    template <class Real>
    void finish(Numbers<Real>& numbers, int begin, int end);

    int vertex_count_ = 0;
    int rows_ = 0;
    bool is_rough_ = true;
    double tolerance_ = 0.0;
    std::vector<int> row_starts_;
    std::vector<int> columns_;
    Numbers<float> rough_;
    Numbers<double> fine_;
    Records diagonals_;
    std::vector<double> right_;
    std::vector<double> sums_;  // three per chunk of rows

    std::unique_ptr<SparseSolver> factor_;
    SparseLower lower_;
    std::vector<int> lower_slots_;  // where each number of a block row goes; -1 above the diagonal
    std::vector<double> factored_;  // right side and result of the factor
    bool has_factor_ = false;
};

}  // namespace cutis::slide
