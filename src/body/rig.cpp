#include "cutis/body/rig.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

void complete_rig(const Skeleton& skeleton, Rig& rig) {
    require(rig.inverse_bind.size() == rig.node.size(), "rig: expected an inverse bind matrix for each of ",
            rig.node.size(), " joints, found ", rig.inverse_bind.size());
    const int count = static_cast<int>(skeleton.nodes.size());
    std::vector<int> joint_of_node(skeleton.nodes.size(), -1);
    for (size_t j = 0; j < rig.node.size(); ++j) {
        require(rig.node[j] >= 0 && rig.node[j] < count, "rig: expected nodes from 0 to ", count - 1, ", joint ", j,
                " is node ", rig.node[j]);
        int& first = joint_of_node[rig.node[j]];
        first = first < 0 ? static_cast<int>(j) : first;
    }
    rig.name.clear();
    rig.parent.clear();
    rig.centre.clear();
    for (size_t j = 0; j < rig.node.size(); ++j) {
        const Node& node = skeleton.nodes[rig.node[j]];
        int above = node.parent;
        while (above >= 0 && joint_of_node[above] < 0) {
            above = skeleton.nodes[above].parent;
        }
        rig.name.push_back(node.name);
        rig.parent.push_back(above < 0 ? -1 : joint_of_node[above]);
        const Eigen::Affine3d bind = rig.inverse_bind[j].inverse();
        rig.centre.push_back(bind.matrix().allFinite() ? Vector3d(bind.translation()) : Vector3d(Vector3d::Zero()));
    }
}

void joint_matrices(const std::vector<int>& nodes, const std::vector<Eigen::Affine3d>& inverse_bind,
                    const std::vector<Eigen::Affine3d>& frames, std::vector<Eigen::Affine3d>& out) {
    out.resize(nodes.size());
    for (size_t j = 0; j < nodes.size(); ++j) {
        out[j] = frames[nodes[j]] * inverse_bind[j];
    }
}

void skin_by(const Rig& rig, const MatrixX3d& rest, const SkinWeights& weights,
             const std::vector<Eigen::Affine3d>& matrices, const Workers& workers, MatrixX3d& out) {
    if (rig.skinning == Skinning::dual_quaternion) {
        skin_dual_quaternion(rest, weights, matrices, workers, out, rig.centre);
    } else {
        skin_linear_blend(rest, weights, matrices, workers, out);
    }
}

SkinWeights weights_of(const SkinWeights& weights, const std::vector<int>& vertices) {
    SkinWeights chosen;
    chosen.influences = weights.influences;
    const auto influences = static_cast<size_t>(weights.influences);
    for (const int vertex : vertices) {
        for (size_t k = 0; k < influences; ++k) {
            const size_t at = static_cast<size_t>(vertex) * influences + k;
            chosen.joints.push_back(weights.joints[at]);
            chosen.weights.push_back(weights.weights[at]);
        }
    }
    const int joints = chosen.joints.empty() ? 0 : 1 + *std::max_element(chosen.joints.begin(), chosen.joints.end());
    chosen.joint_pairs = find_joint_pairs(chosen, joints);
    return chosen;
}

std::vector<char> joints_below(const Rig& rig, const Skeleton& skeleton, const std::vector<int>& nodes) {
    std::vector<char> is_below(skeleton.nodes.size(), 0);
    for (size_t n = 0; n < is_below.size(); ++n) {  // parents come first
        const int parent = skeleton.nodes[n].parent;
        const bool is_named = std::find(nodes.begin(), nodes.end(), static_cast<int>(n)) != nodes.end();
        is_below[n] = is_named || (parent >= 0 && is_below[parent] != 0) ? 1 : 0;
    }
    std::vector<char> joints;
    joints.reserve(rig.node.size());
    for (const int node : rig.node) {
        joints.push_back(is_below[node]);
    }
    return joints;
}

VectorXd weight_of_joints(const SkinWeights& weights, const std::vector<char>& chosen,
                          const std::vector<int>& vertices) {
    const auto influences = static_cast<size_t>(weights.influences);
    VectorXd sums = VectorXd::Zero(static_cast<Eigen::Index>(vertices.size()));
    for (size_t v = 0; v < vertices.size(); ++v) {
        const size_t first = static_cast<size_t>(vertices[v]) * influences;
        for (size_t k = first; k < first + influences; ++k) {
            if (chosen[weights.joints[k]] != 0) {
                sums[static_cast<Eigen::Index>(v)] += weights.weights[k];
            }
        }
        double& sum = sums[static_cast<Eigen::Index>(v)];
        sum = std::min(sum, 1.0);  // all weights of a vertex may sum to a little more than 1
    }
    return sums;
}

}  // namespace cutis
