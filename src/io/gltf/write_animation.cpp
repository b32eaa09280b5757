#include "io/gltf/write_animation.h"

namespace cutis {

void GlbAnimation::add_channel(int node, const char* path, std::span<const float> values,
                               const char* type) {
    if (times_ < 0) {
        std::vector<float> seconds;
        seconds.reserve(static_cast<size_t>(frame_count_));
        for (int f = 0; f < frame_count_; ++f) {
            seconds.push_back(static_cast<float>(f / fps_));
        }
        times_ = document_.add_numbers(seconds, GlbDocument::scalar, true);
    }
    samplers_.push_back({{"input", times_},
                         {"interpolation", "LINEAR"},
                         {"output", document_.add_numbers(values, type)}});
    channels_.push_back(
        {{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

void GlbAnimation::finish() {
    if (!channels_.empty()) {
        document_.add("animations", {{"name", "bake"},
                                     {"channels", std::move(channels_)},
                                     {"samplers", std::move(samplers_)}});
    }
}

}  // namespace cutis
