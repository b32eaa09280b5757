#include "apps/fbx/convert.h"

#include <ufbx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "src/core/printable.h"
#include "src/io/gltf/file.h"
#include "src/io/gltf/write_document.h"

namespace cutis::app {

namespace fs = std::filesystem;

namespace {

constexpr size_t most_memory = size_t{2} << 30;
constexpr size_t most_influences = 8;
constexpr double resample_rate = 60.0;

std::string text(const ufbx_string& string) {
    return {string.data, string.length};
}

struct FreeScene {
    void operator()(ufbx_scene* scene) const { ufbx_free_scene(scene); }
};
struct FreeBaked {
    void operator()(ufbx_baked_anim* baked) const { ufbx_free_baked_anim(baked); }
};

template <class Vector>
void append(std::vector<float>& numbers, const Vector& vector, int width) {
    for (int k = 0; k < width; ++k) {
        numbers.push_back(static_cast<float>(vector.v[k]));
    }
}

/// One mesh of the file and the primitives it became.
struct WrittenMesh {
    int mesh = -1;
    int skin = -1;
    std::vector<const ufbx_blend_channel*> channels;
};

class FbxConverter {
public:
    explicit FbxConverter(const fs::path& from) : from_(from), name_(from.filename().string()) { load(); }

    std::vector<std::string> write(const fs::path& to) {
        add_nodes();
        add_clips();
        document_.save(to);
        return notes_;
    }

private:
    void load() {
        const std::vector<unsigned char> bytes = read_file(from_);
        ufbx_load_opts options = {};
        options.temp_allocator.memory_limit = most_memory;
        options.result_allocator.memory_limit = most_memory;
        options.target_axes = ufbx_axes_right_handed_y_up;
        options.target_unit_meters = 1.0F;
        options.space_conversion = UFBX_SPACE_CONVERSION_MODIFY_GEOMETRY;
        options.geometry_transform_handling = UFBX_GEOMETRY_TRANSFORM_HANDLING_MODIFY_GEOMETRY;
        options.inherit_mode_handling = UFBX_INHERIT_MODE_HANDLING_COMPENSATE;
        options.pivot_handling = UFBX_PIVOT_HANDLING_ADJUST_TO_PIVOT;
        options.generate_missing_normals = true;
        options.normalize_normals = true;
        options.clean_skin_weights = true;
        ufbx_error error;
        scene_.reset(ufbx_load_memory(bytes.data(), bytes.size(), &options, &error));
        if (!scene_) {
            throw InvalidInput(concat(name_, ": expected FBX, found what cannot be read: ",
                                      printable(std::string(error.description.data, error.description.length))));
        }
        const ufbx_metadata& about = scene_->metadata;
        if (about.file_format != UFBX_FILE_FORMAT_FBX) {
            throw InvalidInput(concat(name_, ": expected FBX, found another format"));
        }
        for (size_t i = 0; i < std::min<size_t>(about.warnings.count, 8); ++i) {
            notes_.push_back(text(about.warnings.data[i].description));
        }
    }

    /// Nodes keep their order; the root, which every FBX scene has and no file names, is left out.
    void add_nodes() {
        const size_t count = scene_->nodes.count;
        std::vector<int> roots;
        for (size_t n = 0; n < count; ++n) {
            const ufbx_node& node = *scene_->nodes.data[n];
            index_.push_back(node.is_root ? -1 : static_cast<int>(index_.size()) - root_count_);
            root_count_ += node.is_root ? 1 : 0;
        }
        for (size_t n = 0; n < count; ++n) {
            const ufbx_node& node = *scene_->nodes.data[n];
            if (!node.is_root) {
                document_.add("nodes", Json::object());
            }
            if (node.parent != nullptr && node.parent->is_root) {
                roots.push_back(index_[n]);
            }
        }
        for (size_t n = 0; n < count; ++n) {
            if (index_[n] >= 0) {
                document_.root["nodes"][index_[n]] = node_json(*scene_->nodes.data[n]);
            }
        }
        document_.root["scene"] = document_.add("scenes", {{"nodes", roots}});
    }

    Json node_json(const ufbx_node& node) {
        const ufbx_transform& at = node.local_transform;
        Json out = {{"name", printable(text(node.name), true)}};
        std::vector<float> place, turn, size;
        append(place, at.translation, 3);
        append(turn, at.rotation, 4);
        append(size, at.scale, 3);
        out["translation"] = place;
        out["rotation"] = turn;
        out["scale"] = size;
        Json children = Json::array();
        for (size_t c = 0; c < node.children.count; ++c) {
            children.push_back(index_[node.children.data[c]->typed_id]);
        }
        if (!children.empty()) {
            out["children"] = std::move(children);
        }
        if (node.mesh != nullptr && node.mesh->num_triangles > 0) {
            const WrittenMesh& written = mesh_of(node);
            if (written.mesh >= 0) {
                out["mesh"] = written.mesh;
            }
            if (written.mesh >= 0 && written.skin >= 0) {
                out["skin"] = written.skin;
            }
        }
        return out;
    }

    /// Instances share a mesh where they also share their materials.
    const WrittenMesh& mesh_of(const ufbx_node& node) {
        std::pair<std::uint32_t, std::vector<int>> key{node.mesh->typed_id, {}};
        for (size_t m = 0; m < node.materials.count; ++m) {
            key.second.push_back(static_cast<int>(node.materials.data[m]->typed_id));
        }
        const auto [found, is_new] = meshes_.try_emplace(key);
        if (is_new) {
            add_mesh(node, found->second);
        }
        node_mesh_[node.typed_id] = &found->second;
        return found->second;
    }

    void add_mesh(const ufbx_node& node, WrittenMesh& written) {
        const ufbx_mesh& mesh = *node.mesh;
        for (size_t d = 0; d < mesh.blend_deformers.count; ++d) {
            const ufbx_blend_deformer& blend = *mesh.blend_deformers.data[d];
            for (size_t c = 0; c < blend.channels.count; ++c) {
                if (blend.channels.data[c]->target_shape != nullptr) {
                    written.channels.push_back(blend.channels.data[c]);
                }
            }
        }
        const ufbx_skin_deformer* skin = mesh.skin_deformers.count > 0 ? mesh.skin_deformers.data[0] : nullptr;
        written.skin = skin == nullptr ? -1 : add_skin(*skin);
        Json primitives = Json::array();
        for (size_t p = 0; p < mesh.material_parts.count; ++p) {
            const ufbx_mesh_part& part = mesh.material_parts.data[p];
            if (part.num_triangles == 0) {
                continue;
            }
            Json primitive = add_primitive(mesh, part, written.skin >= 0 ? skin : nullptr, written.channels);
            if (p < node.materials.count) {
                primitive["material"] = material_of(*node.materials.data[p]);
            }
            primitives.push_back(std::move(primitive));
        }
        if (primitives.empty()) {
            return;
        }
        const std::string name = text(mesh.name).empty() ? text(node.name) : text(mesh.name);
        Json object = {{"name", printable(name, true)}, {"primitives", std::move(primitives)}};
        if (!written.channels.empty()) {
            std::vector<float> weights;
            std::vector<std::string> names;
            for (const ufbx_blend_channel* channel : written.channels) {
                weights.push_back(static_cast<float>(channel->weight));
                names.push_back(printable(text(channel->name), true));
            }
            object["weights"] = weights;
            object["extras"] = {{"targetNames", names}};
        }
        written.mesh = document_.add("meshes", std::move(object));
    }

    /// \return -1: no joint of it is a node
    int add_skin(const ufbx_skin_deformer& skin) {
        std::vector<int> joints;
        std::vector<float> matrices;
        for (size_t c = 0; c < skin.clusters.count; ++c) {
            const ufbx_skin_cluster& cluster = *skin.clusters.data[c];
            if (cluster.bone_node == nullptr || cluster.bone_node->is_root) {
                notes_.push_back("a skin is bound to a joint that is missing; its weights go to the first joint");
            }
            joints.push_back(cluster.bone_node == nullptr ? 0 : std::max(0, index_[cluster.bone_node->typed_id]));
            for (int column = 0; column < 4; ++column) {
                append(matrices, cluster.geometry_to_bone.cols[column], 3);
                matrices.push_back(column == 3 ? 1.0F : 0.0F);
            }
        }
        if (joints.empty()) {
            return -1;
        }
        return document_.add("skins", {{"name", printable(text(skin.name), true)},
                                       {"joints", joints},
                                       {"inverseBindMatrices", document_.add_numbers(matrices, GlbDocument::mat4)}});
    }

    Json add_primitive(const ufbx_mesh& mesh, const ufbx_mesh_part& part, const ufbx_skin_deformer* skin,
                       const std::vector<const ufbx_blend_channel*>& channels) {
        // A corner is its position's number, its normal and its UVs; equal ones are one vertex.
        const size_t uv_sets = std::min<size_t>(mesh.uv_sets.count, 2);
        std::map<std::array<float, 8>, std::uint32_t> known;
        std::vector<std::uint32_t> vertex_of;  // of each written vertex: that of the file
        std::vector<std::uint32_t> indices;
        std::vector<float> positions, normals;
        std::array<std::vector<float>, 2> uv;
        std::vector<std::uint32_t> corners(mesh.max_face_triangles * 3);
        for (size_t f = 0; f < part.face_indices.count; ++f) {
            const ufbx_face face = mesh.faces.data[part.face_indices.data[f]];
            const std::uint32_t triangles = ufbx_triangulate_face(corners.data(), corners.size(), &mesh, face);
            for (std::uint32_t i = 0; i < triangles * 3; ++i) {
                const std::uint32_t corner = corners[i];
                const std::uint32_t vertex = mesh.vertex_indices.data[corner];
                std::array<float, 8> key = {};
                key[0] = static_cast<float>(vertex >> 16U);
                key[1] = static_cast<float>(vertex & 0xFFFFU);
                const ufbx_vec3 normal = ufbx_get_vertex_vec3(&mesh.vertex_normal, corner);
                for (size_t k = 0; k < 3; ++k) {
                    key[2 + k] = static_cast<float>(normal.v[k]);
                }
                std::array<ufbx_vec2, 2> at = {};
                for (size_t s = 0; s < uv_sets; ++s) {
                    at[s] = ufbx_get_vertex_vec2(&mesh.uv_sets.data[s].vertex_uv, corner);
                }
                key[5] = static_cast<float>(at[0].x);
                key[6] = static_cast<float>(at[0].y);
                key[7] = static_cast<float>(at[1].x + 7.0 * at[1].y);
                const auto [place, is_new] = known.emplace(key, static_cast<std::uint32_t>(vertex_of.size()));
                indices.push_back(place->second);
                if (!is_new) {
                    continue;
                }
                vertex_of.push_back(vertex);
                append(positions, mesh.vertices.data[vertex], 3);
                append(normals, normal, 3);
                for (size_t s = 0; s < uv_sets; ++s) {
                    uv[s].push_back(static_cast<float>(at[s].x));
                    uv[s].push_back(static_cast<float>(1.0 - at[s].y));  // glTF counts from the top of the picture
                }
            }
        }
        Json attributes;
        attributes["POSITION"] = document_.add_vertices(positions, 3, true);
        attributes["NORMAL"] = document_.add_vertices(normals, 3);
        for (size_t s = 0; s < uv_sets; ++s) {
            attributes["TEXCOORD_" + std::to_string(s)] = document_.add_vertices(uv[s], 2);
        }
        if (skin != nullptr) {
            add_weights(*skin, vertex_of, attributes);
        }
        Json primitive = {{"attributes", std::move(attributes)}, {"indices", document_.add_indices(indices)}};
        for (const ufbx_blend_channel* channel : channels) {
            std::vector<float> offsets;
            for (const std::uint32_t vertex : vertex_of) {
                append(offsets, ufbx_get_blend_shape_vertex_offset(channel->target_shape, vertex), 3);
            }
            primitive["targets"].push_back({{"POSITION", document_.add_vertices(offsets, 3, true)}});
        }
        return primitive;
    }

    void add_weights(const ufbx_skin_deformer& skin, const std::vector<std::uint32_t>& vertex_of, Json& attributes) {
        size_t most = 1;
        for (const std::uint32_t vertex : vertex_of) {
            most = std::max<size_t>(most, skin.vertices.data[vertex].num_weights);
        }
        if (most > most_influences) {
            notes_.push_back(concat("vertices have up to ", most, " joints; the ", most_influences, " strongest stay"));
        }
        const size_t sets = most > 4 ? 2 : 1;
        for (size_t set = 0; set < sets; ++set) {
            std::vector<std::uint16_t> joints;
            std::vector<float> weights;
            for (const std::uint32_t vertex : vertex_of) {
                const ufbx_skin_vertex& at = skin.vertices.data[vertex];
                const size_t count = std::min<size_t>(at.num_weights, sets * 4);  // strongest first
                double sum = 0.0;
                for (size_t i = 0; i < count; ++i) {
                    sum += skin.weights.data[at.weight_begin + i].weight;
                }
                for (size_t i = set * 4; i < set * 4 + 4; ++i) {
                    const bool has = i < count && sum > 0.0;
                    const ufbx_skin_weight* weight = has ? &skin.weights.data[at.weight_begin + i] : nullptr;
                    joints.push_back(has ? static_cast<std::uint16_t>(weight->cluster_index) : std::uint16_t{0});
                    weights.push_back(has ? static_cast<float>(weight->weight / sum) : i == 0 ? 1.0F : 0.0F);
                }
            }
            attributes["JOINTS_" + std::to_string(set)] = document_.add_joints(joints, skin.clusters.count <= 256);
            attributes["WEIGHTS_" + std::to_string(set)] = document_.add_vertices(weights, 4);
        }
    }

    int material_of(const ufbx_material& material) {
        const auto known = materials_.find(material.typed_id);
        if (known != materials_.end()) {
            return known->second;
        }
        const ufbx_material_pbr_maps& maps = material.pbr;
        Json pbr;
        const ufbx_vec4& colour = maps.base_color.value_vec4;
        const double factor = maps.base_factor.has_value ? maps.base_factor.value_real : 1.0;
        const double opacity = maps.opacity.has_value ? maps.opacity.value_real : 1.0;
        const auto clamped = [](double value) { return std::clamp(value, 0.0, 1.0); };
        const int picture = texture_of(maps.base_color.texture);
        if (picture >= 0) {
            pbr["baseColorTexture"] = {{"index", picture}};
        } else if (maps.base_color.has_value) {
            pbr["baseColorFactor"] = {clamped(colour.x * factor), clamped(colour.y * factor),
                                      clamped(colour.z * factor), clamped(opacity)};
        }
        pbr["metallicFactor"] = clamped(maps.metalness.has_value ? maps.metalness.value_real : 0.0);
        pbr["roughnessFactor"] = clamped(maps.roughness.has_value ? maps.roughness.value_real : 0.8);
        Json out = {{"name", printable(text(material.name), true)}, {"pbrMetallicRoughness", std::move(pbr)}};
        const int normal = texture_of(maps.normal_map.texture);
        if (normal >= 0) {
            out["normalTexture"] = {{"index", normal}};
        }
        const ufbx_vec3& light = maps.emission_color.value_vec3;
        const double strength = maps.emission_factor.has_value ? maps.emission_factor.value_real : 0.0;
        if (strength > 0.0 && light.x + light.y + light.z > 0.0) {
            out["emissiveFactor"] = {clamped(light.x * strength), clamped(light.y * strength),
                                     clamped(light.z * strength)};
        }
        if (material.features.double_sided.enabled) {
            out["doubleSided"] = true;
        }
        if (opacity < 1.0) {
            out["alphaMode"] = "BLEND";
        }
        const int index = document_.add("materials", std::move(out));
        materials_[material.typed_id] = index;
        return index;
    }

    /// \return -1: there is none
    int texture_of(const ufbx_texture* texture) {
        if (texture == nullptr) {
            return -1;
        }
        if (texture->file_textures.count > 0) {
            texture = texture->file_textures.data[0];
        }
        const auto known = textures_.find(texture->typed_id);
        if (known != textures_.end()) {
            return known->second;
        }
        std::vector<unsigned char> bytes;
        if (texture->content.size > 0) {
            const auto* first = static_cast<const unsigned char*>(texture->content.data);
            bytes.assign(first, first + texture->content.size);
        }
        const std::string file = plain_name(text(texture->relative_filename), text(texture->filename));
        if (bytes.empty()) {
            bytes = picture_beside(file);
        }
        const std::string mime = gltf_mime_type(bytes);
        int index = -1;
        if (mime == "image/png" || mime == "image/jpeg") {
            const int view = document_.add_bytes(bytes);
            const int image =
                document_.add("images", {{"name", printable(file, true)}, {"bufferView", view}, {"mimeType", mime}});
            index = document_.add("textures", {{"source", image}});
        } else {
            notes_.push_back(concat(
                "picture ", printable(file, true),
                bytes.empty() ? ": neither in the file nor next to it; left out" : ": neither PNG nor JPEG; left out"));
        }
        textures_[texture->typed_id] = index;
        return index;
    }

    /// Files name pictures with folders of the machine that made them: the last part counts.
    static std::string plain_name(const std::string& relative, const std::string& full) {
        const std::string& path = relative.empty() ? full : relative;
        const size_t slash = path.find_last_of("/\\");
        return slash == std::string::npos ? path : path.substr(slash + 1);
    }

    std::vector<unsigned char> picture_beside(const std::string& file) const {
        if (file.empty()) {
            return {};
        }
        const fs::path folder = from_.parent_path();
        for (const fs::path& place :
             {folder, folder / "textures", folder / "Textures", folder / (from_.stem().string() + ".fbm")}) {
            std::error_code ignored;
            if (fs::is_regular_file(place / file, ignored)) {
                return read_file(place / file);
            }
        }
        return {};
    }

    void add_clips() {
        for (size_t s = 0; s < scene_->anim_stacks.count; ++s) {
            const ufbx_anim_stack& stack = *scene_->anim_stacks.data[s];
            ufbx_bake_opts options = {};
            options.resample_rate = resample_rate;
            options.trim_start_time = true;
            options.key_reduction_enabled = false;  // it takes keys that count for a thousandth of a body
            ufbx_error error;
            const std::unique_ptr<ufbx_baked_anim, FreeBaked> baked(
                ufbx_bake_anim(scene_.get(), stack.anim, &options, &error));
            if (!baked) {
                notes_.push_back(concat("clip ", printable(text(stack.name), true), " cannot be read: ",
                                        std::string(error.description.data, error.description.length)));
                continue;
            }
            add_clip(printable(text(stack.name), true), *baked);
        }
    }

    void add_clip(const std::string& name, const ufbx_baked_anim& baked) {
        Json channels = Json::array();
        Json samplers = Json::array();
        const auto add = [&](int node, const char* path, const std::vector<float>& times,
                             const std::vector<float>& values, const char* type) {
            samplers.push_back({{"input", document_.add_numbers(times, GlbDocument::scalar, true)},
                                {"output", document_.add_numbers(values, type)}});
            channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
        };
        const auto add_keys = [&](int node, const char* path, const auto& keys, int width, const char* type) {
            std::vector<float> times, values;
            for (size_t k = 0; k < keys.count; ++k) {
                const auto time = static_cast<float>(std::max(0.0, keys.data[k].time));
                if (times.empty() || time > times.back()) {
                    times.push_back(time);
                    append(values, keys.data[k].value, width);
                }
            }
            if (!times.empty()) {
                add(node, path, times, values, type);
            }
        };
        for (size_t n = 0; n < baked.nodes.count; ++n) {
            const ufbx_baked_node& node = baked.nodes.data[n];
            const int index = index_[node.typed_id];
            if (index < 0) {
                continue;
            }
            add_keys(index, "translation", node.translation_keys, 3, GlbDocument::vec3);
            add_keys(index, "rotation", node.rotation_keys, 4, GlbDocument::vec4);
            add_keys(index, "scale", node.scale_keys, 3, GlbDocument::vec3);
        }
        for (const auto& [id, written] : node_mesh_) {
            std::vector<float> times, values;
            if (written->mesh >= 0 && morph_keys(*written, baked, times, values)) {
                add(index_[id], "weights", times, values, GlbDocument::scalar);
            }
        }
        if (!channels.empty()) {
            document_.add("animations",
                          {{"name", name}, {"channels", std::move(channels)}, {"samplers", std::move(samplers)}});
        }
    }

    /// Weights of all targets at the times of any of them. \return false: none moves
    static bool morph_keys(const WrittenMesh& written, const ufbx_baked_anim& baked, std::vector<float>& times,
                           std::vector<float>& values) {
        std::vector<const ufbx_baked_vec3_list*> keys(written.channels.size(), nullptr);
        std::set<float> all;
        for (size_t e = 0; e < baked.elements.count; ++e) {
            const ufbx_baked_element& element = baked.elements.data[e];
            for (size_t c = 0; c < written.channels.size(); ++c) {
                for (size_t p = 0; element.element_id == written.channels[c]->element_id && p < element.props.count;
                     ++p) {
                    if (text(element.props.data[p].name) == "DeformPercent") {
                        keys[c] = &element.props.data[p].keys;
                        for (size_t k = 0; k < keys[c]->count; ++k) {
                            all.insert(static_cast<float>(std::max(0.0, keys[c]->data[k].time)));
                        }
                    }
                }
            }
        }
        for (const float time : all) {
            times.push_back(time);
            for (size_t c = 0; c < keys.size(); ++c) {
                const double percent = keys[c] == nullptr ? 100.0 * written.channels[c]->weight
                                                          : ufbx_evaluate_baked_vec3(*keys[c], time).x;
                values.push_back(static_cast<float>(percent / 100.0));
            }
        }
        return !times.empty();
    }

    fs::path from_;
    std::string name_;
    std::unique_ptr<ufbx_scene, FreeScene> scene_;
    GlbDocument document_;
    std::vector<std::string> notes_;
    std::vector<int> index_;  // node of the file to node of the document
    int root_count_ = 0;
    std::map<std::pair<std::uint32_t, std::vector<int>>, WrittenMesh> meshes_;
    std::map<std::uint32_t, const WrittenMesh*> node_mesh_;
    std::map<std::uint32_t, int> materials_;
    std::map<std::uint32_t, int> textures_;
};

}  // namespace

std::vector<std::string> convert_fbx(const fs::path& from, const fs::path& to) {
    return FbxConverter(from).write(to);
}

}  // namespace cutis::app
