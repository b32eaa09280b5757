#include "live/hands.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

Hands::Hands(const Body& body, LayerStack& stack)
    : body_(&body), stack_(&stack), size_(bounding_box_diagonal(body.mesh().positions)) {}

void Hands::move_to(const Body& body, LayerStack& stack) {
    body_ = &body;
    stack_ = &stack;
    // Meshes may have other vertices now.
    for (auto hand = hands_.begin(); hand != hands_.end();) {
        const BakeInfo& info = stack_->info();
        const bool is_there = hand->second.mesh < info.meshes.size() &&
                              hand->second.vertex < info.meshes[hand->second.mesh].vertex_count();
        turning_.erase(is_there ? -1 : hand->first);
        hand = is_there ? std::next(hand) : hands_.erase(hand);
    }
    hold_all();
}

/// The vertex of the mesh a layer stands on: the nearest at rest, where finer ones are shown.
int Hands::art_vertex(size_t layer, const Hand& hand) const {
    const BakeInfo& info = stack_->info();
    const ArtMesh& below = *stack_->ground(layer).art;
    if (hand.mesh != 0) {
        return hand.vertex;
    }
    const ArtMesh& shown = info.shown();
    if (&below == &shown) {
        return hand.vertex;
    }
    Eigen::Index nearest = 0;
    (below.positions.rowwise() - shown.positions.row(hand.vertex)).rowwise().squaredNorm().minCoeff(&nearest);
    return static_cast<int>(nearest);
}

bool Hands::hold_all(int wanted) {
    bool is_felt = false;
    for (size_t layer = 0; layer < stack_->size(); ++layer) {
        std::vector<LayerGrip> grips;
        std::vector<int> ids;
        for (const auto& [id, hand] : hands_) {
            if (hand.layer == static_cast<int>(layer)) {
                grips.push_back({hand.mesh != 0, art_vertex(layer, hand), hand.by, hand.radius});
                ids.push_back(id);
            }
        }
        const std::vector<bool> feels = stack_->hold(layer, grips);
        for (size_t g = 0; g < ids.size(); ++g) {
            is_felt = is_felt || (ids[g] == wanted && feels[g]);
        }
    }
    return is_felt;
}

std::vector<std::string> Hands::tools_for(const Hand& hand) const {
    const bool has_rig = body_->rig() != nullptr;
    if (hand.tool != "auto") {
        return {hand.tool};
    }
    if (hand.mesh != 0) {
        return {"detail"};
    }
    return has_rig ? std::vector<std::string>{"skin", "cloth", "flesh", "joint"}
                   : std::vector<std::string>{"skin", "cloth", "flesh", "body"};
}

bool Hands::try_layers(int id, const std::string& kind) {
    Hand& hand = hands_.at(id);
    const BakeInfo& info = stack_->info();
    for (size_t i = stack_->size(); i-- > 0;) {
        const LayerInfo& layer = info.layers[i];
        const bool is_own =
            hand.mesh == 0 || (hand.mesh >= layer.first_mesh && hand.mesh < layer.first_mesh + layer.mesh_count);
        if (layer.kind != kind || !is_own || !stack_->layer(i).is_on()) {
            continue;
        }
        hand.layer = static_cast<int>(i);
        if (hold_all(id)) {
            return true;
        }
    }
    hand.layer = -1;
    return false;
}

void Hands::take_joint(int id, const Frame& frame) {
    const Rig* rig = body_->rig();
    require(rig != nullptr, "grab: expected a body with joints, found none");
    const Hand& hand = hands_.at(id);
    const SkinWeights& weights = rig->weights;
    const ArtMesh& shown = stack_->info().shown();
    int vertex = hand.vertex;
    if (weights.vertex_count() != shown.positions.rows()) {
        Eigen::Index nearest = 0;
        (body_->mesh().positions.rowwise() - shown.positions.row(hand.vertex))
            .rowwise()
            .squaredNorm()
            .minCoeff(&nearest);
        vertex = static_cast<int>(nearest);
    }
    const auto width = static_cast<size_t>(weights.influences);
    const double* row = weights.weights.data() + width * static_cast<size_t>(vertex);
    const auto heaviest = static_cast<size_t>(std::max_element(row, row + width) - row);
    Turning turning;
    turning.joint = weights.joints[width * static_cast<size_t>(vertex) + heaviest];
    body_->node_frames(frame.time, TimeSampling::exact, frames_);
    const Eigen::Affine3d& joint = frames_[static_cast<size_t>(rig->node[static_cast<size_t>(turning.joint)])];
    turning.pivot = joint.translation();
    turning.from = frame.body().positions.row(hand.vertex).transpose();
    turning.world = Eigen::Quaterniond(joint.rotation());
    if (turns_.empty()) {
        turns_.resize(rig->node.size());
    }
    JointTurn& turned = turns_[static_cast<size_t>(turning.joint)];
    if (hand.is_instead && !turned.is_whole && body_->pose(frame.time, TimeSampling::exact, pose_)) {
        turned = {rotation_of(pose_.local[static_cast<size_t>(rig->node[static_cast<size_t>(turning.joint)])]), true};
    }
    turning.turn = turned.turn;
    turning_[id] = turning;
}

Json Hands::grab(int id, Hand hand, const Frame& frame) {
    require(hands_.count(id) == 0, "grab: hand ", id, " holds something already");
    require(frame.body().positions.rows() > 0, "grab: nothing is shown yet");
    constexpr size_t most = 16;
    require(hands_.size() < most, "grab: expected at most ", most, " hands");
    if (hand.radius == 0.0) {
        constexpr double breadth = 0.02;
        hand.radius = breadth * size_;
    }
    const std::vector<std::string> tools = tools_for(hand);
    hands_[id] = hand;
    static const std::map<std::string, std::string> layer_of = {
        {"skin", "slide"}, {"cloth", "fold"}, {"flesh", "curve"}, {"detail", "shell"}};
    for (const std::string& tool : tools) {
        const auto kind = layer_of.find(tool);
        bool is_held = false;
        if (kind != layer_of.end()) {
            is_held = (hand.mesh != 0) == (tool == "detail") && try_layers(id, kind->second);
        } else if (tool == "joint" && hand.mesh == 0 && body_->rig() != nullptr) {
            take_joint(id, frame);
            is_held = true;
        } else {
            is_held = tool == "body";
        }
        if (is_held) {
            hands_[id].tool = tool;
            return {{"tool", tool}, {"layer", hands_[id].layer}};
        }
    }
    hands_.erase(id);
    hold_all();
    throw InvalidInput(
        concat("grab: nothing there that a hand on ", hand.tool == "auto" ? "it" : hand.tool, " can hold"));
}

void Hands::move(int id, const Vector3d& by) {
    const auto hand = hands_.find(id);
    require(hand != hands_.end(), "move: hand ", id, " holds nothing");
    // Nobody draws a character across the room by its skin.
    hand->second.by = by.norm() > size_ ? Vector3d(by * (size_ / by.norm())) : by;
    hold_all();
}

void Hands::release(int id) {
    require(hands_.erase(id) > 0, "release: hand ", id, " holds nothing");
    turning_.erase(id);
    hold_all();
}

void Hands::fill(double seconds, LiveKey& key) {
    for (const auto& [id, turning] : turning_) {
        const Vector3d arm = turning.from - turning.pivot;
        const Vector3d goal = arm + hands_.at(id).by;
        if (arm.norm() < 1e-9 * size_ || goal.norm() < 1e-9 * size_) {
            continue;
        }
        const Eigen::Quaterniond swing = Eigen::Quaterniond::FromTwoVectors(arm, goal);
        if (turns_.empty()) {  // straightened meanwhile
            turns_.resize(body_->rig()->node.size());
        }
        // In the joint's own frame W = parent * local * turn: R W = parent * local * turn * (W^-1 R W).
        turns_[static_cast<size_t>(turning.joint)].turn =
            (turning.turn * (turning.world.conjugate() * swing * turning.world)).normalized();
    }
    Vector3d wanted = Vector3d::Zero();
    for (const auto& [id, hand] : hands_) {
        wanted += hand.tool == "body" ? hand.by : Vector3d::Zero();
    }
    // A hand's speed is bounded, so that a jump of the pointer is no cut: a tenth of a second to get there.
    const double share = 1.0 - math::exp(-seconds / 0.05);
    shift_ += share * (wanted - shift_);
    if (shift_.norm() < 1e-6 * size_ && wanted.isZero(0.0)) {
        shift_.setZero();
    }
    key.turns = turns_;
    key.shift = shift_;
}

MatrixX3d Hands::joint_places(double time) const {
    const Rig* rig = body_->rig();
    MatrixX3d places(0, 3);
    if (rig != nullptr) {
        body_->node_frames(time, TimeSampling::exact, frames_);
        places.resize(static_cast<Eigen::Index>(rig->node.size()), 3);
        for (size_t j = 0; j < rig->node.size(); ++j) {
            places.row(static_cast<Eigen::Index>(j)) =
                frames_[static_cast<size_t>(rig->node[j])].translation().transpose();
        }
    }
    return places;
}

}  // namespace cutis
