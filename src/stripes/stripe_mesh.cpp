#include "stripes/stripe_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "cutis/mesh/geometry.h"

namespace cutis::stripes {

namespace {

// Cotangents of obtuse and of thin triangles would make diffusion overshoot.
constexpr double least_cotangent = 0.02;
constexpr double most_cotangent = 10.0;

}  // namespace

StripeMesh StripeMesh::of(const Topology& topology, const MatrixX3d& rest) {
    StripeMesh mesh;
    mesh.triangles = topology.triangles();
    mesh.edges = topology.edges();
    mesh.rest = rest;
    mesh.normals = vertex_normals(rest, topology);
    MatrixX3i edge_of_side(topology.triangle_count(), 3);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            edge_of_side(f, k) = topology.edge_of_side(f, k);
        }
    }
    mesh.measure(edge_of_side);
    return mesh;
}

void StripeMesh::measure(const MatrixX3i& edge_of_side) {
    areas = VectorXd::Zero(triangles.rows());
    masses = VectorXd::Zero(rest.rows());
    cotangents = VectorXd::Zero(static_cast<Eigen::Index>(edges.size()));
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto corner = [&](int i) { return Vector3d(rest.row(triangles(f, (k + i) % 3))); };
            const Vector3d a = corner(0) - corner(2);
            const Vector3d b = corner(1) - corner(2);
            const double doubled = std::max(a.cross(b).norm(), 1e-300);
            cotangents[edge_of_side(f, k)] += 0.5 * a.dot(b) / doubled;
            areas[f] = 0.5 * doubled;
            masses[triangles(f, k)] += doubled / 6.0;
        }
    }
    masses = masses.cwiseMax(1e-6 * masses.mean());
    cotangents = cotangents.cwiseMax(least_cotangent).cwiseMin(most_cotangent);
}

Diffusion::Diffusion(const StripeMesh& mesh, const VectorXd& lengths) : mesh_(mesh) {
    std::vector<SparseEntry> entries;
    const auto& edges = mesh.edges;
    for (size_t e = 0; e < edges.size(); ++e) {
        const auto [a, b] = edges[e];
        const double k = mesh.cotangents[static_cast<Eigen::Index>(e)] * lengths[a] * lengths[b];
        entries.push_back({a, a, k});
        entries.push_back({b, b, k});
        entries.push_back({b, a, -k});
    }
    system_ = compress_lower(mesh.vertex_count(), entries);
    stiffness_ = system_.matrix.values;
}

void Diffusion::over(double times, RowMatrixXd& values) {
    const SparseLower& matrix = system_.matrix;
    values_.resize(stiffness_.size());
    for (size_t i = 0; i < stiffness_.size(); ++i) {
        values_[i] = times * times * stiffness_[i];
    }
    for (int v = 0; v < matrix.size; ++v) {
        values_[static_cast<size_t>(matrix.row_starts[static_cast<size_t>(v) + 1]) - 1] += mesh_.masses[v];
        values.row(v) *= mesh_.masses[v];
    }
    if (!solver_) {
        system_.matrix.values = values_;
        solver_.emplace(system_.matrix);
    } else if (times != factored_) {
        solver_->refactor(values_);
    }
    factored_ = times;
    solver_->solve_many({values.data(), static_cast<size_t>(values.size())}, static_cast<int>(values.cols()));
}

void Diffusion::over(double times, VectorXd& values) {
    RowMatrixXd column = values;
    over(times, column);
    values = column;
}

VectorXd smooth_noise(const StripeMesh& mesh, Diffusion& diffusion, unsigned seed) {
    Dice dice(seed);
    VectorXd noise(mesh.vertex_count());
    for (double& value : noise) {
        value = dice.roll();
    }
    // White noise: the finer the mesh, the more it must shake for the same picture.
    noise = noise.cwiseQuotient(mesh.masses.cwiseSqrt());
    diffusion.over(2.0, noise);
    diffusion.over(2.0, noise);
    noise.array() -= noise.dot(mesh.masses) / mesh.masses.sum();
    const double deviation = std::sqrt(noise.cwiseAbs2().dot(mesh.masses) / mesh.masses.sum());
    return deviation > 0.0 ? VectorXd(noise / deviation) : noise;
}

}  // namespace cutis::stripes
