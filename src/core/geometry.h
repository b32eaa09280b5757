#pragma once

#include <Eigen/Geometry>

#include "cutis/core/types.h"

namespace cutis {

/// Turns `w` by the smallest rotation that takes unit vector `a` to unit vector `b`:
/// w - (a+b) ((a+b).w) / (1 + a.b) + 2 b (a.w). Where a and b are nearly opposite
/// (1 + a.b < 0.1) that rotation is ill-defined; `w` is then projected onto the plane normal to b.
inline Vector3d rotate_minimally(const Vector3d& a, const Vector3d& b, const Vector3d& w) {
    constexpr double nearly_opposite = 0.1;
    const double closeness = 1.0 + a.dot(b);
    if (closeness < nearly_opposite) {
        return w - b * b.dot(w);
    }
    const Vector3d sum = a + b;
    return w - sum * (sum.dot(w) / closeness) + b * (2.0 * a.dot(w));
}

/// The smallest rotation that takes unit vector `a` to unit vector `b`; about any axis across `a` where they are
/// opposite. (Eigen's FromTwoVectors does the same, but every file that calls it compiles a whole singular value
/// decomposition.)
Eigen::Quaterniond least_turn(const Vector3d& a, const Vector3d& b);

/// matrix = rotation * stretch.
struct PolarParts {
    Eigen::Matrix3d rotation;  ///< determinant +1, always
    Eigen::Matrix3d stretch;   ///< symmetric; one negative eigenvalue when the matrix mirrors
};

/// Rotation nearest to a 3x3 matrix, and the stretch that is left. Never fails: where several
/// rotations are equally near (rank 1 or 0, some mirrorings) it takes the one nearest to the
/// identity.
/// \throw InvalidInput  an entry that is not finite
PolarParts polar_decomposition(const Eigen::Matrix3d& matrix);

/// Unit quaternion (cos |v|, v sin |v| / |v|): turns by 2 |v| about v.
Eigen::Quaterniond quaternion_exp(const Vector3d& v);

/// The v with quaternion_exp(v) = q and |v| <= pi. 2 v is the rotation vector of q; hand in -q
/// where q.w() < 0 to have the shorter way round. For q = -1 any direction would do: x is taken.
/// \param q  of unit length
Vector3d quaternion_log(const Eigen::Quaterniond& q);

}  // namespace cutis
