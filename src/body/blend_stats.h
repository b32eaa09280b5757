#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"

namespace cutis {

// A mesh that moves, and bones that are to move it: p_vf = sum_b w_vb A_bf h_v with A = [R t] and h = (rest, 1).
// Errors, best weights and best motions depend on the frames through a few sums that are made once for all vertices or
// once for all frames, so a round costs little more than reading the frames once.

using Bone = Eigen::Matrix<double, 3, 4>;
using Rest4 = Eigen::Vector4d;

struct Influence {
    int bone = 0;
    double weight = 0.0;
};

/// Vertices that move alike are one; centred, so that little cancels.
struct MovingPoints {
    std::vector<Rest4> rest;
    std::vector<double> times;      ///< how many vertices a point stands for
    std::vector<double> places;     ///< point after point: x y z of every frame
    std::vector<double> squares;    ///< per point: sum of |place|^2
    std::vector<int> point_of;      ///< of each vertex
    Vector3d rest_centre;           ///< taken away from rest shape and frames
    std::vector<Vector3d> centres;  ///< of each frame

    MovingPoints(const MatrixX3d& rest_shape, const std::vector<MatrixX3d>& frames);

    int count() const { return static_cast<int>(rest.size()); }
    int frame_count() const { return static_cast<int>(centres.size()); }
    const double* places_of(int point) const { return places.data() + size_t(point) * 3 * centres.size(); }
};

/// Bones of all frames: bone after bone, frame after frame.
struct BoneMotions {
    int bones = 0;
    int frames = 0;
    std::vector<Bone> at;

    Bone& of(int bone, int frame) { return at[size_t(bone) * size_t(frames) + size_t(frame)]; }
    const Bone& of(int bone, int frame) const { return at[size_t(bone) * size_t(frames) + size_t(frame)]; }
};

/// What the frames say about any weights: sum_f (A_i h)^T (A_j h) = h^T M_ij h, sum_f (A_i h)^T x = h^T d_i.
class WeightSums {
public:
    WeightSums(const BoneMotions& motions, const Workers& workers);

    /// d of every bone for one point, 4 numbers each. \param out  4 * bones
    void project(const double* places, double* out) const;
    /// sum_f (A_i h - x)^T (A_j h - x). \param d  of the point, from project()
    double gram(int i, int j, const Rest4& h, const double* d, double square) const {
        const Eigen::Map<const Rest4> di(d + 4 * size_t(i));
        const Eigen::Map<const Rest4> dj(d + 4 * size_t(j));
        return h.dot(pair(i, j) * h) - h.dot(di + dj) + square;
    }
    int bones() const { return bones_; }

private:
    const Eigen::Matrix4d& pair(int i, int j) const { return pairs_[size_t(i) * size_t(bones_) + size_t(j)]; }

    int bones_, frames_;
    std::vector<double> rows_;            // 3 frames x 4 bones
    std::vector<Eigen::Matrix4d> pairs_;  // M_ij
};

/// What given weights say about any motions: S_ij = sum_v w_i w_j h h^T and, per frame, C_i = sum_v w_i x h^T.
class MotionSums {
public:
    /// \param weights  per point, `influences` each
    MotionSums(const MovingPoints& points, const std::vector<Influence>& weights, int influences, int bones,
               const Workers& workers);

    /// Each bone against what the others leave over, one after the other (Le and Deng 2012 Eqs. 9 to 11), several
    /// times; a bone without weight stays as it is.
    void improve(int sweeps, const Workers& workers, BoneMotions& motions) const;

private:
    struct Other {
        int bone;
        Eigen::Matrix4d sum;
    };

    int bones_, frames_;
    std::vector<std::vector<Other>> shared_;  // with which bones each shares vertices, itself first
    std::vector<Bone> wanted_;                // C, as in BoneMotions
};

}  // namespace cutis
