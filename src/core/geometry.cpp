#include "core/geometry.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

struct Eigen4 {
    Eigen::Vector4d values;
    Eigen::Matrix4d vectors;  // columns
};

// Cyclic Jacobi: for a 4x4 matrix as quick as anything, and its vectors are orthogonal to rounding
// even where eigenvalues coincide.
Eigen4 symmetric_eigen(Eigen::Matrix4d a) {
    constexpr int most_sweeps = 30;       // 4 to 6 are usual
    constexpr double negligible = 1e-30;  // entries are of size 1
    Eigen::Matrix4d v = Eigen::Matrix4d::Identity();
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double off_diagonal = 0.0;
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                off_diagonal += std::abs(a(p, q));
            }
        }
        if (off_diagonal <= negligible) {
            break;
        }
        for (int p = 0; p < 3; ++p) {
            for (int q = p + 1; q < 4; ++q) {
                if (a(p, q) == 0.0) {
                    continue;
                }
                // The smaller root of t^2 + 2 theta t - 1 = 0.
                const double theta = (a(q, q) - a(p, p)) / (2.0 * a(p, q));
                const double t = std::copysign(1.0, theta) / (std::abs(theta) + math::hypot(theta, 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0);
                const double s = t * c;
                a(p, p) -= t * a(p, q);
                a(q, q) += t * a(p, q);
                a(p, q) = a(q, p) = 0.0;
                for (int r = 0; r < 4; ++r) {
                    if (r != p && r != q) {
                        const double rp = a(r, p);
                        const double rq = a(r, q);
                        a(r, p) = a(p, r) = c * rp - s * rq;
                        a(r, q) = a(q, r) = s * rp + c * rq;
                    }
                    const double vp = v(r, p);
                    const double vq = v(r, q);
                    v(r, p) = c * vp - s * vq;
                    v(r, q) = s * vp + c * vq;
                }
            }
        }
    }
    return {a.diagonal(), v};
}

}  // namespace

Eigen::Quaterniond least_turn(const Vector3d& a, const Vector3d& b) {
    constexpr double opposite = 1e-12;  // of 1 + a.b: the axis is lost in rounding
    const double closeness = 1.0 + a.dot(b);
    if (closeness < opposite) {
        const Vector3d axis = a.unitOrthogonal();
        return {0.0, axis.x(), axis.y(), axis.z()};
    }
    const Vector3d axis = a.cross(b);
    return Eigen::Quaterniond(closeness, axis.x(), axis.y(), axis.z()).normalized();
}

PolarParts polar_decomposition(const Eigen::Matrix3d& matrix) {
    for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
            require(std::isfinite(matrix(row, column)), "polar decomposition: entry (", row, ", ", column,
                    ") is not finite: ", matrix(row, column));
        }
    }
    const double largest = matrix.cwiseAbs().maxCoeff();
    if (largest == 0.0) {
        return {Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero()};
    }
    // Scaled by a power of two, exactly, so that neither tiny nor huge matrices overflow.
    int exponent = 0;
    std::frexp(largest, &exponent);
    const Eigen::Matrix3d f = matrix.unaryExpr([&](double x) { return std::ldexp(x, -exponent); });

    // The nearest rotation maximises trace(R^T F), which is q^T K q for the unit quaternion q of R
    // (Horn 1987): the eigenvector of the largest eigenvalue.
    Eigen::Matrix4d k;
    k(0, 0) = f(0, 0) + f(1, 1) + f(2, 2);
    k(1, 1) = f(0, 0) - f(1, 1) - f(2, 2);
    k(2, 2) = f(1, 1) - f(0, 0) - f(2, 2);
    k(3, 3) = f(2, 2) - f(0, 0) - f(1, 1);
    k(0, 1) = k(1, 0) = f(2, 1) - f(1, 2);
    k(0, 2) = k(2, 0) = f(0, 2) - f(2, 0);
    k(0, 3) = k(3, 0) = f(1, 0) - f(0, 1);
    k(1, 2) = k(2, 1) = f(1, 0) + f(0, 1);
    k(1, 3) = k(3, 1) = f(0, 2) + f(2, 0);
    k(2, 3) = k(3, 2) = f(2, 1) + f(1, 2);
    const Eigen4 eigen = symmetric_eigen(k);

    // Eigenvalues within rounding of the largest span all rotations equally near; project the
    // identity (1, 0, 0, 0) onto that span.
    constexpr double equally_near = 64.0 * std::numeric_limits<double>::epsilon();
    int best = 0;
    const double top = eigen.values.maxCoeff(&best);
    Eigen::Vector4d q = Eigen::Vector4d::Zero();
    for (int i = 0; i < 4; ++i) {
        if (eigen.values[i] >= top - equally_near) {
            q += eigen.vectors(0, i) * eigen.vectors.col(i);
        }
    }
    // A rotation by half a turn is orthogonal to the identity: nothing is left to project.
    if (q.norm() < equally_near) {
        q = eigen.vectors.col(best);
    }
    q.normalize();
    PolarParts parts;
    parts.rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const Eigen::Matrix3d stretch = parts.rotation.transpose() * f;
    parts.stretch =
        (0.5 * (stretch + stretch.transpose())).unaryExpr([&](double x) { return std::ldexp(x, exponent); });
    return parts;
}

Eigen::Quaterniond quaternion_exp(const Vector3d& v) {
    const double angle = v.norm();
    // sin(x)/x is 1 to rounding below 1e-8; the branch is for the division by zero.
    const double scale = angle < 1e-8 ? 1.0 : math::sin(angle) / angle;
    return {math::cos(angle), scale * v.x(), scale * v.y(), scale * v.z()};
}

Vector3d quaternion_log(const Eigen::Quaterniond& q) {
    const double sine = q.vec().norm();
    if (sine == 0.0) {
        return q.w() < 0.0 ? Vector3d(std::numbers::pi, 0.0, 0.0) : Vector3d(q.vec());
    }
    return q.vec() * (math::atan2(sine, q.w()) / sine);
}

}  // namespace cutis
