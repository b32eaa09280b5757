#include "body/rig_motion.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr int morph_chunk = 2048;

// Mean interval of the channel with the most keys.
double typical_interval(const Clip& clip) {
    size_t most = 1;
    double interval = 0.0;
    for (const Channel& channel : clip.channels) {
        if (channel.times.size() > most) {
            most = channel.times.size();
            interval = (channel.times.back() - channel.times.front()) / static_cast<double>(most - 1);
        }
    }
    return interval;
}

}  // namespace

RigMotion::RigMotion(std::shared_ptr<const RiggedMesh> mesh, double period)
    : mesh_(std::move(mesh)),
      exact_(mesh_->character->skeleton, mesh_->clip, TimeSampling::exact, period),
      smooth_(mesh_->character->skeleton, mesh_->clip, TimeSampling::smooth, period),
      key_interval_(typical_interval(mesh_->clip)),
      from_metres_(mesh_->to_metres.inverse()),
      converts_(!mesh_->to_metres.matrix().isIdentity(0.0)) {}

void RigMotion::node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
    pose(time, sampling, pose_);
    frames_of(pose_, out);
}

bool RigMotion::frames_of(const Pose& pose, std::vector<Eigen::Affine3d>& out) const {
    world_frames(mesh_->character->skeleton, pose.local, out);
    if (converts_) {
        // A frame maps local to world coordinates; both sides take the body's units and axes.
        for (Eigen::Affine3d& frame : out) {
            frame = mesh_->to_metres * frame * from_metres_;
        }
    }
    return true;
}

const MatrixX3d& RigMotion::morphed_rest(const Pose& pose, const Workers& workers) const {
    bool is_copied = false;
    for (const MorphRun& run : mesh_->morphs) {
        const size_t targets = run.offsets.size();
        const std::vector<double>* weights = nullptr;
        if (run.node >= 0 && !pose.morph_weights[run.node].empty()) {
            weights = &pose.morph_weights[run.node];
        }
        bool changes = false;
        morph_changes_.assign(targets, 0.0);
        for (size_t t = 0; weights != nullptr && t < std::min(targets, weights->size()); ++t) {
            morph_changes_[t] = (*weights)[t] - run.defaults[t];
            changes = changes || morph_changes_[t] != 0.0;
        }
        if (!changes) {
            continue;
        }
        if (!is_copied) {
            morphed_ = mesh_->rest;
            is_copied = true;
        }
        const auto job = [&](int begin, int end) {
            for (size_t t = 0; t < targets; ++t) {
                if (morph_changes_[t] != 0.0) {
                    morphed_.middleRows(run.first_vertex + begin, end - begin) +=
                        morph_changes_[t] * run.offsets[t].middleRows(begin, end - begin);
                }
            }
        };
        workers.for_chunks(static_cast<int>(run.offsets.front().rows()), morph_chunk, std::ref(job));
    }
    return is_copied ? morphed_ : mesh_->rest;
}

void RigMotion::positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const {
    pose(time, sampling, pose_);
    positions_of(pose_, workers, out);
}

bool RigMotion::positions_of(const Pose& pose, const Workers& workers, MatrixX3d& out) const {
    frames_of(pose, frames_);
    const Rig& rig = mesh_->rig;
    joint_matrices(rig.node, rig.inverse_bind, frames_, matrices_);
    skin_by(rig, morphed_rest(pose, workers), rig.weights, matrices_, workers, out);
    return true;
}

bool RigMotion::pose(double time, TimeSampling sampling, Pose& out) const {
    (sampling == TimeSampling::exact ? exact_ : smooth_).sample(time, out);
    return true;
}

std::shared_ptr<const Motion> RigMotion::repeating(double period) const {
    return std::make_shared<RigMotion>(mesh_, period);
}

}  // namespace cutis
