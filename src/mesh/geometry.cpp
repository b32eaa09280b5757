#include "cutis/mesh/geometry.h"

#include <Eigen/Geometry>
#include <cmath>
#include <functional>
#include <limits>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {
namespace {

constexpr int geometry_chunk = 4096;  // triangles or vertices per chunk: some 0.1 ms of work

// A cross product shorter than this fraction of the squared edges is rounding, not a direction.
constexpr double thinnest = 1e-15;

void require_rows(Eigen::Index found, int expected, const char* what) {
    require(found == expected, what, ": expected ", expected, " rows, found ", found);
}

struct Corners {
    Vector3d a, b, c;
};

Corners corners_of(const Eigen::Ref<const MatrixX3d>& positions, const MatrixX3i& triangles, int f) {
    return {positions.row(triangles(f, 0)), positions.row(triangles(f, 1)), positions.row(triangles(f, 2))};
}

// Twice the area times the unit normal; exactly zero where the direction would be noise.
Vector3d area_vector(const Corners& t) {
    const Vector3d u = t.b - t.a;
    const Vector3d w = t.c - t.a;
    const Vector3d n = u.cross(w);
    const double size = u.squaredNorm() + w.squaredNorm();
    return n.squaredNorm() > thinnest * thinnest * size * size ? n : Vector3d::Zero();
}

double angle_between(const Vector3d& u, const Vector3d& w) {
    return math::atan2(u.cross(w).norm(), u.dot(w));
}

Vector3d vertex_normal(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology, NormalWeight weight,
                       int v) {
    constexpr double cancelled = 1e-12;
    if (weight == NormalWeight::area) {
        // Without a square root per triangle: (sum |n|)^2 <= count * sum |n|^2.
        Vector3d sum = Vector3d::Zero();
        double squares = 0.0;
        double count = 0.0;
        for (const int f : topology.triangles_around(v)) {
            const Vector3d n = area_vector(corners_of(positions, topology.triangles(), f));
            sum += n;
            squares += n.squaredNorm();
            count += 1.0;
        }
        if (sum.squaredNorm() > 4.0 * cancelled * cancelled * count * squares) {
            return sum / sum.norm();
        }
    }
    Vector3d sum = Vector3d::Zero();
    double total = 0.0;
    Vector3d largest = Vector3d::Zero();
    for (const int f : topology.triangles_around(v)) {
        const Corners t = corners_of(positions, topology.triangles(), f);
        const Vector3d n = area_vector(t);
        const double length = n.norm();
        if (length > largest.norm()) {
            largest = n;
        }
        if (weight == NormalWeight::area) {
            sum += n;
            total += length;
        } else if (length > 0.0) {
            const MatrixX3i& corner = topology.triangles();
            const double angle = corner(f, 0) == v   ? angle_between(t.b - t.a, t.c - t.a)
                                 : corner(f, 1) == v ? angle_between(t.c - t.b, t.a - t.b)
                                                     : angle_between(t.a - t.c, t.b - t.c);
            sum += n * (angle / length);
            total += angle;
        }
    }
    // A fold-over cancels to rounding; then the sum has no direction of its own.
    const double length = sum.norm();
    if (length > cancelled * total) {
        return sum / length;
    }
    const double fallback = largest.norm();
    return fallback > 0.0 ? Vector3d(largest / fallback) : Vector3d::Zero();
}

}  // namespace

void fill_triangle_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology,
                           const Workers& workers, MatrixX3d& normals, VectorXd& areas) {
    require_rows(positions.rows(), topology.vertex_count(), "positions");
    normals.resize(topology.triangle_count(), 3);
    areas.resize(topology.triangle_count());
    const auto job = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const Vector3d n = area_vector(corners_of(positions, topology.triangles(), f));
            const double length = n.norm();
            areas[f] = 0.5 * length;
            normals.row(f) = (length > 0.0 ? Vector3d(n / length) : n).transpose();
        }
    };
    workers.for_chunks(topology.triangle_count(), geometry_chunk, std::ref(job));
}

void fill_vertex_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology, NormalWeight weight,
                         const Workers& workers, MatrixX3d& normals) {
    require_rows(positions.rows(), topology.vertex_count(), "positions");
    normals.resize(topology.vertex_count(), 3);
    const auto job = [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            normals.row(v) = vertex_normal(positions, topology, weight, v).transpose();
        }
    };
    workers.for_chunks(topology.vertex_count(), geometry_chunk, std::ref(job));
}

void fill_vertex_areas(const Eigen::Ref<const VectorXd>& triangle_areas, const Topology& topology,
                       const Workers& workers, VectorXd& vertex_areas) {
    require_rows(triangle_areas.rows(), topology.triangle_count(), "triangle_areas");
    vertex_areas.resize(topology.vertex_count());
    const auto job = [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            double sum = 0.0;
            for (const int f : topology.triangles_around(v)) {
                sum += triangle_areas[f];
            }
            vertex_areas[v] = sum / 3.0;
        }
    };
    workers.for_chunks(topology.vertex_count(), geometry_chunk, std::ref(job));
}

MatrixX3d triangle_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology) {
    MatrixX3d normals;
    VectorXd areas;
    fill_triangle_normals(positions, topology, Workers(1), normals, areas);
    return normals;
}

VectorXd triangle_areas(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology) {
    MatrixX3d normals;
    VectorXd areas;
    fill_triangle_normals(positions, topology, Workers(1), normals, areas);
    return areas;
}

MatrixX3d vertex_normals(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology, NormalWeight weight) {
    MatrixX3d normals;
    fill_vertex_normals(positions, topology, weight, Workers(1), normals);
    return normals;
}

double bounding_box_diagonal(const Eigen::Ref<const MatrixX3d>& positions) {
    if (positions.rows() == 0) {
        return 0.0;
    }
    return (positions.colwise().maxCoeff() - positions.colwise().minCoeff()).norm();
}

double mean_edge_length(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology) {
    require_rows(positions.rows(), topology.vertex_count(), "positions");
    if (topology.edges().empty()) {
        return 0.0;
    }
    double sum = 0.0;
    for (const auto& [i, j] : topology.edges()) {
        sum += (positions.row(i) - positions.row(j)).norm();
    }
    return sum / static_cast<double>(topology.edges().size());
}

std::vector<double> part_areas(const Eigen::Ref<const MatrixX3d>& positions, const Topology& topology) {
    const VectorXd areas = triangle_areas(positions, topology);
    std::vector<double> sums(static_cast<size_t>(topology.part_count()), 0.0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        const size_t v = static_cast<size_t>(topology.triangles()(f, 0));
        sums[topology.part_of_vertex()[v]] += areas[f];
    }
    return sums;
}

Vector3d main_box(const MatrixX3d& positions, const Topology& topology, const std::vector<char>& left_out) {
    const std::vector<int>& part = topology.part_of_vertex();
    VectorXd areas = triangle_areas(positions, topology);
    std::vector<double> area_of(part.size(), 0.0);
    const auto is_out = [&](int v) { return !left_out.empty() && left_out[static_cast<size_t>(v)] != 0; };
    for (int f = 0; f < topology.triangle_count(); ++f) {
        areas[f] = is_out(topology.triangles()(f, 0)) ? 0.0 : areas[f];
        area_of[part[topology.triangles()(f, 0)]] += areas[f];
    }
    const double whole = areas.sum();
    constexpr double speck = 0.01;
    constexpr double most_in_specks = 0.1;
    double in_specks = 0.0;
    for (const double area : area_of) {
        in_specks += area < speck * whole ? area : 0.0;
    }
    const double least = in_specks > most_in_specks * whole ? 0.0 : speck * whole;
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity());
    Vector3d high = -low;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (area_of[part[v]] >= least && !is_out(v)) {
            low = low.cwiseMin(positions.row(v).transpose());
            high = high.cwiseMax(positions.row(v).transpose());
        }
    }
    return high - low;
}

bool has_uv_area(const ArtMesh& mesh) {
    constexpr double least = 1e-6;  // of the picture
    double doubled = 0.0;
    for (Eigen::Index f = 0; f < mesh.uv_triangles.rows(); ++f) {
        const auto row = mesh.uv_triangles.row(f);
        if (row.minCoeff() >= 0) {
            const Vector2d a = (mesh.uv.row(row[1]) - mesh.uv.row(row[0])).transpose();
            const Vector2d b = (mesh.uv.row(row[2]) - mesh.uv.row(row[0])).transpose();
            doubled += std::abs(a[0] * b[1] - a[1] * b[0]);
        }
    }
    return doubled > 2.0 * least;
}

}  // namespace cutis
