#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Positions of every vertex at evenly spaced times.
struct PointCache {
    int vertex_count = 0;
    double start = 0.0;          ///< seconds, time of the first sample
    double rate = 30.0;          ///< samples a second
    std::vector<float> samples;  ///< frames * vertex_count * 3, as files store them

    int frame_count() const {
        return vertex_count == 0 ? 0 : static_cast<int>(samples.size() / (static_cast<size_t>(vertex_count) * 3));
    }
};

}  // namespace cutis
