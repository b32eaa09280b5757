#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/field_parts.h"

namespace cutis::fold_detail {

namespace {

// Compression below this is noise of skinning.
constexpr double least_compression = 0.02;
// Tensors are smoothed over about this part of a fold's width.
constexpr double smoothing_part = 0.35;
constexpr int most_field_triangles = 200'000;

using Matrix2 = Eigen::Matrix2d;
using Tensor = Eigen::Matrix3d;

/// Plane coordinates of a triangle at rest.
struct Chart {
    Vector3d x;
    Vector3d y;
    Matrix2 inverse;  // of the two edges from corner 0
};

Chart chart_of(const MatrixX3d& rest, const MatrixX3i& triangles, int f, const Vector3d& normal) {
    const Vector3d e1 = rest.row(triangles(f, 1)) - rest.row(triangles(f, 0));
    const Vector3d e2 = rest.row(triangles(f, 2)) - rest.row(triangles(f, 0));
    Chart chart;
    chart.x = e1.normalized();
    chart.y = normal.cross(chart.x);
    Matrix2 edges;
    edges << e1.dot(chart.x), e2.dot(chart.x), e1.dot(chart.y), e2.dot(chart.y);
    chart.inverse =
        std::abs(edges.determinant()) > 0.0 ? Matrix2(edges.inverse()) : Matrix2(Matrix2::Zero());
    return chart;
}

/// Smaller eigenvalue of a symmetric 2 x 2 matrix and its unit vector.
struct Smallest {
    double value;
    Vector2d vector;
};
Smallest smallest(const Matrix2& m) {
    const double half_trace = 0.5 * (m(0, 0) + m(1, 1));
    const double half_difference = 0.5 * (m(0, 0) - m(1, 1));
    const double radius = std::hypot(half_difference, m(0, 1));
    // Angle of the larger one is half the angle of (difference, off-diagonal).
    const double angle = 0.5 * std::atan2(m(0, 1), half_difference);
    return {half_trace - radius, Vector2d(-std::sin(angle), std::cos(angle))};
}

}  // namespace

FieldMesh::FieldMesh(const Topology& base, const MatrixX3d& base_rest, double width,
                     const Workers& for_work)
    : mesh(make_uniform_mesh(base,
                             level_for_edge(base, base_rest, 0.3 * width, most_field_triangles))),
      workers(for_work) {
    FoldMesh::Scratch scratch;
    mesh.refine(base_rest, workers, scratch, rest);
    fill_triangle_normals(rest, topology(), workers, normals, areas);
    edge = mean_edge_length(rest, topology());
}

SurfacePoint FieldMesh::on_base(const SurfacePoint& point) const {
    SurfacePoint result;
    const std::vector<SurfacePoint>& corners = mesh.mesh.corner_points();
    const size_t first = 3 * static_cast<size_t>(point.triangle);
    result.triangle = corners[first].triangle;
    result.barycentric.setZero();
    for (size_t k = 0; k < 3; ++k) {
        result.barycentric +=
            point.barycentric[static_cast<Eigen::Index>(k)] * corners[first + k].barycentric;
    }
    result.barycentric = result.barycentric.cwiseMax(0.0);
    result.barycentric /= result.barycentric.sum();
    return result;
}

VectorXd FieldMesh::carried(const VectorXd& base_values) const {
    VectorXd values = VectorXd::Ones(topology().vertex_count());
    if (base_values.size() > 0) {
        mesh.mesh.stencils().apply_to_scalars(base_values, workers, values);
    }
    return values;
}

CompressionField find_compression(const FieldMesh& mesh, const std::vector<MatrixX3d>& poses,
                                  double width) {
    const MatrixX3i& triangles = mesh.topology().triangles();
    const int count = mesh.topology().triangle_count();
    std::vector<Chart> charts;
    charts.reserve(static_cast<size_t>(count));
    for (int f = 0; f < count; ++f) {
        charts.push_back(chart_of(mesh.rest, triangles, f, mesh.normals.row(f)));
    }
    CompressionField field;
    field.least = VectorXd::Ones(count);
    std::vector<Tensor> tensors(static_cast<size_t>(count), Tensor::Zero());
    constexpr int chunk = 512;
    FoldMesh::Scratch scratch;
    MatrixX3d posed;
    const auto compress = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const Chart& chart = charts[static_cast<size_t>(f)];
            Eigen::Matrix<double, 3, 2> edges;
            edges.col(0) = posed.row(triangles(f, 1)) - posed.row(triangles(f, 0));
            edges.col(1) = posed.row(triangles(f, 2)) - posed.row(triangles(f, 0));
            const Eigen::Matrix<double, 3, 2> map = edges * chart.inverse;
            const Smallest least = smallest(map.transpose() * map);
            const double stretch = std::sqrt(std::max(0.0, least.value));
            field.least[f] = std::min(field.least[f], stretch);
            const double amount = std::max(0.0, 1.0 - stretch - least_compression);
            if (amount > 0.0) {
                const Vector3d d = least.vector[0] * chart.x + least.vector[1] * chart.y;
                tensors[static_cast<size_t>(f)] += amount * amount * (d * d.transpose());
            }
        }
    };
    for (const MatrixX3d& pose : poses) {
        mesh.mesh.refine(pose, mesh.workers, scratch, posed);
        mesh.workers.for_chunks(count, chunk, compress);
    }

    // Diffusion between neighbouring triangles, whose centres are about 0.58 edges apart.
    const double variance = 0.17 * mesh.edge * mesh.edge;
    const int rounds = std::clamp(
        static_cast<int>(std::lround(smoothing_part * smoothing_part * width * width / variance)),
        3, 60);
    std::vector<Tensor> next(tensors.size());
    const auto diffuse = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Tensor sum = Tensor::Zero();
            double weight = 0.0;
            for (int k = 0; k < 3; ++k) {
                const int g = mesh.topology().neighbour(f, k);
                if (g >= 0) {
                    sum += mesh.areas[g] * tensors[static_cast<size_t>(g)];
                    weight += mesh.areas[g];
                }
            }
            next[static_cast<size_t>(f)] =
                weight > 0.0 ? Tensor(0.5 * tensors[static_cast<size_t>(f)] + 0.5 / weight * sum)
                             : tensors[static_cast<size_t>(f)];
        }
    };
    for (int round = 0; round < rounds; ++round) {
        mesh.workers.for_chunks(count, chunk, diffuse);
        tensors.swap(next);
    }

    field.direction.resize(count, 3);
    field.coherence.resize(count);
    field.strength.resize(count);
    for (int f = 0; f < count; ++f) {
        const Chart& chart = charts[static_cast<size_t>(f)];
        const Tensor& t = tensors[static_cast<size_t>(f)];
        Matrix2 flat;
        flat << chart.x.dot(t * chart.x), chart.x.dot(t * chart.y), chart.y.dot(t * chart.x),
            chart.y.dot(t * chart.y);
        const Smallest low = smallest(flat);
        const Vector2d high(low.vector[1], -low.vector[0]);
        const double trace = flat.trace();
        field.direction.row(f) = high[0] * chart.x + high[1] * chart.y;
        field.strength[f] = trace - low.value;
        field.coherence[f] = trace > 0.0 ? (trace - 2.0 * low.value) / trace : 0.0;
    }
    return field;
}

}  // namespace cutis::fold_detail
