#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "core/math.h"
#include "cutis/core/types.h"

namespace cutis {

/// Unit quaternion of a rotation vector (axis times angle, radians).
inline Eigen::Quaterniond rotation_exp(const Vector3d& turn) {
    const double angle = turn.norm();
    // sin(x/2)/x is 1/2 to rounding well before x^2 vanishes
    const double factor = angle < 1e-8 ? 0.5 : math::sin(0.5 * angle) / angle;
    const Vector3d v = factor * turn;
    return {math::cos(0.5 * angle), v.x(), v.y(), v.z()};
}

/// Rotation vector of a unit quaternion, the shorter of the two ways round (angle 0 .. pi).
inline Vector3d rotation_log(const Eigen::Quaterniond& q) {
    const double sign = q.w() < 0.0 ? -1.0 : 1.0;
    const Vector3d v = sign * q.vec();
    const double sine = v.norm();
    if (sine < 1e-150) {
        return Vector3d::Zero();
    }
    return v * (2.0 * math::atan2(sine, sign * q.w()) / sine);
}

}  // namespace cutis
