#pragma once

#include <algorithm>
#include <cmath>

namespace cutis::stripes {

/// 3 t^2 - 2 t^3 between 0 and 1.
inline double smooth_step(double t) {
    t = std::clamp(t, 0.0, 1.0);
    return t * t * (3.0 - 2.0 * t);
}

/// Smallest singular value of a map of the plane, and the direction it belongs to.
struct Squeeze {
    double stretch;
    double cosine;
    double sine;
};
/// \param xx, xy, yy  the map's transpose times itself
inline Squeeze smallest_stretch(double xx, double xy, double yy) {
    const double half = 0.5 * (xx - yy);
    const double radius = std::sqrt(half * half + xy * xy);
    // The angle of the larger one is half the angle of (half, xy).
    const double cosine = radius > 0.0 ? half / radius : 1.0;
    return {std::sqrt(std::max(0.0, 0.5 * (xx + yy) - radius)),
            std::copysign(std::sqrt(0.5 * std::max(0.0, 1.0 - cosine)), -xy), std::sqrt(0.5 * (1.0 + cosine))};
}

}  // namespace cutis::stripes
