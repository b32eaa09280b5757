// Motion of one skeleton carried to another with the same joint names.
#include <Eigen/Geometry>
#include <cmath>
#include <map>

#include "cutis/core/error.h"
#include "cutis/io/bvh_read.h"

namespace cutis {

namespace {

std::string some_names(const Skeleton& skeleton) {
    std::string list;
    for (std::size_t i = 0; i < skeleton.nodes.size() && i < 5; ++i) {
        list += (i == 0 ? "" : ", ") + skeleton.nodes[i].name;
    }
    return list.empty() ? "no joints" : list + (skeleton.nodes.size() > 5 ? ", ..." : "");
}

Eigen::Quaterniond rotation_of(const Eigen::Affine3d& frame) {
    Eigen::Matrix3d axes = frame.linear();
    for (int c = 0; c < 3; ++c) {
        axes.col(c).normalize();
    }
    return Eigen::Quaterniond(axes).normalized();
}

/// Rest frames of a skeleton's nodes in the world.
std::vector<Eigen::Affine3d> rest_frames(const Skeleton& skeleton) {
    std::vector<Eigen::Affine3d> world;
    for (const Node& node : skeleton.nodes) {
        Eigen::Affine3d local = node.matrix;
        if (!node.has_matrix) {
            local = Eigen::Translation3d(node.rest.translation) * node.rest.rotation *
                    Eigen::Scaling(node.rest.scale);
        }
        world.push_back(node.parent < 0 ? local
                                        : world[static_cast<std::size_t>(node.parent)] * local);
    }
    return world;
}

const Channel* find_channel(const Clip& clip, int node, ChannelTarget target) {
    for (const Channel& channel : clip.channels) {
        if (channel.node == node && channel.target == target) {
            return &channel;
        }
    }
    return nullptr;
}

}  // namespace

Clip bvh_clip_for(const BvhMotion& motion, const Skeleton& skeleton) {
    const std::size_t joints = motion.skeleton.nodes.size();
    std::vector<const Channel*> rotations(joints);
    std::map<std::string, int> by_name;
    std::size_t frames = 0;
    for (std::size_t j = 0; j < joints; ++j) {
        by_name.emplace(motion.skeleton.nodes[j].name, static_cast<int>(j));
        rotations[j] = find_channel(motion.clip, static_cast<int>(j), ChannelTarget::rotation);
    }
    std::vector<double> times;
    for (const Channel& channel : motion.clip.channels) {
        times = channel.times;
        frames = times.size();
    }

    const std::size_t count = skeleton.nodes.size();
    std::vector<int> source(count, -1);
    int top = -1;  // the first matched joint carries the travel
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = by_name.find(skeleton.nodes[i].name);
        if (found != by_name.end() && !skeleton.nodes[i].has_matrix) {
            source[i] = found->second;
            by_name.erase(found);
            top = top < 0 ? static_cast<int>(i) : top;
        }
    }
    if (top < 0) {
        throw InvalidInput(say("motion '", motion.clip.name,
                               "': expected joint names of the skeleton (", some_names(skeleton),
                               "), found none of them among ", some_names(motion.skeleton)));
    }

    const std::vector<Eigen::Affine3d> rest = rest_frames(skeleton);
    std::vector<Eigen::Quaterniond> rest_rotation;
    for (const Eigen::Affine3d& frame : rest) {
        rest_rotation.push_back(rotation_of(frame));
    }
    Clip clip;
    clip.name = motion.clip.name;
    std::vector<int> channel_of(count, -1);
    for (std::size_t i = 0; i < count; ++i) {
        if (source[i] >= 0) {
            channel_of[i] = static_cast<int>(clip.channels.size());
            clip.channels.push_back({static_cast<int>(i),
                                     ChannelTarget::rotation,
                                     Interpolation::linear,
                                     times,
                                     4,
                                     {}});
        }
    }
    std::vector<Eigen::Quaterniond> moved(joints);  // world rotation of the motion's joints
    std::vector<Eigen::Quaterniond> turned(count);  // world rotation of the target's nodes
    for (std::size_t f = 0; f < frames; ++f) {
        for (std::size_t j = 0; j < joints; ++j) {
            Eigen::Quaterniond local = Eigen::Quaterniond::Identity();
            if (rotations[j] != nullptr) {
                local = Eigen::Quaterniond(&rotations[j]->values[4 * f]);
            }
            const int parent = motion.skeleton.nodes[j].parent;
            moved[j] = parent < 0 ? local : moved[static_cast<std::size_t>(parent)] * local;
        }
        for (std::size_t i = 0; i < count; ++i) {
            const int parent = skeleton.nodes[i].parent;
            const auto above = static_cast<std::size_t>(parent < 0 ? 0 : parent);
            const Eigen::Quaterniond rest_local =
                parent < 0 ? rest_rotation[i] : rest_rotation[above].conjugate() * rest_rotation[i];
            const Eigen::Quaterniond base =
                parent < 0 ? Eigen::Quaterniond::Identity() : turned[above];
            if (source[i] < 0) {
                turned[i] = base * rest_local;
                continue;
            }
            turned[i] = moved[static_cast<std::size_t>(source[i])] * rest_rotation[i];
            Eigen::Quaterniond local = (base.conjugate() * turned[i]).normalized();
            auto& values = clip.channels[static_cast<std::size_t>(channel_of[i])].values;
            if (f > 0 &&
                Eigen::Map<const Eigen::Vector4d>(&values[4 * (f - 1)]).dot(local.coeffs()) < 0.0) {
                local.coeffs() = -local.coeffs();
            }
            values.insert(values.end(), local.coeffs().data(), local.coeffs().data() + 4);
        }
    }

    const int travelling = source[static_cast<std::size_t>(top)];
    const Channel* travel = find_channel(motion.clip, travelling, ChannelTarget::translation);
    if (travel != nullptr &&
        motion.skeleton.nodes[static_cast<std::size_t>(travelling)].parent < 0) {
        const Node& node = skeleton.nodes[static_cast<std::size_t>(top)];
        // Nodes above the top joint do not move: a place in the world becomes one in their frame.
        Eigen::Affine3d to_parent = Eigen::Affine3d::Identity();
        if (node.parent >= 0) {
            to_parent = rest[static_cast<std::size_t>(node.parent)].inverse();
        }
        if (!to_parent.matrix().allFinite()) {
            throw InvalidInput(
                say("node above '", node.name, "': expected a scale that can be undone, found 0"));
        }
        Channel channel{top, ChannelTarget::translation, Interpolation::linear, times, 3, {}};
        for (std::size_t f = 0; f < frames; ++f) {
            const Vector3d local = to_parent * Vector3d(&travel->values[3 * f]);
            channel.values.insert(channel.values.end(), local.data(), local.data() + 3);
        }
        clip.channels.push_back(std::move(channel));
    }
    return clip;
}

}  // namespace cutis
