#pragma once

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "cutis/io/formats.h"
#include "io/gltf/write_deviation.h"
#include "io/gltf/write_mesh.h"

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
    /// One mesh of the character.
    struct Patch {
        const PlacedMesh* placed = nullptr;
        const MeshInstance* instance = nullptr;
        MeshInfo info;
        Carriage carriage;
        Deviation deviation;
        std::unique_ptr<GlbMesh> mesh;
        bool is_finer = false;
        bool is_carried = false;  ///< by its node instead of its skin
        bool is_changed = false;
        int file_targets = 0;
        int other_targets = 0;  ///< of clips that were baked before

        int target_count() const { return is_changed ? mesh->target_count() : 0; }
    };

    void find_times();
    bool rewrites_clip() const {
        return !keeps_clip_ && info_.frame_count > 1 && !body_.source().clip.channels.empty();
    }
    void make_patch(const PlacedMesh& placed, const GlbFrames& frames, const GlbOptions& options,
                    const MorphTolerance& tolerance, const std::filesystem::path& beside, Patch& patch);
    void find_rows(const PlacedMesh& placed, Patch& patch, DeviationSource& source) const;
    void take_finer(const PlacedMesh& placed, Patch& patch, DeviationSource& source) const;
    void patch_mesh(GlbDocument& document, Patch& patch, bool is_first) const;
    void patch_primitive(GlbDocument& document, Patch& patch, const RenderPart& part, const BaseShape& base,
                         bool is_first, Json& primitive) const;
    void add_further(GlbDocument& document, const Patch& patch, const RenderPart& part, const Json& before,
                     Json& attributes) const;
    void patch_clips(GlbDocument& document) const;
    void add_clip(GlbDocument& document, GlbAnimation& animation) const;
    void add_weights(GlbAnimation& animation) const;
    void add_poses(GlbDocument& document, GlbAnimation& animation) const;
    void to_metres(GlbDocument& document) const;
    const Patch* patch_of(int file_node) const;
    void repaint(GlbDocument& document) const;

    const BakeInfo& info_;
    const Workers& workers_;
    const Body& body_;
    const Character& character_;
    std::vector<double> times_;
    bool keeps_clip_ = false;  ///< the file's own keys stay
    GlbTimes glb_times_;
    std::deque<Patch> patches_;  ///< meshes point to what stands in theirs
    double max_error_ = 0.0;
    double max_uv_error_ = 0.0;
    double half_error_ = 0.0;
};

}  // namespace cutis
