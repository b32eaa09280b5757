#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <vector>

#include "body/mend.h"
#include "cutis/core/error.h"
#include "io/gltf/file.h"

namespace cutis {

/// One primitive made of triangles, its sizes known and checked.
struct Primitive {
    int index = 0;  ///< in its mesh
    JsonAt at;
    JsonAt attributes;
    GltfAccessor positions;
    std::optional<GltfAccessor> indices;
    int mode = 4;  ///< 4 triangles, 5 strip, 6 fan
    std::size_t vertices = 0;
    std::size_t corners = 0;  ///< indices, or vertices without them
    std::size_t triangles = 0;
    std::size_t targets = 0;  ///< morph targets, the same for all primitives of a mesh
    std::size_t first_vertex = 0;
    std::size_t first_triangle = 0;
};

/// Does this primitive hold triangles with positions?
bool is_readable(const JsonAt& primitive);

/// Primitives of triangles; points and lines are noted and left out.
std::vector<Primitive> read_primitives(GltfFile& file, const JsonAt& mesh);

/// 3 * primitive.triangles indices, moved up by primitive.first_vertex.
void read_triangles(GltfFile& file, const Primitive& primitive, int* out);

namespace {

constexpr int triangle_list = 4;
constexpr int triangle_strip = 5;

int mode_of(const JsonAt& primitive) {
    const auto mode = primitive.find("mode");
    return mode ? static_cast<int>(mode->integer(0, 6)) : triangle_list;
}

std::optional<Primitive> read_primitive(GltfFile& file, const JsonAt& at) {
    if (!is_readable(at)) {
        file.note(concat(at.path(),
                         mode_of(at) < triangle_list ? ": points and lines are not read" : ": no POSITION, left out"));
        return std::nullopt;
    }
    const int kind = mode_of(at);
    const JsonAt attributes = at.at("attributes");
    const auto position = attributes.find("POSITION");
    Primitive primitive{0, at, attributes, file.accessor(*position), std::nullopt};
    primitive.mode = kind;
    if (primitive.positions.type != "VEC3" || primitive.positions.component == Component::u32) {
        position->fail(concat("expected ", primitive.positions.path,
                              " to be VEC3 of f32 (or of 1 or 2 byte integers), found ", primitive.positions.type));
    }
    primitive.vertices = primitive.positions.count;
    primitive.corners = primitive.vertices;
    if (const auto indices = at.find("indices")) {
        primitive.indices = file.accessor(*indices);
        const Component component = primitive.indices->component;
        if (primitive.indices->type != "SCALAR" || primitive.indices->is_normalised ||
            (component != Component::u8 && component != Component::u16 && component != Component::u32)) {
            indices->fail(concat("expected ", primitive.indices->path, " to be SCALAR of u8, u16 or u32"));
        }
        primitive.corners = primitive.indices->count;
    }
    if (primitive.corners < 3 || (kind == triangle_list && primitive.corners % 3 != 0)) {
        at.fail(concat("expected ", kind == triangle_list ? "a multiple of 3" : "at least 3",
                       " corners of triangles, found ", primitive.corners));
    }
    primitive.triangles = kind == triangle_list ? primitive.corners / 3 : primitive.corners - 2;
    const auto targets = at.find("targets");
    primitive.targets = targets ? targets->size() : 0;
    return primitive;
}

}  // namespace

bool is_readable(const JsonAt& primitive) {
    return mode_of(primitive) >= triangle_list && primitive.at("attributes").find("POSITION");
}

std::vector<Primitive> read_primitives(GltfFile& file, const JsonAt& mesh) {
    std::vector<Primitive> primitives;
    const JsonAt list = mesh.at("primitives");
    std::exception_ptr first_error;
    for (std::size_t p = 0; p < list.size(); ++p) {
        try {
            auto primitive = read_primitive(file, list[p]);
            if (!primitive) {
                continue;
            }
            primitive->index = static_cast<int>(p);
            if (!primitives.empty() && primitive->targets != primitives.front().targets) {
                list[p].fail(concat("expected ", primitives.front().targets,
                                    " morph targets as in the first primitive, found ", primitive->targets));
            }
            primitives.push_back(std::move(*primitive));
        } catch (const InvalidInput& error) {
            first_error = first_error ? first_error : std::current_exception();
            file.note(concat(error.what(), "; the primitive is left out"));
        }
    }
    if (primitives.empty() && first_error) {
        std::rethrow_exception(first_error);
    }
    return primitives;
}

void read_triangles(GltfFile& file, const Primitive& primitive, int* out) {
    std::vector<int> corners(primitive.corners);
    if (primitive.indices) {
        const std::vector<double> numbers = file.decode(*primitive.indices);
        std::size_t beyond = 0;
        for (std::size_t c = 0; c < corners.size(); ++c) {
            beyond += numbers[c] < static_cast<double>(primitive.vertices) ? 0 : 1;
        }
        // A few are an exporter's slip; many are another mesh's indices.
        const bool mends = beyond > 0 && 20 * beyond < corners.size();
        if (mends) {
            file.note(concat(primitive.at.path(), ": ", beyond, " of ", corners.size(),
                             " indices name no vertex; their triangles are left out"));
        }
        for (std::size_t c = 0; c < corners.size(); ++c) {
            if (!(numbers[c] < static_cast<double>(primitive.vertices))) {
                if (mends) {
                    corners[c] = -1;
                    continue;
                }
                primitive.at.fail(concat("expected indices below ", primitive.vertices, " (vertices), found ",
                                         static_cast<std::uint64_t>(numbers[c]), " at element ", c, " of ",
                                         primitive.indices->path));
            }
            corners[c] = static_cast<int>(numbers[c]);
        }
    } else {
        for (std::size_t c = 0; c < corners.size(); ++c) {
            corners[c] = static_cast<int>(c);
        }
    }
    const int first = static_cast<int>(primitive.first_vertex);
    for (std::size_t t = 0; t < primitive.triangles; ++t) {
        // Orders of glTF 2.0 section 3.7.2.1.
        std::size_t a = 3 * t;
        std::size_t b = a + 1;
        std::size_t c = a + 2;
        if (primitive.mode == triangle_strip) {
            a = t;
            b = t + 1 + t % 2;
            c = t + 2 - t % 2;
        } else if (primitive.mode != triangle_list) {
            a = t + 1;
            b = t + 2;
            c = 0;
        }
        const bool is_whole = corners[a] >= 0 && corners[b] >= 0 && corners[c] >= 0;
        out[3 * t] = first + (is_whole ? corners[a] : 0);
        out[3 * t + 1] = first + (is_whole ? corners[b] : 0);
        out[3 * t + 2] = first + (is_whole ? corners[c] : 0);
    }
}

namespace {

constexpr std::size_t max_rows = std::size_t{1} << 29;  // 3 * rows still fits an int

/// A mesh before it is placed.
struct MeshData {
    ArtMesh art;
    SkinWeights weights;         ///< as stored; influences 0: none
    std::string without_joints;  ///< a primitive that has no JOINTS_0, or empty
    std::vector<MorphTarget> morphs;
    std::vector<double> morph_defaults;
    std::size_t numbers = 0;           ///< size of a copy
    std::vector<int> file_primitives;  ///< one per part
    bool is_mended = false;
};

bool starts_with(const std::string& text, const char* start) {
    return text.rfind(start, 0) == 0;
}

void require_type(const GltfAccessor& accessor, const JsonAt& at, const char* type) {
    if (accessor.type != type) {
        at.fail(concat("expected ", accessor.path, " to be ", type, ", found ", accessor.type));
    }
}

/// The accessor of an attribute: one element per vertex.
GltfAccessor vertex_accessor(const GltfFile& file, const JsonAt& at, std::size_t vertices) {
    GltfAccessor accessor = file.accessor(at);
    if (accessor.count != vertices) {
        at.fail(
            concat("expected ", vertices, " elements (one per vertex) in ", accessor.path, ", found ", accessor.count));
    }
    return accessor;
}

constexpr std::size_t most_uv_sets = 8;

std::string uv_name(std::size_t set) {
    return concat("TEXCOORD_", set);
}

/// One of a primitive's sets of UVs, where it has it.
void read_uv(GltfFile& file, const Primitive& primitive, std::size_t set, std::size_t total, MatrixX2d& uv) {
    const auto at = primitive.attributes.find(uv_name(set));
    if (!at) {
        return;
    }
    const GltfAccessor accessor = vertex_accessor(file, *at, primitive.vertices);
    require_type(accessor, *at, "VEC2");
    if (uv.rows() == 0) {
        file.charge(2 * total, at->path());
        uv = MatrixX2d::Zero(static_cast<Eigen::Index>(total), 2);
    }
    auto rows =
        uv.middleRows(static_cast<Eigen::Index>(primitive.first_vertex), static_cast<Eigen::Index>(primitive.vertices));
    file.decode_mended(accessor, at->path(), 0.0, rows.data());
    rows.col(1) = 1.0 - rows.col(1).array();
}

void read_painted(GltfFile& file, const Primitive& primitive, std::size_t total, ArtMesh& art) {
    const Json& attributes = primitive.attributes.value();
    for (std::size_t i = 0; attributes.is_object() && i < attributes.size(); ++i) {
        const std::string& name = attributes.key(i);
        const bool is_colour = starts_with(name, "COLOR_");
        if (!is_colour && !starts_with(name, "_")) {
            continue;
        }
        const JsonAt at = primitive.attributes.at(name);
        const GltfAccessor accessor = vertex_accessor(file, at, primitive.vertices);
        if (accessor.components > 4 || accessor.type == "MAT2") {
            file.note(concat(at.path(), ": ", accessor.type, " attributes are not read"));
            continue;
        }
        if (is_colour && accessor.type != "VEC3" && accessor.type != "VEC4") {
            at.fail(concat("expected ", accessor.path, " to be VEC3 or VEC4, found ", accessor.type));
        }
        file.charge(accessor.numbers(), accessor.path);
        std::vector<double> numbers(accessor.numbers());
        file.decode_mended(accessor, at.path(), is_colour ? 1.0 : 0.0, numbers.data());
        for (std::size_t c = 0; c < accessor.components; ++c) {
            std::string channel = name;
            if (accessor.components > 1) {
                channel += '.';
                channel += (is_colour ? "rgba" : "xyzw")[c];
            }
            VectorXd& painted = art.painted[channel];
            if (painted.size() == 0) {
                file.charge(total, at.path());
                // Where a primitive has no colours, glTF takes white; of other attributes it says
                // nothing.
                painted = VectorXd::Constant(static_cast<Eigen::Index>(total), is_colour ? 1.0 : 0.0);
            }
            for (std::size_t v = 0; v < primitive.vertices; ++v) {
                painted[static_cast<Eigen::Index>(primitive.first_vertex + v)] = numbers[v * accessor.components + c];
            }
        }
    }
}

/// Sets of four joints and weights; set 1 only beside set 0.
void read_joints(GltfFile& file, const Primitive& primitive, SkinWeights& weights) {
    const auto stride = static_cast<std::size_t>(weights.influences);
    for (std::size_t set = 0; 4 * set < stride; ++set) {
        const auto joints_at = primitive.attributes.find(concat("JOINTS_", set));
        const auto weights_at = primitive.attributes.find(concat("WEIGHTS_", set));
        if (joints_at.has_value() != weights_at.has_value()) {
            file.note(concat(primitive.attributes.path(), ": JOINTS_", set, " and WEIGHTS_", set,
                             " come together, found only one of them; it is not read"));
        }
        if (!joints_at || !weights_at) {
            return;
        }
        const GltfAccessor joints = vertex_accessor(file, *joints_at, primitive.vertices);
        const GltfAccessor amounts = vertex_accessor(file, *weights_at, primitive.vertices);
        require_type(joints, *joints_at, "VEC4");
        require_type(amounts, *weights_at, "VEC4");
        if (joints.component != Component::u8 && joints.component != Component::u16) {
            joints_at->fail(concat("expected ", joints.path, " to hold u8 or u16"));
        }
        if (amounts.component == Component::u32 || amounts.component == Component::i8 ||
            amounts.component == Component::i16) {
            weights_at->fail(concat("expected ", amounts.path, " to hold f32, u8 or u16"));
        }
        GltfAccessor indices = joints;
        indices.is_normalised = false;
        const std::vector<double> joint = file.decode(indices);
        file.charge(amounts.numbers(), amounts.path);
        std::vector<double> amount(amounts.numbers());
        file.decode_any(amounts, amount.data());  // mended once all of the mesh is known
        for (std::size_t v = 0; v < primitive.vertices; ++v) {
            for (std::size_t k = 0; k < 4; ++k) {
                const std::size_t to = (primitive.first_vertex + v) * stride + 4 * set + k;
                weights.weights[to] = amount[4 * v + k];
                weights.joints[to] = static_cast<std::uint16_t>(joint[4 * v + k]);
            }
        }
    }
}

void note_unread(GltfFile& file, const Primitive& primitive) {
    static const std::set<std::string> known = {"POSITION", "NORMAL",   "TANGENT",   "TEXCOORD_0",
                                                "JOINTS_0", "JOINTS_1", "WEIGHTS_0", "WEIGHTS_1"};
    const Json& attributes = primitive.attributes.value();
    for (std::size_t i = 0; attributes.is_object() && i < attributes.size(); ++i) {
        const std::string& name = attributes.key(i);
        const bool is_uv = primitive.attributes.find("TEXCOORD_0") && name.size() == uv_name(0).size() &&
                           starts_with(name, "TEXCOORD_") && name.back() > '0' && name.back() < '0' + int{most_uv_sets};
        if (known.count(name) == 0 && !is_uv && !starts_with(name, "COLOR_") && !starts_with(name, "_")) {
            file.note(concat(primitive.attributes.path(), ": ", name, " is not read"));
        }
    }
}

void read_morphs(GltfFile& file, const JsonAt& mesh, const std::vector<Primitive>& primitives, std::size_t total,
                 MeshData& data) {
    const std::size_t count = primitives.front().targets;
    std::vector<std::string> names(count);
    if (const auto extras = mesh.find("extras"); extras && extras->value().is_object()) {
        const Json& list = extras->value()["targetNames"];
        for (std::size_t t = 0; list.is_array() && t < std::min(count, list.size()); ++t) {
            names[t] = printable(list[t].as_text(), true);
        }
    }
    bool has_moving_uv = false;
    for (std::size_t t = 0; t < count; ++t) {
        file.charge(3 * total, concat(mesh.path(), " target ", t));
        MorphTarget morph;
        morph.name = names[t];
        morph.offsets = MatrixX3d::Zero(static_cast<Eigen::Index>(total), 3);
        for (const Primitive& primitive : primitives) {
            const JsonAt target = primitive.at.at("targets")[t];
            if (const auto at = target.find("POSITION")) {
                const GltfAccessor accessor = vertex_accessor(file, *at, primitive.vertices);
                require_type(accessor, *at, "VEC3");
                file.decode_mended(accessor, at->path(), 0.0,
                                   morph.offsets.data() + 3 * static_cast<std::ptrdiff_t>(primitive.first_vertex));
            }
            has_moving_uv = has_moving_uv || target.find("TEXCOORD_0").has_value();
        }
        data.morphs.push_back(std::move(morph));
    }
    if (has_moving_uv) {
        file.note(concat(mesh.path(), ": TEXCOORD_0 of morph targets is not read"));
    }
    data.morph_defaults.assign(count, 0.0);
    if (const auto weights = mesh.find("weights")) {
        weights->numbers(data.morph_defaults.data(), count);
    }
}

/// What is broken is left out with a note; the rest goes on without it.
template <class Read>
void or_without(GltfFile& file, const Read& read) {
    try {
        read();
    } catch (const InvalidInput& error) {
        file.note(concat(error.what(), "; left out"));
    }
}

/// Further sets of UVs: all up to the last one that some primitive has.
void read_more_uv(GltfFile& file, const std::vector<Primitive>& primitives, std::size_t vertices,
                  std::vector<MatrixX2d>& sets) {
    for (std::size_t set = 1; set < most_uv_sets; ++set) {
        MatrixX2d uv;
        for (const Primitive& primitive : primitives) {
            or_without(file, [&] { read_uv(file, primitive, set, vertices, uv); });
        }
        if (uv.rows() > 0) {
            sets.resize(set, MatrixX2d::Zero(static_cast<Eigen::Index>(vertices), 2));
            sets.back() = std::move(uv);
        }
    }
}

std::optional<MeshData> read_mesh(GltfFile& file, int index, const std::vector<std::string>& material_names) {
    const JsonAt mesh = file.item("meshes", index);
    std::vector<Primitive> primitives = read_primitives(file, mesh);
    if (primitives.empty()) {
        return std::nullopt;
    }
    std::size_t vertices = 0;
    std::size_t triangles = 0;
    int influences = 0;
    for (Primitive& primitive : primitives) {
        primitive.first_vertex = vertices;
        primitive.first_triangle = triangles;
        vertices += primitive.vertices;
        triangles += primitive.triangles;
        for (int set = 0; set < 2; ++set) {
            if (primitive.attributes.find(concat("JOINTS_", set)) ||
                primitive.attributes.find(concat("WEIGHTS_", set))) {
                influences = std::max(influences, 4 * (set + 1));
            }
        }
        if (vertices > max_rows || triangles > max_rows) {
            mesh.fail(concat("expected at most ", max_rows, " vertices and triangles, found more"));
        }
    }
    MeshData data;
    data.art.name = mesh.text_or_empty("name");
    if (data.art.name.empty()) {
        data.art.name = concat("mesh#", index);
    }
    file.charge(3 * vertices + 3 * triangles + 2 * static_cast<std::size_t>(influences) * vertices, mesh.path());
    data.art.positions.resize(static_cast<Eigen::Index>(vertices), 3);
    data.art.triangles.resize(static_cast<Eigen::Index>(triangles), 3);
    data.weights.influences = influences;
    data.weights.joints.assign(vertices * static_cast<std::size_t>(influences), 0);
    data.weights.weights.assign(vertices * static_cast<std::size_t>(influences), 0.0);

    std::size_t with_uv = 0;
    for (const Primitive& primitive : primitives) {
        file.decode_any(primitive.positions,
                        data.art.positions.data() + 3 * static_cast<std::ptrdiff_t>(primitive.first_vertex));
        read_triangles(file, primitive,
                       data.art.triangles.data() + 3 * static_cast<std::ptrdiff_t>(primitive.first_triangle));
        or_without(file, [&] {
            read_uv(file, primitive, 0, vertices, data.art.uv);
            with_uv += primitive.attributes.find("TEXCOORD_0") ? 1 : 0;
        });
        or_without(file, [&] { read_painted(file, primitive, vertices, data.art); });
        if (influences > 0) {
            or_without(file, [&] { read_joints(file, primitive, data.weights); });
        }
        if (!primitive.attributes.find("JOINTS_0") && data.without_joints.empty()) {
            data.without_joints = primitive.at.path();
        }
        note_unread(file, primitive);
        MeshPart part;
        part.name = primitives.size() == 1 ? data.art.name : concat(data.art.name, "#", data.art.parts.size() + 1);
        if (const auto material = primitive.at.find("material")) {
            part.material = material_names[file.reference(*material, "materials")];
        }
        part.first_vertex = static_cast<int>(primitive.first_vertex);
        part.vertex_count = static_cast<int>(primitive.vertices);
        part.first_triangle = static_cast<int>(primitive.first_triangle);
        part.triangle_count = static_cast<int>(primitive.triangles);
        data.art.parts.push_back(std::move(part));
        data.file_primitives.push_back(primitive.index);
    }
    if (with_uv > 0) {
        file.charge(3 * triangles, mesh.path());
        data.art.uv_triangles = data.art.triangles;
        read_more_uv(file, primitives, vertices, data.art.more_uv);
        if (with_uv < primitives.size()) {
            file.note(concat(mesh.path(), ": ", primitives.size() - with_uv,
                             " primitives have no TEXCOORD_0; their UVs are 0"));
        }
    }
    const MatrixX3d stored = data.art.positions;
    const int mended = mend_positions(data.art.triangles, data.art.positions);
    if (mended < 0) {
        mesh.fail("expected positions, found none that are finite");
    }
    data.is_mended = mended > 0;
    if (mended > 0) {
        Eigen::Index first = 0;
        while (stored.row(first) == data.art.positions.row(first)) {
            ++first;
        }
        file.note(concat(mesh.path(), ": ", mended, " positions are not finite or too far away (first vertex ", first,
                         ": ", text_of(stored.row(first).transpose()), "); replaced by the mean of their neighbours"));
    }
    or_without(file, [&] { read_morphs(file, mesh, primitives, vertices, data); });
    data.morph_defaults.resize(data.morphs.size(), 0.0);
    data.numbers = 3 * vertices + 6 * triangles +
                   vertices * (2 + 2 * data.art.more_uv.size() + 2 * static_cast<std::size_t>(influences) +
                               3 * data.morphs.size() + data.art.painted.size());
    return data;
}

void place_skin(GltfFile& file, const JsonAt& node, const MeshData& data, const std::vector<Skin>& skins,
                MeshInstance& instance) {
    const auto skin_at = node.find("skin");
    if (!skin_at) {
        if (data.weights.influences > 0) {
            file.note(concat(node.path(), ": its mesh has joints but the node has no skin; the node carries it"));
        }
        return;
    }
    instance.skin = file.reference(*skin_at, "skins");
    if (data.weights.influences == 0) {
        file.note(concat(skin_at->path(), ": its mesh has no joints; the node carries it"));
        instance.skin = -1;
        return;
    }
    if (!data.without_joints.empty()) {
        file.note(concat(data.without_joints, ": has no joints in a skinned mesh; it takes its neighbours' weights"));
    }
    instance.weights = data.weights;
    const auto& skin = skins[instance.skin];
    const int joints = static_cast<int>(skin.joints.size());
    const int mended = mend_weights(data.art.positions, data.art.triangles, joints, instance.weights);
    if (mended > 0) {
        file.note(concat(
            instance.name, ": ", mended, " vertices have no usable weights; ",
            mended == data.art.positions.rows() ? "the skin's first joint moves them" : "they take their neighbours'"));
    }
    const WeightReport report = normalise_weights(instance.weights, joints);
    const bool is_finite = std::all_of(data.weights.weights.begin(), data.weights.weights.end(),
                                       [](double weight) { return std::isfinite(weight); });
    instance.is_mended = instance.is_mended || mended > 0 || report.renormalised > 0 || !is_finite;
    if (report.renormalised > 0) {
        file.note(concat(instance.name, ": weights of ", report.renormalised, " vertices did not sum to 1 (worst ",
                         report.worst_sum, ", first at vertex ", report.first_vertex, "); they were normalised"));
    }
}

}  // namespace

std::size_t gltf_target_count(const GltfFile& file, int mesh) {
    const JsonAt primitives = file.item("meshes", mesh).at("primitives");
    for (std::size_t p = 0; p < primitives.size(); ++p) {
        if (is_readable(primitives[p])) {
            const auto targets = primitives[p].find("targets");
            return targets ? targets->size() : 0;
        }
    }
    return 0;
}

std::vector<MeshInstance> read_gltf_meshes(GltfFile& file, const GltfNodes& nodes, const std::vector<Skin>& skins,
                                           const std::vector<std::string>& material_names) {
    std::map<int, std::optional<MeshData>> meshes;
    std::vector<MeshInstance> instances;
    UniqueNames names;
    int left_out = 0;
    std::exception_ptr first_error;
    for (const int i : nodes.in_order) {
        const JsonAt node = file.item("nodes", i);
        const auto mesh_at = node.find("mesh");
        if (!mesh_at) {
            continue;
        }
        const int mesh = file.reference(*mesh_at, "meshes");
        if (nodes.in_scene[i] == 0) {
            ++left_out;
            continue;
        }
        if (meshes.count(mesh) == 0) {
            std::optional<MeshData>& data = meshes[mesh];
            try {
                data = read_mesh(file, mesh, material_names);
            } catch (const InvalidInput& error) {
                first_error = first_error ? first_error : std::current_exception();
                file.note(concat(error.what(), "; the mesh is left out"));
            }
        }
        if (!meshes[mesh]) {
            file.note(concat(node.path(), ": its mesh has no triangles"));
            continue;
        }
        const MeshData& data = *meshes[mesh];
        file.charge(data.numbers, node.path());
        MeshInstance instance;
        const std::string name = node.text_or_empty("name");
        instance.name = names.take(name.empty() ? data.art.name : name);
        instance.node = nodes.ours[i];
        instance.file_node = i;
        instance.file_primitives = data.file_primitives;
        instance.is_mended = data.is_mended;
        instance.mesh = data.art;
        instance.morphs = data.morphs;
        instance.morph_defaults = data.morph_defaults;
        if (const auto weights = node.find("weights")) {
            weights->numbers(instance.morph_defaults.data(), instance.morph_defaults.size());
        }
        place_skin(file, node, data, skins, instance);
        instances.push_back(std::move(instance));
    }
    if (left_out > 0) {
        file.note(concat(left_out, " nodes with meshes are not in the scene and were left out"));
    }
    if (instances.empty() && first_error) {
        std::rethrow_exception(first_error);
    }
    return instances;
}

}  // namespace cutis
