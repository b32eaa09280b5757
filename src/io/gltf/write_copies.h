#pragma once

#include "io/gltf/write_baked.h"

namespace cutis {

/// A detail of rigid copies in a GLB: one mesh, a node with keys for each copy.
class GlbCopies {
public:
    GlbCopies(const std::filesystem::path& path, const MeshInfo& mesh);

    void take(const MeshFrame& frame);
    PaintedMesh painted() const { return piece_->painted(); }
    void add_to(GlbDocument& document, const std::vector<int>& materials, GlbAnimation& animation,
                std::vector<int>& scene_nodes);

private:
    const DetailCopies* copies_;
    MeshInfo baked_;
    std::unique_ptr<GlbMesh> piece_;
    std::vector<float> places_, rotations_;  // frame after frame, copy after copy
    int frames_ = 0;
};

}  // namespace cutis
