#include "body/retarget.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "body/bind_pose.h"
#include "body/names.h"
#include "cutis/core/error.h"

namespace cutis {

std::string plain_joint_name(const std::string& name) {
    const size_t prefix = name.find_last_of(":|");
    std::string plain = prefix == std::string::npos ? name : name.substr(prefix + 1);
    for (char& c : plain) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return plain;
}

namespace {

/// Rotation of a node's local matrix, without scale and shear.
Eigen::Quaterniond rotation_of(const Eigen::Affine3d& local) {
    // Gram-Schmidt on the columns: what T * R * S gives back exactly, and close enough with shear.
    Eigen::Matrix3d axes = local.linear();
    axes.col(0).normalize();
    axes.col(1) -= axes.col(0).dot(axes.col(1)) * axes.col(0);
    axes.col(1).normalize();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    return axes.allFinite() ? Eigen::Quaterniond(axes) : Eigen::Quaterniond::Identity();
}

/// World rotations, scale left out.
std::vector<Eigen::Quaterniond> world_rotations(const Skeleton& skeleton, const std::vector<Eigen::Affine3d>& local) {
    std::vector<Eigen::Quaterniond> world(local.size());
    for (size_t n = 0; n < local.size(); ++n) {
        const int parent = skeleton.nodes[n].parent;
        world[n] = parent < 0 ? rotation_of(local[n]) : world[parent] * rotation_of(local[n]);
    }
    return world;
}

std::vector<double> all_key_times(const Clip& clip) {
    std::vector<double> times;
    for (const Channel& channel : clip.channels) {
        times.insert(times.end(), channel.times.begin(), channel.times.end());
    }
    std::sort(times.begin(), times.end());
    // Channels of one file may round the same moment differently.
    const auto same = [](double a, double b) { return b - a < 1e-6; };
    times.erase(std::unique(times.begin(), times.end(), same), times.end());
    return times;
}

/// Height of the lowest joint below `hips` (itself included), along `up`.
double lowest_below(const Skeleton& skeleton, const std::vector<Eigen::Affine3d>& frames, size_t hips,
                    const Vector3d& up) {
    std::vector<bool> is_below(frames.size(), false);
    is_below[hips] = true;
    double lowest = frames[hips].translation().dot(up);
    for (size_t n = hips + 1; n < frames.size(); ++n) {
        const int parent = skeleton.nodes[n].parent;
        is_below[n] = parent >= 0 && is_below[parent];
        if (is_below[n]) {
            lowest = std::min(lowest, frames[n].translation().dot(up));
        }
    }
    return lowest;
}

struct Matches {
    std::vector<int> source_of_target;
    int hips = -1;  // topmost matched node of the target
};

/// The same nodes under the same parents, whatever they are called, also where several or all have no name.
bool is_same_tree(const Skeleton& a, const Skeleton& b) {
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const Node& x, const Node& y) { return x.name == y.name && x.parent == y.parent; });
}

Matches match_joints(const Skeleton& source, const Skeleton& target, RetargetedClip& result) {
    std::map<std::string, int> by_name;
    for (size_t n = 0; n < source.nodes.size(); ++n) {
        by_name.emplace(plain_joint_name(source.nodes[n].name), static_cast<int>(n));
    }
    Matches matches;
    std::set<int> used;
    const bool is_same = is_same_tree(source, target);
    for (size_t n = 0; n < target.nodes.size(); ++n) {
        const Node& node = target.nodes[n];
        if (is_same && !node.has_matrix && used.insert(static_cast<int>(n)).second) {
            matches.source_of_target.push_back(static_cast<int>(n));
            ++result.matched_joints;
            matches.hips = matches.hips < 0 ? static_cast<int>(n) : matches.hips;
            continue;
        }
        const auto found = by_name.find(plain_joint_name(node.name));
        const bool is_match =
            !node.name.empty() && !node.has_matrix && found != by_name.end() && used.insert(found->second).second;
        matches.source_of_target.push_back(is_match ? found->second : -1);
        if (!is_match) {
            result.unmatched_target.push_back(node.name);
            continue;
        }
        ++result.matched_joints;
        if (matches.hips < 0) {
            matches.hips = static_cast<int>(n);
        }
    }
    for (size_t n = 0; n < source.nodes.size(); ++n) {
        if (used.count(static_cast<int>(n)) == 0) {
            result.unmatched_source.push_back(source.nodes[n].name);
        }
    }
    return matches;
}

Channel new_channel(int node, ChannelTarget what, const std::vector<double>& times) {
    Channel channel;
    channel.node = node;
    channel.target = what;
    channel.width = what == ChannelTarget::rotation ? 4 : 3;
    channel.times = times;
    channel.values.reserve(times.size() * static_cast<size_t>(channel.width));
    return channel;
}

/// Is it one skeleton in two files? Joints that the clip moves hang on namesakes, as far from them in the same
/// directions of their axes; the topmost hang in the same place of the world. How they are turned may differ: files of
/// clips often rest in their first frame.
bool is_same_skeleton(const Skeleton& source, const Clip& clip, const Skeleton& target,
                      const std::vector<int>& target_of) {
    const std::vector<Eigen::Affine3d> source_frames = rest_frames(source);
    const std::vector<Eigen::Affine3d> target_frames = rest_frames(target);
    double size = 0.0;
    for (const Eigen::Affine3d& frame : source_frames) {
        size = std::max(size, frame.translation().cwiseAbs().maxCoeff());
    }
    const auto frame_of = [](const std::vector<Eigen::Affine3d>& frames, int node) {
        return node < 0 ? Eigen::Affine3d::Identity() : frames[node];
    };
    const auto local_of = [](const Node& node) { return node.has_matrix ? node.matrix : node.rest.matrix(); };
    for (const Channel& channel : clip.channels) {
        if (channel.target == ChannelTarget::morph_weights) {
            continue;
        }
        const int other = target_of[channel.node];
        if (other < 0) {
            return false;
        }
        const int parent = source.nodes[channel.node].parent;
        const int other_parent = target.nodes[other].parent;
        const Eigen::Affine3d a = frame_of(source_frames, parent);
        const Eigen::Affine3d b = frame_of(target_frames, other_parent);
        const double unit = a.linear().colwise().norm().maxCoeff();
        if (parent >= 0 && target_of[parent] >= 0 && target_of[parent] == other_parent) {
            const Vector3d off =
                local_of(source.nodes[channel.node]).translation() - local_of(target.nodes[other]).translation();
            const double other_unit = b.linear().colwise().norm().maxCoeff();
            if (off.norm() * unit > 1e-3 * size || std::abs(unit - other_unit) > 1e-3 * unit) {
                return false;
            }
        } else if ((a.linear() - b.linear()).cwiseAbs().maxCoeff() > 1e-3 * unit ||
                   (a.translation() - b.translation()).norm() > 1e-3 * size) {
            return false;
        }
    }
    return !clip.channels.empty();
}

}  // namespace

RetargetedClip retarget_clip(const Skeleton& source, const Clip& clip, const Skeleton& target,
                             const RetargetOptions& options) {
    const ClipSampler sampler(source, clip, TimeSampling::exact);
    RetargetedClip result;
    const Matches matches = match_joints(source, target, result);
    if (result.matched_joints == 0) {
        throw InvalidInput(concat("clip \"", clip.name, "\": none of its joints is a joint of the target; it moves ",
                                  list_nearest_first("", result.unmatched_source), ", the target has ",
                                  list_nearest_first("", result.unmatched_target)));
    }

    std::vector<int> target_of(source.nodes.size(), -1);
    for (size_t n = 0; n < matches.source_of_target.size(); ++n) {
        if (matches.source_of_target[n] >= 0) {
            target_of[matches.source_of_target[n]] = static_cast<int>(n);
        }
    }
    if (!options.source_rest_time && is_same_skeleton(source, clip, target, target_of)) {
        result.is_same_skeleton = true;
        result.clip.name = clip.name;
        for (const Channel& channel : clip.channels) {
            if (target_of[channel.node] >= 0) {  // else it holds weights of a mesh that the target does not have
                result.clip.channels.push_back(channel);
                result.clip.channels.back().node = target_of[channel.node];
            }
        }
        check_clip(result.clip, target);
        return result;
    }

    Pose source_rest;
    if (options.source_rest_time) {
        sampler.sample(*options.source_rest_time, source_rest);
    } else {
        for (const Node& node : source.nodes) {
            source_rest.local.push_back(node.has_matrix ? node.matrix : node.rest.matrix());
        }
    }
    std::vector<Eigen::Affine3d> source_frames;
    world_frames(source, source_rest.local, source_frames);
    const std::vector<Eigen::Quaterniond> source_rest_turn = world_rotations(source, source_rest.local);
    std::vector<Eigen::Affine3d> target_local;
    for (const Node& node : target.nodes) {
        target_local.push_back(node.has_matrix ? node.matrix : node.rest.matrix());
    }
    const std::vector<Eigen::Affine3d> target_rest_frames = rest_frames(target);
    const std::vector<Eigen::Quaterniond> target_rest_turn = world_rotations(target, target_local);
    const std::vector<Eigen::Affine3d> target_rest_local = target_local;

    const size_t hips = static_cast<size_t>(matches.hips);
    const size_t source_hips = static_cast<size_t>(matches.source_of_target[hips]);
    const Vector3d up = options.up.normalized();
    const double source_floor = lowest_below(source, source_frames, source_hips, up);
    const double target_floor = lowest_below(target, target_rest_frames, hips, up);
    Vector3d source_hip_rest = source_frames[source_hips].translation();
    const double source_height = source_hip_rest.dot(up) - source_floor;
    const double target_height = target_rest_frames[hips].translation().dot(up) - target_floor;
    if (source_height > 0.0 && target_height > 0.0) {
        result.translation_scale = target_height / source_height;
    }
    if (source_floor < -0.1 * source_height) {
        source_hip_rest -= source_floor * up;  // stand the rest pose on its floor
    }

    const std::vector<double> times = all_key_times(clip);
    std::vector<Channel> turns;
    std::vector<int> turn_of_node(target.nodes.size(), -1);
    for (size_t n = 0; n < target.nodes.size(); ++n) {
        if (matches.source_of_target[n] >= 0) {
            turn_of_node[n] = static_cast<int>(turns.size());
            turns.push_back(new_channel(static_cast<int>(n), ChannelTarget::rotation, times));
        }
    }
    Channel travel = new_channel(matches.hips, ChannelTarget::translation, times);

    Pose pose;
    std::vector<Eigen::Affine3d> target_frames(target.nodes.size());
    std::vector<Eigen::Quaterniond> target_turn(target.nodes.size());
    for (const double time : times) {
        sampler.sample(time, pose);
        world_frames(source, pose.local, source_frames);
        const std::vector<Eigen::Quaterniond> source_turn = world_rotations(source, pose.local);
        for (size_t n = 0; n < target.nodes.size(); ++n) {
            const Node& node = target.nodes[n];
            const bool has_parent = node.parent >= 0;
            const size_t parent = has_parent ? static_cast<size_t>(node.parent) : 0;
            const Eigen::Quaterniond parent_turn = has_parent ? target_turn[parent] : Eigen::Quaterniond::Identity();
            const Eigen::Affine3d parent_frame = has_parent ? target_frames[parent] : Eigen::Affine3d::Identity();
            target_local[n] = target_rest_local[n];
            const int from = matches.source_of_target[n];
            if (from < 0) {
                target_turn[n] = parent_turn * rotation_of(target_rest_local[n]);
            } else {
                // The same turn in the world, measured from rest.
                const Eigen::Quaterniond change = source_turn[from] * source_rest_turn[from].conjugate();
                target_turn[n] = (change * target_rest_turn[n]).normalized();
                Transform local = node.rest;
                local.rotation = (parent_turn.conjugate() * target_turn[n]).normalized();
                if (n == hips) {
                    const Vector3d moved = source_frames[source_hips].translation() - source_hip_rest;
                    const Vector3d world = target_rest_frames[hips].translation() + result.translation_scale * moved;
                    local.translation = parent_frame.inverse() * world;
                    travel.values.insert(travel.values.end(), local.translation.data(), local.translation.data() + 3);
                }
                target_local[n] = local.matrix();
                std::vector<double>& values = turns[turn_of_node[n]].values;
                values.insert(values.end(), local.rotation.coeffs().data(), local.rotation.coeffs().data() + 4);
            }
            target_frames[n] = parent_frame * target_local[n];
        }
    }
    result.clip.name = clip.name;
    if (!times.empty()) {
        result.clip.channels = std::move(turns);
        result.clip.channels.push_back(std::move(travel));
    }
    check_clip(result.clip, target);
    return result;
}

}  // namespace cutis
