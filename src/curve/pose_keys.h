#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Weights of examples as functions of a pose: 1 at the example's own pose, 0 at the others, sum 1
/// everywhere, twice continuously differentiable in between.
///
/// Cubic kernel with linear polynomial on the space the examples span (the interpolant of least
/// bending): two examples are blended linearly along the line between them. Poses are first brought
/// into the box of the examples: cubic weights grow fast outside.
class PoseKeys {
public:
    PoseKeys() = default;
    /// \param poses  one per example, of equal length, no two alike
    /// \throw InvalidInput  none, lengths that differ, two examples at the same pose (names them)
    explicit PoseKeys(const std::vector<VectorXd>& poses);

    int count() const { return static_cast<int>(centres_.rows()); }

    /// Allocates nothing. \param weights  count()
    void weigh(const VectorXd& pose, VectorXd& weights) const;

private:
    VectorXd origin_;
    Eigen::MatrixXd basis_;     // pose length x span
    Eigen::MatrixXd centres_;   // examples x span
    VectorXd low_, high_;       // per span direction
    Eigen::MatrixXd solution_;  // (examples + 1 + span) x examples
    mutable VectorXd place_, kernel_;
};

}  // namespace cutis
