#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Translation, rotation, scale of a node relative to its parent; the order is T * R * S.
struct Transform {
    Vector3d translation = Vector3d::Zero();
    Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
    Vector3d scale = Vector3d::Ones();

    Eigen::Affine3d matrix() const;
};

/// One node of a file's tree. Joints are nodes; so are the nodes above and between them.
struct Node {
    std::string name;
    int parent = -1;          ///< index of a node that comes earlier in the list, or -1
    Transform rest;           ///< pose while no clip channel moves it
    bool has_matrix = false;  ///< the file gave a matrix that may hold shear: use `matrix`, it is never animated
    Eigen::Affine3d matrix = Eigen::Affine3d::Identity();
};

/// Nodes sorted so that parents come first.
struct Skeleton {
    std::vector<Node> nodes;

    /// Index of the node with this name, or -1.
    int find(const std::string& name) const;
};

/// Local poses to world frames: one pass, parents first.
/// \param local  one Affine3d per node, relative to the parent
void world_frames(const Skeleton& skeleton, const std::vector<Eigen::Affine3d>& local,
                  std::vector<Eigen::Affine3d>& world);

}  // namespace cutis
