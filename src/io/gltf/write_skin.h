#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "io/gltf/write_document.h"
#include "io/gltf/write_frames.h"

namespace cutis {

/// A node of the exported skeleton with its local pose at every frame.
struct PoseTrack {
    std::string name;
    int parent = -1;  ///< earlier in the list, or -1
    bool is_matrix = false;
    Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();  ///< with is_matrix: holds shear, still
    std::vector<float> translation;                        ///< 3 a frame; 3 in all where constant
    std::vector<float> rotation;                           ///< x y z w
    std::vector<float> scale;
};

/// Joints and weights of every art vertex as glTF wants them: sets of four, float32 weights that
/// sum to 1, joint 0 where the weight is 0, no joint twice.
struct PackedWeights {
    int sets = 1;
    std::vector<std::uint16_t> joints;  ///< #A * sets * 4
    std::vector<float> weights;
};

/// Skeleton, skin and motion of a body, proven to give the frames back.
struct SkinnedMotion {
    std::vector<PoseTrack> nodes;
    std::vector<int> joints;          ///< node of each joint, none twice
    std::vector<float> inverse_bind;  ///< 16 a joint, column by column
    PackedWeights weights;
    double max_error = 0.0;  ///< metres, against the stored frames, from the numbers above
};

/// \return false: a vertex has no weight at all
bool pack_weights(const SkinWeights& source, PackedWeights& packed);

/// Translation, rotation, scale of an affine map; false where it is singular or sheared.
bool separate(const Eigen::Affine3d& map, Vector3d& translation, Eigen::Quaterniond& rotation, Vector3d& scale);

/// The body's skin sampled at `times`, or nothing where there is no skin or where linear blending
/// with separable local poses does not meet the stored frames within the tolerance (dual
/// quaternions, morph targets, joints that shear).
std::optional<SkinnedMotion> sample_skin(const Body& body, const GlbFrames& frames, const std::vector<double>& times,
                                         double tolerance);

/// Frames as a skin of rigid bones that the frames themselves say (skinning decomposition): flat, each where its
/// vertices are. \param rms  per coordinate, metres
SkinnedMotion decompose_motion(const ArtMesh& rest, const GlbFrames& frames, int bones, double& rms);

/// Adds nodes, skin and the keys of what moves.
/// \return index of the skin
int add_skin(GlbDocument& document, const SkinnedMotion& motion, GlbAnimation& animation,
             std::vector<int>& scene_nodes);

}  // namespace cutis
