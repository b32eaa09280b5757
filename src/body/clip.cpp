#include "cutis/body/clip.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cutis/core/error.h"

namespace cutis {

double Clip::start() const {
    double earliest = std::numeric_limits<double>::infinity();
    for (const Channel& channel : channels) {
        if (!channel.times.empty()) {
            earliest = std::min(earliest, channel.times.front());
        }
    }
    return std::isfinite(earliest) ? earliest : 0.0;
}

double Clip::end() const {
    double latest = -std::numeric_limits<double>::infinity();
    for (const Channel& channel : channels) {
        if (!channel.times.empty()) {
            latest = std::max(latest, channel.times.back());
        }
    }
    return std::isfinite(latest) ? latest : 0.0;
}

namespace {

void check_channel(const Channel& channel, const std::string& where, size_t node_count) {
    require(channel.node >= 0 && static_cast<size_t>(channel.node) < node_count, where, "expected a node below ",
            node_count, ", found ", channel.node);
    const int expected_width = channel.target == ChannelTarget::rotation ? 4 : 3;
    const bool is_weights = channel.target == ChannelTarget::morph_weights;
    if (is_weights ? channel.width < 1 : channel.width != expected_width) {
        throw InvalidInput(concat(where, "expected ", is_weights ? "at least 1" : "",
                                  is_weights ? "" : concat(expected_width), " numbers a key, found ", channel.width));
    }
    require(!channel.times.empty(), where, "expected at least one key, found none");
    for (size_t k = 0; k < channel.times.size(); ++k) {
        require(std::isfinite(channel.times[k]), where, "key ", k, ": the time is not finite");
        require(k <= 0 || channel.times[k] > channel.times[k - 1], where, "key ", k, ": expected a time after ",
                channel.times[k - 1], " s, found ", channel.times[k], " s");
    }
    const size_t per_key =
        static_cast<size_t>(channel.width) * (channel.interpolation == Interpolation::cubic_spline ? 3 : 1);
    require(channel.values.size() == channel.times.size() * per_key, where, "expected ", channel.times.size() * per_key,
            " values for ", channel.times.size(), " keys, found ", channel.values.size());
    for (size_t i = 0; i < channel.values.size(); ++i) {
        require(std::isfinite(channel.values[i]), where, "key ", i / per_key, ": a value is not finite");
    }
    if (channel.target != ChannelTarget::rotation) {
        return;
    }
    const size_t value_offset = channel.interpolation == Interpolation::cubic_spline ? 4 : 0;
    for (size_t k = 0; k < channel.times.size(); ++k) {
        const Eigen::Map<const Eigen::Vector4d> q(channel.values.data() + k * per_key + value_offset);
        require(q.norm() > 1e-6 && std::isfinite(q.norm()), where, "key ", k,
                ": expected a unit quaternion, found length ", q.norm());
    }
}

}  // namespace

void check_clip(const Clip& clip, const Skeleton& skeleton) {
    std::set<std::pair<int, ChannelTarget>> seen;
    for (size_t c = 0; c < clip.channels.size(); ++c) {
        const Channel& channel = clip.channels[c];
        const std::string where = concat("clip \"", clip.name, "\" channel ", c, ": ");
        check_channel(channel, where, skeleton.nodes.size());
        if (!seen.insert({channel.node, channel.target}).second) {
            throw InvalidInput(concat(where, "node ", channel.node, " \"", skeleton.nodes[channel.node].name,
                                      "\" already has a channel for the same property"));
        }
    }
}

}  // namespace cutis
