#include "cutis/io/formats.h"

#include "cutis/core/error.h"
#include "io/gltf/write_mesh.h"

namespace cutis {
namespace {

/// Binary glTF 2.0.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | vertices           | split where a vertex has several UVs; one primitive per part           |
/// | POSITION, NORMAL   | metres, Y up; normals are computed: smooth over UV seams and borders   |
/// |                    | of parts, hard where the source split a vertex with one UV             |
/// | TEXCOORD_0         | where the source has UVs (v turned down, as glTF counts)               |
/// | COLOR_0            | where the source has painted colours of that name                      |
/// | materials          | those of the source that are in use, with textures, samplers, embedded |
/// |                    | pictures; a texture that needs UVs which are not there is left out     |
/// | skin               | joints, inverse binds, JOINTS_n, WEIGHTS_n and linear keys at every    |
/// |                    | frame, when no layer changed shape, UVs or mesh and linear blending of |
/// |                    | these keys gives every frame back within the tolerance                 |
/// | other motion       | morph targets (POSITION, NORMAL, TEXCOORD_0 where UVs move) from a     |
/// |                    | truncated singular value decomposition, weights keyed at every frame,  |
/// |                    | all within 0 .. 1 (Blender cuts off the rest), which takes one more    |
/// |                    | target of constant weight where modes change sign; base shape = first  |
/// |                    | frame. Animation time 0 is the first frame                             |
/// | one frame, or none | a plain mesh                                                           |
/// | that moves         |                                                                        |
/// | details            | a mesh and a node each, named as they are, with morph targets of their |
/// |                    | own and a channel of their own in the one animation                    |
/// | rigid copies       | the piece as one mesh, a node NAME.1, NAME.2 ... for each copy         |
/// | channels, lines    | not written                                                            |
///
/// OutputFile::numbers: `morph_targets` (of the body), `detail_morph_targets` (of all details,
/// where there are any), `skin_kept` (0 or 1), `tolerance_m`, `max_error_m` and `max_uv_error`: the
/// largest of all meshes, measured by rebuilding every frame from the float32 numbers of the file.
/// Where float32 itself cannot reach the tolerance (a small body far from the origin) all targets
/// are written and `max_error_m` says what was reached.
///
/// Frames wait in a scratch file; memory holds vertices x targets and frames x frames numbers.
class GlbSink final : public CheckedSink {
public:
    GlbSink(std::filesystem::path path, const SinkOptions& options)
        : CheckedSink("glb", path, options.frames), path_(std::move(path)), options_(options.glb) {}

private:
    void start() override {
        require(body().art->triangles.rows() != 0,
                "glb: expected a mesh with triangles, found none");
        for (const MeshInfo& mesh : meshes()) {
            const bool is_own = mesh.is_body && shows_own_mesh();
            const size_t m = written_.size();
            if (mesh.copies != nullptr) {
                frames().want(Stored::copy_positions, m);
                frames().want(Stored::copy_rotations, m);
                copies_.push_back(std::make_unique<GlbCopies>(mesh));
                written_.push_back(nullptr);
                continue;
            }
            copies_.push_back(nullptr);
            frames().want(Stored::positions, m);
            if (mesh.uv_moves()) {
                frames().want(Stored::uv, m);
            }
            written_.push_back(std::make_unique<GlbMesh>(
                mesh, is_own ? info().body->source().weld_group : std::vector<int>()));
        }
    }

    void take(const Frame& frame, int /*index*/) override { times_.push_back(frame.time); }

    std::vector<OutputFile> complete() override {
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                copies_[m]->read_from(frames().numbers(), frames().first(Stored::copy_positions, m),
                                      frames().first(Stored::copy_rotations, m));
            } else {
                const int uv = meshes()[m].uv_moves() ? frames().first(Stored::uv, m) : 0;
                written_[m]->read_from(frames().numbers(), frames().first(Stored::positions, m),
                                       uv);
            }
        }
        // One tolerance for all: details are looked at together with the body.
        const double diagonal = box_diagonal(body().art->positions);
        MorphTolerance tolerance;
        tolerance.position = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        tolerance.uv = options_.uv_tolerance;
        const bool may_keep =
            options_.keep_skin && !body().shape_changed && !body().uv_changed && shows_own_mesh();
        const bool is_kept =
            may_keep && written_.front()->keep_skin(*info().body, times_, tolerance.position);

        std::vector<PaintedMesh> painted;
        double error = 0.0;
        double uv_error = 0.0;
        int detail_targets = 0;
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                painted.push_back(copies_[m]->painted());
                continue;
            }
            GlbMesh* mesh = written_[m].get();
            const bool is_body = meshes()[m].is_body;
            if (!is_body || !is_kept) {
                mesh->fit(tolerance);
            }
            painted.push_back(mesh->painted());
            error = std::max(error, mesh->max_error());
            uv_error = std::max(uv_error, mesh->max_uv_error());
            detail_targets += is_body ? 0 : mesh->target_count();
        }
        GlbDocument document;
        add_scene(document, painted);
        OutputFile file;
        file.format = "glb";
        file.path = path_.string();
        file.bytes = document.save(path_);
        file.numbers = {{"morph_targets", written_.front()->target_count()},
                        {"skin_kept", is_kept ? 1.0 : 0.0},
                        {"tolerance_m", tolerance.position},
                        {"max_error_m", error},
                        {"max_uv_error", uv_error}};
        if (written_.size() > 1) {
            file.numbers["detail_morph_targets"] = detail_targets;
        }
        return {file};
    }

    void add_scene(GlbDocument& document, const std::vector<PaintedMesh>& painted) {
        const Character* character = info().body->source().character.get();
        const std::vector<std::vector<int>> materials = add_materials(
            document, character != nullptr ? character->materials.get() : nullptr, painted);
        GlbAnimation animation(document, info().frame_count, info().fps);
        std::vector<int> scene_nodes;
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                copies_[m]->add_to(document, materials[m], animation, scene_nodes);
            } else {
                written_[m]->add_to(document, materials[m], animation, scene_nodes);
            }
        }
        animation.finish();
        document.root["scene"] = document.add("scenes", {{"nodes", scene_nodes}});
    }

    std::filesystem::path path_;
    GlbOptions options_;
    std::vector<std::unique_ptr<GlbMesh>> written_;   // null where a detail has copies
    std::vector<std::unique_ptr<GlbCopies>> copies_;  // null elsewhere
    std::vector<double> times_;
};

}  // namespace

Format glb_format();  // listed in formats.cpp

Format glb_format() {
    return {"glb", "binary glTF 2.0: skin, or morph targets",
            [](const std::filesystem::path& path, const SinkOptions& options) {
                check_struct(options.glb, "glb");
                return std::make_unique<GlbSink>(path, options);
            }};
}

}  // namespace cutis
