#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/topology.h"

namespace cutis::fold_detail {

/// Keeps folding from turning triangles against their own skinned selves: offsets of vertices are
/// scaled down, each as little as its triangles allow.
class FoldGuard {
public:
    /// \param is_bound  per vertex: can folds move it?
    FoldGuard(const Topology& topology, const std::vector<unsigned char>& is_bound);

    /// \param base    #N x 3, before folding;  \param folded  in and out
    /// Returns the number of vertices that were held back.
    int hold(const MatrixX3d& base, const Workers& workers, MatrixX3d& folded);

private:
    const MatrixX3i triangles_;  // those that folds can move
    std::vector<double> part_;   // per triangle: common scale of its offsets that is still good
    std::vector<double> scale_;  // per vertex
    std::vector<unsigned char> is_changed_;
    std::vector<int> touched_;
};

}  // namespace cutis::fold_detail
