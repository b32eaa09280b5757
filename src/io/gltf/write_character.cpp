#include "io/gltf/write_character.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr double key_rounding = 1e-4;  // of a frame, as frames_of has it

int count_nodes_with(const Json& root, int mesh) {
    int count = 0;
    for (const Json& node : root["nodes"]) {
        count += node["mesh"].as_index() == mesh ? 1 : 0;
    }
    return count;
}

/// The list gets numbers up to `size`, zeros.
void pad_weights(Json& owner, int size) {
    if (owner.contains("weights")) {
        for (int i = static_cast<int>(owner["weights"].size()); i < size; ++i) {
            owner["weights"].push_back(0.0);
        }
    }
}

std::vector<float> floats_of(const MatrixX3d& rows) {
    std::vector<float> values(static_cast<size_t>(rows.size()));
    std::transform(rows.data(), rows.data() + rows.size(), values.begin(),
                   [](double value) { return static_cast<float>(value); });
    return values;
}

}  // namespace

bool GlbCharacter::has_document(const BakeInfo& info) {
    const Body::Source& source = info.body->source();
    return source.character != nullptr && source.character->document != nullptr && !source.placed.empty() &&
           (info.shown_weights == nullptr || info.carry_to_shown);
}

GlbCharacter::GlbCharacter(const BakeInfo& info, const GlbFrames& frames, std::vector<double> times,
                           const GlbOptions& options, const MorphTolerance& tolerance,
                           const std::filesystem::path& beside, const Workers& workers)
    : info_(info), body_(*info.body), character_(*info.body->source().character), times_(std::move(times)) {
    find_times();
    // A clip that stays is played as glTF says; poses that are written anew are those of the frames.
    const PatchMaker maker{
        info, frames, times_, tolerance, options.keep_skin, keeps_clip_ ? TimeSampling::exact : info_.sampling,
        {},   beside, workers};
    for (const PlacedMesh& placed : body_.source().placed) {
        MeshPatch& patch = patches_.emplace_back();
        maker.make(placed, patch);
        max_error_ = std::max(max_error_, patch.max_error);
        max_uv_error_ = std::max(max_uv_error_, patch.max_uv_error);
        half_error_ = std::max(half_error_, patch.half_error);
    }
}

void GlbCharacter::find_times() {
    const Clip& clip = body_.source().clip;
    const double intervals = body_.duration() * info_.fps;
    const int whole = body_.is_looping() && body_.duration() > 0.0
                          ? static_cast<int>(std::ceil(intervals - key_rounding))
                          : 1 + static_cast<int>(std::floor(intervals + key_rounding));
    const bool is_whole = info_.first_frame == 1 && info_.frame_count == whole;
    keeps_clip_ = is_whole && clip.file_animation >= 0 && body_.clock().time_scale == 1.0 &&
                  info_.sampling == TimeSampling::exact && !clip.channels.empty() &&
                  std::abs(body_.duration() - (clip.end() - clip.start())) < 1e-9;
    glb_times_ = {info_.frame_count, info_.fps, keeps_clip_ ? clip.start() : 0.0,
                  is_whole && body_.is_looping() && !body_.seam_is_jump() ? body_.duration() : 0.0, info_.first_frame};
}

int GlbCharacter::target_count() const {
    int count = 0;
    for (const MeshPatch& patch : patches_) {
        count += patch.target_count();
    }
    return count;
}

bool GlbCharacter::is_changed() const {
    return std::any_of(patches_.begin(), patches_.end(), [](const MeshPatch& patch) { return patch.is_changed; });
}

const MeshPatch* GlbCharacter::patch_of(int file_node) const {
    const auto found = std::find_if(patches_.begin(), patches_.end(), [&](const MeshPatch& patch) {
        return patch.is_changed && patch.instance->file_node == file_node;
    });
    return found == patches_.end() ? nullptr : &*found;
}

// What shaders of the file read: further sets of UVs, colours, attributes of its own.
void GlbCharacter::add_further(GlbDocument& document, const MeshPatch& patch, const RenderPart& part,
                               const Json& before, Json& attributes) const {
    const GlbMesh& mesh = *patch.mesh;
    for (size_t i = 0; i < before.size(); ++i) {
        const std::string& name = before.key(i);
        const size_t sets = patch.info.art->more_uv.size();
        for (size_t set = 0; set < sets; ++set) {
            if (name == concat("TEXCOORD_", set + 1)) {
                attributes[name] = mesh.add_uv_set(document, part, set);
            }
        }
        if (name.starts_with("_") || (name.starts_with("COLOR_") && name != "COLOR_0")) {
            mesh.add_painted(document, part, name, attributes);
        }
    }
}

void GlbCharacter::patch_primitive(GlbDocument& document, MeshPatch& patch, const RenderPart& part,
                                   const BaseShape& base, bool is_first, Json& primitive) const {
    const GlbMesh& mesh = *patch.mesh;
    const bool is_skinned = patch.carriage.weights.influences > 0;
    const bool has_normals = std::as_const(primitive)["attributes"].contains("NORMAL");
    const bool has_uv = std::as_const(primitive)["attributes"].contains("TEXCOORD_0");
    PackedWeights packed;
    const auto add_influences = [&](Json& attributes) {
        if (is_skinned && pack_weights(patch.carriage.weights, packed)) {
            mesh.add_influences(document, part, packed, patch.carriage.nodes.size() <= 256, attributes);
        }
    };
    if (is_first && patch.is_finer) {
        Json finer = mesh.primitive(document, part, base);
        if (!has_normals) {
            finer["attributes"].erase("NORMAL");
        }
        add_further(document, patch, part, std::as_const(primitive)["attributes"], finer["attributes"]);
        add_influences(finer["attributes"]);
        primitive["attributes"] = finer["attributes"];
        primitive["indices"] = finer["indices"];
        primitive.erase("mode");
        for (int t = 0; t < patch.file_targets; ++t) {
            const MatrixX3d offsets = t < static_cast<int>(patch.carriage.morphs.size())
                                          ? patch.carriage.morphs[static_cast<size_t>(t)]
                                          : MatrixX3d(MatrixX3d::Zero(patch.info.art->positions.rows(), 3));
            primitive["targets"][t] = {{"POSITION", mesh.add_vectors(document, part, floats_of(offsets).data())}};
        }
    } else if (is_first && (patch.instance->is_mended || patch.is_carried)) {
        const Json own = mesh.primitive(document, part, base);
        primitive["indices"] = own["indices"];
        primitive.erase("mode");
        Json& attributes = primitive["attributes"];
        attributes["POSITION"] = own["attributes"]["POSITION"];
        if (has_normals && patch.is_carried) {
            attributes["NORMAL"] = own["attributes"]["NORMAL"];
        }
        for (size_t i = attributes.size(); i-- > 0;) {
            const std::string& name = attributes.key(i);
            if (name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_")) {
                attributes.erase_at(i);
            }
        }
        add_influences(attributes);
    }
    for (int k = 0; k < patch.target_count(); ++k) {
        primitive["targets"].push_back(mesh.target(document, part, k, has_normals, has_uv && patch.info.uv_moves()));
    }
}

void GlbCharacter::patch_mesh(GlbDocument& document, MeshPatch& patch, bool is_first) const {
    const int node = patch.instance->file_node;
    int mesh = document.root["nodes"][node]["mesh"].as_index();
    if (count_nodes_with(document.root, mesh) > 1) {
        Json copy = document.root["meshes"][mesh];
        mesh = document.add("meshes", std::move(copy));
        document.root["nodes"][node]["mesh"] = mesh;
    }
    const BaseShape base = patch.mesh->base_shape();
    Json& object = document.root["meshes"][mesh];
    const int before = is_first ? patch.file_targets : static_cast<int>(object["primitives"][0]["targets"].size());
    patch.other_targets = before - patch.file_targets;
    std::set<int> patched;
    std::set<int> empty;  // a finer mesh may have lost all triangles of a part
    for (size_t p = 0; p < patch.instance->file_primitives.size(); ++p) {
        empty.insert(patch.instance->file_primitives[p]);
    }
    for (const RenderPart& part : patch.mesh->render().parts) {
        const int primitive = patch.instance->file_primitives.at(part.part);
        patched.insert(primitive);
        empty.erase(primitive);
        patch_primitive(document, patch, part, base, is_first, object["primitives"][primitive]);
    }
    const int added = patch.target_count();
    // All primitives of a mesh have the same number of targets.
    for (size_t p = 0; added > 0 && p < object["primitives"].size(); ++p) {
        Json& primitive = object["primitives"][p];
        const int positions = std::as_const(primitive)["attributes"]["POSITION"].as_index();
        if (patched.count(static_cast<int>(p)) > 0 || positions < 0) {
            continue;
        }
        const int count = std::as_const(document.root)["accessors"][positions]["count"].as_index();
        for (int k = 0; k < added; ++k) {
            primitive["targets"].push_back({{"POSITION", document.add_zeros(count, 3, true)}});
        }
    }
    Json& owner = document.root["nodes"][node];
    if (patch.is_carried) {
        owner.erase("skin");
        owner.erase("weights");
        object.erase("weights");
    }
    if (info_.frame_count == 1 && added > 0) {  // no clip shows it
        std::vector<double> weights = patch.carriage.morph_defaults;
        weights.resize(static_cast<size_t>(patch.file_targets), 0.0);
        const auto shown = patch.mesh->morphs().weights.col(1);
        weights.insert(weights.end(), shown.data(), shown.data() + added);
        object["weights"] = weights;
        owner.erase("weights");
    }
    pad_weights(object, before + added);
    pad_weights(owner, before + added);
    if (added > 0 && (!object.contains("extras") || object["extras"].is_object())) {
        Json& names = object["extras"]["targetNames"];
        for (int t = static_cast<int>(names.size()); t < before; ++t) {
            names.push_back(concat("target ", t + 1));
        }
        const std::string& clip = body_.source().clip.name;
        for (int k = 0; k < added; ++k) {
            names.push_back(concat(clip.empty() ? "bake" : clip, " ", k + 1));
        }
    }
}

void GlbCharacter::patch_clips(GlbDocument& document) const {
    const int baked = body_.source().clip.file_animation;
    if (!document.root.contains("animations")) {
        return;
    }
    if (baked >= 0) {
        document.drop_weights(baked);  // of a clip baked before, for which this one was another
    }
    if (baked >= 0 && rewrites_clip()) {
        document.root["animations"][baked]["channels"] = Json::array();
        document.root["animations"][baked]["samplers"] = Json::array();
    }
    for (const Clip& clip : character_.clips) {
        if (clip.file_animation < 0) {
            continue;
        }
        Json& animation = document.root["animations"][clip.file_animation];
        for (size_t c = animation["channels"].size(); c-- > 0;) {
            Json& channel = animation["channels"][c];
            const Json& target = std::as_const(channel)["target"];
            const MeshPatch* patch =
                target["path"].as_text() == "weights" ? patch_of(target["node"].as_index()) : nullptr;
            if (patch == nullptr || patch->target_count() == 0 ||
                (clip.file_animation != baked &&
                 document.has_weights(clip.file_animation, patch->instance->file_node))) {
                continue;
            }
            if (clip.file_animation == baked && info_.frame_count > 1) {
                animation["channels"].erase_at(c);  // add_weights() has all of them
                continue;
            }
            const auto known = std::find_if(clip.channels.begin(), clip.channels.end(), [&](const Channel& one) {
                return one.target == ChannelTarget::morph_weights && one.node == patch->instance->node;
            });
            if (known == clip.channels.end()) {
                animation["channels"].erase_at(c);  // one that could not be read
                continue;
            }
            GlbWeights weights{clip.file_animation, static_cast<int>(animation["samplers"].size()),
                               patch->instance->file_node, known->width,
                               std::vector<float>(known->values.begin(), known->values.end())};
            document.add_weights(std::move(weights));
            Json sampler = animation["samplers"][channel["sampler"].as_index()];
            channel["sampler"] = animation["samplers"].size();
            animation["samplers"].push_back(std::move(sampler));
        }
    }
}

void GlbCharacter::add_weights(GlbAnimation& animation) const {
    for (const MeshPatch& patch : patches_) {
        const int added = patch.target_count();
        if (added == 0) {
            continue;
        }
        const auto own = static_cast<size_t>(patch.file_targets);
        const MorphBasis& morphs = patch.mesh->morphs();
        std::vector<float> values;
        for (size_t f = 0; f < times_.size(); ++f) {
            for (size_t t = 0; t < own; ++t) {
                values.push_back(patch.is_carried ? 0.0F : patch.deviation.weights[f * own + t]);
            }
            values.resize(values.size() + static_cast<size_t>(patch.other_targets), 0.0F);
            const float* first = morphs.weights.col(static_cast<Eigen::Index>(f) + 1).data();
            values.insert(values.end(), first, first + added);
        }
        animation.add_channel(patch.instance->file_node, "weights", values, GlbDocument::scalar, morphs.steps.weight);
    }
}

void GlbCharacter::add_poses(GlbDocument& document, GlbAnimation& animation) const {
    std::set<int> moved;
    std::set<int> morphed;
    for (const Channel& channel : body_.source().clip.channels) {
        (channel.target == ChannelTarget::morph_weights ? morphed : moved).insert(channel.node);
    }
    std::map<int, std::vector<float>> places, turns, scales, weights;
    std::map<int, Eigen::Quaterniond> before;
    Pose pose;
    Vector3d translation, scale;
    Eigen::Quaterniond rotation;
    for (const double time : times_) {
        if (!body_.pose(time, info_.sampling, pose)) {
            return;
        }
        for (const int node : moved) {
            const Eigen::Affine3d& local = pose.local[node];
            if (!separate(local, translation, rotation, scale)) {
                translation = local.translation();  // of no size: it is not seen, however it is turned
                rotation.setIdentity();
                scale = local.linear().colwise().norm().transpose();
            }
            if (before.count(node) > 0 && before[node].dot(rotation) < 0.0) {
                rotation.coeffs() = -rotation.coeffs();
            }
            before[node] = rotation;
            const auto add = [](std::vector<float>& keys, const double* numbers, int count) {
                for (int k = 0; k < count; ++k) {
                    keys.push_back(static_cast<float>(numbers[k]));
                }
            };
            add(places[node], translation.data(), 3);
            add(turns[node], rotation.coeffs().data(), 4);
            add(scales[node], scale.data(), 3);
        }
        for (const int node : morphed) {
            for (const double weight : pose.morph_weights[node]) {
                weights[node].push_back(static_cast<float>(weight));
            }
        }
    }
    const std::vector<int>& file_node = character_.document->file_node;
    for (const int node : moved) {
        const int index = file_node[node];
        Json& object = document.root["nodes"][index];
        if (object.contains("matrix")) {
            object.erase("matrix");
            object["translation"] = std::vector<float>(places[node].begin(), places[node].begin() + 3);
            object["rotation"] = std::vector<float>(turns[node].begin(), turns[node].begin() + 4);
            object["scale"] = std::vector<float>(scales[node].begin(), scales[node].begin() + 3);
        }
        // What never leaves the node's own pose needs no keys.
        const auto add = [&](const char* path, const std::vector<float>& keys, const char* type,
                             const std::vector<double>& rest) {
            bool moves = false;
            for (size_t i = 0; i < keys.size(); ++i) {
                moves =
                    moves || std::abs(keys[i] - rest[i % rest.size()]) > 1e-7 * (1.0 + std::abs(rest[i % rest.size()]));
            }
            if (moves) {
                animation.add_channel(index, path, keys, type);
            }
        };
        const Transform& rest = character_.skeleton.nodes[node].rest;
        const auto numbers = [](const auto& vector) {
            return std::vector<double>(vector.data(), vector.data() + vector.size());
        };
        add("translation", places[node], GlbDocument::vec3, numbers(rest.translation));
        add("rotation", turns[node], GlbDocument::vec4, numbers(rest.rotation.coeffs()));
        add("scale", scales[node], GlbDocument::vec3, numbers(rest.scale));
    }
    for (const int node : morphed) {
        const MeshPatch* patch = patch_of(file_node[node]);
        if ((patch == nullptr || patch->target_count() == 0) && !weights[node].empty()) {
            animation.add_channel(file_node[node], "weights", weights[node], GlbDocument::scalar);
        }
    }
    if (animation.is_empty() &&
        !moved.empty()) {  // nothing moves in these frames, but glTF knows no clip without channels
        const int node = *moved.begin();
        animation.add_channel(file_node[node], "translation", places[node], GlbDocument::vec3);
    }
}

void GlbCharacter::to_metres(GlbDocument& document) const {
    const Eigen::Affine3d& map = body_.source().to_metres;
    Vector3d translation, scale;
    Eigen::Quaterniond rotation;
    if (map.matrix().isIdentity(0.0) || !separate(map, translation, rotation, scale)) {
        return;
    }
    std::vector<char> is_child(document.root["nodes"].size(), 0);
    for (const Json& node : document.root["nodes"]) {
        for (const Json& child : node["children"]) {
            is_child[child.as_index()] = 1;
        }
    }
    Json roots = Json::array();
    for (size_t n = 0; n < is_child.size(); ++n) {
        if (is_child[n] == 0) {
            roots.push_back(n);
        }
    }
    const int wrapper = document.add("nodes", {{"name", "metres"},
                                               {"rotation", {rotation.x(), rotation.y(), rotation.z(), rotation.w()}},
                                               {"scale", {scale.x(), scale.y(), scale.z()}},
                                               {"children", std::move(roots)}});
    if (document.root.contains("scenes")) {
        for (Json& scene : document.root["scenes"]) {
            scene["nodes"] = Json::array({wrapper});
        }
    }
}

void GlbCharacter::add_to_scene(GlbDocument& document, const std::vector<int>& nodes) {
    if (nodes.empty()) {
        return;
    }
    if (!document.root.contains("scenes")) {
        document.root["scene"] = document.add("scenes", {{"nodes", nodes}});
        return;
    }
    const int chosen = std::max(0, std::as_const(document.root)["scene"].as_index());
    for (const int node : nodes) {
        document.root["scenes"][chosen]["nodes"].push_back(node);
    }
}

// Pictures that were painted into: materials of the body that are no longer the file's.
void GlbCharacter::repaint(GlbDocument& document) const {
    const Body::Source& source = body_.source();
    if (source.materials == character_.materials) {
        return;
    }
    const std::vector<MeshPart>& parts = source.mesh.parts;
    const std::vector<int> materials =
        add_materials(document, source.materials.get(), {{&parts, source.mesh.uv.rows() > 0}}).front();
    for (const MeshPatch& patch : patches_) {
        const int mesh = document.root["nodes"][patch.instance->file_node]["mesh"].as_index();
        for (size_t p = 0; p < patch.instance->file_primitives.size(); ++p) {
            const int material = materials.at(static_cast<size_t>(patch.placed->first_part) + p);
            if (material >= 0) {
                document.root["meshes"][mesh]["primitives"][patch.instance->file_primitives[p]]["material"] = material;
            }
        }
    }
}

bool GlbCharacter::joins(const GlbPatched& done) const {
    return std::all_of(patches_.begin(), patches_.end(), [&](const MeshPatch& patch) {
        const auto found = done.find(patch.instance->file_node);
        const bool is_first = found == done.end();
        const auto is_same = [&] {
            const ArtMesh& other = *found->second;
            return patch.info.art->triangles == other.triangles && patch.info.art->positions == other.positions;
        };
        return !patch.is_changed || (!patch.is_carried && (is_first || is_same()));
    });
}

void GlbCharacter::add_to(GlbDocument& document, GlbAnimation& animation, GlbPatched& done) {
    const bool begins = done.empty();
    for (MeshPatch& patch : patches_) {
        if (patch.is_changed || (begins && patch.instance->is_mended)) {
            patch_mesh(document, patch, done.count(patch.instance->file_node) == 0);
            done.emplace(patch.instance->file_node, patch.info.art);
        }
    }
    if (!begins) {
        patch_clips(document);
        add_clip(document, animation);
        return;
    }
    repaint(document);
    patch_clips(document);
    add_clip(document, animation);
    to_metres(document);
}

void GlbCharacter::add_clip(GlbDocument& document, GlbAnimation& animation) const {
    if (rewrites_clip()) {
        add_poses(document, animation);
    }
    if (info_.frame_count > 1) {
        add_weights(animation);
    }
}

void GlbCharacter::finish_clip(GlbAnimation& animation) const {
    const Clip& clip = body_.source().clip;
    animation.finish(clip.name.empty() ? "bake" : clip.name, clip.file_animation);
}

}  // namespace cutis
