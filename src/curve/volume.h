#pragma once

#include "curve/part.h"

namespace cutis {

/// Squash and stretch: each ring of nodes is widened or narrowed about its centre so that the slabs between rings keep
/// the volume the body gives them; the first and the last ring stay. Near the cuts of a part, where its neighbours do
/// not follow, less and less, and what is missing there is made up by all rings. For curves that run along a tube;
/// does nothing to others.
class VolumeKeeper {
public:
    /// \param window  per node row: how far it may be moved, 0 at cuts to 1; empty: 1
    explicit VolumeKeeper(const CurvePart& part, VectorXd window = {});

    /// \param body   nodes as the body has them, node rows x 3
    /// \param moved  displacement of the nodes; changed in place
    void keep(const MatrixX3d& body, MatrixX3d& moved);

    /// Volume between the first ring and the last, caps included. \param nodes  node rows x 3
    double volume(const MatrixX3d& nodes);

private:
    void widen(int ring, double share, MatrixX3d& moved) const;
    void find_slabs(const MatrixX3d& nodes, VectorXd& slabs);

    int rings_ = 0;
    int curves_ = 0;
    MatrixX3d nodes_, centres_;
    VectorXd before_, after_;
    VectorXd window_;  // per node row
    VectorXd share_;   // its mean per ring
};

}  // namespace cutis
