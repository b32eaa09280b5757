#include "curve/colliders.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cutis/core/error.h"

namespace cutis {

std::vector<CarriedCollider> given_colliders(const Body& body, const std::vector<FleshCollider>& given) {
    std::vector<CarriedCollider> list;
    for (size_t i = 0; i < given.size(); ++i) {
        const FleshCollider& one = given[i];
        check_struct(one, concat("curve: collider ", i + 1));
        const bool is_plane = one.shape == ColliderShape::plane;
        require(is_plane || one.radius > 0.0, "curve: collider ", i + 1, ": expected a radius above 0, found ",
                one.radius);
        require(!is_plane || one.normal.norm() > 1e-9, "curve: collider ", i + 1, ": expected a normal, found 0");
        CarriedCollider made;
        made.shape.a = one.at;
        made.shape.b = is_plane                              ? Vector3d(one.normal.normalized())
                       : one.shape == ColliderShape::capsule ? one.to
                                                             : one.at;
        made.shape.radius_a = made.shape.radius_b = is_plane ? 0.0 : one.radius;
        made.shape.is_plane = is_plane;
        if (!one.node.empty()) {
            require(body.source().character != nullptr, "curve: collider ", i + 1,
                    ": expected a body with nodes for node = \"", one.node, "\"; leave the node out");
            const Skeleton& skeleton = body.source().character->skeleton;
            made.node = skeleton.find(one.node);
            if (made.node < 0) {
                std::vector<std::string> names;
                for (const Node& node : skeleton.nodes) {
                    names.push_back(node.name);
                }
                throw InvalidInput(concat("curve: collider ", i + 1, ": expected a node of the body (it has ",
                                          word_list(names), "), found \"", one.node, "\""));
            }
            // Measured from the node, along the world's axes, as it stands at the clip's start.
            std::vector<Eigen::Affine3d> frames;
            body.node_frames(0.0, TimeSampling::exact, frames);
            const Eigen::Affine3d inverse = frames[static_cast<size_t>(made.node)].inverse();
            const Vector3d origin = frames[static_cast<size_t>(made.node)].translation();
            made.shape.a = inverse * (origin + made.shape.a);
            made.shape.b = is_plane ? Vector3d(inverse.linear() * made.shape.b) : inverse * (origin + made.shape.b);
        }
        list.push_back(std::move(made));
    }
    return list;
}

namespace {

double weighted_median(std::vector<std::pair<double, double>>& values) {
    std::sort(values.begin(), values.end());
    double half = 0.0;
    for (const auto& [value, weight] : values) {
        half += 0.5 * weight;
    }
    for (const auto& [value, weight] : values) {
        half -= weight;
        if (half <= 0.0) {
            return value;
        }
    }
    return 0.0;
}

}  // namespace

std::vector<CarriedCollider> rig_capsules(const CurveBody& body) {
    constexpr double speck = 0.002;     // of the body's area
    constexpr double outermost = 0.05;  // of the vertices beyond each end
    std::vector<CarriedCollider> found;
    const Rig* rig = body.body->rig();
    if (rig == nullptr) {
        return found;
    }
    const MatrixX3d& rest = *body.rest;
    const SkinWeights weights = weights_of(rig->weights, *body.art_of_vertex);
    VectorXd area = VectorXd::Zero(rest.rows());
    const MatrixX3i& triangles = body.topology->triangles();
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const Vector3d a = rest.row(triangles(f, 0));
        const Vector3d ab = rest.row(triangles(f, 1)).transpose() - a;
        const Vector3d ac = rest.row(triangles(f, 2)).transpose() - a;
        for (int k = 0; k < 3; ++k) {
            area[triangles(f, k)] += ab.cross(ac).norm() / 6.0;
        }
    }
    std::vector<std::vector<int>> moved(static_cast<size_t>(rig->joint_count()));
    const auto influences = static_cast<size_t>(weights.influences);
    for (size_t v = 0; v < static_cast<size_t>(rest.rows()); ++v) {
        const auto begin = weights.weights.begin() + static_cast<std::ptrdiff_t>(v * influences);
        const auto most =
            std::max_element(begin, begin + static_cast<std::ptrdiff_t>(influences)) - weights.weights.begin();
        moved[static_cast<size_t>(weights.joints[static_cast<size_t>(most)])].push_back(static_cast<int>(v));
    }
    for (int j = 0; j < rig->joint_count(); ++j) {
        const std::vector<int>& own = moved[static_cast<size_t>(j)];
        double sum = 0.0;
        Vector3d centroid = Vector3d::Zero();
        for (const int v : own) {
            sum += area[v];
            centroid += area[v] * rest.row(v).transpose();
        }
        if (!(sum > speck * area.sum())) {
            continue;
        }
        centroid /= sum;
        Vector3d axis = Vector3d::Zero();  // to the farthest child
        for (int child = 0; child < rig->joint_count(); ++child) {
            const Vector3d bone = rig->centre[static_cast<size_t>(child)] - rig->centre[static_cast<size_t>(j)];
            if (rig->parent[static_cast<size_t>(child)] == j && bone.squaredNorm() > axis.squaredNorm()) {
                axis = bone;
            }
        }
        if (axis.norm() < 1e-9) {
            axis = centroid - rig->centre[static_cast<size_t>(j)];  // a last bone: towards its vertices
        }
        if (axis.norm() < 1e-9) {
            axis = Vector3d::UnitY();
        }
        axis.normalize();
        std::vector<double> along;
        std::vector<std::pair<double, double>> away, first, second;
        for (const int v : own) {
            along.push_back((rest.row(v).transpose() - centroid).dot(axis));
        }
        for (size_t i = 0; i < own.size(); ++i) {
            const Vector3d from_axis = rest.row(own[i]).transpose() - centroid - along[i] * axis;
            away.emplace_back(from_axis.norm(), area[own[i]]);
            (along[i] < 0.0 ? first : second).push_back(away.back());
        }
        const double radius = weighted_median(away);
        if (!(radius > 0.0)) {
            continue;
        }
        std::sort(along.begin(), along.end());
        const auto at = [&](double share) {
            return along[static_cast<size_t>(std::lround(share * static_cast<double>(along.size() - 1)))];
        };
        CarriedCollider one;
        one.shape.radius_a = first.empty() ? radius : weighted_median(first);
        one.shape.radius_b = second.empty() ? radius : weighted_median(second);
        const double low = std::min(0.0, at(outermost) + one.shape.radius_a);
        const double high = std::max(0.0, at(1.0 - outermost) - one.shape.radius_b);
        one.shape.a = centroid + low * axis;
        one.shape.b = centroid + high * axis;
        one.joint = j;
        one.is_own = true;
        one.joints = {j};
        found.push_back(std::move(one));
    }
    return found;
}

void ColliderPoses::at(const std::vector<CarriedCollider>& list, double time, TimeSampling sampling,
                       std::vector<Collider>& out) {
    out.resize(list.size());
    const bool has_joint = std::any_of(list.begin(), list.end(), [](const auto& one) { return one.joint >= 0; });
    const bool has_node = std::any_of(list.begin(), list.end(), [](const auto& one) { return one.node >= 0; });
    if (has_joint) {
        body_.joint_matrices(time, sampling, matrices_);
    }
    if (has_node) {
        body_.node_frames(time, sampling, frames_);
    }
    for (size_t i = 0; i < list.size(); ++i) {
        const CarriedCollider& one = list[i];
        out[i] = one.shape;
        if (one.joint < 0 && one.node < 0) {
            continue;
        }
        const Eigen::Affine3d& matrix =
            one.joint >= 0 ? matrices_[static_cast<size_t>(one.joint)] : frames_[static_cast<size_t>(one.node)];
        out[i].a = matrix * one.shape.a;
        out[i].b = one.shape.is_plane ? Vector3d((matrix.linear() * one.shape.b).normalized()) : matrix * one.shape.b;
    }
}

}  // namespace cutis
