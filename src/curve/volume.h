#pragma once

#include "curve/part.h"

namespace cutis {

/// Squash and stretch: each ring of nodes is widened or narrowed about its centre so that the slabs between rings keep
/// the volume the body gives them; the first and the last ring stay. For curves that run along a tube; does nothing to
/// others.
class VolumeKeeper {
public:
    explicit VolumeKeeper(const CurvePart& part);

    /// \param body   nodes as the body has them, node rows x 3
    /// \param moved  displacement of the nodes; changed in place
    void keep(const MatrixX3d& body, MatrixX3d& moved);

    /// Volume between the first ring and the last, caps included. \param nodes  node rows x 3
    double volume(const MatrixX3d& nodes);

private:
    void find_slabs(const MatrixX3d& nodes, VectorXd& slabs);

    int rings_ = 0;
    int curves_ = 0;
    MatrixX3d nodes_, centres_;
    VectorXd before_, after_;
};

}  // namespace cutis
