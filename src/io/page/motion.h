#pragma once

#include <cstdint>
#include <vector>

#include "io/store/modes.h"

namespace cutis {

/// Motion of points in the numbers that go into a page:
/// value(i, frame) = mean[i] + sum_k weights[frame * rank + k] * scales[k] * basis[k * size + i]
struct PackedMotion {
    int width = 3;
    int points = 0;
    int rank = 0;
    std::vector<float> mean;          ///< size = points * width
    std::vector<std::int16_t> basis;  ///< rank rows of size
    std::vector<double> scales;       ///< rank
    std::vector<float> weights;       ///< #frames rows of rank, each within -1 .. 1
    double max_error = 0.0;           ///< of a point, over all frames, against the true ones
};

/// Fewest modes, and the coarsest rounding, that meet the track's tolerance.
PackedMotion pack_motion(CoordinateStore& frames, const ModeTrack& track);

}  // namespace cutis
