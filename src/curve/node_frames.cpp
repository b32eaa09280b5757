#include "curve/node_frames.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/geometry.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

using RowMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

void put_rotation(NodeFrames& frames, Eigen::Index row, const Eigen::Matrix3d& rotation) {
    Eigen::Map<RowMatrix3d>(frames.rotations.data() + 9 * row) = rotation;
}

}  // namespace

Eigen::Quaterniond rotation_of_matrix(const Eigen::Affine3d& matrix) {
    return Eigen::Quaterniond(polar_decomposition(matrix.linear()).rotation);
}

SkinnedNodes::SkinnedNodes(const CurvePart& part, const MatrixX3d& rest, const SkinWeights& weights, int joint_count)
    : joint_count_(joint_count) {
    require(weights.vertex_count() == rest.rows() && part.nodes.base_count == rest.rows(),
            "curve: expected weights for ", part.nodes.base_count, " vertices, found ", weights.vertex_count());
    rest_nodes_.resize(part.rows(), 3);
    part.nodes.apply(rest, Workers(1), rest_nodes_);
    const auto influences = static_cast<size_t>(weights.influences);
    std::map<int, int> joint_number;
    std::map<int, int> vertex_number;
    starts_ = {0};
    nodes_of_vertices_.offsets = {0};
    const Stencils& nodes = part.nodes;
    for (int row = 0; row < nodes.count(); ++row) {
        std::map<int, double> blend;
        for (int i = nodes.offsets[row]; i < nodes.offsets[static_cast<size_t>(row) + 1]; ++i) {
            const auto v = static_cast<size_t>(nodes.indices[i]);
            vertex_number.emplace(static_cast<int>(v), 0);
            for (size_t k = 0; k < influences; ++k) {
                const double w = weights.weights[v * influences + k];
                if (w > 0.0) {
                    blend[weights.joints[v * influences + k]] += w * nodes.weights[i];
                }
            }
        }
        // The strongest joint first: the others' quaternions are flipped to its side.
        std::vector<std::pair<int, double>> sorted(blend.begin(), blend.end());
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        double sum = 0.0;
        for (const auto& [joint, w] : sorted) {
            sum += w;
        }
        for (const auto& [joint, w] : sorted) {
            require(joint < joint_count, "curve: expected joints below ", joint_count, ", found ", joint);
            const auto number = joint_number.emplace(joint, static_cast<int>(joint_number.size()));
            node_joints_.push_back(number.first->second);
            node_weights_.push_back(w / sum);
        }
        starts_.push_back(static_cast<int>(node_joints_.size()));
    }
    joints_.resize(joint_number.size());
    for (const auto& [joint, number] : joint_number) {
        joints_[number] = joint;
    }
    turns_.resize(joints_.size());

    // The vertices nodes are made of, as a small skin of their own.
    int count = 0;
    vertex_rest_.resize(static_cast<Eigen::Index>(vertex_number.size()), 3);
    vertex_weights_.influences = weights.influences;
    for (auto& [vertex, number] : vertex_number) {
        number = count++;
        vertex_rest_.row(number) = rest.row(vertex);
        for (size_t k = 0; k < influences; ++k) {
            const size_t at = static_cast<size_t>(vertex) * influences + k;
            vertex_weights_.joints.push_back(weights.joints[at]);
            vertex_weights_.weights.push_back(weights.weights[at]);
        }
    }
    normalise_weights(vertex_weights_, joint_count);
    nodes_of_vertices_ = nodes;
    nodes_of_vertices_.base_count = count;
    for (int& index : nodes_of_vertices_.indices) {
        index = vertex_number[index];
    }
}

void SkinnedNodes::fill(const std::vector<Eigen::Affine3d>& matrices, NodeFrames& out) const {
    require(static_cast<int>(matrices.size()) == joint_count_, "curve: expected ", joint_count_,
            " joint matrices, found ", matrices.size());
    const Eigen::Index rows = rest_nodes_.rows();
    out.places.resize(rows, 3);
    out.rotations.resize(rows, 9);
    for (size_t j = 0; j < joints_.size(); ++j) {
        turns_[j] = rotation_of_matrix(matrices[joints_[j]]);
    }
    for (Eigen::Index row = 0; row < rows; ++row) {
        const auto begin = static_cast<size_t>(starts_[row]);
        const auto end = static_cast<size_t>(starts_[static_cast<size_t>(row) + 1]);
        const Vector3d p = rest_nodes_.row(row);
        Vector3d place = Vector3d::Zero();
        const Eigen::Vector4d first = turns_[node_joints_[begin]].coeffs();
        Eigen::Vector4d blend = Eigen::Vector4d::Zero();
        for (size_t i = begin; i < end; ++i) {
            const auto number = static_cast<size_t>(node_joints_[i]);
            place += node_weights_[i] * (matrices[joints_[number]] * p);
            const Eigen::Vector4d& q = turns_[number].coeffs();
            blend += (q.dot(first) < 0.0 ? -node_weights_[i] : node_weights_[i]) * q;
        }
        out.places.row(row) = place;
        put_rotation(out, row, Eigen::Quaterniond(blend.normalized()).toRotationMatrix());
    }
}

void SkinnedNodes::baseline(Skinning skinning, const std::vector<Eigen::Affine3d>& matrices, const Workers& workers,
                            MatrixX3d& nodes) const {
    if (skinning == Skinning::dual_quaternion) {
        skin_dual_quaternion(vertex_rest_, vertex_weights_, matrices, workers, vertices_);
    } else {
        skin_linear_blend(vertex_rest_, vertex_weights_, matrices, workers, vertices_);
    }
    nodes.resize(rest_nodes_.rows(), 3);
    nodes_of_vertices_.apply(vertices_, workers, nodes);
}

RigidNodes::RigidNodes(const CurvePart& part, const MatrixX3d& rest) {
    rest_.resize(part.rows(), 3);
    part.nodes.apply(rest, Workers(1), rest_);
    centre_ = rest_.colwise().mean();
}

void RigidNodes::fill(const MatrixX3d& nodes, NodeFrames& out) const {
    const Vector3d centre = nodes.colwise().mean();
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
    for (Eigen::Index i = 0; i < nodes.rows(); ++i) {
        covariance += (nodes.row(i).transpose() - centre) * (rest_.row(i) - centre_.transpose());
    }
    const Eigen::Matrix3d rotation = polar_decomposition(covariance).rotation;
    out.places.resize(rest_.rows(), 3);
    out.rotations.resize(rest_.rows(), 9);
    for (Eigen::Index i = 0; i < rest_.rows(); ++i) {
        out.places.row(i) = (rotation * (rest_.row(i).transpose() - centre_) + centre).transpose();
        put_rotation(out, i, rotation);
    }
}

Vector3d joint_pose(const Eigen::Quaterniond& parent, const Eigen::Quaterniond& joint, const Vector3d& axis) {
    Eigen::Quaterniond q = parent.conjugate() * joint;
    if (q.w() < 0.0) {
        q.coeffs() *= -1.0;
    }
    // q = swing * twist, twist about the bone.
    const double along = q.vec().dot(axis);
    Eigen::Quaterniond twist(q.w(), along * axis.x(), along * axis.y(), along * axis.z());
    if (twist.norm() < 1e-12) {
        twist = Eigen::Quaterniond::Identity();  // half a turn of pure swing: twist is undefined
    }
    twist.normalize();
    const Eigen::Quaterniond swing = q * twist.conjugate();
    const Vector3d turned = 2.0 * quaternion_log(swing.w() < 0.0 ? Eigen::Quaterniond(-swing.coeffs()) : swing);
    const double twist_angle = 2.0 * quaternion_log(twist).dot(axis);
    // Two directions across the bone: the same for the same axis.
    Eigen::Index smallest = 0;
    axis.cwiseAbs().minCoeff(&smallest);
    const Vector3d u = axis.cross(Vector3d::Unit(smallest)).normalized();
    const Vector3d v = axis.cross(u);
    return {turned.dot(u), turned.dot(v), twist_angle};
}

}  // namespace cutis
