#include "io/usd/skeleton.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/math.h"
#include "io/gltf/write_skin.h"
#include "io/number_text.h"
#include "io/usd/text.h"

namespace cutis {

namespace {

constexpr double same_bind = 1e-6;  // of their size

/// The nearest number with the eleven bits of a half.
float to_half(double value) {
    constexpr int bits = 11;
    constexpr int smallest = -24;  // exponent of the finest step
    int exponent = 0;
    std::frexp(value, &exponent);
    const int step = std::max(exponent - bits, smallest);
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(value, -step)), step));
}

float to_decimals(double value, double count) {
    return static_cast<float>(std::nearbyint(value * count) / count);
}

std::string list_of(const std::vector<std::string>& names) {
    std::string text = "[";
    for (const std::string& name : names) {
        text += (text.size() > 1 ? ", " : "") + usd_string(name);
    }
    return text + "]";
}

bool are_equal(const Eigen::Affine3d& a, const Eigen::Affine3d& b) {
    const double size = a.matrix().cwiseAbs().maxCoeff();
    return ((a.matrix() - b.matrix()).cwiseAbs().array() <= same_bind * (1.0 + size)).all();
}

/// An attribute of all frames, or once where it stays.
void write_samples(AtomicFile& file, const std::string& declaration, const std::vector<float>& values, int frames,
                   int width, int first) {
    const size_t size = values.size() / static_cast<size_t>(frames);
    const auto text_of = [&](size_t frame) {
        const std::vector<double> numbers(values.begin() + static_cast<std::ptrdiff_t>(frame * size),
                                          values.begin() + static_cast<std::ptrdiff_t>((frame + 1) * size));
        std::string text;
        append_tuples(text, numbers.data(), size / static_cast<size_t>(width), width);
        return text;
    };
    bool stays = true;
    for (size_t i = size; stays && i < values.size(); ++i) {
        stays = values[i] == values[i - size];
    }
    file.write(usda_inner + declaration + " = " + text_of(0) + "\n");
    if (stays) {
        return;
    }
    file.write(usda_inner + declaration + ".timeSamples = {\n");
    for (int f = 0; f < frames; ++f) {
        file.write(usda_inner + "    " + std::to_string(first + f) + ": " + text_of(static_cast<size_t>(f)) + ",\n");
    }
    file.write(usda_inner + "}\n");
}

}  // namespace

std::string usda_matrix(const Eigen::Affine3d& matrix) {
    std::string text = "(";
    for (int column = 0; column < 4; ++column) {
        text += column == 0 ? "(" : ", (";
        for (int row = 0; row < 4; ++row) {
            text += row == 0 ? "" : ", ";
            append_number(text, matrix.matrix()(row, column) + 0.0);
        }
        text += ")";
    }
    return text + ")";
}

UsdaSkeleton::UsdaSkeleton(const Body& body) : body_(body) {
    const Character& character = *body.source().character;
    std::vector<Eigen::Affine3d> local;
    for (const Node& node : character.skeleton.nodes) {
        local.push_back(node.has_matrix ? node.matrix : node.rest.matrix());
    }
    world_frames(character.skeleton, local, rest_);
    body.to_body_space(rest_);
    const Eigen::Affine3d from_metres = body.source().to_metres.inverse();
    for (const PlacedMesh& placed : body.source().placed) {
        const MeshInstance& instance = character.meshes.at(placed.instance);
        const bool is_skinned = instance.skin >= 0 && !instance.weights.weights.empty();
        std::vector<int>& own = joints_of_.emplace_back();
        if (!is_skinned) {
            own.push_back(joint_for(instance.node, placed.to_body * from_metres));
            continue;
        }
        const Skin& skin = character.skins[instance.skin];
        for (size_t j = 0; j < skin.joints.size(); ++j) {
            own.push_back(joint_for(skin.joints[j], placed.to_body * skin.inverse_bind[j].inverse() * from_metres));
        }
    }
    order_joints();
    name_joints();
}

// Skins that bind a node differently need a joint each.
int UsdaSkeleton::joint_for(int node, const Eigen::Affine3d& bind) {
    Joint joint;
    joint.node = node;
    const double size = math::cbrt(std::abs(rest_[node].linear().determinant()));
    joint.scale = size > 0.0 && std::isfinite(size) ? 1.0 / size : 1.0;
    joint.bind = bind * Eigen::Scaling(joint.scale);
    if (!joint.bind.matrix().allFinite()) {  // of a bind matrix without inverse: such a joint moves nothing
        joint.bind = rest_[node] * Eigen::Scaling(joint.scale);
    }
    const auto found = std::find_if(joints_.begin(), joints_.end(), [&](const Joint& other) {
        return other.node == node && are_equal(other.bind, joint.bind);
    });
    if (found != joints_.end()) {
        return static_cast<int>(found - joints_.begin());
    }
    joints_.push_back(std::move(joint));
    return joint_count() - 1;
}

// Nodes stand with their parents first, and so shall joints.
void UsdaSkeleton::order_joints() {
    std::vector<int> order(joints_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return joints_[a].node < joints_[b].node; });
    std::vector<int> place(joints_.size());
    std::vector<Joint> sorted;
    for (size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = static_cast<int>(i);
        sorted.push_back(joints_[order[i]]);
    }
    joints_ = std::move(sorted);
    for (std::vector<int>& joints : joints_of_) {
        for (int& joint : joints) {
            joint = place[joint];
        }
    }
    const std::vector<Node>& nodes = body_.source().character->skeleton.nodes;
    for (Joint& joint : joints_) {
        for (int node = nodes[joint.node].parent; node >= 0 && joint.parent < 0; node = nodes[node].parent) {
            const auto found =
                std::find_if(joints_.begin(), joints_.end(), [&](const Joint& one) { return one.node == node; });
            joint.parent = found == joints_.end() ? -1 : static_cast<int>(found - joints_.begin());
        }
    }
}

void UsdaSkeleton::name_joints() {
    const std::vector<Node>& nodes = body_.source().character->skeleton.nodes;
    std::set<std::string> identifiers;
    std::set<std::string> names;
    for (Joint& joint : joints_) {
        const std::string& name = nodes[joint.node].name;
        const std::string identifier = usd_identifier(name, "joint", identifiers);
        joint.path = joint.parent < 0 ? identifier : joints_[joint.parent].path + "/" + identifier;
        joint.name = !name.empty() && names.insert(name).second ? name : identifier;
        names.insert(joint.name);
    }
}

Eigen::Affine3d UsdaSkeleton::local(const Joint& joint, const std::vector<Eigen::Affine3d>& nodes) const {
    Eigen::Affine3d own = nodes[joint.node] * Eigen::Scaling(joint.scale);
    if (joint.parent < 0) {
        return own;
    }
    const Joint& parent = joints_[joint.parent];
    const Eigen::Affine3d above = nodes[parent.node] * Eigen::Scaling(parent.scale);
    own = above.inverse() * own;
    return own.matrix().allFinite() ? own : Eigen::Affine3d::Identity();  // below a joint of no size
}

// A joint that shears has no place in USD: the nearest that has; what it is off by is in the blend shapes.
void UsdaSkeleton::append(const std::vector<Eigen::Affine3d>& nodes, UsdaJointFrames& out) const {
    Vector3d translation, scale;
    Eigen::Quaterniond rotation;
    const size_t before = out.rotations.size();
    for (size_t j = 0; j < joints_.size(); ++j) {
        const Eigen::Affine3d map = local(joints_[j], nodes);
        if (!separate(map, translation, rotation, scale)) {
            translation = map.translation();
            scale = map.linear().colwise().norm().transpose();
            Eigen::Matrix3d turn, stretch;
            Eigen::Affine3d(map).computeRotationScaling(&turn, &stretch);
            rotation = turn.allFinite() ? Eigen::Quaterniond(turn).normalized() : Eigen::Quaterniond::Identity();
        }
        if (out.frame_count > 0) {
            const float* last = &out.rotations[before - 4 * joints_.size() + 4 * j];
            if (Eigen::Quaterniond(last[0], last[1], last[2], last[3]).dot(rotation) < 0.0) {
                rotation.coeffs() = -rotation.coeffs();
            }
        }
        constexpr double decimals = 1e7;
        for (const double value : {rotation.w(), rotation.x(), rotation.y(), rotation.z()}) {
            out.rotations.push_back(to_decimals(value, decimals));
        }
        for (int k = 0; k < 3; ++k) {
            out.translations.push_back(static_cast<float>(translation(k)));
            out.scales.push_back(to_half(scale(k)));
        }
    }
    ++out.frame_count;
}

UsdaJointFrames UsdaSkeleton::sample(const std::vector<double>& times, TimeSampling sampling) const {
    UsdaJointFrames out;
    std::vector<Eigen::Affine3d> nodes;
    for (const double time : times) {
        body_.node_frames(time, sampling, nodes);
        append(nodes, out);
    }
    return out;
}

UsdaJointFrames UsdaSkeleton::sample(const Clip& clip, double fps, const std::vector<std::pair<int, int>>& shapes,
                                     UsdaShapeWeights& weights) const {
    const Skeleton& skeleton = body_.source().character->skeleton;
    const ClipSampler sampler(skeleton, clip, TimeSampling::exact);
    constexpr double rounding = 1e-4;  // of a frame
    const int count = 1 + static_cast<int>(std::floor((clip.end() - clip.start()) * fps + rounding));
    UsdaJointFrames out;
    Pose pose;
    std::vector<Eigen::Affine3d> nodes;
    for (int f = 0; f < count; ++f) {
        sampler.sample(clip.start() + f / fps, pose);
        world_frames(skeleton, pose.local, nodes);
        body_.to_body_space(nodes);
        append(nodes, out);
        for (const auto& [node, target] : shapes) {
            const std::vector<double>& now = pose.morph_weights[node];
            weights.values.push_back(target < static_cast<int>(now.size()) ? static_cast<float>(now[target]) : 0.0F);
        }
    }
    return out;
}

NodeFrames UsdaSkeleton::node_frames(const UsdaJointFrames& frames) const {
    return [this, &frames](size_t frame, std::vector<Eigen::Affine3d>& out) {
        out.assign(rest_.size(), Eigen::Affine3d::Identity());
        std::vector<Eigen::Affine3d> world(joints_.size());
        for (size_t j = 0; j < joints_.size(); ++j) {
            const size_t at = frame * joints_.size() + j;
            const float* t = &frames.translations[3 * at];
            const float* r = &frames.rotations[4 * at];
            const float* s = &frames.scales[3 * at];
            const Eigen::Affine3d local = Eigen::Translation3d(t[0], t[1], t[2]) *
                                          Eigen::Quaterniond(r[0], r[1], r[2], r[3]) *
                                          Eigen::Scaling(double{s[0]}, double{s[1]}, double{s[2]});
            world[j] = joints_[j].parent < 0 ? local : world[joints_[j].parent] * local;
            out[joints_[j].node] = world[j] * Eigen::Scaling(1.0 / joints_[j].scale);
        }
    };
}

std::string UsdaSkeleton::joints_text() const {
    std::vector<std::string> paths;
    for (const Joint& joint : joints_) {
        paths.push_back(joint.path);
    }
    return "uniform token[] joints = " + list_of(paths) + "\n";
}

void UsdaSkeleton::write_joints(AtomicFile& file) const {
    std::vector<std::string> names;
    std::string bind, rest;
    for (const Joint& joint : joints_) {
        names.push_back(joint.name);
        bind += (bind.empty() ? "" : ", ") + usda_matrix(joint.bind);
        rest += (rest.empty() ? "" : ", ") + usda_matrix(local(joint, rest_));
    }
    file.write(usda_member + joints_text());
    file.write(usda_member + "uniform token[] jointNames = " + list_of(names) + "\n");
    file.write(usda_member + "uniform matrix4d[] bindTransforms = [" + bind + "]\n");
    file.write(usda_member + "uniform matrix4d[] restTransforms = [" + rest + "]\n");
}

void UsdaSkeleton::write_clip(AtomicFile& file, const std::string& identifier, const UsdaJointFrames& frames,
                              const UsdaShapeWeights& weights, int first) const {
    file.write("\n" + usda_member + "def SkelAnimation \"" + identifier + "\"\n" + usda_member + "{\n");
    file.write(usda_inner + joints_text());
    write_samples(file, "float3[] translations", frames.translations, frames.frame_count, 3, first);
    write_samples(file, "quatf[] rotations", frames.rotations, frames.frame_count, 4, first);
    write_samples(file, "half3[] scales", frames.scales, frames.frame_count, 3, first);
    if (!weights.names.empty()) {
        file.write(usda_inner + "uniform token[] blendShapes = " + list_of(weights.names) + "\n");
        write_samples(file, "float[] blendShapeWeights", weights.values, frames.frame_count, 1, first);
    }
    file.write(usda_member + "}\n");
}

}  // namespace cutis
