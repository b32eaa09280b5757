#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/topology.h"
#include "slide/rest_surface.h"

namespace cutis::slide {

/// What a solve did.
struct SolveResult {
    int iterations = 0;
    double residual = 0.0;  ///< relative, in the norm of the preconditioner
    bool is_solved = true;
};

/// Symmetric positive definite matrix of 2x2 blocks on a triangle mesh: one row per vertex, its
/// neighbours in the order of the fan. Conjugate gradients, preconditioned within each chunk of
/// rows by an incomplete factor with the pattern of the matrix.
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

    /// Solves for x to the tolerance of make_rows, starting from what it holds.
    /// \param activity  per vertex, none: only rows of those that are Activity::awake are unknowns, the
    ///                  others were not assembled and their x is zero
    SolveResult solve(int most_iterations, const Workers& workers, std::vector<double>& x,
                      const std::vector<unsigned char>* activity = nullptr);

    /// y = A x.
    void multiply(const std::vector<double>& x, std::vector<double>& y, const Workers& workers) const;

    size_t bytes() const;

private:
    // Blocks of each row by what they are for, padded to groups of four that meet a zero: loops of
    // nearly always one round. In the order of elimination.
    struct Groups {
        std::vector<int> starts;   // per place in the order, in groups
        std::vector<int> columns;  // four per group, places in the order
        std::vector<int> entries;  // of blocks, of upper_ of the numbers of lower_; -1: padding
    };
    // What conjugate gradients read and write, in the precision of the solves. Blocks are 2x2, row
    // by row; vectors hold x y of a vertex in the order of elimination, and a zero at the end.
    template <class Real>
    struct Numbers {
        std::vector<Real> blocks;                // as they were assembled
        std::vector<Real> lower, upper, remote;  // scaled, by groups
        std::vector<Real> diagonals;             // scaled, less twice the identity
        std::vector<Real> inverses;              // of the factor of each diagonal block: 00 10 11
        std::vector<Real> direction, residual, solution, inner, outer;
        size_t bytes() const;
    };
    template <class Real>
    class Gradients;
    template <class Real>
    void make(Numbers<Real>& numbers) const;

    int vertex_count_ = 0;
    int rows_ = 0;
    bool is_rough_ = true;
    double tolerance_ = 0.0;
    std::vector<int> row_starts_;
    std::vector<int> columns_, known_columns_;    // the second: the number of rows for what is beyond
    std::vector<int> sequence_;                   // rows in the order of elimination, chunk by chunk
    std::vector<int> awake_places_, awake_ends_;  // those of unknowns; where each chunk of them ends
    Groups lower_, upper_;                        // eliminated before and after
    Groups remote_;                               // in other chunks of the same kind
    Numbers<float> rough_;
    Numbers<double> fine_;
    Records diagonals_;
    std::vector<double> right_;
};

}  // namespace cutis::slide
