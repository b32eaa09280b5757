#pragma once

#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "io/gltf/write_patches.h"
#include "io/split.h"
#include "io/usd/mesh.h"
#include "io/usd/skeleton.h"

namespace cutis {

/// A character as UsdSkel: its joints play the clip, its meshes stand at rest with weights of joints and blend shapes,
/// the file's own and those that hold what frames do beyond it.
class UsdaCharacter {
public:
    /// Does this bake's body come from a file with nodes and meshes?
    static bool has_skeleton(const BakeInfo& info);

    /// \param root  path of the SkelRoot, "/body";  \param meshes  as split_character() gives them, which stay
    UsdaCharacter(const BakeInfo& info, std::string root, const std::vector<SplitMesh>& meshes);

    /// Weights and blend shapes from all frames, into `file`: a mesh each, then the Skeleton with its clips.
    /// \param frames   of the body;  \param times  of each, body seconds
    /// \param writers  of the meshes, with all frames taken;  \param names  of their prims
    void write_to(AtomicFile& file, const GlbFrames& frames, const std::vector<double>& times,
                  const MorphTolerance& tolerance, const std::filesystem::path& beside, const Workers& workers,
                  const std::vector<UsdaMesh*>& writers, const std::vector<std::string>& names);

    int shape_count() const { return static_cast<int>(shapes_.names.size()); }
    int joint_count() const { return skeleton_.joint_count(); }
    double max_error() const { return max_error_; }

private:
    /// A blend shape of the file.
    struct OwnShape {
        std::string token;
        int node = -1;
        int target = 0;
    };

    std::string binding_text(const MeshPatch& patch, size_t placed) const;
    void find_shapes(const MeshPatch& patch, const std::string& name, std::vector<std::string>& tokens);
    void write_shapes(AtomicFile& file, const MeshPatch& patch, const std::vector<std::string>& tokens) const;
    void write_points(const GlbFrames& frames, const SplitMesh& split, UsdaMesh& mesh) const;
    void write_skeleton(AtomicFile& file);

    const BakeInfo& info_;
    std::string root_;
    const std::vector<SplitMesh>& meshes_;
    UsdaSkeleton skeleton_;
    UsdaJointFrames joint_frames_;
    UsdaShapeWeights shapes_;                  ///< of the baked clip
    std::vector<std::vector<float>> columns_;  ///< weights of each blend shape
    std::vector<OwnShape> own_shapes_;
    std::set<std::string> tokens_;
    double max_error_ = 0.0;
};

/// The character's meshes as the frames show them, also where there is only one.
std::vector<SplitMesh> split_character(const BakeInfo& info);

}  // namespace cutis
