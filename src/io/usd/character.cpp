#include "io/usd/character.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cutis/core/error.h"
#include "io/number_text.h"
#include "io/usd/text.h"

namespace cutis {

namespace {

/// Offsets of a blend shape: those that are not zero, or all where that takes less text.
class OffsetsText {
public:
    /// \param offsets  of each point, already rounded: few digits are few characters
    void add(const double* offset) {
        const bool is_zero = offset[0] == 0.0 && offset[1] == 0.0 && offset[2] == 0.0;
        if (is_zero) {
            all_ += all_.empty() ? "(0,0,0)" : ",(0,0,0)";
        } else {
            const size_t from = all_.size();
            all_ += all_.empty() ? "(" : ",(";
            for (int k = 0; k < 3; ++k) {
                all_ += k == 0 ? "" : ",";
                append_float(all_, offset[k]);
            }
            all_ += ')';
            some_.append(all_, from + (some_.empty() && from > 0 ? 1 : 0));
            indices_ += (indices_.empty() ? "" : ",") + std::to_string(count_);
        }
        ++count_;
    }
    bool is_zero() const { return indices_.empty(); }
    std::string text() const {
        const std::string offsets = usda_inner + "uniform vector3f[] offsets = [";
        if (all_.size() <= some_.size() + indices_.size()) {
            return offsets + all_ + "]\n";
        }
        return offsets + some_ + "]\n" + usda_inner + "uniform int[] pointIndices = [" + indices_ + "]\n";
    }

private:
    std::string all_, some_, indices_;
    int count_ = 0;
};

/// Binary exponent of the unit that a mesh's points and offsets have: the coarsest step, so that those of a bake are
/// whole numbers of few characters and its weights stay within 0 .. 1. (Readers skip weights below 1e-6, so the step
/// cannot be in those.)
int unit_of(const MeshPatch& patch) {
    int unit = -100;
    for (int k = 0; k < patch.target_count(); ++k) {
        unit = std::max(unit, patch.mesh->morphs().steps.position[size_t(k)]);
    }
    return patch.target_count() == 0 ? 0 : unit;
}

}  // namespace

bool UsdaCharacter::has_skeleton(const BakeInfo& info) {
    const Body::Source& source = info.body->source();
    return source.character != nullptr && !source.placed.empty() && !source.character->skeleton.nodes.empty() &&
           (info.shown_weights == nullptr || info.carry_to_shown);
}

std::vector<SplitMesh> split_character(const BakeInfo& info) {
    std::vector<SplitMesh> meshes = split_body(info);
    if (meshes.empty()) {
        const PlacedMesh& placed = info.body->source().placed.front();
        std::vector<int> vertices;
        if (&info.shown() == &info.body->mesh()) {
            vertices.resize(static_cast<size_t>(placed.vertex_count));
            std::iota(vertices.begin(), vertices.end(), placed.first_vertex);
        }
        meshes.push_back(split_parts(info.meshes.front(), placed.first_part, placed.part_count, std::move(vertices)));
        meshes.back().info.name = info.body->source().character->meshes[placed.instance].name;
    }
    return meshes;
}

UsdaCharacter::UsdaCharacter(const BakeInfo& info, std::string root, const std::vector<SplitMesh>& meshes)
    : info_(info), root_(std::move(root)), meshes_(meshes), skeleton_(*info.body) {}

void UsdaCharacter::write_to(AtomicFile& file, const GlbFrames& frames, const std::vector<double>& times,
                             const MorphTolerance& tolerance, const std::filesystem::path& beside,
                             const Workers& workers, const std::vector<UsdaMesh*>& writers,
                             const std::vector<std::string>& names) {
    joint_frames_ = skeleton_.sample(times, info_.sampling);
    const PatchMaker maker{info_,  frames, times, tolerance, true, info_.sampling, skeleton_.node_frames(joint_frames_),
                           beside, workers};
    const std::vector<PlacedMesh>& placed = info_.body->source().placed;
    for (size_t m = 0; m < placed.size(); ++m) {
        MeshPatch patch;
        maker.make(placed[m], patch);
        file.write(m == 0 ? "" : "\n");
        if (patch.is_carried) {  // blended matrices that have no inverse: no blend shape could undo them
            write_points(frames, meshes_[m], *writers[m]);
            writers[m]->finish(file);
            continue;
        }
        max_error_ = std::max(max_error_, patch.max_error);
        std::vector<std::string> tokens;
        tokens_.insert(writers[m]->part_names().begin(), writers[m]->part_names().end());
        find_shapes(patch, names[m], tokens);
        std::string text = binding_text(patch, m);
        if (!tokens.empty()) {
            std::string list, targets;
            for (const std::string& token : tokens) {
                list += (list.empty() ? "" : ", ") + usd_string(token);
                targets += (targets.empty() ? "" : ", ") + concat("<", root_, "/", names[m], "/", token, ">");
            }
            text += concat(usda_member, "uniform token[] skel:blendShapes = [", list, "]\n");
            text += concat(usda_member, "rel skel:blendShapeTargets = [", targets, "]\n");
        }
        BaseShape base = patch.mesh->base_shape();
        for (float& coordinate : base.positions) {
            coordinate = std::ldexp(coordinate, -unit_of(patch));
        }
        writers[m]->finish_skinned(file, base.positions, text,
                                   [&](AtomicFile& to) { write_shapes(to, patch, tokens); });
    }
    write_skeleton(file);
}

// Frames in order, for a mesh that no skin carries.
void UsdaCharacter::write_points(const GlbFrames& frames, const SplitMesh& split, UsdaMesh& mesh) const {
    MatrixX3d all;
    MatrixX3d own(static_cast<Eigen::Index>(split.vertices.size()), 3);
    for (int f = 0; f < info_.frame_count; ++f) {
        frames.read_positions(f, all);
        for (size_t v = 0; v < split.vertices.size(); ++v) {
            own.row(static_cast<Eigen::Index>(v)) = all.row(split.vertices[v]);
        }
        mesh.take_shape(info_.first_frame + f, own, nullptr);
    }
}

std::string UsdaCharacter::binding_text(const MeshPatch& patch, size_t placed) const {
    std::string text = usda_member + "rel skel:skeleton = <" + root_ + "/skeleton>\n";
    const Eigen::Affine3d place = patch.placed->to_body * Eigen::Scaling(std::ldexp(1.0, unit_of(patch)));
    if (!place.matrix().isIdentity(0.0)) {
        const std::string matrix = usda_matrix(place);
        text += usda_member + "matrix4d primvars:skel:geomBindTransform = " + matrix + "\n";
        text += usda_member + "matrix4d xformOp:transform = " + matrix + "\n";
        text += usda_member + "uniform token[] xformOpOrder = [\"xformOp:transform\"]\n";
    }
    const std::vector<int>& joints = skeleton_.joints_of(placed);
    const auto add = [&](const char* declaration, const std::string& list, int size, const char* interpolation) {
        text += usda_member + declaration + " = " + list + " (\n" + usda_inner +
                "elementSize = " + std::to_string(size) + "\n" + usda_inner + "interpolation = \"" + interpolation +
                "\"\n" + usda_member + ")\n";
    };
    const char* indices_name = "int[] primvars:skel:jointIndices";
    const char* weights_name = "float[] primvars:skel:jointWeights";
    PackedWeights packed;
    if (patch.carriage.weights.influences == 0 || !pack_weights(patch.carriage.weights, packed)) {
        add(indices_name, "[" + std::to_string(joints.front()) + "]", 1, "constant");
        add(weights_name, "[1]", 1, "constant");
        return text;
    }
    const size_t stride = 4 * static_cast<size_t>(packed.sets);
    size_t used = 1;  // weights come the largest first
    for (size_t i = 0; i < packed.weights.size(); ++i) {
        used = packed.weights[i] > 0.0F ? std::max(used, i % stride + 1) : used;
    }
    std::vector<int> indices;
    std::vector<double> weights;
    for (size_t i = 0; i < packed.weights.size(); ++i) {
        if (i % stride < used) {
            indices.push_back(packed.weights[i] > 0.0F ? joints[packed.joints[i]] : 0);
            weights.push_back(packed.weights[i]);
        }
    }
    std::string list;
    append_integers(list, indices);
    add(indices_name, list, static_cast<int>(used), "vertex");
    list.clear();
    append_tuples(list, weights.data(), weights.size(), 1);
    add(weights_name, list, static_cast<int>(used), "vertex");
    return text;
}

/// Names and weights of a mesh's blend shapes: the file's own, then ours, whose offsets are whole numbers of steps;
/// what a step is finer than the unit is in the weights.
void UsdaCharacter::find_shapes(const MeshPatch& patch, const std::string& name, std::vector<std::string>& tokens) {
    const auto frame_count = static_cast<size_t>(info_.frame_count);
    const auto add = [&](const std::string& wanted) -> std::vector<float>& {
        tokens.push_back(usd_identifier(wanted, "shape", tokens_));
        shapes_.names.push_back(tokens.back());
        return columns_.emplace_back();
    };
    const std::vector<MorphTarget>& own = patch.instance->morphs;
    for (size_t t = 0; t < own.size(); ++t) {
        std::vector<float>& weights = add(own[t].name.empty() ? concat(name, "_target_", t + 1) : own[t].name);
        own_shapes_.push_back({tokens.back(), patch.instance->node, static_cast<int>(t)});
        for (size_t f = 0; f < frame_count; ++f) {
            weights.push_back(patch.deviation.weights[f * own.size() + t]);
        }
    }
    for (int k = 0; k < patch.target_count(); ++k) {
        std::vector<float>& weights = add(concat(name, "_", k + 1));
        const MorphBasis& morphs = patch.mesh->morphs();
        const int finer = morphs.steps.position[size_t(k)] - unit_of(patch);
        for (size_t f = 0; f < frame_count; ++f) {
            weights.push_back(std::ldexp(morphs.weights(k, static_cast<Eigen::Index>(f) + 1), finer));
        }
    }
}

void UsdaCharacter::write_shapes(AtomicFile& file, const MeshPatch& patch,
                                 const std::vector<std::string>& tokens) const {
    const MorphBasis& morphs = patch.mesh->morphs();
    const auto points = static_cast<int>(patch.info.art->positions.rows());
    const size_t own = patch.carriage.morphs.size();
    for (size_t s = 0; s < tokens.size(); ++s) {
        OffsetsText offsets;
        for (int v = 0; v < points; ++v) {
            Vector3d offset;
            if (s < own) {
                offset = patch.carriage.morphs[s].row(v).transpose() * std::ldexp(1.0, -unit_of(patch));
            } else {
                const auto k = static_cast<Eigen::Index>(s - own);
                const double inverse = std::ldexp(1.0, -morphs.steps.position[s - own]);
                offset = morphs.targets.col(k).segment<3>(Eigen::Index{v} * 3).cast<double>() * inverse;
            }
            offsets.add(offset.data());
        }
        file.write(concat("\n", usda_member, "def BlendShape \"", tokens[s], "\"\n", usda_member, "{\n", offsets.text(),
                          usda_member, "}\n"));
    }
}

void UsdaCharacter::write_skeleton(AtomicFile& file) {
    const auto frame_count = static_cast<size_t>(info_.frame_count);
    shapes_.values.reserve(frame_count * columns_.size());
    for (size_t f = 0; f < frame_count; ++f) {
        for (const std::vector<float>& column : columns_) {
            shapes_.values.push_back(column[f]);
        }
    }
    const Clip& baked = info_.body->source().clip;
    std::set<std::string> taken;
    const std::string clip = usd_identifier(baked.name, "bake", taken);
    file.write("\n    def Skeleton \"skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n");
    file.write(usda_member + "rel skel:animationSource = <" + root_ + "/skeleton/" + clip + ">\n");
    skeleton_.write_joints(file);
    skeleton_.write_clip(file, clip, joint_frames_, shapes_, info_.first_frame);
    UsdaShapeWeights own;
    std::vector<std::pair<int, int>> own_targets;
    for (const OwnShape& shape : own_shapes_) {
        own.names.push_back(shape.token);
        own_targets.emplace_back(shape.node, shape.target);
    }
    for (const Clip& other : info_.body->source().character->clips) {
        const bool is_baked = other.name == baked.name && other.file_animation == baked.file_animation;
        if (is_baked || other.channels.empty()) {
            continue;
        }
        own.values.clear();
        const UsdaJointFrames frames = skeleton_.sample(other, info_.fps, own_targets, own);
        skeleton_.write_clip(file, usd_identifier(other.name, "clip", taken), frames, own, 1);
    }
    file.write("    }\n");
}

}  // namespace cutis
