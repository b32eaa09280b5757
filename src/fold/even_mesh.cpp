#include "fold/even_mesh.h"

#include <algorithm>
#include <cmath>

#include "core/geometry.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

// Compression below this is noise of skinning.
constexpr double least_compression = 0.02;
constexpr int most_even_triangles = 80'000;
constexpr int least_even_triangles = 8'000;
// Cotangents of obtuse and of thin triangles would make diffusion overshoot.
constexpr double least_cotangent = 0.02;
constexpr double most_cotangent = 10.0;

/// Maps edges of a triangle at rest to its own plane.
struct Chart {
    Vector3d x;
    Vector3d y;
    Eigen::Matrix2d inverse;  // of the two edges from corner 0
};

Chart chart_of(const EvenMesh& mesh, int f) {
    const MatrixX3i& triangles = mesh.topology().triangles();
    const Vector3d e1 = mesh.rest.row(triangles(f, 1)) - mesh.rest.row(triangles(f, 0));
    const Vector3d e2 = mesh.rest.row(triangles(f, 2)) - mesh.rest.row(triangles(f, 0));
    Chart chart;
    chart.x = e1.normalized();
    chart.y = mesh.sides.row(f).transpose().cross(chart.x);
    const double a = e1.norm();
    const double b = e2.dot(chart.x);
    const double h = e2.dot(chart.y);
    chart.inverse.setZero();
    if (a * h > 0.0) {
        chart.inverse << 1.0 / a, -b / (a * h), 0.0, 1.0 / h;
    }
    return chart;
}

}  // namespace

EvenMesh::EvenMesh(const Topology& base, const MatrixX3d& base_rest, double edge, int most_vertices,
                   const Workers& for_work)
    : mesh(make_uniform_mesh(base, level_for_edge(base, base_rest, edge,
                                                  std::clamp(2 * std::min(most_vertices, most_even_triangles),
                                                             least_even_triangles, most_even_triangles)))),
      workers(for_work) {
    FoldMesh::Scratch scratch;
    mesh.refine(base_rest, workers, scratch, rest);
    fill_triangle_normals(rest, topology(), workers, sides, areas);
    fill_vertex_areas(areas, topology(), workers, masses);
    masses = masses.cwiseMax(1e-6 * masses.mean());
    normals = vertex_normals(rest, topology());
    cotangents = VectorXd::Zero(static_cast<Eigen::Index>(topology().edges().size()));
    for (int f = 0; f < topology().triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto corner = [&](int i) { return Vector3d(rest.row(topology().triangles()(f, (k + i) % 3))); };
            const Vector3d a = corner(0) - corner(2);
            const Vector3d b = corner(1) - corner(2);
            const double area = std::max(a.cross(b).norm(), 1e-300);
            cotangents[topology().edge_of_side(f, k)] += 0.5 * a.dot(b) / area;
        }
    }
    cotangents = cotangents.cwiseMax(least_cotangent).cwiseMin(most_cotangent);
}

VectorXd EvenMesh::carried(const VectorXd& base_values) const {
    VectorXd values(topology().vertex_count());
    mesh.mesh.stencils().apply_to_scalars(base_values, workers, values);
    return values;
}

Compression sum_compression(const EvenMesh& mesh, const std::vector<MatrixX3d>& poses, const MatrixX3d& beside) {
    const MatrixX3i& triangles = mesh.topology().triangles();
    const int count = mesh.topology().triangle_count();
    std::vector<Chart> charts;
    charts.reserve(static_cast<size_t>(count));
    for (int f = 0; f < count; ++f) {
        charts.push_back(chart_of(mesh, f));
    }
    Compression sum;
    sum.least = VectorXd::Ones(count);
    sum.tensors = Tensors::Zero(count, 6);
    FoldMesh::Scratch scratch;
    MatrixX3d posed;
    const auto compress = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const Chart& chart = charts[static_cast<size_t>(f)];
            const Vector3d e1 = posed.row(triangles(f, 1)) - posed.row(triangles(f, 0));
            const Vector3d e2 = posed.row(triangles(f, 2)) - posed.row(triangles(f, 0));
            const Vector3d u = chart.inverse(0, 0) * e1;
            const Vector3d v = chart.inverse(0, 1) * e1 + chart.inverse(1, 1) * e2;
            const Squeeze squeeze = smallest_stretch(u.dot(u), u.dot(v), v.dot(v));
            sum.least[f] = std::min(sum.least[f], squeeze.stretch);
            const double amount = 1.0 - squeeze.stretch - least_compression;
            if (!(amount > 0.0)) {
                continue;
            }
            const Vector3d d = squeeze.cosine * chart.x + squeeze.sine * chart.y;
            double weight = amount * amount;
            if (beside.rows() > 0) {
                const double cosine = std::abs(beside.row(f).dot(d));
                weight *= smooth_step((0.866 - cosine) / (0.866 - 0.574));  // 30 to 55 degrees
            }
            sum.tensors.row(f) += weight * Eigen::Matrix<double, 1, 6>(d[0] * d[0], d[1] * d[1], d[2] * d[2],
                                                                       d[1] * d[2], d[0] * d[2], d[0] * d[1]);
        }
    };
    for (const MatrixX3d& pose : poses) {
        mesh.mesh.refine(pose, mesh.workers, scratch, posed);
        mesh.workers.for_chunks(count, 512, compress);
    }
    return sum;
}

Diffusion::Diffusion(const EvenMesh& mesh, const VectorXd& lengths) : mesh_(mesh) {
    std::vector<SparseEntry> entries;
    const auto& edges = mesh.topology().edges();
    for (size_t e = 0; e < edges.size(); ++e) {
        const auto [a, b] = edges[e];
        const double k = mesh.cotangents[static_cast<Eigen::Index>(e)] * lengths[a] * lengths[b];
        entries.push_back({a, a, k});
        entries.push_back({b, b, k});
        entries.push_back({b, a, -k});
    }
    system_ = compress_lower(mesh.topology().vertex_count(), entries);
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

VectorXd smooth_noise(const EvenMesh& mesh, Diffusion& diffusion, unsigned seed) {
    Dice dice(seed);
    VectorXd noise(mesh.topology().vertex_count());
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

}  // namespace cutis::fold_detail
