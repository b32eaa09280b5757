#pragma once

#include <map>
#include <string>
#include <vector>

#include "cutis/io/json.h"
#include "cutis/stack/layer_stack.h"
#include "live/live_motion.h"

namespace cutis {

/// A hand on a vertex of what a frame shows.
struct Hand {
    size_t mesh = 0;
    int vertex = 0;
    std::string tool = "auto";  ///< skin, cloth, flesh, detail, joint, body, or what is there
    bool is_instead = false;    ///< a joint stays where it is put, whatever the clip does; else it is turned on top
    double radius = 0.0;        ///< metres; 0: in proportion to the body
    Vector3d by = Vector3d::Zero();
    int layer = -1;  ///< that feels it; -1: the body itself
};

/// Hands that hold layers, turn joints and carry the body.
class Hands {
public:
    /// Both must outlive this.
    Hands(const Body& body, LayerStack& stack);

    /// \return {"tool": what it has taken hold of, "layer": ...}
    /// \throw InvalidInput  a tool there is not, or nothing to hold there
    Json grab(int id, Hand hand, const Frame& frame);
    void move(int id, const Vector3d& by);
    void release(int id);
    void forget_turns() { turns_.clear(); }
    /// Something is held, or on its way back.
    bool are_busy() const { return !hands_.empty() || !shift_.isZero(0.0); }

    /// After a layer's options have changed, which drops what it was held by.
    void hold_again() { hold_all(); }
    /// The same hands on another stack, of the same body or one like it.
    void move_to(const Body& body, LayerStack& stack);
    /// What they do to the body in the step to come.
    void fill(double seconds, LiveKey& key);
    /// Joints of the rig, metres.
    MatrixX3d joint_places(double time) const;

private:
    struct Turning {  // a joint as it was when it was taken
        int joint = 0;
        Vector3d pivot = Vector3d::Zero(), from = Vector3d::Zero();
        Eigen::Quaterniond world = Eigen::Quaterniond::Identity(), turn = Eigen::Quaterniond::Identity();
    };
    /// The layers feel those that are theirs. \return whether `wanted` was felt
    bool hold_all(int wanted = -1);
    std::vector<std::string> tools_for(const Hand& hand) const;
    bool try_layers(int id, const std::string& kind);
    void take_joint(int id, const Frame& frame);
    int art_vertex(size_t layer, const Hand& hand) const;

    const Body* body_;
    LayerStack* stack_;
    double size_ = 1.0;
    std::map<int, Hand> hands_;
    std::map<int, Turning> turning_;
    std::vector<JointTurn> turns_;  // per joint; empty: none
    Vector3d shift_ = Vector3d::Zero();
    mutable std::vector<Eigen::Affine3d> frames_;
    Pose pose_;
};

}  // namespace cutis
