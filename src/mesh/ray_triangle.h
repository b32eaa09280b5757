#pragma once

#include <Eigen/Geometry>
#include <optional>

#include "cutis/core/types.h"

namespace cutis {

struct RayHit {
    double distance = 0.0;  ///< in units of the direction's length, > 0
    double u = 0.0;         ///< weight of b
    double v = 0.0;         ///< weight of c
};

/// Where a ray meets triangle a b c, from either side (Moeller and Trumbore 1997).
inline std::optional<RayHit> hit_triangle(const Vector3d& from, const Vector3d& direction, const Vector3d& a,
                                          const Vector3d& b, const Vector3d& c) {
    const Vector3d ab = b - a;
    const Vector3d ac = c - a;
    const Vector3d across = direction.cross(ac);
    const double determinant = ab.dot(across);
    if (determinant == 0.0) {
        return std::nullopt;
    }
    const Vector3d start = from - a;
    const double u = start.dot(across) / determinant;
    const Vector3d turned = start.cross(ab);
    const double v = direction.dot(turned) / determinant;
    const double distance = ac.dot(turned) / determinant;
    if (!(u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0)) {
        return std::nullopt;
    }
    return RayHit{distance, u, v};
}

}  // namespace cutis
