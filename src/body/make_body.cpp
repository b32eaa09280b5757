#include <algorithm>
#include <cmath>
#include <limits>

#include "body/bind_pose.h"
#include "body/cache_motion.h"
#include "body/merge_meshes.h"
#include "body/motion_test.h"
#include "body/names.h"
#include "body/rig_motion.h"
#include "core/dense.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

/// File to body space: metres, Y up.
Eigen::Affine3d conversion(double scale, char up_axis) {
    BodyOptions units;
    units.scale = scale;
    units.up_axis = up_axis;
    check_options(describe(units), "body");
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    if (up_axis == 'z') {
        axes << 1, 0, 0, 0, 0, 1, 0, -1, 0;
    }
    Eigen::Affine3d result = Eigen::Affine3d::Identity();
    result.linear() = scale * axes;
    return result;
}

bool is_skinned(const MeshInstance& instance) {
    return instance.skin >= 0 && !instance.weights.weights.empty();
}

void check_instance(const Character& character, const MeshInstance& instance) {
    const std::string where = concat("mesh \"", instance.name, "\": ");
    const int nodes = static_cast<int>(character.skeleton.nodes.size());
    const auto check_node = [&](int node, const char* what) {
        require(node >= 0 && node < nodes, where, what, ": expected a node below ", nodes, ", found ", node);
    };
    const Eigen::Index vertices = instance.mesh.positions.rows();
    if (is_skinned(instance)) {
        require(instance.skin < static_cast<int>(character.skins.size()), where, "expected a skin below ",
                character.skins.size(), ", found ", instance.skin);
        const Skin& skin = character.skins[instance.skin];
        require(skin.inverse_bind.size() == skin.joints.size() && !skin.joints.empty(), where, "skin \"", skin.name,
                "\": expected one inverse bind matrix per joint, found ", skin.inverse_bind.size(), " for ",
                skin.joints.size(), " joints");
        for (const int joint : skin.joints) {
            check_node(joint, "joint");
        }
        require(instance.weights.vertex_count() == vertices, where, "expected weights for ", vertices,
                " vertices, found ", instance.weights.vertex_count());
    } else {
        check_node(instance.node, "node");
    }
    for (size_t t = 0; t < instance.morphs.size(); ++t) {
        require(instance.morphs[t].offsets.rows() == vertices, where, "morph target ", t, ": expected ", vertices,
                " offsets, found ", instance.morphs[t].offsets.rows());
    }
    for (Eigen::Index v = 0; v < vertices; ++v) {
        require(instance.mesh.positions.row(v).allFinite(), where, "vertex ", v, " is not finite");
    }
}

std::vector<const MeshInstance*> choose_meshes(const Character& character, const std::string& wanted) {
    std::vector<const MeshInstance*> chosen;
    std::vector<std::string> names;
    for (const MeshInstance& instance : character.meshes) {
        names.push_back(instance.name);
        if (wanted.empty() || instance.name == wanted) {
            chosen.push_back(&instance);
        }
    }
    require(!names.empty(), character.source, ": expected a mesh, found none");
    if (chosen.empty()) {
        throw InvalidInput(
            concat(character.source, ": no mesh named \"", wanted, "\"; there is ", list_nearest_first(wanted, names)));
    }
    return chosen;
}

Clip choose_clip(const Character& character, const std::string& wanted) {
    if (wanted.empty()) {
        return character.clips.empty() ? Clip() : character.clips.front();
    }
    std::vector<std::string> names;
    for (const Clip& clip : character.clips) {
        if (clip.name == wanted) {
            return clip;
        }
        names.push_back(clip.name);
    }
    throw InvalidInput(
        concat(character.source, ": no clip named \"", wanted, "\"; there is ", list_nearest_first(wanted, names)));
}

std::vector<SkinWeights> normalised_weights(const Character& character, const std::vector<const MeshInstance*>& chosen,
                                            std::vector<std::string>& notes) {
    std::vector<SkinWeights> all(character.meshes.size());
    for (size_t i = 0; i < all.size(); ++i) {
        const MeshInstance& instance = character.meshes[i];
        const bool is_chosen = std::find(chosen.begin(), chosen.end(), &instance) != chosen.end();
        check_instance(character, instance);
        if (!is_skinned(instance)) {
            if (is_chosen && instance.skin >= 0) {
                notes.push_back(concat("mesh \"", instance.name, "\" has a skin but no weights: its node carries it"));
            }
            continue;
        }
        all[i] = instance.weights;
        const Skin& skin = character.skins[instance.skin];
        const WeightReport report = normalise_weights(all[i], static_cast<int>(skin.joints.size()));
        if (is_chosen && report.renormalised > 0) {
            notes.push_back(concat("mesh \"", instance.name, "\": weights of ", report.renormalised,
                                   " vertices did not sum to 1 (worst sum ", report.worst_sum, ", first vertex ",
                                   report.first_vertex, "): normalised"));
        }
        if (is_chosen && report.without_weight > 0) {
            notes.push_back(concat("mesh \"", instance.name, "\": ", report.without_weight,
                                   " vertices have no weight: moved by the skin's first joint"));
        }
    }
    return all;
}

/// Gathers the chosen instances into one rig, in body space.
class RigBuilder {
public:
    RigBuilder(RiggedMesh& mesh, const Eigen::Affine3d& to_metres)
        : mesh_(mesh), rig_(mesh.rig), to_metres_(to_metres) {
        from_metres_ = to_metres.inverse();
    }

    /// Joints of a skin whose bind pose was moved by `fit`; returns the index of its first joint.
    int add_skin(int skin_index, const Skin& skin, const Similarity& fit) {
        for (const auto& [known, first] : skin_starts_) {
            if (known == skin_index) {
                return first;
            }
        }
        const int first = static_cast<int>(rig_.node.size());
        skin_starts_.emplace_back(skin_index, first);
        for (size_t j = 0; j < skin.joints.size(); ++j) {
            rig_.node.push_back(skin.joints[j]);
            rig_.inverse_bind.push_back(
                in_metres(fit.is_identity ? skin.inverse_bind[j] : skin.inverse_bind[j] * fit.inverse()));
        }
        return first;
    }

    /// A node that carries a mesh without skin; `at_rest` takes the mesh to its place in the file's
    /// world and is undone by the inverse bind matrix.
    int add_carrier(int node, const Eigen::Affine3d& at_rest) {
        rig_.node.push_back(node);
        rig_.inverse_bind.push_back(in_metres(at_rest.inverse()));
        return static_cast<int>(rig_.node.size()) - 1;
    }

    void add_vertices(const MeshInstance& instance, const SkinWeights& weights, int first_joint,
                      const Eigen::Affine3d& to_rest, int first_vertex) {
        require(rig_.node.size() <= std::numeric_limits<std::uint16_t>::max(),
                "body: expected at most 65535 joints in all meshes together, ", "found ", rig_.node.size());
        const Eigen::Affine3d to_body = to_metres_ * to_rest;
        const Eigen::Index count = instance.mesh.positions.rows();
        if (!to_body.matrix().isIdentity(0.0)) {
            auto rows = mesh_.rest.middleRows(first_vertex, count);
            rows =
                (rows_times(rows, to_body.linear().transpose()).rowwise() + to_body.translation().transpose()).eval();
        }
        for (Eigen::Index v = 0; v < count; ++v) {
            const size_t to = static_cast<size_t>(first_vertex + v) * rig_.weights.influences;
            if (weights.weights.empty()) {
                rig_.weights.joints[to] = static_cast<std::uint16_t>(first_joint);
                rig_.weights.weights[to] = 1.0;
                continue;
            }
            const size_t from = static_cast<size_t>(v) * weights.influences;
            for (size_t k = 0; k < static_cast<size_t>(weights.influences); ++k) {
                const double weight = weights.weights[from + k];
                rig_.weights.weights[to + k] = weight;
                rig_.weights.joints[to + k] =
                    static_cast<std::uint16_t>(weight > 0.0 ? weights.joints[from + k] + first_joint : 0);
            }
        }
        add_morphs(instance, to_body, first_vertex);
    }

private:
    Eigen::Affine3d in_metres(const Eigen::Affine3d& m) const {
        return to_metres_.matrix().isIdentity(0.0) ? m : to_metres_ * m * from_metres_;
    }

    void add_morphs(const MeshInstance& instance, const Eigen::Affine3d& to_body, int first_vertex) {
        if (instance.morphs.empty()) {
            return;
        }
        MorphRun run;
        run.node = instance.node;
        run.first_vertex = first_vertex;
        run.defaults = instance.morph_defaults;
        run.defaults.resize(instance.morphs.size(), 0.0);
        for (size_t t = 0; t < instance.morphs.size(); ++t) {
            run.offsets.push_back(rows_times(instance.morphs[t].offsets, to_body.linear().transpose()));
            if (run.defaults[t] != 0.0) {
                mesh_.rest.middleRows(first_vertex, run.offsets[t].rows()) += run.defaults[t] * run.offsets[t];
            }
        }
        mesh_.morphs.push_back(std::move(run));
    }

    RiggedMesh& mesh_;
    Rig& rig_;
    Eigen::Affine3d to_metres_;
    Eigen::Affine3d from_metres_;
    std::vector<std::pair<int, int>> skin_starts_;
};

/// Nodes that a joint of a skin or a channel of a clip moves, and all below them.
std::vector<char> moved_nodes(const Character& character) {
    const std::vector<Node>& nodes = character.skeleton.nodes;
    std::vector<char> moves(nodes.size(), 0);
    const auto mark = [&moves](int node) {
        if (node >= 0 && static_cast<size_t>(node) < moves.size()) {
            moves[static_cast<size_t>(node)] = 1;
        }
    };
    for (const Skin& skin : character.skins) {
        std::for_each(skin.joints.begin(), skin.joints.end(), mark);
    }
    for (const Clip& clip : character.clips) {
        for (const Channel& channel : clip.channels) {
            mark(channel.node);
        }
    }
    for (size_t n = 0; n < nodes.size(); ++n) {  // parents come first
        if (nodes[n].parent >= 0 && moves[static_cast<size_t>(nodes[n].parent)] != 0) {
            moves[n] = 1;
        }
    }
    return moves;
}

/// Floors and walls beside a character with a skin: they stay, and no length is taken from them.
std::vector<char> find_scenery(const Character& character, const std::vector<PlacedMesh>& placed,
                               std::vector<std::string>& notes) {
    const std::vector<char> moves = moved_nodes(character);
    std::vector<char> is_scenery;
    std::vector<std::string> names;
    for (const PlacedMesh& place : placed) {
        const MeshInstance& instance = character.meshes[static_cast<size_t>(place.instance)];
        const bool stands = !is_skinned(instance) && instance.morphs.empty() &&
                            (instance.node < 0 || moves[static_cast<size_t>(instance.node)] == 0);
        is_scenery.insert(is_scenery.end(), static_cast<size_t>(place.vertex_count), stands ? 1 : 0);
        if (stands) {
            names.push_back(instance.name);
        }
    }
    if (names.empty()) {
        return {};
    }
    notes.push_back(concat(names.front(),
                           names.size() > 1 ? concat(" and ", names.size() - 1, " more meshes") : std::string(),
                           ": without skin or motion, taken for scenery, which no length is measured by"));
    return is_scenery;
}

void note_idle_joints(const Rig& rig, std::vector<std::string>& notes) {
    std::vector<char> moves(rig.node.size(), 0);
    for (size_t i = 0; i < rig.weights.weights.size(); ++i) {
        if (rig.weights.weights[i] > 0.0) {
            moves[rig.weights.joints[i]] = 1;
        }
    }
    const auto idle = std::count(moves.begin(), moves.end(), 0);
    if (idle > 0) {
        notes.push_back(concat(idle, " of ", moves.size(), " joints move no vertex"));
    }
}

/// Does the clip change the weights of a morph target of these vertices?
bool moves_morphs(const RiggedMesh& mesh) {
    for (const MorphRun& run : mesh.morphs) {
        for (const Channel& channel : mesh.clip.channels) {
            if (channel.target == ChannelTarget::morph_weights && channel.node == run.node) {
                return true;
            }
        }
    }
    return false;
}

double scale_of(const BodyOptions& options) {
    constexpr double metres[] = {1.0, 1.0, 0.01, 0.001, 0.0254, 0.3048};
    const bool has_unit = options.unit != LengthUnit::as_scale;
    require(!has_unit || options.scale == 1.0, "[body] unit: expected it or scale, found both");
    return has_unit ? metres[static_cast<size_t>(options.unit)] : options.scale;
}

/// A body of the height asked for: made once to see how high it is.
template <class Make>
Body sized_body(const BodyOptions& options, const Make& make) {
    require(options.scale == 1.0 && options.unit == LengthUnit::as_scale,
            "[body] size: expected it, unit or scale, found several");
    BodyOptions plain = options;
    plain.size = 0.0;
    MatrixX3d posed;
    make(plain).positions(0.0, TimeSampling::exact, Workers(1), posed);
    const double height = posed.rows() == 0 ? 0.0 : posed.col(1).maxCoeff() - posed.col(1).minCoeff();
    require(height > 0.0 && std::isfinite(height), "[body] size: expected a body that is not flat, found one ", height,
            " units high");
    plain.scale = options.size / height;
    return make(plain);
}

}  // namespace

MatrixX3d to_metres_y_up(const MatrixX3d& positions, double scale, char up_axis) {
    const Eigen::Affine3d to_metres = conversion(scale, up_axis);
    if (to_metres.matrix().isIdentity(0.0)) {
        return positions;
    }
    return rows_times(positions, to_metres.linear().transpose());
}

Body make_body(std::shared_ptr<const Character> character, const BodyOptions& options) {
    require(character != nullptr, "body: expected a character, found none");
    if (options.size > 0.0) {
        return sized_body(options, [&](const BodyOptions& plain) { return make_body(character, plain); });
    }
    const Eigen::Affine3d to_metres = conversion(scale_of(options), options.up_axis);
    const std::vector<const MeshInstance*> chosen = choose_meshes(*character, options.mesh);
    Body::Source source;
    source.notes = character->notes;
    const std::vector<SkinWeights> weights = normalised_weights(*character, chosen, source.notes);
    const std::vector<Eigen::Affine3d> node_frames = rest_frames(character->skeleton);
    const std::vector<Similarity> fits = fit_bind_poses(*character, weights, node_frames);

    auto rigged = std::make_shared<RiggedMesh>();
    Rig& rig = rigged->rig;
    rigged->character = character;
    rigged->clip = choose_clip(*character, options.clip);
    rig.skinning = options.skinning;
    rigged->to_metres = to_metres;
    source.to_metres = to_metres;
    source.build = options.build;
    source.tissues = {options.skin, options.cloth, options.hair, options.rigid};
    source.mesh = merge_meshes(chosen);
    rigged->rest = source.mesh.positions;
    const auto weights_of = [&](const MeshInstance& instance) -> const SkinWeights& {
        return weights[&instance - character->meshes.data()];
    };
    rig.weights.influences = 1;
    bool has_skin = false;
    for (const MeshInstance* instance : chosen) {
        if (is_skinned(*instance)) {
            has_skin = true;
            rig.weights.influences = std::max(rig.weights.influences, weights_of(*instance).influences);
        }
    }
    const size_t entries = static_cast<size_t>(rigged->rest.rows()) * static_cast<size_t>(rig.weights.influences);
    rig.weights.joints.assign(entries, 0);
    rig.weights.weights.assign(entries, 0.0);

    RigBuilder builder(*rigged, to_metres);
    int first_vertex = 0;
    for (size_t i = 0; i < chosen.size(); ++i) {
        const MeshInstance& instance = *chosen[i];
        const int count = static_cast<int>(instance.mesh.positions.rows());
        Eigen::Affine3d to_rest = Eigen::Affine3d::Identity();
        int first_joint = 0;
        if (is_skinned(instance)) {
            const Similarity& fit = fits[instance.skin];
            to_rest = fit.matrix();
            first_joint = builder.add_skin(instance.skin, character->skins[instance.skin], fit);
        } else {
            const Eigen::Affine3d& frame = node_frames[instance.node];
            const double size = frame.linear().norm();
            const bool is_invertible = std::abs(frame.linear().determinant()) > 1e-12 * size * size * size;
            to_rest = is_invertible ? frame : Eigen::Affine3d::Identity();
            first_joint = builder.add_carrier(instance.node, to_rest);
        }
        builder.add_vertices(instance, weights_of(instance), first_joint, to_rest, first_vertex);
        const int first_part =
            source.placed.empty() ? 0 : source.placed.back().first_part + source.placed.back().part_count;
        source.placed.push_back({static_cast<int>(chosen[i] - character->meshes.data()), first_vertex, count,
                                 first_part, std::max(1, static_cast<int>(instance.mesh.parts.size())), first_joint,
                                 to_metres * to_rest});
        if (chosen.size() > 1) {
            source.weld_group.insert(source.weld_group.end(), static_cast<size_t>(count), static_cast<int>(i));
        }
        first_vertex += count;
    }
    rig.weights.joint_pairs = find_joint_pairs(rig.weights, static_cast<int>(rig.node.size()));
    source.mesh.positions = rigged->rest;
    complete_rig(character->skeleton, rig);
    const std::vector<Clip>& clips = character->clips;
    if (has_skin && options.clip.empty() && std::all_of(clips.begin(), clips.end(), holds_still)) {
        Clip test = motion_test(character->skeleton, rig);
        if (!test.channels.empty()) {
            source.notes.push_back(concat(clips.empty() ? "no clip" : "every clip holds one pose",
                                          ": a motion test swings ", test.channels.size(),
                                          " joints to either side for ", test.end(),
                                          " s; folds and flesh show more with a real motion"));
        }
        if (clips.empty() || !test.channels.empty()) {
            rigged->clip = std::move(test);
        }
    }
    note_idle_joints(rig, source.notes);
    rig.is_whole_motion = !moves_morphs(*rigged);
    if (has_skin) {
        source.rig = rig;
        source.is_scenery = find_scenery(*character, source.placed, source.notes);
    }
    source.character = std::move(character);
    source.clip = rigged->clip;
    source.motion = std::make_shared<RigMotion>(std::move(rigged));
    return Body(std::move(source), options.clock);
}

Body make_body(const ArtMesh& mesh, PointCache cache, const BodyOptions& options) {
    check_struct(options, "body");
    if (options.size > 0.0) {
        return sized_body(options, [&](const BodyOptions& plain) { return make_body(mesh, cache, plain); });
    }
    const double scale = scale_of(options);
    Body::Source source;
    source.mesh = mesh;
    source.mesh.positions = to_metres_y_up(mesh.positions, scale, options.up_axis);
    source.to_metres = conversion(scale, options.up_axis);
    source.build = options.build;
    source.tissues = {options.skin, options.cloth, options.hair, options.rigid};
    if (options.up_axis == 'z') {
        for (size_t i = 0; i + 2 < cache.samples.size(); i += 3) {
            const float y = cache.samples[i + 1];
            cache.samples[i + 1] = cache.samples[i + 2];
            cache.samples[i + 2] = -y;
        }
    }
    source.motion = std::make_shared<CacheMotion>(std::make_shared<const PointCache>(std::move(cache)),
                                                  source.mesh.positions, scale);
    return Body(std::move(source), options.clock);
}

}  // namespace cutis
