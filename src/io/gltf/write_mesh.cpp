#include "io/gltf/write_mesh.h"

#include <algorithm>

namespace cutis {

namespace {

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

}  // namespace

GlbMesh::GlbMesh(const MeshInfo& mesh, const std::vector<int>& weld_group)
    : mesh_(&mesh), parts_(parts_of(*mesh.art)), render_(*mesh.art, parts_), field_(*mesh.art, parts_, weld_group) {}

void GlbMesh::read_from(CoordinateStore& store, int first_position, int first_uv) {
    frames_ = {&store, first_position, mesh_->vertex_count(), first_uv, mesh_->uv_moves() ? mesh_->uv_count() : 0};
}

bool GlbMesh::keep_skin(const Body& body, const std::vector<double>& times, double tolerance) {
    skin_ = sample_skin(body, frames_, times, tolerance);
    return skin_.has_value();
}

double GlbMesh::make_bones(int bones) {
    double rms = 0.0;
    skin_ = decompose_motion(*mesh_->art, frames_, bones, rms);
    return rms;
}

void GlbMesh::fit(const MorphTolerance& tolerance, const Workers& workers) {
    morphs_ = fit_morph_basis(frames_, tolerance, field_, workers);
}

BaseShape GlbMesh::base_shape() {
    MatrixX3d positions = mesh_->art->positions;
    MatrixX2d uv = mesh_->has_uv() ? turned_down(mesh_->art->uv) : MatrixX2d();
    if (!skin_ && frames_.store != nullptr) {
        frames_.read_positions(0, positions);
        if (mesh_->uv_moves()) {
            frames_.read_uv(0, uv);
            uv = turned_down(uv);
        }
    }
    MatrixX3d normals;
    field_.compute(positions, normals);
    return {as_floats(positions), as_floats(normals), as_floats(uv)};
}

int GlbMesh::add_mesh(GlbDocument& document, const std::vector<int>& materials) {
    const BaseShape base = base_shape();
    Json mesh = {{"name", shown_name()}, {"primitives", Json::array()}};
    for (const RenderPart& part : render_.parts) {
        Json object = primitive(document, part, base);
        if (skin_) {
            add_influences(document, part, skin_->weights, skin_->joints.size() <= 256, object["attributes"]);
        }
        for (int index = 0; index < morphs_.target_count; ++index) {
            object["targets"].push_back(target(document, part, index, true, mesh_->uv_moves()));
        }
        const int material = materials[part.part];
        if (material >= 0) {
            object["material"] = material;
        }
        mesh["primitives"].push_back(std::move(object));
    }
    if (morphs_.target_count > 0) {
        mesh["weights"] = std::vector<float>(morphs_.weights.data(), morphs_.weights.data() + morphs_.target_count);
    }
    return document.add("meshes", std::move(mesh));
}

void GlbMesh::add_to(GlbDocument& document, const std::vector<int>& materials, GlbAnimation& animation,
                     std::vector<int>& scene_nodes) {
    Json object = {{"name", shown_name()}, {"mesh", add_mesh(document, materials)}};
    const int node = document.add("nodes", Json::object());
    scene_nodes.push_back(node);
    if (skin_) {
        object["skin"] = add_skin(document, *skin_, animation, scene_nodes);
    }
    document.root["nodes"][node] = std::move(object);
    if (morphs_.target_count > 0) {
        animation.add_channel(node, "weights", {morphs_.weights.data(), static_cast<size_t>(morphs_.weights.size())},
                              GlbDocument::scalar, morphs_.steps.weight);
    }
}

Json GlbMesh::primitive(GlbDocument& document, const RenderPart& part, const BaseShape& base) const {
    const auto art_row = [&](size_t v) { return render_.art[v]; };
    const auto normal_row = [&](size_t v) { return field_.row_of(render_.art[v]); };
    Json attributes;
    attributes["POSITION"] = document.add_vertices(gather(part, 3, base.positions.data(), art_row), 3, true);
    attributes["NORMAL"] = document.add_vertices(gather(part, 3, base.normals.data(), normal_row), 3);
    if (!render_.uv.empty()) {
        attributes["TEXCOORD_0"] =
            document.add_vertices(gather(part, 2, base.uv.data(), [&](size_t v) { return render_.uv[v]; }), 2);
    }
    add_painted(document, part, "COLOR_0", attributes);
    return {{"attributes", attributes}, {"indices", document.add_indices(part.indices)}};
}

void GlbMesh::add_painted(GlbDocument& document, const RenderPart& part, const std::string& name,
                          Json& attributes) const {
    const bool is_colour = name.starts_with("COLOR_");
    std::vector<const VectorXd*> planes;
    for (const char* suffix : {"", ".r", ".g", ".b", ".a", ".x", ".y", ".z", ".w"}) {
        const auto found = mesh_->art->painted.find(name + suffix);
        if (found != mesh_->art->painted.end()) {
            planes.push_back(&found->second);
        }
    }
    if (planes.empty() || (is_colour && planes.size() < 3)) {
        return;
    }
    std::vector<float> values;
    for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
        for (const VectorXd* plane : planes) {
            const double value = (*plane)(render_.art[v]);
            values.push_back(static_cast<float>(!is_colour ? value : value > 0.0 ? std::min(value, 1.0) : 0.0));
        }
    }
    attributes[name] = document.add_vertices(values, static_cast<int>(planes.size()));
}

int GlbMesh::add_uv_set(GlbDocument& document, const RenderPart& part, size_t set) const {
    const std::vector<float> uv = as_floats(turned_down(mesh_->art->more_uv[set]));
    return document.add_vertices(gather(part, 2, uv.data(), [&](size_t v) { return render_.uv[v]; }), 2);
}

int GlbMesh::add_vectors(GlbDocument& document, const RenderPart& part, const float* values) const {
    const auto art_row = [&](size_t v) { return render_.art[v]; };
    return document.add_vertices(gather(part, 3, values, art_row), 3, true);
}

void GlbMesh::add_influences(GlbDocument& document, const RenderPart& part, const PackedWeights& packed, bool fits_byte,
                             Json& attributes) const {
    const size_t stride = static_cast<size_t>(packed.sets) * 4;
    for (size_t set = 0; set < static_cast<size_t>(packed.sets); ++set) {
        std::vector<std::uint16_t> joints;
        std::vector<float> weights;
        for (int v = part.first_vertex; v < part.first_vertex + part.vertex_count; ++v) {
            const size_t row = static_cast<size_t>(render_.art[v]) * stride + set * 4;
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

Json GlbMesh::target(GlbDocument& document, const RenderPart& part, int index, bool with_normals, bool with_uv) const {
    const float* displacements = morphs_.targets.col(index).data();
    const MorphSteps& steps = morphs_.steps;
    const auto k = static_cast<size_t>(index);
    const auto art_row = [&](size_t v) { return render_.art[v]; };
    const auto normal_row = [&](size_t v) { return field_.row_of(render_.art[v]); };
    Json attributes;
    attributes["POSITION"] = document.add_offsets(gather(part, 3, displacements, art_row), 3, true, steps.position[k]);
    if (with_normals) {
        attributes["NORMAL"] = document.add_offsets(gather(part, 3, morphs_.normals.col(index).data(), normal_row), 3,
                                                    false, steps.normal[k]);
    }
    if (with_uv) {
        attributes["TEXCOORD_0"] = document.add_offsets(
            gather(part, 2, displacements + mesh_->vertex_count() * 3, [&](size_t v) { return render_.uv[v]; }), 2,
            false, steps.uv[k]);
    }
    return attributes;
}

GlbCopies::GlbCopies(const MeshInfo& mesh)
    : copies_(mesh.copies.get()),
      baked_(piece_of(mesh)),
      piece_(std::make_unique<GlbMesh>(baked_, std::vector<int>())) {}

void GlbCopies::read_from(CoordinateStore& store, int first_position, int first_rotation) {
    const auto copies = static_cast<int>(copies_->sizes.rows());
    frames_ = store.frame_count();
    std::vector<double> numbers(static_cast<size_t>(copies) * 4);
    for (int f = 0; f < frames_; ++f) {
        store.read_coordinates(f, first_position, copies * 3, numbers.data());
        places_.insert(places_.end(), numbers.begin(), numbers.begin() + copies * 3);
        store.read_coordinates(f, first_rotation, copies * 4, numbers.data());
        for (int p = 0; p < copies; ++p) {
            for (const int k : {1, 2, 3, 0}) {  // glTF has w last
                rotations_.push_back(static_cast<float>(numbers[4 * p + k]));
            }
        }
    }
}

void GlbCopies::add_to(GlbDocument& document, const std::vector<int>& materials, GlbAnimation& animation,
                       std::vector<int>& scene_nodes) {
    const int mesh = piece_->add_mesh(document, materials);
    const auto copies = static_cast<size_t>(copies_->sizes.rows());
    std::vector<int> children;
    std::vector<float> values;
    // The numbers of one copy in all frames.
    const auto keys_of = [&](const std::vector<float>& all, size_t copy, size_t width) {
        values.clear();
        for (size_t f = 0; f < static_cast<size_t>(frames_); ++f) {
            const size_t at = (f * copies + copy) * width;
            values.insert(values.end(), all.begin() + static_cast<std::ptrdiff_t>(at),
                          all.begin() + static_cast<std::ptrdiff_t>(at + width));
        }
        return std::span<const float>(values);
    };
    for (size_t p = 0; p < copies; ++p) {
        const auto size = copies_->sizes.row(static_cast<Eigen::Index>(p)).cast<float>();
        Json node = {{"name", baked_.name + "." + std::to_string(p + 1)},
                     {"mesh", mesh},
                     {"translation", std::vector<float>(places_.begin() + 3 * p, places_.begin() + 3 * p + 3)},
                     {"rotation", std::vector<float>(rotations_.begin() + 4 * p, rotations_.begin() + 4 * p + 4)},
                     {"scale", {size[0], size[1], size[2]}}};
        const int index = document.add("nodes", std::move(node));
        children.push_back(index);
        animation.add_channel(index, "translation", keys_of(places_, p, 3), GlbDocument::vec3);
        animation.add_channel(index, "rotation", keys_of(rotations_, p, 4), GlbDocument::vec4);
    }
    scene_nodes.push_back(document.add("nodes", {{"name", baked_.name}, {"children", children}}));
}

}  // namespace cutis
