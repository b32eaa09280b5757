#include "weights.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "cutis/core/error.h"

namespace cutis::actor {

namespace {

Vector3d nearest_on_bone(const Bone& bone, const Vector3d& p) {
    const Vector3d axis = bone.tail - bone.head;
    const double t = std::clamp((p - bone.head).dot(axis) / std::max(axis.squaredNorm(), 1e-18), 0.0, 1.0);
    return bone.head + t * axis;
}

bool is_visible(const Sculpture& sculpture, const Vector3d& from, const Vector3d& to) {
    constexpr int samples = 6;
    for (int i = 1; i < samples; ++i) {
        const Vector3d p = from + (to - from) * (static_cast<double>(i) / samples);
        if (sculpture.distance(p) > 0.1 * sculpture.base_edge()) {
            return false;
        }
    }
    return true;
}

double cotangent(const Vector3d& a, const Vector3d& b) {
    return a.dot(b) / std::max(a.cross(b).norm(), 1e-18);
}

}  // namespace

Eigen::MatrixXd heat_weights(const SurfaceMesh& mesh, const Sculpture& sculpture, const std::vector<Bone>& bones) {
    const int count = static_cast<int>(mesh.points.size());
    const int bone_count = static_cast<int>(bones.size());
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(mesh.triangles.size() * 12);
    VectorXd area = VectorXd::Zero(count);
    for (const Eigen::Vector3i& t : mesh.triangles) {
        const Vector3d x[3] = {mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]};
        const double third = (x[1] - x[0]).cross(x[2] - x[0]).norm() / 6.0;
        for (int k = 0; k < 3; ++k) {
            const int a = t[(k + 1) % 3];
            const int b = t[(k + 2) % 3];
            // Negative cotangents would let weights leave [0, 1].
            const double w = std::max(0.5 * cotangent(x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]), 1e-3);
            entries.emplace_back(a, a, w);
            entries.emplace_back(b, b, w);
            entries.emplace_back(a, b, -w);
            entries.emplace_back(b, a, -w);
            area[t[k]] += third;
        }
    }

    Eigen::MatrixXd heat = Eigen::MatrixXd::Zero(count, bone_count);
    std::vector<std::pair<double, int>> order;
    for (int v = 0; v < count; ++v) {
        const Vector3d& p = mesh.points[v];
        order.clear();
        for (int b = 0; b < bone_count; ++b) {
            if (bones[b].deforms) {
                order.emplace_back((p - nearest_on_bone(bones[b], p)).norm() - bones[b].thick, b);
            }
        }
        std::sort(order.begin(), order.end());
        size_t chosen = 0;
        while (chosen < order.size() && !is_visible(sculpture, p, nearest_on_bone(bones[order[chosen].second], p))) {
            ++chosen;
        }
        if (chosen == order.size()) {
            chosen = 0;
        }
        // Near a thick bone's own volume the skin holds on to it firmly.
        const double thick = bones[order[chosen].second].thick;
        const double d =
            std::max({order[chosen].first, 0.35 * (order[chosen].first + thick), 0.2 * sculpture.base_edge()});
        const double h = area[v] / (d * d);
        entries.emplace_back(v, v, h);
        heat(v, order[chosen].second) = h;
    }
    Eigen::SparseMatrix<double> matrix(count, count);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(matrix);
    if (factor.info() != Eigen::Success) {
        throw SolverFailure("actor: the heat system for the weights could not be factored");
    }
    Eigen::MatrixXd weights = factor.solve(heat).cwiseMax(0.0);
    for (int v = 0; v < count; ++v) {
        weights.row(v) /= weights.row(v).sum();
    }
    return weights;
}

}  // namespace cutis::actor
