#include <algorithm>
#include <cmath>

#include "body/rotation.h"
#include "curve_settings.h"

namespace cutis {

namespace {

constexpr double seen = 0.05;    // of a target: a weight that changes less is not keyed
constexpr double shares = 0.03;  // of a part's vertices that a joint must move to be one of its joints
constexpr int least_samples = 32, most_samples = 4000;

/// When a target is strongest and when weakest.
struct KeyedMorph {
    double strongest = 0.0, weakest = 0.0;
};

std::vector<KeyedMorph> keyed_in_clip(const Body& body) {
    std::vector<KeyedMorph> found;
    const auto& character = body.source().character;
    const int samples = std::clamp(static_cast<int>(60.0 * body.duration()), least_samples, most_samples);
    Pose pose;
    for (size_t m = 0; character && m < character->meshes.size(); ++m) {
        const MeshInstance& mesh = character->meshes[m];
        for (size_t t = 0; t < mesh.morphs.size(); ++t) {
            KeyedMorph one;
            double most = -1e300;
            double least = 1e300;
            for (int i = 0; i <= samples; ++i) {
                const double time = body.duration() * i / samples;
                const bool has_pose = body.pose(time, TimeSampling::exact, pose) && mesh.node >= 0;
                const bool has_weight = has_pose && t < pose.morph_weights[mesh.node].size();
                const double weight = has_weight ? pose.morph_weights[mesh.node][t] : 0.0;
                if (weight > most) {
                    most = weight;
                    one.strongest = time;
                }
                if (weight < least) {
                    least = weight;
                    one.weakest = time;
                }
            }
            if (most - least > seen) {
                found.push_back(one);
            }
        }
    }
    return found;
}

/// The joint of a part that turns most against its parent between two times; -1: none turns.
int most_turned(const Body& body, const std::vector<char>& is_own, double from, double to) {
    constexpr double hardly = 0.02;  // radians
    const Rig& rig = *body.rig();
    std::vector<Eigen::Affine3d> before, after;
    body.joint_matrices(from, TimeSampling::exact, before);
    body.joint_matrices(to, TimeSampling::exact, after);
    const auto turn = [&](const std::vector<Eigen::Affine3d>& matrices, int joint) {
        const int parent = rig.parent[joint];
        const Eigen::Matrix3d own = matrices[joint].linear();
        const Eigen::Matrix3d local = parent < 0 ? own : Eigen::Matrix3d(matrices[parent].linear().transpose() * own);
        return Eigen::Quaterniond(local).normalized();
    };
    int best = -1;
    double most = hardly;
    for (int j = 0; j < rig.joint_count(); ++j) {
        const double angle = is_own[j] != 0 ? rotation_log(turn(before, j).conjugate() * turn(after, j)).norm() : 0.0;
        if (angle > most) {
            most = angle;
            best = j;
        }
    }
    return best;
}

}  // namespace

bool examples_from_morphs(const CurveBody& body, const CurvePart& part, FleshOptions& options) {
    const Rig* rig = body.body->rig();
    if (rig == nullptr) {
        return false;
    }
    std::vector<char> is_own(static_cast<size_t>(rig->joint_count()), 0);
    for (int j = 0; j < rig->joint_count(); ++j) {
        std::vector<char> chosen(is_own.size(), 0);
        chosen[j] = 1;
        const VectorXd weight = weight_of_joints(rig->weights, chosen, *body.art_of_vertex);
        double sum = 0.0;
        for (const int v : part.vertices) {
            sum += weight[v];
        }
        is_own[j] = sum > shares * static_cast<double>(part.vertices.size()) ? 1 : 0;
    }
    std::vector<double> times;
    std::vector<std::string> joints = options.pose_joints;
    for (const KeyedMorph& one : keyed_in_clip(*body.body)) {
        const int joint = most_turned(*body.body, is_own, one.weakest, one.strongest);
        if (joint < 0) {
            continue;  // no pose of this part belongs to it
        }
        times.push_back(one.strongest);
        if (options.pose_joints.empty() && std::find(joints.begin(), joints.end(), rig->name[joint]) == joints.end()) {
            joints.push_back(rig->name[joint]);
        }
    }
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    if (times.empty()) {
        return false;
    }
    options.pose_joints = joints;
    for (const double time : times) {
        FleshExample example;
        example.time = time;
        options.examples.push_back(example);
    }
    options.follow = false;
    if (options.baseline == CurveBaseline::body) {
        options.baseline =
            rig->skinning == Skinning::dual_quaternion ? CurveBaseline::dual_quaternion : CurveBaseline::linear_blend;
    }
    return true;
}

}  // namespace cutis
