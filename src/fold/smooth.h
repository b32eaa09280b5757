#pragma once

#include <algorithm>
#include <cmath>

namespace cutis::fold_detail {

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
    const double radius = std::hypot(half, xy);
    // The angle of the larger one is half the angle of (difference, off-diagonal).
    const double angle = 0.5 * std::atan2(xy, half);
    return {std::sqrt(std::max(0.0, 0.5 * (xx + yy) - radius)), -std::sin(angle), std::cos(angle)};
}

}  // namespace cutis::fold_detail
