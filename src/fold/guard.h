#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/topology.h"

namespace cutis::fold_detail {

/// Holds vertices back where folding would turn a triangle against the turned rest normal.
///
/// The area of a triangle along a fixed normal is linear in the share of each corner, so over all
/// shares from 0 to t it is least at a corner of that box: seven quadratics in t. The root of each
/// one's lower bound is continuous in the pose, and so is everything here: no rounds, no state.
class FoldGuard {
public:
    /// \param rest     #N x 3;  \param normals  #N x 3, at rest
    /// \param spread   #N: metres over which shares may rise from 0 to 1
    FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals,
              const VectorXd& spread);

    /// \param base        #N x 3, before folding
    /// \param directions  #N x 3, the rest normals turned, unit
    /// \param heights     #N, along the directions
    void find_shares(const MatrixX3d& base, const MatrixX3d& directions, const VectorXd& heights,
                     const Workers& workers);

    /// What each vertex may keep of its height, as found last.
    double share(int v) const { return share_[static_cast<size_t>(v)]; }

private:
    const Topology& topology_;
    std::vector<double> rest_area_;  // doubled, along the rest normals, per triangle
    std::vector<int> first_;         // neighbours of vertex v: near_[first_[v]] ...
    std::vector<int> near_;
    std::vector<float> climb_;  // how much the share may rise on the way there
    std::vector<double> part_;  // per triangle
    std::vector<double> share_;
    std::vector<double> next_;
};

}  // namespace cutis::fold_detail
