#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "body/skinning_detail.h"
#include "core/simd.h"
#include "cutis/core/error.h"

// Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with approximate dual quaternion
// blending": rigid parts as dual quaternions, scale and shear in a linear phase before them.

namespace cutis {

namespace {

using simd::Doubles;
using skinning_detail::JointColumns;
using skinning_detail::Streams;

/// Real part x y z w, then dual part x y z w, of each joint.
using JointQuaternions = Eigen::Matrix<double, 8, Eigen::Dynamic>;

// A joint is rigid when its stretch differs from one by no more than rounding.
constexpr double rigid_tolerance = 1e-12;
// det / |M|^3 below this: no rotation can be told from the matrix.
constexpr double singular_tolerance = 1e-13;

/// M = rotation * stretch; `stretch` is symmetric, negative definite where M mirrors.
struct Polar {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Eigen::Matrix3d stretch = Eigen::Matrix3d::Identity();
};

// Scaled Newton iteration for the polar factor (Higham 1986): X <- (g X + X^-T / g) / 2.
Polar joint_polar(const Eigen::Matrix3d& m) {
    const double size = m.cwiseAbs().maxCoeff();
    Polar polar;
    if (size == 0.0) {
        polar.stretch = m;
        return polar;
    }
    Eigen::Matrix3d x = m / size;
    const double volume = x.determinant();
    if (std::abs(volume) < singular_tolerance) {
        polar.stretch = m;
        return polar;
    }
    if (volume < 0.0) {
        x = -x;
    }
    for (int iteration = 0; iteration < 60; ++iteration) {
        const Eigen::Matrix3d inverse_transpose = x.inverse().transpose();
        const double g = std::sqrt(inverse_transpose.norm() / x.norm());
        const Eigen::Matrix3d next = 0.5 * (g * x + inverse_transpose / g);
        const double change = (next - x).norm();
        x = next;
        if (change < 1e-15) {
            break;
        }
    }
    polar.rotation = x;
    polar.stretch = x.transpose() * m;
    return polar;
}

struct JointParts {
    JointQuaternions rigid;
    JointColumns stretch;
    bool is_rigid = true;
    int count = 0;
    /// One byte per pair of joints: do their quaternions point to opposite sides? Empty where the
    /// table would cost more than it saves.
    std::vector<unsigned char> opposite;
    bool all_agree = false;   ///< no vertex has such a pair
    std::vector<int> parent;  ///< of align_signs
    std::vector<unsigned char> turned;

    void set(const std::vector<Eigen::Affine3d>& matrices, const std::vector<Vector3d>& centres) {
        count = static_cast<int>(matrices.size());
        if (rigid.cols() < count) {
            rigid.resize(8, count);
            stretch.resize(16, count);
        }
        is_rigid = true;
        for (int j = 0; j < count; ++j) {
            const Eigen::Affine3d& matrix = matrices[j];
            const Vector3d centre = centres.empty() ? Vector3d::Zero() : centres[j];
            const Polar polar = joint_polar(matrix.linear());
            // Stretch about the joint, v' = S (v - c) + c, then the rigid motion v' -> R v' + t
            // with t = M c - R c: together R S (v - c) + M c = M v, and the joint itself stays
            // where all its neighbours agree it is.
            Eigen::Matrix<double, 3, 4> linear;
            linear << polar.stretch, centre - polar.stretch * centre;
            skinning_detail::set_columns(stretch, j, linear);
            const Vector3d translation = matrix * centre - polar.rotation * centre;
            const Eigen::Quaterniond real = Eigen::Quaterniond(polar.rotation).normalized();
            const Eigen::Quaterniond shift(0.0, translation.x(), translation.y(), translation.z());
            rigid.col(j).head<4>() = real.coeffs();
            rigid.col(j).tail<4>() = 0.5 * (shift * real).coeffs();
            is_rigid =
                is_rigid && (polar.stretch - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() <= rigid_tolerance;
        }
    }
};

// Gives the quaternions signs with which all joints that share vertices agree, if such signs exist
// (they do unless joints around a vertex turn about each other by more than half a turn in all).
// Union-find over the pairs; `turned` is the sign of a joint relative to its parent.
bool align_signs(JointParts& parts, const std::vector<std::array<std::uint16_t, 2>>& pairs) {
    const size_t count = static_cast<size_t>(parts.count);
    parts.parent.resize(count);
    std::iota(parts.parent.begin(), parts.parent.end(), 0);
    parts.turned.assign(count, 0);
    const auto root_of = [&](int joint) {
        unsigned char sign = 0;
        while (parts.parent[joint] != joint) {
            const size_t j = static_cast<size_t>(joint);
            const size_t above = static_cast<size_t>(parts.parent[j]);
            // Halve the path: hang the joint on its grandparent.
            parts.turned[j] = static_cast<unsigned char>(parts.turned[j] ^ parts.turned[above]);
            parts.parent[j] = parts.parent[above];
            sign = static_cast<unsigned char>(sign ^ parts.turned[j]);
            joint = parts.parent[j];
        }
        return std::pair<int, unsigned char>(joint, sign);
    };
    for (const std::array<std::uint16_t, 2>& pair : pairs) {
        if (pair[0] >= parts.count || pair[1] >= parts.count) {
            return false;
        }
        const double side = parts.rigid.col(pair[0]).head<4>().dot(parts.rigid.col(pair[1]).head<4>());
        const auto [a, a_sign] = root_of(pair[0]);
        const auto [b, b_sign] = root_of(pair[1]);
        const unsigned char differs = static_cast<unsigned char>(a_sign ^ b_sign ^ (side < 0.0 ? 1 : 0));
        if (a != b) {
            parts.parent[a] = b;
            parts.turned[a] = differs;
        } else if (differs != 0) {
            return false;
        }
    }
    for (int j = 0; j < parts.count; ++j) {
        if (root_of(j).second != 0) {
            parts.rigid.col(j) = -parts.rigid.col(j);
        }
    }
    return true;
}

// Every joint takes the sign that agrees with the most similar joint before it, so that joints
// blended with each other hardly ever point to opposite sides; the table tells where they do.
void find_opposite_joints(JointParts& parts) {
    const int count = parts.count;
    parts.opposite.resize(static_cast<size_t>(count) * count);
    for (int j = 0; j < count; ++j) {
        unsigned char* row = parts.opposite.data() + static_cast<size_t>(j) * count;
        double strongest = 0.0;
        for (int i = 0; i < j; ++i) {
            const double side = parts.rigid.col(i).head<4>().dot(parts.rigid.col(j).head<4>());
            row[i] = side < 0.0 ? 1 : 0;
            strongest = std::abs(side) > std::abs(strongest) ? side : strongest;
        }
        if (strongest < 0.0) {
            parts.rigid.col(j) = -parts.rigid.col(j);
        }
        for (int i = 0; i < j; ++i) {
            row[i] = static_cast<unsigned char>(row[i] ^ (strongest < 0.0 ? 1 : 0));
            parts.opposite[static_cast<size_t>(i) * count + j] = row[i];
        }
        row[j] = 0;
    }
}

/// Weights of influences 4 * group .. 4 * group + 3, zero past the end.
template <int Influences>
EIGEN_ALWAYS_INLINE Doubles group_weights(const double* weights, int group) {
    if (4 * group + 4 <= Influences) {
        return simd::load(weights + 4 * group);
    }
    Doubles some = simd::all(0.0);
    for (int k = 4 * group; k < Influences; ++k) {
        some[k - 4 * group] = weights[k];
    }
    return some;
}

/// Weighted sum of the dual quaternions of one vertex, signs as they are.
template <int Influences>
EIGEN_ALWAYS_INLINE void blend_as_is(const double* __restrict quaternions, const std::uint16_t* __restrict joints,
                                     const double* __restrict weights, double* __restrict blended) {
    const double* first = quaternions + static_cast<size_t>(joints[0]) * 8;
    Doubles weight = simd::all(weights[0]);
    Doubles real = weight * simd::load(first);
    Doubles dual = weight * simd::load(first + 4);
    for (int k = 1; k < Influences; ++k) {
        const double* next = quaternions + static_cast<size_t>(joints[k]) * 8;
        weight = simd::all(weights[k]);
        real += weight * simd::load(next);
        dual += weight * simd::load(next + 4);
    }
    simd::store(blended, real);
    simd::store(blended + 4, dual);
}

/// The same with each joint's sign turned towards the first joint: q and -q are the same rotation,
/// but their mean is not.
template <int Influences>
EIGEN_ALWAYS_INLINE void blend_turned(const double* __restrict quaternions, const std::uint16_t* __restrict joints,
                                      const double* __restrict weights, double* __restrict blended) {
    const Doubles pivot = simd::load(quaternions + static_cast<size_t>(joints[0]) * 8);
    double turned[Influences + 3];
    for (int group = 0; group < (Influences + 3) / 4; ++group) {
        Doubles part[4];
        for (int k = 0; k < 4; ++k) {
            const int influence = std::min(4 * group + k, Influences - 1);
            part[k] = simd::load(quaternions + static_cast<size_t>(joints[influence]) * 8);
        }
        const Doubles side = simd::sums(part[0] * pivot, part[1] * pivot, part[2] * pivot, part[3] * pivot);
        simd::store(turned + 4 * group, simd::turn_sign(group_weights<Influences>(weights, group), side));
    }
    blend_as_is<Influences>(quaternions, joints, turned, blended);
}

/// Does one of these vertices have a joint that points away from its first?
template <int Influences>
EIGEN_ALWAYS_INLINE bool has_opposite_joints(const unsigned char* table, size_t joint_count,
                                             const std::uint16_t* joints, int count) {
    int found = 0;
    for (int i = 0; i < count; ++i) {
        const unsigned char* row = table + joints[0] * joint_count;
        for (int k = 1; k < Influences; ++k) {
            found |= row[joints[k]];
        }
        joints += Influences;
    }
    return found != 0;
}

/// Rotates and moves four points by four blended dual quaternions: Kavan et al. 2008, Algorithm 1,
/// with the normalisation folded into one division.
EIGEN_ALWAYS_INLINE void transform(const double* blended, const double* from, double* to) {
    Doubles rx = simd::load(blended);
    Doubles ry = simd::load(blended + 8);
    Doubles rz = simd::load(blended + 16);
    Doubles rw = simd::load(blended + 24);
    simd::transpose(rx, ry, rz, rw);
    Doubles dx = simd::load(blended + 4);
    Doubles dy = simd::load(blended + 12);
    Doubles dz = simd::load(blended + 20);
    Doubles dw = simd::load(blended + 28);
    simd::transpose(dx, dy, dz, dw);
    Doubles x;
    Doubles y;
    Doubles z;
    simd::split_xyz(from, x, y, z);
    const Doubles tiny = simd::all(1e-200);  // matters only where every weight is zero
    const Doubles square = (rx * rx + ry * ry) + (rz * rz + (rw * rw + tiny));
    const Doubles two_over_square = simd::all(2.0) / square;
    // r x v + w v + d: rotating and shifting share the outer product with r
    const Doubles ax = (rw * x + dx) + ry * z - rz * y;
    const Doubles ay = (rw * y + dy) + rz * x - rx * z;
    const Doubles az = (rw * z + dz) + rx * y - ry * x;
    const Doubles sx = (rw * dx - dw * rx) + ry * az - rz * ay;
    const Doubles sy = (rw * dy - dw * ry) + rz * ax - rx * az;
    const Doubles sz = (rw * dz - dw * rz) + rx * ay - ry * ax;
    simd::join_xyz(to, x + two_over_square * sx, y + two_over_square * sy, z + two_over_square * sz);
}

/// Vertices [begin, end) of `from` to streams.out; `from` may be streams.out itself.
///
/// Blending and transforming take turns over small blocks: each has a long chain of dependent
/// operations, and the processor overlaps more vertices when the chains are not joined.
template <int Influences>
void rotate(const Streams& streams, const double* from, const JointParts& parts, int begin, int end) {
    constexpr int block = 64;
    alignas(32) double blended[block * 8];
    const double* quaternions = parts.rigid.data();
    const unsigned char* opposite = parts.opposite.data();
    const bool has_table = !parts.opposite.empty();
    const size_t joint_count = static_cast<size_t>(parts.count);
    for (int start = begin; start < end; start += block) {
        const int count = std::min(block, end - start);
        const size_t row = static_cast<size_t>(start) * Influences;
        const std::uint16_t* joints = streams.joints + row;
        const double* weights = streams.weights + row;
        if (parts.all_agree || (has_table && !has_opposite_joints<Influences>(opposite, joint_count, joints, count))) {
            for (int i = 0; i < count; ++i) {
                blend_as_is<Influences>(quaternions, joints + i * Influences, weights + i * Influences,
                                        blended + i * 8);
            }
        } else {
            for (int i = 0; i < count; ++i) {
                blend_turned<Influences>(quaternions, joints + i * Influences, weights + i * Influences,
                                         blended + i * 8);
            }
        }
        const double* rest = from + static_cast<size_t>(start) * 3;
        double* posed = streams.out + static_cast<size_t>(start) * 3;
        int i = 0;
        for (; i + 4 <= count; i += 4) {
            transform(blended + i * 8, rest + i * 3, posed + i * 3);
        }
        if (i < count) {  // fewer than four left: the same arithmetic on a padded copy
            double padded[12] = {};
            const size_t bytes = static_cast<size_t>(count - i) * 3 * sizeof(double);
            std::memcpy(padded, rest + i * 3, bytes);
            std::fill(blended + count * 8, blended + (i + 4) * 8, 0.0);
            transform(blended + i * 8, padded, padded);
            std::memcpy(posed + i * 3, padded, bytes);
        }
    }
}

using Kernel = void (*)(const Streams&, const double*, const JointParts&, int, int);
constexpr Kernel kernels[8] = {rotate<1>, rotate<2>, rotate<3>, rotate<4>, rotate<5>, rotate<6>, rotate<7>, rotate<8>};

}  // namespace

void skin_dual_quaternion(const MatrixX3d& rest, const SkinWeights& weights,
                          const std::vector<Eigen::Affine3d>& matrices, const Workers& workers, MatrixX3d& out,
                          const std::vector<Vector3d>& centres) {
    using namespace skinning_detail;
    const Streams streams = check_and_size(rest, weights, matrices, out);
    require(centres.empty() || centres.size() == matrices.size(), "dual quaternion skinning: expected ",
            matrices.size(), " centres, one per joint, found ", centres.size());
    const int joint_count = static_cast<int>(matrices.size());
    thread_local JointParts scratch;  // kept between calls: the step loop allocates nothing
    scratch.set(matrices, centres);
    scratch.opposite.clear();
    scratch.all_agree = !weights.joint_pairs.empty() && align_signs(scratch, weights.joint_pairs);
    if (!scratch.all_agree &&
        static_cast<double>(joint_count) * joint_count <= 4.0 * static_cast<double>(rest.rows())) {
        find_opposite_joints(scratch);
    }
    const JointParts& parts = scratch;  // the caller's, not each worker's own
    const Kernel rotate_vertices = kernels[streams.influences - 1];
    const auto job = [&](int begin, int end) {
        check_joints(streams, begin, end, joint_count);
        if (parts.is_rigid) {
            rotate_vertices(streams, streams.rest, parts, begin, end);
        } else {
            blend_vertices(streams, parts.stretch, begin, end);
            rotate_vertices(streams, streams.out, parts, begin, end);
        }
    };
    workers.for_chunks(static_cast<int>(rest.rows()), chunk_vertices, std::ref(job));
}

}  // namespace cutis
