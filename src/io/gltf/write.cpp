#include "cutis/io/glb_write.h"

#include "cutis/core/error.h"
#include "io/gltf/write_copies.h"

namespace cutis {
namespace {

class GlbSink final : public CheckedSink {
public:
    GlbSink(std::filesystem::path path, const GlbOptions& options)
        : CheckedSink("glb"), path_(std::move(path)), options_(options) {}

private:
    void start() override {
        if (body().art->triangles.rows() == 0) {
            throw InvalidInput("glb: expected a mesh with triangles, found none");
        }
        for (const MeshInfo& mesh : meshes()) {
            const bool is_own = mesh.is_body && shows_own_mesh();
            if (mesh.copies != nullptr) {
                copies_.push_back(std::make_unique<GlbCopies>(path_, mesh));
                written_.push_back(nullptr);
                continue;
            }
            copies_.push_back(nullptr);
            written_.push_back(std::make_unique<GlbMesh>(
                path_, mesh, is_own ? info().body->source().weld_group : std::vector<int>()));
        }
    }

    void take(const Frame& frame, int /*index*/) override {
        times_.push_back(frame.time);
        for (size_t m = 0; m < written_.size(); ++m) {
            if (copies_[m]) {
                copies_[m]->take(frame.meshes[m]);
            } else {
                written_[m]->take(frame.meshes[m]);
            }
        }
    }

    std::vector<OutputFile> complete() override {
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

void check_glb_tolerance(double tolerance, const char* name) {
    if (!(tolerance >= 1e-7 && tolerance <= 0.1)) {
        throw InvalidInput(say("glb: ", name, " ", tolerance, ", expected 1e-7 to 0.1"));
    }
}

}  // namespace

std::unique_ptr<FrameSink> make_glb_sink(const std::filesystem::path& path,
                                         const GlbOptions& options) {
    check_glb_tolerance(options.tolerance, "tolerance");
    check_glb_tolerance(options.uv_tolerance, "uv_tolerance");
    return std::make_unique<GlbSink>(path, options);
}

}  // namespace cutis
