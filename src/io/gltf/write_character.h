#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "cutis/io/formats.h"
#include "io/gltf/write_patches.h"

namespace cutis {

/// Meshes of a document that bakes have changed, by the node that shows them: what they are now.
using GlbPatched = std::map<int, std::shared_ptr<const ArtMesh>>;

/// A bake on its way into the document that its character came from. Nodes, names, skeleton, materials, cameras,
/// other clips, morph targets and everything unknown stay as they are; only meshes that a layer changed get more morph
/// targets (or, on a finer mesh, other primitives), and the clip that was baked gets their weights.
class GlbCharacter {
public:
    /// Does this bake's body come from a document that it can go back into?
    static bool has_document(const BakeInfo& info);

    /// \param frames  of the body, all of them;  \param times  of each frame, body seconds
    /// \param beside  scratch space goes there
    GlbCharacter(const BakeInfo& info, const GlbFrames& frames, std::vector<double> times, const GlbOptions& options,
                 const MorphTolerance& tolerance, const std::filesystem::path& beside, const Workers& workers);

    /// When the frames are in the clip.
    const GlbTimes& times() const { return glb_times_; }
    /// Can this bake go into a document that other clips were baked into?
    bool joins(const GlbPatched& done) const;
    /// \param animation  of the bake, which gets its channels; finish_clip() puts it in its place
    /// \param done       by the bakes before this one
    void add_to(GlbDocument& document, GlbAnimation& animation, GlbPatched& done);
    void finish_clip(GlbAnimation& animation) const;
    /// Nodes in metres beside those of the character, in the scene that was read.
    static void add_to_scene(GlbDocument& document, const std::vector<int>& nodes);

    int target_count() const;
    bool is_changed() const;  ///< some mesh has frames of its own
    double max_error() const { return max_error_; }
    double max_uv_error() const { return max_uv_error_; }
    double half_error() const { return half_error_; }

private:
    void find_times();
    bool rewrites_clip() const {
        return !keeps_clip_ && info_.frame_count > 1 && !body_.source().clip.channels.empty();
    }
    void patch_mesh(GlbDocument& document, MeshPatch& patch, bool is_first) const;
    void patch_primitive(GlbDocument& document, MeshPatch& patch, const RenderPart& part, const BaseShape& base,
                         bool is_first, Json& primitive) const;
    void add_further(GlbDocument& document, const MeshPatch& patch, const RenderPart& part, const Json& before,
                     Json& attributes) const;
    void patch_clips(GlbDocument& document) const;
    void add_clip(GlbDocument& document, GlbAnimation& animation) const;
    void add_weights(GlbAnimation& animation) const;
    void add_poses(GlbDocument& document, GlbAnimation& animation) const;
    void to_metres(GlbDocument& document) const;
    const MeshPatch* patch_of(int file_node) const;
    void repaint(GlbDocument& document) const;

    const BakeInfo& info_;
    const Body& body_;
    const Character& character_;
    std::vector<double> times_;
    bool keeps_clip_ = false;  ///< the file's own keys stay
    GlbTimes glb_times_;
    std::deque<MeshPatch> patches_;  ///< meshes point to what stands in theirs
    double max_error_ = 0.0;
    double max_uv_error_ = 0.0;
    double half_error_ = 0.0;
};

}  // namespace cutis
