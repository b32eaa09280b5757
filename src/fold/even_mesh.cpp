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
    FineMesh::Scratch scratch;
    mesh.refine(base_rest, workers, scratch, rest);
    static_cast<StripeMesh&>(*this) = StripeMesh::of(topology(), rest);
    sides = triangle_normals(rest, topology());
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
    FineMesh::Scratch scratch;
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

}  // namespace cutis::fold_detail
