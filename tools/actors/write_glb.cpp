#include "write_glb.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "cutis/core/error.h"

namespace cutis::actor {

namespace {

using Json = nlohmann::ordered_json;

// glTF 2.0, section 3.6.2: types of components and targets of buffer views.
constexpr int type_i8 = 5120;
constexpr int type_u8 = 5121;
constexpr int type_u16 = 5123;
constexpr int type_f32 = 5126;
constexpr int vertex_target = 34962;
constexpr int index_target = 34963;

double to_float(double value) {
    return static_cast<double>(static_cast<float>(value));
}

class Document {
public:
    Json root = {{"asset", {{"version", "2.0"}, {"generator", "cutis tools/actors"}}}};

    /// \return index of the accessor
    template <class Number>
    int add(const std::vector<Number>& numbers, int component, const char* type, int width, int target = 0,
            int padding = 0) {
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
        Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}};
        const size_t rows = numbers.size() / static_cast<size_t>(width);
        for (size_t row = 0; row < rows; ++row) {
            const auto* from = reinterpret_cast<const char*>(&numbers[row * static_cast<size_t>(width)]);
            bytes_.append(from, sizeof(Number) * static_cast<size_t>(width));
            bytes_.append(static_cast<size_t>(padding), '\0');
        }
        view["byteLength"] = bytes_.size() - view["byteOffset"].get<size_t>();
        if (padding > 0) {
            view["byteStride"] = sizeof(Number) * static_cast<size_t>(width) + static_cast<size_t>(padding);
        }
        if (target != 0) {
            view["target"] = target;
        }
        Json accessor = {{"bufferView", append("bufferViews", std::move(view))},
                         {"componentType", component},
                         {"count", rows},
                         {"type", type}};
        return append("accessors", std::move(accessor));
    }

    /// Smallest and largest of each component: required for positions and key times.
    void bound(int accessor, const std::vector<float>& numbers, int width) {
        std::vector<float> low(numbers.begin(), numbers.begin() + width), high = low;
        for (size_t i = 0; i < numbers.size(); ++i) {
            float& least = low[i % static_cast<size_t>(width)];
            float& most = high[i % static_cast<size_t>(width)];
            least = std::min(least, numbers[i]);
            most = std::max(most, numbers[i]);
        }
        root["accessors"][accessor]["min"] = low;
        root["accessors"][accessor]["max"] = high;
    }

    void mark_normalised(int accessor) { root["accessors"][accessor]["normalized"] = true; }

    int append(const char* list, Json item) {
        root[list].push_back(std::move(item));
        return static_cast<int>(root[list].size()) - 1;
    }

    std::string file() {
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
        root["buffers"] = Json::array({{{"byteLength", bytes_.size()}}});
        std::string json = root.dump();
        json.resize((json.size() + 3) / 4 * 4, ' ');
        std::string out;
        const auto word = [&out](std::uint64_t value) {
            for (int i = 0; i < 4; ++i) {
                out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
            }
        };
        word(0x46546C67);  // "glTF"
        word(2);
        word(12 + 8 + json.size() + 8 + bytes_.size());
        word(json.size());
        word(0x4E4F534A);  // "JSON"
        out += json;
        word(bytes_.size());
        word(0x004E4942);  // "BIN"
        return out + bytes_;
    }

private:
    std::string bytes_;
};

/// Area-weighted normals of the uncut mesh: smooth across seams, too.
MatrixX3d smooth_normals(const ArtMesh& mesh) {
    MatrixX3d normals = MatrixX3d::Zero(mesh.positions.rows(), 3);
    for (int f = 0; f < mesh.triangles.rows(); ++f) {
        const Eigen::RowVector3i t = mesh.triangles.row(f);
        const Vector3d a = mesh.positions.row(t[1]) - mesh.positions.row(t[0]);
        const Vector3d b = mesh.positions.row(t[2]) - mesh.positions.row(t[0]);
        for (int k = 0; k < 3; ++k) {
            normals.row(t[k]) += a.cross(b).transpose();
        }
    }
    return normals.rowwise().normalized();
}

/// Vertices of one primitive: UV corners of a part in ascending order, with the vertex of each.
struct Cut {
    std::vector<int> vertex;
    std::vector<std::uint16_t> corners;
};

Cut cut_part(const ArtMesh& mesh, const MeshPart& part, std::vector<char>& is_taken) {
    std::vector<int> vertex_of_uv(static_cast<size_t>(mesh.uv.rows()), -1);
    for (int f = part.first_triangle; f < part.first_triangle + part.triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            int& vertex = vertex_of_uv[mesh.uv_triangles(f, k)];
            if (vertex >= 0 && vertex != mesh.triangles(f, k)) {
                throw InvalidInput(concat(mesh.name, ": a UV is shared by two vertices"));
            }
            vertex = mesh.triangles(f, k);
        }
    }
    Cut cut;
    std::vector<std::uint16_t> number(vertex_of_uv.size());
    for (size_t uv = 0; uv < vertex_of_uv.size(); ++uv) {
        if (vertex_of_uv[uv] < 0) {
            continue;
        }
        if (is_taken[uv] != 0) {
            throw InvalidInput(concat(mesh.name, ": part ", part.name, " shares UVs with another"));
        }
        is_taken[uv] = 1;
        number[uv] = static_cast<std::uint16_t>(cut.vertex.size());
        cut.vertex.push_back(vertex_of_uv[uv]);
    }
    if (cut.vertex.size() > 65535) {
        throw InvalidInput(concat(mesh.name, ": expected at most 65535 vertices a part"));
    }
    for (int f = part.first_triangle; f < part.first_triangle + part.triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            cut.corners.push_back(number[mesh.uv_triangles(f, k)]);
        }
    }
    return cut;
}

std::vector<float> rows_of(const MatrixX3d& values, const std::vector<int>& vertices) {
    std::vector<float> out;
    for (const int v : vertices) {
        for (int k = 0; k < 3; ++k) {
            out.push_back(static_cast<float>(values(v, k)));
        }
    }
    return out;
}

Json primitive_of(Document& document, const MeshInstance& instance, const MatrixX3d& normals, const MeshPart& part,
                  std::vector<char>& is_taken) {
    const ArtMesh& mesh = instance.mesh;
    const Cut cut = cut_part(mesh, part, is_taken);
    Json attributes;
    const std::vector<float> positions = rows_of(mesh.positions, cut.vertex);
    attributes["POSITION"] = document.add(positions, type_f32, "VEC3", 3, vertex_target);
    document.bound(attributes["POSITION"], positions, 3);
    // Normals are for other engines, which would show facets without them; a byte is enough.
    std::vector<std::int8_t> directions;
    std::vector<float> numbers, uv, weights;
    std::vector<std::uint8_t> joints;
    for (const int v : cut.vertex) {
        for (int k = 0; k < 3; ++k) {
            directions.push_back(static_cast<std::int8_t>(std::lround(127.0 * normals(v, k))));
        }
        numbers.push_back(static_cast<float>(v));
        for (int k = 0; k < 4; ++k) {
            const size_t i = static_cast<size_t>(v) * 4 + static_cast<size_t>(k);
            joints.push_back(static_cast<std::uint8_t>(instance.weights.joints[i]));
            weights.push_back(static_cast<float>(instance.weights.weights[i]));
        }
    }
    std::vector<int> uv_rows(cut.vertex.size());
    for (int f = 0; f < part.triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            uv_rows[cut.corners[3 * f + k]] = mesh.uv_triangles(part.first_triangle + f, k);
        }
    }
    for (const int row : uv_rows) {
        uv.push_back(static_cast<float>(mesh.uv(row, 0)));
        uv.push_back(static_cast<float>(1.0 - mesh.uv(row, 1)));
    }
    attributes["NORMAL"] = document.add(directions, type_i8, "VEC3", 3, vertex_target, 1);
    document.mark_normalised(attributes["NORMAL"]);
    attributes["TEXCOORD_0"] = document.add(uv, type_f32, "VEC2", 2, vertex_target);
    attributes["JOINTS_0"] = document.add(joints, type_u8, "VEC4", 4, vertex_target);
    attributes["WEIGHTS_0"] = document.add(weights, type_f32, "VEC4", 4, vertex_target);
    attributes["_VERTEX"] = document.add(numbers, type_f32, "SCALAR", 1, vertex_target);
    Json primitive = {{"attributes", attributes},
                      {"indices", document.add(cut.corners, type_u16, "SCALAR", 1, index_target)},
                      {"material", document.append("materials", {{"name", part.name}})}};
    for (const MorphTarget& morph : instance.morphs) {
        const std::vector<float> offsets = rows_of(morph.offsets, cut.vertex);
        const int accessor = document.add(offsets, type_f32, "VEC3", 3, vertex_target);
        document.bound(accessor, offsets, 3);
        primitive["targets"].push_back({{"POSITION", accessor}});
    }
    return primitive;
}

int add_instance(Document& document, const MeshInstance& instance) {
    if (instance.weights.influences != 4) {
        throw InvalidInput(concat(instance.name, ": expected four influences a vertex"));
    }
    Json mesh = {{"name", instance.name}, {"primitives", Json::array()}};
    const MatrixX3d normals = smooth_normals(instance.mesh);
    std::vector<char> is_taken(static_cast<size_t>(instance.mesh.uv.rows()), 0);
    for (const MeshPart& part : instance.mesh.parts) {
        mesh["primitives"].push_back(primitive_of(document, instance, normals, part, is_taken));
    }
    for (const MorphTarget& morph : instance.morphs) {
        mesh["extras"]["targetNames"].push_back(morph.name);
        mesh["weights"].push_back(0.0);
    }
    return document.append("meshes", std::move(mesh));
}

/// Joints and the nodes above them; none is rotated at rest.
void add_nodes(Document& document, const Character& character) {
    std::vector<Vector3d> place;  // in the world, as float32 holds it
    for (const Node& node : character.skeleton.nodes) {
        const Vector3d above = node.parent < 0 ? Vector3d(Vector3d::Zero()) : place[node.parent];
        place.push_back((above + node.rest.translation).unaryExpr(&to_float));
        Json json = {{"name", node.name}};
        const Vector3d local = place.back() - above;
        if (!local.isZero(0.0)) {
            json["translation"] = {local.x(), local.y(), local.z()};
        }
        const int index = document.append("nodes", std::move(json));
        if (node.parent < 0) {
            document.root["scenes"][0]["nodes"].push_back(index);
        } else {
            document.root["nodes"][node.parent]["children"].push_back(index);
        }
    }
    document.root["scene"] = 0;
    for (const Skin& skin : character.skins) {
        std::vector<float> binds;
        for (const int joint : skin.joints) {
            Eigen::Matrix4f bind = Eigen::Matrix4f::Identity();
            bind.topRightCorner<3, 1>() = -place[joint].cast<float>();
            binds.insert(binds.end(), bind.data(), bind.data() + 16);
        }
        document.append("skins", {{"name", skin.name},
                                  {"joints", skin.joints},
                                  {"inverseBindMatrices", document.add(binds, type_f32, "MAT4", 16)}});
    }
}

void add_clip(Document& document, const Clip& clip) {
    Json animation = {{"name", clip.name}};
    std::vector<double> known;  // all channels of a clip share their times
    int input = -1;
    for (const Channel& channel : clip.channels) {
        if (input < 0 || channel.times != known) {
            known = channel.times;
            const std::vector<float> times(known.begin(), known.end());
            input = document.add(times, type_f32, "SCALAR", 1);
            document.bound(input, times, 1);
        }
        const std::vector<float> values(channel.values.begin(), channel.values.end());
        const bool is_turn = channel.target == ChannelTarget::rotation;
        const bool is_morph = channel.target == ChannelTarget::morph_weights;
        const int output = document.add(values, type_f32, is_morph ? "SCALAR" : (is_turn ? "VEC4" : "VEC3"),
                                        is_morph ? 1 : channel.width);
        const size_t sampler = animation["samplers"].size();
        animation["samplers"].push_back({{"input", input}, {"output", output}});
        animation["channels"].push_back(
            {{"sampler", sampler},
             {"target",
              {{"node", channel.node}, {"path", is_morph ? "weights" : (is_turn ? "rotation" : "translation")}}}});
    }
    document.append("animations", std::move(animation));
}

}  // namespace

std::string glb_of(const Character& character) {
    Document document;
    document.root["extensionsUsed"] = {"KHR_mesh_quantization"};
    document.root["extensionsRequired"] = {"KHR_mesh_quantization"};
    add_nodes(document, character);
    for (const MeshInstance& instance : character.meshes) {
        const int mesh = add_instance(document, instance);
        Json& node = document.root["nodes"][instance.node];
        node["mesh"] = mesh;
        node["skin"] = instance.skin;
    }
    for (const Clip& clip : character.clips) {
        add_clip(document, clip);
    }
    return document.file();
}

}  // namespace cutis::actor
