#include "actors/motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/geometry.h"
#include "cutis/core/error.h"

namespace cutis::actor {

double Ease::operator()(double time) const {
    if (time <= keys_.front().first) {
        return keys_.front().second;
    }
    for (size_t i = 0; i + 1 < keys_.size(); ++i) {
        if (time < keys_[i + 1].first) {
            const double s = (time - keys_[i].first) / (keys_[i + 1].first - keys_[i].first);
            const double blend = s * s * s * (s * (6.0 * s - 15.0) + 10.0);
            return keys_[i].second + blend * (keys_[i + 1].second - keys_[i].second);
        }
    }
    return keys_.back().second;
}

Eigen::Quaterniond turn_about(const Vector3d& axis, double angle_deg) {
    return quaternion_exp(angle_deg * (std::numbers::pi / 360.0) * axis.normalized());
}

Eigen::Quaterniond turn_x(double angle_deg) {
    return turn_about(Vector3d::UnitX(), angle_deg);
}

Eigen::Quaterniond turn_y(double angle_deg) {
    return turn_about(Vector3d::UnitY(), angle_deg);
}

Eigen::Quaterniond turn_z(double angle_deg) {
    return turn_about(Vector3d::UnitZ(), angle_deg);
}

ClipMaker::ClipMaker(Character& character, const std::string& name, double seconds, double rate)
    : character_(character), clip_(character.clips.size()) {
    character_.clips.push_back({name, {}});
    const int count = static_cast<int>(std::lround(seconds * rate));
    for (int i = 0; i <= count; ++i) {
        times_.push_back(i / rate);
    }
}

int ClipMaker::node_named(const std::string& name) const {
    for (size_t i = 0; i < character_.skeleton.nodes.size(); ++i) {
        if (character_.skeleton.nodes[i].name == name) {
            return static_cast<int>(i);
        }
    }
    throw InvalidInput(concat("actor: no joint named ", name));
}

Channel& ClipMaker::add_channel(int node, ChannelTarget target, int width) {
    Channel channel;
    channel.node = node;
    channel.target = target;
    channel.width = width;
    channel.times = times_;
    channel.values.reserve(times_.size() * static_cast<size_t>(width));
    character_.clips[clip_].channels.push_back(std::move(channel));
    return character_.clips[clip_].channels.back();
}

void ClipMaker::turn(const std::string& joint, const std::function<Eigen::Quaterniond(double)>& rotation) {
    Channel& channel = add_channel(node_named(joint), ChannelTarget::rotation, 4);
    Eigen::Quaterniond last = Eigen::Quaterniond::Identity();
    for (const double t : times_) {
        Eigen::Quaterniond q = rotation(t).normalized();
        if (q.dot(last) < 0.0) {
            q.coeffs() *= -1.0;
        }
        last = q;
        channel.values.insert(channel.values.end(), {q.x(), q.y(), q.z(), q.w()});
    }
}

void ClipMaker::shift(const std::string& joint, const std::function<Vector3d(double)>& offset) {
    const int node = node_named(joint);
    const Vector3d rest = character_.skeleton.nodes[node].rest.translation;
    Channel& channel = add_channel(node, ChannelTarget::translation, 3);
    for (const double t : times_) {
        const Vector3d p = rest + offset(t);
        channel.values.insert(channel.values.end(), {p.x(), p.y(), p.z()});
    }
}

void ClipMaker::morph(const std::string& mesh, const std::vector<std::function<double(double)>>& weights) {
    const MeshInstance* instance = nullptr;
    for (const MeshInstance& candidate : character_.meshes) {
        if (candidate.name == mesh) {
            instance = &candidate;
        }
    }
    require(instance != nullptr && instance->morphs.size() == weights.size(), "actor: mesh ", mesh, " does not have ",
            weights.size(), " morph targets");
    Channel& channel = add_channel(instance->node, ChannelTarget::morph_weights, static_cast<int>(weights.size()));
    for (const double t : times_) {
        for (const auto& weight : weights) {
            channel.values.push_back(weight(t));
        }
    }
}

}  // namespace cutis::actor
