#include <algorithm>
#include <cmath>

#include "anatomy/shape.h"
#include "core/geometry.h"
#include "cutis/body/skinning.h"

namespace cutis::anatomy_detail {

namespace {

constexpr int most_clips = 12;
constexpr int poses_per_clip = 4;
constexpr int swings = 6;
constexpr double least_swing = 0.26, most_swing = 0.44;  // 15 and 25 degrees

/// Every joint of the rig turned about some axis, each node its own.
std::vector<Eigen::Affine3d> swing(const Rig& rig, unsigned seed) {
    std::vector<Eigen::Affine3d> matrices(static_cast<size_t>(rig.joint_count()), Eigen::Affine3d::Identity());
    for (size_t j = 0; j < matrices.size(); ++j) {
        unsigned state = 2654435761U * (static_cast<unsigned>(rig.node[j]) + 1U) + 40503U * seed + 1U;
        const auto roll = [&state] {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            return static_cast<double>(state) / 2147483648.0 - 1.0;
        };
        roll();
        const double x = roll();  // one after the other: compilers differ in the order of arguments
        const double y = roll();
        const double z = roll();
        Vector3d axis(x, y, z);
        axis = axis.norm() > 1e-3 ? axis.normalized() : Vector3d::UnitX();
        const double angle = least_swing + 0.5 * (roll() + 1.0) * (most_swing - least_swing);
        const Eigen::Affine3d turn = Eigen::Translation3d(rig.centre[j]) * quaternion_exp(0.5 * angle * axis) *
                                     Eigen::Translation3d(-rig.centre[j]);
        const int parent = rig.parent[j];
        matrices[j] = parent >= 0 && static_cast<size_t>(parent) < j
                          ? Eigen::Affine3d(matrices[static_cast<size_t>(parent)] * turn)
                          : turn;
    }
    return matrices;
}

}  // namespace

TestPoses test_poses(const Body& body, const Shape& shape) {
    TestPoses poses;
    const Rig* rig = body.rig();
    const Workers workers(1);
    MatrixX3d art;
    std::vector<Eigen::Affine3d> frames, matrices;
    const auto keep = [&] {
        if (!art.allFinite()) {
            return;
        }
        if (!matrices.empty()) {
            poses.matrices.push_back(matrices);
        }
        MatrixX3d welded(shape.vertex_count(), 3);
        for (Eigen::Index v = 0; v < welded.rows(); ++v) {
            welded.row(v) = art.row(shape.art_of_vertex[static_cast<size_t>(v)]);
        }
        poses.positions.push_back(std::move(welded));
    };
    const auto& character = body.source().character;
    if (rig == nullptr || !character) {
        for (int i = 0; i < most_clips && body.duration() > 0.0; ++i) {
            body.positions(body.duration() * i / (most_clips - 1), TimeSampling::exact, workers, art);
            keep();
        }
        return poses;
    }
    Pose local;
    const size_t stride = std::max<size_t>(1, (character->clips.size() + most_clips - 1) / most_clips);
    for (size_t c = 0; c < character->clips.size(); c += stride) {
        const Clip& clip = character->clips[c];
        const ClipSampler sampler(character->skeleton, clip, TimeSampling::exact);
        for (int i = 0; i < poses_per_clip && clip.end() > clip.start(); ++i) {
            sampler.sample(clip.start() + (clip.end() - clip.start()) * (i + 0.5) / poses_per_clip, local);
            world_frames(character->skeleton, local.local, frames);
            body.to_body_space(frames);
            joint_matrices(rig->node, rig->inverse_bind, frames, matrices);
            skin_linear_blend(body.mesh().positions, rig->weights, matrices, workers, art);
            keep();
        }
    }
    if (poses.positions.empty()) {
        for (unsigned k = 0; k < swings; ++k) {
            matrices = swing(*rig, k);
            skin_linear_blend(body.mesh().positions, rig->weights, matrices, workers, art);
            keep();
        }
    }
    return poses;
}

}  // namespace cutis::anatomy_detail
