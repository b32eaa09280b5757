#include "live/live_motion.h"

#include <algorithm>

#include "body/rotation.h"

namespace cutis {

namespace {

/// What a turn is on top of the clip's rotation.
Eigen::Quaterniond on_top(const std::vector<JointTurn>& turns, size_t joint, const Eigen::Affine3d& local) {
    if (joint >= turns.size()) {
        return Eigen::Quaterniond::Identity();
    }
    return turns[joint].is_whole ? rotation_of(local).conjugate() * turns[joint].turn : turns[joint].turn;
}

}  // namespace

Eigen::Quaterniond rotation_of(const Eigen::Affine3d& frame) {
    Eigen::Matrix3d axes;
    axes.col(0) = frame.linear().col(0).normalized();
    axes.col(2) = axes.col(0).cross(Vector3d(frame.linear().col(1))).normalized();
    axes.col(1) = axes.col(2).cross(axes.col(0));
    return Eigen::Quaterniond(axes);
}

void LiveMotion::record(LiveKey key) {
    // Layers that take their drive late ask a few frames back.
    constexpr size_t kept = 64;
    keys_.push_back(std::move(key));
    if (keys_.size() > kept && !keeps_all_) {
        keys_.pop_front();
    }
}

void LiveMotion::find(double time) const {
    const auto after =
        std::partition_point(keys_.begin(), keys_.end(), [time](const LiveKey& key) { return key.clock < time; });
    before_.clear();
    share_ = 1.0;
    if (after == keys_.end() || after == keys_.begin()) {
        now_ = after == keys_.end() ? keys_.back() : keys_.front();
        return;
    }
    const LiveKey& a = *(after - 1);
    const LiveKey& b = *after;
    now_ = b;
    if (b.is_cut || b.clock == time) {
        return;
    }
    share_ = (time - a.clock) / (b.clock - a.clock);
    now_.clip = a.clip + share_ * (b.clip - a.clip);
    now_.shift = a.shift + share_ * (b.shift - a.shift);
    before_ = a.turns;
}

void LiveMotion::positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const {
    if (is_clip()) {
        clip_.positions(time, sampling, workers, out);
        return;
    }
    find(time);
    if (!has_turns() || !pose(time, sampling, pose_) || !clip_.source().motion->positions_of(pose_, workers, out)) {
        clip_.positions(now_.clip, sampling, workers, out);
    }
    if (!now_.shift.isZero(0.0)) {
        out.rowwise() += now_.shift.transpose();
    }
}

void LiveMotion::node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const {
    if (is_clip()) {
        clip_.node_frames(time, sampling, out);
        return;
    }
    find(time);
    if (!has_turns() || !pose(time, sampling, pose_) || !clip_.source().motion->frames_of(pose_, out)) {
        clip_.node_frames(now_.clip, sampling, out);
    }
    for (Eigen::Affine3d& frame : out) {
        frame.pretranslate(now_.shift);
    }
}

bool LiveMotion::pose(double time, TimeSampling sampling, Pose& out) const {
    if (is_clip()) {
        return clip_.pose(time, sampling, out);
    }
    find(time);
    if (!clip_.pose(now_.clip, sampling, out)) {
        return false;
    }
    const Rig* rig = clip_.rig();
    for (size_t j = 0; rig != nullptr && j < std::max(before_.size(), now_.turns.size()); ++j) {
        Eigen::Affine3d& local = out.local[static_cast<size_t>(rig->node[j])];
        Eigen::Quaterniond turn = on_top(now_.turns, j, local);
        if (share_ < 1.0) {
            const Eigen::Quaterniond from = on_top(before_, j, local);
            turn = from * rotation_exp(share_ * rotation_log(from.conjugate() * turn));
        }
        local.rotate(turn);
    }
    return true;
}

Body make_live_body(const Body& clip, std::shared_ptr<LiveMotion> motion) {
    Body::Source source = clip.source();
    source.motion = std::move(motion);
    source.clip.file_animation = -1;  // what it does stands in no file
    Body body(std::move(source), ClockOptions{});
    if (clip.has_separate_rest_pose()) {
        body.set_rest_pose(clip.mesh().positions);
    }
    return body;
}

}  // namespace cutis
