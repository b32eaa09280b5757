#include "cutis/io/glb_write.h"

#include <optional>

#include "cutis/core/error.h"
#include "glb_write_document.h"
#include "glb_write_frames.h"
#include "glb_write_materials.h"
#include "glb_write_mesh.h"
#include "glb_write_skin.h"
#include "glb_write_svd.h"
#include "write_base.h"

namespace cutis {
namespace {

using Json = GlbDocument::Json;

/// Numbers of the render vertices of one primitive, taken from per-row numbers of the source.
/// \param row_of  row of a render vertex, -1: zeros
template <class RowOf>
std::vector<float> gather(const RenderPart& part, int width, const float* source, RowOf row_of) {
    std::vector<float> values;
    values.reserve(static_cast<size_t>(part.vertex_count) * static_cast<size_t>(width));
    for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        const Eigen::Index row = row_of(static_cast<size_t>(v));
        for (int k = 0; k < width; ++k) {
            values.push_back(row < 0 ? 0.0F : source[row * width + k]);
        }
    }
    return values;
}

bool is_zero(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float value) { return value == 0.0F; });
}

/// Positions, normals and UVs of the base shape, float32, row after row.
struct BaseShape {
    std::vector<float> positions;
    std::vector<float> normals;
    std::vector<float> uv;
};

template <class Matrix>
std::vector<float> as_floats(const Matrix& matrix) {
    std::vector<float> values;
    values.reserve(static_cast<size_t>(matrix.size()));
    for (Eigen::Index i = 0; i < matrix.size(); ++i) {
        values.push_back(static_cast<float>(matrix.data()[i]));
    }
    return values;
}

/// glTF counts v from the top of the picture.
MatrixX2d turned_down(const MatrixX2d& uv) {
    MatrixX2d turned = uv;
    turned.col(1) = 1.0 - uv.col(1).array();
    return turned;
}

class GlbSink final : public CheckedSink {
public:
    GlbSink(std::filesystem::path path, const GlbOptions& options)
        : CheckedSink("glb"), path_(std::move(path)), options_(options) {}

private:
    void start() override {
        parts_ = parts_of(mesh());
        if (mesh().triangles.rows() == 0) {
            throw InvalidInput("glb: expected a mesh with triangles, found none");
        }
        frames_ = std::make_unique<FrameStore>(path_, vertex_count(), uv_moves() ? uv_count() : 0);
    }

    void take(const Frame& frame, int /*index*/) override {
        times_.push_back(frame.time);
        frames_->append(frame.positions, uv_moves() ? turned_down(uv_of(frame)) : MatrixX2d());
    }

    std::vector<OutputFile> complete() override {
        const double diagonal = box_diagonal(mesh().positions);
        MorphTolerance tolerance;
        tolerance.position = options_.tolerance * (diagonal > 0.0 ? diagonal : 1.0);
        tolerance.uv = options_.uv_tolerance;

        const RenderMesh render(mesh(), parts_);
        const bool is_body = &mesh() == &info().body->mesh();
        const NormalField field(mesh(), parts_,
                                is_body ? info().body->source().weld_group : std::vector<int>());
        std::optional<SkinnedMotion> skin;
        if (options_.keep_skin && !info().shape_changed && !info().uv_changed) {
            skin = sample_skin(*info().body, *frames_, times_, tolerance.position);
        }
        MorphBasis morphs;
        if (!skin) {
            morphs = fit_morph_basis(*frames_, tolerance, field);
        }
        GlbDocument document;
        add_scene(document, render, field, skin, morphs);
        OutputFile file;
        file.format = "glb";
        file.path = path_.string();
        file.bytes = document.save(path_);
        file.numbers = {{"morph_targets", morphs.target_count},
                        {"skin_kept", skin ? 1.0 : 0.0},
                        {"tolerance_m", tolerance.position},
                        {"max_error_m", skin ? skin->max_error : morphs.max_error},
                        {"max_uv_error", morphs.max_uv_error}};
        return {file};
    }

    BaseShape base_shape(const NormalField& field, bool is_skinned) {
        MatrixX3d positions = mesh().positions;
        MatrixX2d uv = has_uv() ? turned_down(mesh().uv) : MatrixX2d();
        if (!is_skinned) {
            frames_->read_positions(0, positions);
            if (uv_moves()) {
                frames_->read_uv(0, uv);
            }
        }
        MatrixX3d normals;
        field.compute(positions, normals);
        return {as_floats(positions), as_floats(normals), as_floats(uv)};
    }

    void add_scene(GlbDocument& document, const RenderMesh& render, const NormalField& field,
                   const std::optional<SkinnedMotion>& skin, const MorphBasis& morphs) {
        const std::vector<int> materials = add_materials(
            document,
            info().body->source().character ? info().body->source().character->materials.get()
                                            : nullptr,
            parts_, has_uv());
        const BaseShape base = base_shape(field, skin.has_value());
        const std::string name = mesh().name.empty() ? "skin" : mesh().name;
        Json mesh_json = {{"name", name}, {"primitives", Json::array()}};
        for (const RenderPart& part : render.parts) {
            Json primitive = add_primitive(document, render, part, field, base);
            if (skin) {
                add_influences(document, render, part, skin->weights, skin->joints.size() <= 256,
                               primitive["attributes"]);
            }
            for (int target = 0; target < morphs.target_count; ++target) {
                primitive["targets"].push_back(
                    add_target(document, render, part, field, morphs, target));
            }
            const int material = materials[static_cast<size_t>(part.part)];
            if (material >= 0) {
                primitive["material"] = material;
            }
            mesh_json["primitives"].push_back(std::move(primitive));
        }
        if (morphs.target_count > 0) {
            mesh_json["weights"] = std::vector<float>(morphs.weights.data(),
                                                      morphs.weights.data() + morphs.target_count);
        }
        Json node = {{"name", name}, {"mesh", document.add("meshes", std::move(mesh_json))}};
        std::vector<int> scene_nodes = {document.add("nodes", Json::object())};
        if (skin) {
            node["skin"] = add_skin(document, *skin, info().fps, scene_nodes);
        }
        document.root["nodes"][0] = std::move(node);
        if (morphs.target_count > 0) {
            add_weight_animation(document, morphs);
        }
        document.root["scene"] = document.add("scenes", {{"nodes", scene_nodes}});
    }

    Json add_primitive(GlbDocument& document, const RenderMesh& render, const RenderPart& part,
                       const NormalField& field, const BaseShape& base) const {
        const auto art_row = [&](size_t v) { return render.art[v]; };
        const auto normal_row = [&](size_t v) { return field.row_of(render.art[v]); };
        Json attributes;
        attributes["POSITION"] =
            document.add_vertices(gather(part, 3, base.positions.data(), art_row), 3, true);
        attributes["NORMAL"] =
            document.add_vertices(gather(part, 3, base.normals.data(), normal_row), 3);
        if (!render.uv.empty()) {
            attributes["TEXCOORD_0"] = document.add_vertices(
                gather(part, 2, base.uv.data(), [&](size_t v) { return render.uv[v]; }), 2);
        }
        add_colours(document, render, part, attributes);
        return {{"attributes", attributes}, {"indices", document.add_indices(part.indices)}};
    }

    void add_colours(GlbDocument& document, const RenderMesh& render, const RenderPart& part,
                     Json& attributes) const {
        std::vector<const VectorXd*> planes;
        for (const char* plane : {"COLOR_0.r", "COLOR_0.g", "COLOR_0.b", "COLOR_0.a"}) {
            const auto found = mesh().painted.find(plane);
            if (found != mesh().painted.end()) {
                planes.push_back(&found->second);
            }
        }
        if (planes.size() < 3) {
            return;
        }
        std::vector<float> values;
        for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
            for (const VectorXd* plane : planes) {
                const double value = (*plane)(render.art[static_cast<size_t>(v)]);
                values.push_back(value > 0.0 ? static_cast<float>(std::min(value, 1.0)) : 0.0F);
            }
        }
        attributes["COLOR_0"] = document.add_vertices(values, static_cast<int>(planes.size()));
    }

    static void add_influences(GlbDocument& document, const RenderMesh& render,
                               const RenderPart& part, const PackedWeights& packed, bool fits_byte,
                               Json& attributes) {
        const size_t stride = static_cast<size_t>(packed.sets) * 4;
        for (size_t set = 0; set < static_cast<size_t>(packed.sets); ++set) {
            std::vector<std::uint16_t> joints;
            std::vector<float> weights;
            for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
                const size_t row =
                    static_cast<size_t>(render.art[static_cast<size_t>(v)]) * stride + set * 4;
                joints.insert(joints.end(), packed.joints.begin() + static_cast<long>(row),
                              packed.joints.begin() + static_cast<long>(row) + 4);
                weights.insert(weights.end(), packed.weights.begin() + static_cast<long>(row),
                               packed.weights.begin() + static_cast<long>(row) + 4);
            }
            const std::string number = std::to_string(set);
            attributes["JOINTS_" + number] = document.add_joints(joints, fits_byte);
            attributes["WEIGHTS_" + number] = document.add_vertices(weights, 4);
        }
    }

    Json add_target(GlbDocument& document, const RenderMesh& render, const RenderPart& part,
                    const NormalField& field, const MorphBasis& morphs, int target) const {
        const auto store = [&](const std::vector<float>& values, int width, bool needs_bounds) {
            return is_zero(values) ? document.add_zeros(part.vertex_count, width, needs_bounds)
                                   : document.add_vertices(values, width, needs_bounds);
        };
        const float* displacements = morphs.targets.col(target).data();
        const auto art_row = [&](size_t v) { return render.art[v]; };
        const auto normal_row = [&](size_t v) { return field.row_of(render.art[v]); };
        Json attributes;
        attributes["POSITION"] = store(gather(part, 3, displacements, art_row), 3, true);
        attributes["NORMAL"] =
            store(gather(part, 3, morphs.normals.col(target).data(), normal_row), 3, false);
        if (uv_moves()) {
            attributes["TEXCOORD_0"] = store(gather(part, 2, displacements + vertex_count() * 3,
                                                    [&](size_t v) { return render.uv[v]; }),
                                             2, false);
        }
        return attributes;
    }

    void add_weight_animation(GlbDocument& document, const MorphBasis& morphs) const {
        std::vector<float> seconds;
        for (int f = 0; f < info().frame_count; ++f) {
            seconds.push_back(static_cast<float>(f / info().fps));
        }
        const std::span<const float> weights(morphs.weights.data(),
                                             static_cast<size_t>(morphs.weights.size()));
        const int input = document.add_numbers(seconds, GlbDocument::scalar, true);
        const int output = document.add_numbers(weights, GlbDocument::scalar);
        document.add(
            "animations",
            {{"name", "bake"},
             {"channels",
              Json::array({{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}})},
             {"samplers",
              Json::array({{{"input", input}, {"interpolation", "LINEAR"}, {"output", output}}})}});
    }

    std::filesystem::path path_;
    GlbOptions options_;
    std::vector<MeshPart> parts_;
    std::unique_ptr<FrameStore> frames_;
    std::vector<double> times_;
};

void check_tolerance(double tolerance, const char* name) {
    if (!(tolerance >= 1e-7 && tolerance <= 0.1)) {
        throw InvalidInput(say("glb: ", name, " ", tolerance, ", expected 1e-7 to 0.1"));
    }
}

}  // namespace

std::unique_ptr<FrameSink> make_glb_sink(const std::filesystem::path& path,
                                         const GlbOptions& options) {
    check_tolerance(options.tolerance, "tolerance");
    check_tolerance(options.uv_tolerance, "uv_tolerance");
    return std::make_unique<GlbSink>(path, options);
}

}  // namespace cutis
