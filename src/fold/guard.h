#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/topology.h"

namespace cutis::fold_detail {

/// Holds vertices back where folding would turn a triangle against its skinned self.
///
/// Bad triangles shorten the offsets of their corners; only what that touches is looked at again,
/// until all are good. The order of triangles does not matter, so neither do threads.
class FoldGuard {
public:
    explicit FoldGuard(const Topology& topology);

    /// Vertices that the fold about to be checked may have moved; all others are as skinned.
    std::vector<unsigned char>& moved() { return is_moved_; }

    /// \param base    #N x 3, as skinned
    /// \param folded  #N x 3, in and out
    /// \return how many vertices were held back
    int hold(const MatrixX3d& base, const Workers& workers, MatrixX3d& folded);

private:
    bool is_bad(const MatrixX3d& base, const MatrixX3d& folded, int triangle) const;

    MatrixX3i triangles_;
    std::vector<int> first_around_;  // triangles of vertex v: around_[first_around_[v]] ...
    std::vector<int> around_;
    std::vector<unsigned char> is_moved_;
    std::vector<unsigned char> mark_;  // per triangle
    std::vector<double> scale_;        // per vertex, 1 outside a round
    std::vector<unsigned char> was_held_;
    std::vector<int> bad_;
    std::vector<int> touched_;
    std::vector<int> next_;
};

}  // namespace cutis::fold_detail
