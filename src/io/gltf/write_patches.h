#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "io/gltf/write_deviation.h"
#include "io/gltf/write_mesh.h"

namespace cutis {

/// One mesh of a character: how its file moves it, and as morph targets what the frames of a bake do beyond that.
struct MeshPatch {
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
    int other_targets = 0;    ///< of clips that were baked before
    double max_error = 0.0;   ///< metres
    double half_error = 0.0;  ///< see MorphBasis, metres
    double max_uv_error = 0.0;

    int target_count() const { return is_changed ? mesh->target_count() : 0; }
};

/// Makes the patches of a bake.
struct PatchMaker {
    const BakeInfo& info;
    const GlbFrames& frames;           ///< of the body, all of them; without UVs: those stay
    const std::vector<double>& times;  ///< of each frame, body seconds
    MorphTolerance tolerance;
    bool keeps_skin = true;
    TimeSampling sampling = TimeSampling::exact;  ///< of the poses
    NodeFrames node_frames;                       ///< as they are written; empty: those of the body
    std::filesystem::path beside;                 ///< scratch space goes there
    const Workers& workers;

    /// \param patch  stays where it is: its mesh points to what stands in it
    void make(const PlacedMesh& placed, MeshPatch& patch) const;

private:
    void find_rows(const PlacedMesh& placed, MeshPatch& patch, DeviationSource& source) const;
    void take_finer(const PlacedMesh& placed, MeshPatch& patch, DeviationSource& source) const;
    void find_frames(const DeviationSource& source, MeshPatch& patch) const;
};

}  // namespace cutis
