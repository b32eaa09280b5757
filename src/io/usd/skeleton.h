#pragma once

#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/io/files.h"
#include "io/gltf/write_deviation.h"

namespace cutis {

/// A clip as a SkelAnimation holds it: numbers of all joints in each frame.
struct UsdaJointFrames {
    std::vector<float> translations;  ///< 3 a joint
    std::vector<float> rotations;     ///< w x y z
    std::vector<float> scales;        ///< 3 a joint, each a number that half precision has
    int frame_count = 0;
};

/// Weights of blend shapes over the frames of a clip.
struct UsdaShapeWeights {
    std::vector<std::string> names;  ///< tokens, unique in the stage
    std::vector<float> values;       ///< frame after frame
};

/// Joints of a character as a UsdSkel `Skeleton`: those of all skins, and nodes that carry meshes, each below the
/// nearest joint above it. In the body's space. USD stores scales in half precision, so what a joint's world frame is
/// scaled by at rest is taken out of it.
class UsdaSkeleton {
public:
    explicit UsdaSkeleton(const Body& body);

    int joint_count() const { return static_cast<int>(joints_.size()); }
    /// Joints of a mesh here, in the order of its skin; the node that carries it for one without.
    /// \param placed  among Body::Source::placed
    const std::vector<int>& joints_of(size_t placed) const { return joints_of_.at(placed); }

    UsdaJointFrames sample(const std::vector<double>& times, TimeSampling sampling) const;
    /// A clip of the file, `fps` frames a second. \param weights  values of blend shapes are added; names stay
    /// \param shapes  node and target of each
    UsdaJointFrames sample(const Clip& clip, double fps, const std::vector<std::pair<int, int>>& shapes,
                           UsdaShapeWeights& weights) const;
    /// The nodes of joints as readers of the file find them; `frames` must outlive the answer.
    NodeFrames node_frames(const UsdaJointFrames& frames) const;

    /// `uniform` properties of the Skeleton.
    void write_joints(AtomicFile& file) const;
    /// \param first  time code of the first frame
    void write_clip(AtomicFile& file, const std::string& identifier, const UsdaJointFrames& frames,
                    const UsdaShapeWeights& weights, int first) const;

private:
    struct Joint {
        int node = -1;
        int parent = -1;
        std::string path;
        std::string name;
        double scale = 1.0;  ///< of its frames here to those of the node
        Eigen::Affine3d bind = Eigen::Affine3d::Identity();
    };

    int joint_for(int node, const Eigen::Affine3d& bind);
    void order_joints();
    void name_joints();
    void append(const std::vector<Eigen::Affine3d>& nodes, UsdaJointFrames& out) const;
    Eigen::Affine3d local(const Joint& joint, const std::vector<Eigen::Affine3d>& nodes) const;
    std::string joints_text() const;

    const Body& body_;
    std::vector<Eigen::Affine3d> rest_;  ///< of all nodes
    std::vector<Joint> joints_;
    std::vector<std::vector<int>> joints_of_;
};

/// ((a,b,c,0),...) as USD has matrices: a row for each of our columns.
std::string usda_matrix(const Eigen::Affine3d& matrix);

}  // namespace cutis
