#include "mesh/diffusion.h"

#include <Eigen/Geometry>
#include <cmath>

namespace cutis {

namespace {

// Cotangents of obtuse and of thin triangles would make diffusion overshoot.
constexpr double least_cotangent = 0.02;
constexpr double most_cotangent = 10.0;

}  // namespace

SurfaceMetric::SurfaceMetric(const Topology& of, const MatrixX3d& at)
    : topology(of),
      rest(at),
      masses(VectorXd::Zero(of.vertex_count())),
      cotangents(VectorXd::Zero(static_cast<Eigen::Index>(of.edges().size()))) {
    for (int f = 0; f < of.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto corner = [&](int i) { return Vector3d(rest.row(of.triangles()(f, (k + i) % 3))); };
            const Vector3d a = corner(0) - corner(2);
            const Vector3d b = corner(1) - corner(2);
            const double doubled = a.cross(b).norm();
            masses[of.triangles()(f, k)] += doubled / 6.0;
            cotangents[of.edge_of_side(f, k)] += 0.5 * a.dot(b) / std::max(doubled, 1e-300);
        }
    }
    masses = masses.cwiseMax(1e-6 * masses.mean());
    cotangents = cotangents.cwiseMax(least_cotangent).cwiseMin(most_cotangent);
}

Diffusion::Diffusion(const SurfaceMetric& metric, const VectorXd& lengths) : metric_(metric) {
    std::vector<SparseEntry> entries;
    const auto& edges = metric.topology.edges();
    for (size_t e = 0; e < edges.size(); ++e) {
        const auto [a, b] = edges[e];
        const double k = metric.cotangents[static_cast<Eigen::Index>(e)] * lengths[a] * lengths[b];
        entries.push_back({a, a, k});
        entries.push_back({b, b, k});
        entries.push_back({b, a, -k});
    }
    system_ = compress_lower(metric.topology.vertex_count(), entries);
    stiffness_ = system_.matrix.values;
}

void Diffusion::over(double times, RowMatrixXd& values) {
    const SparseLower& matrix = system_.matrix;
    values_.resize(stiffness_.size());
    for (size_t i = 0; i < stiffness_.size(); ++i) {
        values_[i] = times * times * stiffness_[i];
    }
    for (int v = 0; v < matrix.size; ++v) {
        values_[static_cast<size_t>(matrix.row_starts[static_cast<size_t>(v) + 1]) - 1] += metric_.masses[v];
        values.row(v) *= metric_.masses[v];
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

VectorXd smooth_noise(const SurfaceMetric& metric, Diffusion& diffusion, unsigned seed) {
    Dice dice(seed);
    VectorXd noise(metric.topology.vertex_count());
    for (double& value : noise) {
        value = dice.roll();
    }
    // White noise: the finer the mesh, the more it must shake for the same picture.
    noise = noise.cwiseQuotient(metric.masses.cwiseSqrt());
    diffusion.over(2.0, noise);
    diffusion.over(2.0, noise);
    noise.array() -= noise.dot(metric.masses) / metric.masses.sum();
    const double deviation = std::sqrt(noise.cwiseAbs2().dot(metric.masses) / metric.masses.sum());
    return deviation > 0.0 ? VectorXd(noise / deviation) : noise;
}

}  // namespace cutis
