#include "io/gltf/write_character.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cutis/core/error.h"
#include "io/split.h"

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

/// Many players know four joints a vertex and no more; what the others would add goes into the morph targets.
SkinWeights strongest_four(const SkinWeights& all) {
    constexpr size_t four = 4;
    SkinWeights kept;
    kept.influences = four;
    const auto vertices = static_cast<size_t>(all.vertex_count());
    kept.joints.assign(vertices * four, 0);
    kept.weights.assign(vertices * four, 0.0);
    std::vector<std::pair<double, std::uint16_t>> row(static_cast<size_t>(all.influences));
    for (size_t v = 0; v < vertices; ++v) {
        for (size_t k = 0; k < row.size(); ++k) {
            row[k] = {all.weights[v * row.size() + k], all.joints[v * row.size() + k]};
        }
        std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
        double sum = 0.0;
        for (size_t k = 0; k < std::min(four, row.size()); ++k) {
            sum += row[k].first;
        }
        for (size_t k = 0; k < std::min(four, row.size()) && row[k].first > 0.0; ++k) {
            kept.weights[v * four + k] = row[k].first / sum;
            kept.joints[v * four + k] = row[k].second;
        }
    }
    return kept;
}

void carry_rows(const BakeInfo& info, const MatrixX3d& own, int first, int all, const std::vector<int>& rows,
                MatrixX3d& out) {
    std::vector<double> values(static_cast<size_t>(all) * 3, 0.0);
    std::copy(own.data(), own.data() + own.size(), values.begin() + static_cast<std::ptrdiff_t>(first) * 3);
    info.carry_to_shown(values, 3);
    out.resize(static_cast<Eigen::Index>(rows.size()), 3);
    for (size_t v = 0; v < rows.size(); ++v) {
        out.row(static_cast<Eigen::Index>(v)) = Eigen::Map<const Eigen::RowVector3d>(&values[3 * size_t(rows[v])]);
    }
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
    : info_(info),
      workers_(workers),
      body_(*info.body),
      character_(*info.body->source().character),
      times_(std::move(times)) {
    find_times();
    for (const PlacedMesh& placed : body_.source().placed) {
        make_patch(placed, frames, options, tolerance, beside, patches_.emplace_back());
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

void GlbCharacter::find_rows(const PlacedMesh& placed, Patch& patch, DeviationSource& source) const {
    const ArtMesh& art = patch.instance->mesh;
    patch.info.art = std::shared_ptr<const ArtMesh>(body_.source().character, &art);
    for (int v = 0; v < placed.vertex_count; ++v) {
        source.rows.push_back(placed.first_vertex + v);
    }
    source.rest = art.positions;
    if (!info_.meshes.front().uv_moves() || art.uv.rows() == 0) {
        return;
    }
    // Merged meshes: UVs one after the other, one of its own for those without.
    int first = 0;
    for (const PlacedMesh& before : body_.source().placed) {
        if (&before == &placed) {
            break;
        }
        const MeshInstance& other = character_.meshes[before.instance];
        first += other.mesh.uv.rows() > 0 ? static_cast<int>(other.mesh.uv.rows()) : 1;
    }
    for (int t = 0; t < art.uv.rows(); ++t) {
        source.uvs.push_back(first + t);
    }
    source.rest_uv = art.uv;
}

void GlbCharacter::take_finer(const PlacedMesh& placed, Patch& patch, DeviationSource& source) const {
    const SplitMesh split = split_parts(info_.meshes.front(), placed.first_part, placed.part_count, {});
    source.rows = split.vertices;
    auto art = std::make_shared<ArtMesh>(*split.info.art);
    art->name = patch.instance->mesh.name;
    const bool has_uv = patch.instance->mesh.uv.rows() > 0;
    if (!has_uv) {
        art->uv.resize(0, 2);
        art->uv_triangles.resize(0, 3);
    }
    art->more_uv.resize(has_uv ? patch.instance->mesh.more_uv.size() : 0);
    for (auto painted = art->painted.begin(); painted != art->painted.end();) {
        painted =
            patch.instance->mesh.painted.count(painted->first) > 0 ? std::next(painted) : art->painted.erase(painted);
    }
    // The file's own morph targets, and with their default weights taken out of the rest pose, its own space.
    const Eigen::Affine3d from_body = placed.to_body.inverse();
    const auto art_vertices = static_cast<int>(body_.mesh().positions.rows());
    for (Eigen::Index v = 0; v < art->positions.rows(); ++v) {
        art->positions.row(v) = (from_body * Vector3d(art->positions.row(v).transpose())).transpose();
    }
    for (size_t t = 0; t < patch.carriage.morphs.size(); ++t) {
        MatrixX3d finer;
        carry_rows(info_, patch.carriage.morphs[t], placed.first_vertex, art_vertices, source.rows, finer);
        patch.carriage.morphs[t] = std::move(finer);
        art->positions -= patch.carriage.morph_defaults[t] * patch.carriage.morphs[t];
    }
    if (patch.carriage.weights.influences > 0) {
        SkinWeights weights = strongest_four(weights_of(*info_.shown_weights, source.rows));
        const size_t joints = patch.carriage.nodes.size();
        for (size_t i = 0; i < weights.joints.size(); ++i) {
            const int joint = weights.weights[i] > 0.0 ? weights.joints[i] - placed.first_joint : 0;
            require(joint >= 0 && joint < static_cast<int>(joints), "glb: mesh \"", patch.instance->name,
                    "\": expected joints of its own skin, found another's");
            weights.joints[i] = static_cast<std::uint16_t>(joint);
        }
        patch.carriage.weights = std::move(weights);
    }
    source.rest = art->positions;
    if (info_.meshes.front().uv_moves() && has_uv) {
        source.uvs = split.uvs;
        source.rest_uv = art->uv;
    }
    patch.info.art = std::move(art);
}

void GlbCharacter::make_patch(const PlacedMesh& placed, const GlbFrames& frames, const GlbOptions& options,
                              const MorphTolerance& tolerance, const std::filesystem::path& beside, Patch& patch) {
    patch.placed = &placed;
    const MeshInstance& instance = character_.meshes.at(placed.instance);
    patch.instance = &instance;
    patch.info.name = instance.name;
    patch.is_finer = &info_.shown() != &body_.mesh();
    patch.file_targets = static_cast<int>(instance.morphs.size());
    Carriage& carriage = patch.carriage;
    const bool is_skinned = instance.skin >= 0 && !instance.weights.weights.empty();
    if (is_skinned) {
        carriage.nodes = character_.skins[instance.skin].joints;
        carriage.inverse_bind = character_.skins[instance.skin].inverse_bind;
        carriage.weights = instance.weights;
    } else {
        carriage.nodes = {instance.node};
        carriage.inverse_bind = {Eigen::Affine3d::Identity()};
        carriage.weights.influences = 0;
    }
    carriage.morph_node = instance.node;
    for (const MorphTarget& morph : instance.morphs) {
        carriage.morphs.push_back(morph.offsets);
    }
    carriage.morph_defaults = instance.morph_defaults;
    carriage.morph_defaults.resize(instance.morphs.size(), 0.0);

    DeviationSource source;
    source.frames = frames;
    source.tolerance = tolerance.position;
    if (patch.is_finer) {
        take_finer(placed, patch, source);
    } else {
        find_rows(placed, patch, source);
    }
    patch.info.uv_changed = !source.uvs.empty();
    // A clip that stays is played as glTF says; poses that are written anew are those of the frames.
    const TimeSampling sampling = keeps_clip_ ? TimeSampling::exact : info_.sampling;
    patch.is_carried = is_skinned && !options.keep_skin;
    if (!patch.is_carried) {
        patch.deviation = find_deviation(body_, sampling, times_, carriage, source, beside, workers_);
        patch.is_carried = is_skinned && patch.deviation.is_singular;
    }
    if (patch.is_carried) {
        carriage = Carriage();
        carriage.nodes = {instance.node};
        carriage.inverse_bind = {Eigen::Affine3d::Identity()};
        carriage.weights.influences = 0;
        source.rest.resize(0, 3);
        patch.deviation = find_deviation(body_, sampling, times_, carriage, source, beside, workers_);
    }
    const Deviation& deviation = patch.deviation;
    const bool moves = deviation.largest > 0.05 * tolerance.position;
    const bool moves_uv = deviation.largest_uv > 0.05 * tolerance.uv;
    const bool has_more = patch.is_finer && patch.info.art->triangles.rows() != instance.mesh.triangles.rows();
    patch.is_changed = patch.is_carried || has_more || moves || moves_uv;
    patch.info.uv_changed = moves_uv;
    patch.mesh = std::make_unique<GlbMesh>(patch.info, std::vector<int>());
    const auto vertices = static_cast<int>(source.rows.size());
    patch.mesh->read_from(*deviation.store, 0, vertices * 3);
    if (patch.is_changed) {
        const double scale = deviation.scale > 0.0 ? deviation.scale : 1.0;
        patch.mesh->fit({tolerance.position / scale, tolerance.uv}, workers_);
        max_error_ = std::max(max_error_, patch.mesh->max_error() * scale);
        max_uv_error_ = std::max(max_uv_error_, patch.mesh->max_uv_error());
        half_error_ = std::max(half_error_, patch.mesh->half_error() * scale);
    } else {
        max_error_ = std::max(max_error_, deviation.largest);
        max_uv_error_ = std::max(max_uv_error_, deviation.largest_uv);
    }
}

int GlbCharacter::target_count() const {
    int count = 0;
    for (const Patch& patch : patches_) {
        count += patch.target_count();
    }
    return count;
}

bool GlbCharacter::is_changed() const {
    return std::any_of(patches_.begin(), patches_.end(), [](const Patch& patch) { return patch.is_changed; });
}

const GlbCharacter::Patch* GlbCharacter::patch_of(int file_node) const {
    const auto found = std::find_if(patches_.begin(), patches_.end(), [&](const Patch& patch) {
        return patch.is_changed && patch.instance->file_node == file_node;
    });
    return found == patches_.end() ? nullptr : &*found;
}

// What shaders of the file read: further sets of UVs, colours, attributes of its own.
void GlbCharacter::add_further(GlbDocument& document, const Patch& patch, const RenderPart& part, const Json& before,
                               Json& attributes) const {
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

void GlbCharacter::patch_primitive(GlbDocument& document, Patch& patch, const RenderPart& part, const BaseShape& base,
                                   bool is_first, Json& primitive) const {
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

void GlbCharacter::patch_mesh(GlbDocument& document, Patch& patch, bool is_first) const {
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
            const Patch* patch = target["path"].as_text() == "weights" ? patch_of(target["node"].as_index()) : nullptr;
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
    for (const Patch& patch : patches_) {
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
        const Patch* patch = patch_of(file_node[node]);
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
    for (const Patch& patch : patches_) {
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
    return std::all_of(patches_.begin(), patches_.end(), [&](const Patch& patch) {
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
    for (Patch& patch : patches_) {
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
