#pragma once

#include "cutis/body/rig.h"

namespace cutis {

/// x -> scale * rotation * x + translation.
struct Similarity {
    double scale = 1.0;
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Vector3d translation = Vector3d::Zero();
    bool is_identity = true;

    Eigen::Affine3d matrix() const;
    Eigen::Affine3d inverse() const;
};

/// World frames of all nodes while no clip plays.
std::vector<Eigen::Affine3d> rest_frames(const Skeleton& skeleton);

/// For each skin of the character, the transform that brings its bind pose to the size and place of
/// the nodes' rest pose: scale from the joints' determinants, rotation and translation by best fit
/// to the vertices. Skins that share a joint with the same inverse bind matrix share one bind space
/// and get one transform, so that body and clothes stay together.
/// \param weights  per mesh instance, normalised; empty for those without skin
std::vector<Similarity> fit_bind_poses(const Character& character, const std::vector<SkinWeights>& weights,
                                       const std::vector<Eigen::Affine3d>& node_frames);

}  // namespace cutis
