#pragma once

#include <vector>

#include "curve/part.h"
#include "cutis/body/skinning.h"

namespace cutis {

/// Where curve nodes are carried by the body, and how they are turned. Residuals are kept in the
/// turned frames: world = rotation * local.
struct NodeFrames {
    MatrixX3d places;       ///< node rows x 3, metres
    RowMatrixXd rotations;  ///< node rows x 9, each a rotation by rows
};

inline Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> rotation_of(const NodeFrames& frames,
                                                                                  Eigen::Index row) {
    return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(frames.rotations.data() + 9 * row);
}

/// Nodes on a skinned body: frames from the joints' blended rotations (quaternions, as dual
/// quaternion skinning blends them; they have no bad pose).
class SkinnedNodes {
public:
    /// \param rest     surface at rest, #V x 3
    /// \param weights  per surface vertex
    /// \throw InvalidInput  counts that differ
    SkinnedNodes(const CurvePart& part, const MatrixX3d& rest, const SkinWeights& weights, int joint_count);

    /// Places by linear blend of the nodes' own weights, and rotations. Allocates nothing after the
    /// first call.
    /// \param matrices  joint world frame * inverse bind matrix
    void fill(const std::vector<Eigen::Affine3d>& matrices, NodeFrames& out) const;

    /// Nodes on the skinned surface: the vertices around each node are skinned, then weighed.
    void baseline(Skinning skinning, const std::vector<Eigen::Affine3d>& matrices, const Workers& workers,
                  MatrixX3d& nodes) const;

    /// Joints with any weight on the part.
    const std::vector<int>& joints() const { return joints_; }

private:
    int joint_count_;
    MatrixX3d rest_nodes_;
    std::vector<int> joints_;
    std::vector<int> starts_;       // per node row
    std::vector<int> node_joints_;  // index into joints_
    std::vector<double> node_weights_;
    MatrixX3d vertex_rest_;  // vertices the nodes are made of
    SkinWeights vertex_weights_;
    Stencils nodes_of_vertices_;
    mutable std::vector<Eigen::Quaterniond> turns_;
    mutable MatrixX3d vertices_;
};

/// Nodes on a body without skeleton: the rigid motion nearest to the part's (least squares).
class RigidNodes {
public:
    RigidNodes(const CurvePart& part, const MatrixX3d& rest);

    /// \param nodes  where the nodes are now; places become those of the rigid motion
    void fill(const MatrixX3d& nodes, NodeFrames& out) const;

    const MatrixX3d& rest_nodes() const { return rest_; }

private:
    MatrixX3d rest_;
    Vector3d centre_;
};

/// Rotation of a skinning matrix, free of scale and mirroring.
Eigen::Quaterniond rotation_of_matrix(const Eigen::Affine3d& matrix);

/// Pose of a joint against its parent, in three numbers that are 0 at rest: the swing (a rotation
/// vector in the plane across the bone: two numbers) and the twist about the bone, in radians.
/// \param parent, joint  rotations of the two skinning matrices
/// \param axis           direction of the bone at rest, of unit length
Vector3d joint_pose(const Eigen::Quaterniond& parent, const Eigen::Quaterniond& joint, const Vector3d& axis);

}  // namespace cutis
