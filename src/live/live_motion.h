#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "cutis/body/body.h"

namespace cutis {

/// How a hand has turned a joint.
struct JointTurn {
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  ///< in the joint's own frame
    bool is_whole = false;                                     ///< instead of the clip's rotation; else on top of it
};

/// What a live body does at one time of the session's clock.
struct LiveKey {
    double clock = 0.0;                 ///< session's seconds
    double clip = 0.0;                  ///< body time of the clip
    std::vector<JointTurn> turns;       ///< per joint of the rig; empty: none
    Vector3d shift = Vector3d::Zero();  ///< of the whole body, metres
    bool is_cut = false;                ///< it was elsewhere before: nothing leads here
};

/// A body whose time is that of a session: it has a past, which was recorded, and no future. Between keys it goes
/// evenly from one to the next; after the last it holds still. Until the first key it is the clip itself, which
/// layers look at when they are prepared.
class LiveMotion final : public Motion {
public:
    /// \param clip  must outlive this
    /// \param keeps_all  keys are kept from the first on; else those that layers may ask for
    explicit LiveMotion(const Body& clip, bool keeps_all = false) : clip_(clip), keeps_all_(keeps_all) {}

    /// The clip itself, for who prepares layers; the keys stay.
    void show_clip(bool shows) { shows_clip_ = shows; }
    void record(LiveKey key);
    /// The past of another motion of the same body, too.
    void go_on_from(const LiveMotion& other) { keys_ = other.keys_; }
    const LiveKey& last() const { return keys_.back(); }
    bool has_keys() const { return !keys_.empty(); }

    int vertex_count() const override { return static_cast<int>(clip_.mesh().positions.rows()); }
    double start() const override { return 0.0; }
    double end() const override { return keys_.empty() ? clip_.duration() : std::max(clip_.duration(), last().clock); }
    double key_interval() const override { return 0.0; }
    void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const override;
    void node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const override;
    bool pose(double time, TimeSampling sampling, Pose& out) const override;

private:
    bool is_clip() const { return shows_clip_ || keys_.empty(); }
    /// Clip time and shift at a time of the session, and the turns it lies between.
    void find(double time) const;
    bool has_turns() const { return !now_.turns.empty() || !before_.empty(); }

    const Body& clip_;
    bool keeps_all_;
    bool shows_clip_ = false;
    std::deque<LiveKey> keys_;
    // Scratch: the key that was found, the turns before it, and the way from those to its own.
    mutable LiveKey now_;
    mutable std::vector<JointTurn> before_;
    mutable double share_ = 1.0;
    mutable Pose pose_;
};

/// The rotation of a frame that may be scaled.
Eigen::Quaterniond rotation_of(const Eigen::Affine3d& frame);

/// The same body, moved by a session.
/// \param clip  must outlive it
Body make_live_body(const Body& clip, std::shared_ptr<LiveMotion> motion);

}  // namespace cutis
