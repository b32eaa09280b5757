#include "live/live_motion.h"

#include <algorithm>

#include "body/rotation.h"

namespace cutis {

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
    const double share = (time - a.clock) / (b.clock - a.clock);
    now_.clip = a.clip + share * (b.clip - a.clip);
    now_.shift = a.shift + share * (b.shift - a.shift);
    const Eigen::Quaterniond none = Eigen::Quaterniond::Identity();
    now_.turns.resize(std::max(a.turns.size(), b.turns.size()), none);
    for (size_t j = 0; j < now_.turns.size(); ++j) {
        const Eigen::Quaterniond& from = j < a.turns.size() ? a.turns[j] : none;
        const Eigen::Quaterniond& to = j < b.turns.size() ? b.turns[j] : none;
        now_.turns[j] = from * rotation_exp(share * rotation_log(from.conjugate() * to));
    }
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
    for (size_t j = 0; rig != nullptr && j < now_.turns.size(); ++j) {
        out.local[static_cast<size_t>(rig->node[j])].rotate(now_.turns[j]);
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
