#pragma once

#include <optional>

#include "io/gltf/write_document.h"
#include "io/gltf/write_frames.h"
#include "io/gltf/write_materials.h"
#include "io/gltf/write_morphs.h"
#include "io/gltf/write_skin.h"
#include "io/render_mesh.h"
#include "io/sink.h"

namespace cutis {

/// Positions, normals and UVs of the base shape, float32, row after row.
struct BaseShape {
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uv;
};

/// One mesh of a bake on its way into a GLB: its frames, then the skin or the morph targets these
/// became, then its part of the document.
class GlbMesh {
public:
    /// \param weld_group  see NormalField
    GlbMesh(const MeshInfo& mesh, const std::vector<int>& weld_group);

    /// Where all its frames are, before any of the following.
    void read_from(CoordinateStore& store, int first_position, int first_uv);

    /// Takes the body's skin where it gives the frames back. \return whether it does
    bool keep_skin(const Body& body, const std::vector<double>& times, double tolerance);
    /// Makes a skin of rigid bones. \return the error of one coordinate, root of the mean square, metres
    double make_bones(int bones);
    /// Makes morph targets instead.
    void fit(const MorphTolerance& tolerance, const Workers& workers);

    /// Adds the mesh alone. \return its index
    int add_mesh(GlbDocument& document, const std::vector<int>& materials);
    /// Adds mesh, node and keys. \param materials  of each part, -1: none
    void add_to(GlbDocument& document, const std::vector<int>& materials, GlbAnimation& animation,
                std::vector<int>& scene_nodes);

    /// For those that put it into a document by themselves.
    const RenderMesh& render() const { return render_; }
    const MorphBasis& morphs() const { return morphs_; }
    BaseShape base_shape();
    Json primitive(GlbDocument& document, const RenderPart& part, const BaseShape& base) const;
    /// One morph target, with normals and moving UVs where they are wanted.
    Json target(GlbDocument& document, const RenderPart& part, int index, bool with_normals, bool with_uv) const;
    /// Three numbers per vertex of the mesh as an attribute.
    int add_vectors(GlbDocument& document, const RenderPart& part, const float* values) const;
    /// One of the further sets of UVs. \param set  of ArtMesh::more_uv
    int add_uv_set(GlbDocument& document, const RenderPart& part, size_t set) const;
    /// Painted numbers, COLOR_n or _NAME, where the mesh has them.
    void add_painted(GlbDocument& document, const RenderPart& part, const std::string& name, Json& attributes) const;
    void add_influences(GlbDocument& document, const RenderPart& part, const PackedWeights& packed, bool fits_byte,
                        Json& attributes) const;

    PaintedMesh painted() const { return {&parts_, mesh_->has_uv()}; }
    int target_count() const { return morphs_.target_count; }
    double max_error() const { return skin_ ? skin_->max_error : morphs_.max_error; }
    double max_uv_error() const { return morphs_.max_uv_error; }
    double half_error() const { return morphs_.half_error; }

private:
    std::string shown_name() const { return mesh_->name.empty() ? "skin" : mesh_->name; }

    const MeshInfo* mesh_;
    std::vector<MeshPart> parts_;
    RenderMesh render_;
    NormalField field_;
    GlbFrames frames_;
    std::optional<SkinnedMotion> skin_;
    MorphBasis morphs_;
};

/// A detail of rigid copies in a GLB: one mesh, a node with keys for each copy.
class GlbCopies {
public:
    explicit GlbCopies(const MeshInfo& mesh);

    void read_from(CoordinateStore& store, int first_position, int first_rotation);
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
