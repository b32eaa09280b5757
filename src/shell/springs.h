#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/sparse.h"
#include "cutis/core/types.h"

namespace cutis {

/// A spring stiffness that holds its point exactly.
inline constexpr double holds_exactly = std::numeric_limits<double>::infinity();

/// Weights of a few unknowns whose sum a spring pulls.
struct SpringRow {
    std::vector<int> indices;
    std::vector<double> weights;
    double stiffness = 1.0;  ///< in units of the matrix; holds_exactly for a constraint
};

/// Springs added to a factored system A x = b without factoring again (Woodbury): adds
/// k u u^T for each spring. Costs one solve per spring when they are set, then a small dense
/// product per use.
class LowRankSprings {
public:
    /// Replaces values (node-major) by A^-1 times them.
    using Solve = std::function<void(std::span<double> values, int columns)>;

    /// New springs; an empty list releases all.
    /// \throw InvalidInput  stiffness not above 0, a spring without weights, more than most_springs
    void set(int unknowns, std::span<const SpringRow> rows, const Solve& solve);

    /// Turns the solution without springs into the one with them. Allocates nothing.
    /// \param x        unknowns x 3, in and out
    /// \param targets  springs x 3: where each spring's weighted sum shall be
    void apply(MatrixX3d& x, const MatrixX3d& targets);

    /// How far a spring's weighted sum moves with a unit push that all unknowns of it get, as a share of what it would
    /// without the spring: 1 for none, 0 for a constraint.
    double yielding(int spring) const { return yielding_[static_cast<size_t>(spring)]; }

    int count() const { return static_cast<int>(starts_.size()) - 1; }
    static constexpr int most_springs = 512;

private:
    std::vector<int> starts_ = {0};
    std::vector<int> indices_;
    std::vector<double> weights_;
    Eigen::MatrixXd columns_;  // Z = A^-1 U
    Eigen::MatrixXd inverse_;  // (diag(1/k) + U^T Z)^-1
    std::vector<double> yielding_;
    MatrixX3d misses_;
    MatrixX3d forces_;
};

}  // namespace cutis
