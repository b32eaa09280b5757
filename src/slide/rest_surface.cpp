#include "slide/rest_surface.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "cutis/mesh/geometry.h"

namespace cutis::slide {

namespace {

// A vertex whose normal leans this far from a triangle around it is a crease (no Phong offset),
// and up to `smooth` in between.
constexpr double crease_cosine = 0.5;
constexpr double smooth_cosine = 0.75;
constexpr double on_vertex = 1.0 - 1e-12;  // weight from which a point counts as sitting there

// Any unit vector normal to n.
Vector3d any_axis(const Vector3d& n) {
    return std::abs(n[0]) < 0.6 ? Vector3d(n.cross(Vector3d::UnitX())).normalized()
                                : Vector3d(n.cross(Vector3d::UnitY())).normalized();
}

}  // namespace

RestSurface::RestSurface(const Topology& topology, const MatrixX3d& positions, const Workers& workers, bool use_curved)
    : topology_(&topology), positions_(positions), tracer_(topology, {.keep_tables = false}) {
    fill_triangle_normals(positions_, topology, workers, triangle_normals_, triangle_areas_);
    fill_vertex_normals(positions_, topology, NormalWeight::angle, workers, normals_);
    fill_vertex_areas(triangle_areas_, topology, workers, vertex_areas_);
    tracer_.watch(positions_.data(), 3);

    const MatrixX3i& triangles = topology.triangles();
    const int vertex_count = topology.vertex_count();
    cosines_.setOnes(vertex_count);
    vertex_edges_.resize(vertex_count);
    corner_positions_ = Records(vertex_count);
    corner_normals_ = Records(vertex_count);
    vertex_axes_.resize(3 * static_cast<size_t>(vertex_count));
    VectorXd alpha = VectorXd::Zero(vertex_count);
    for (int v = 0; v < vertex_count; ++v) {
        const Vector3d n = normals_.row(v);
        vertex_edges_[v] = tracer_.mean_incident_edge(v);
        for (const int f : topology.triangles_around(v)) {
            cosines_[v] = std::min(cosines_[v], n.dot(triangle_normals_.row(f)));
        }
        if (use_curved) {
            alpha[v] = 0.5 * std::clamp((cosines_[v] - crease_cosine) / (smooth_cosine - crease_cosine), 0.0, 1.0);
        }
        Vector3d::Map(vertex_axes_.data() + 3 * v) = any_axis(n);
        corner_positions_.set(v, positions_.row(v));
        corner_normals_.set(v, n);
    }
    tracer_.watch(positions_.data(), 3, vertex_edges_.data());
    facets_.resize(static_cast<size_t>(topology.triangle_count()));
    for (int f = 0; f < topology.triangle_count(); ++f) {
        Facet& facet = facets_[static_cast<size_t>(f)];
        facet = Facet{};
        Vector3d x[3];
        Vector3d n[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = positions_.row(triangles(f, k));
            n[k] = normals_.row(triangles(f, k));
            facet.corner[k] = triangles(f, k);
            facet.alpha[k] = static_cast<float>(alpha[triangles(f, k)]);
        }
        Vector3d up = triangle_normals_.row(f);
        const Vector3d side = x[1] - x[0];
        if (up.isZero()) {
            up = any_axis(side.normalized());
        }
        const Vector3d axis = side.squaredNorm() > 0.0 ? Vector3d(side.normalized()) : any_axis(up);
        const Vector3d second = up.cross(axis);
        Vector3d::Map(facet.axis) = axis;
        Vector3d::Map(facet.up) = up;
        const double double_area = std::max(2.0 * triangle_areas_[f], 1e-12 * side.squaredNorm());
        for (int k = 0; k < 3; ++k) {
            const Vector3d gradient = up.cross(x[(k + 2) % 3] - x[(k + 1) % 3]) / double_area;
            if (k > 0) {
                facet.rate[k - 1][0] = gradient.dot(axis);
                facet.rate[k - 1][1] = gradient.dot(second);
            }
            facet.height[k][0] = n[k].dot(x[(k + 1) % 3] - x[k]);
            facet.height[k][1] = n[k].dot(x[(k + 2) % 3] - x[k]);
        }
    }
    for (int f = 0; f < topology.triangle_count(); ++f) {
        unfold_sides(f);
    }
}

// Laid flat beside each other, triangles that share a side have their heights as their areas.
void RestSurface::unfold_sides(int f) {
    const MatrixX3i& triangles = topology_->triangles();
    const auto side = [&](int g, int k) -> Vector3d {
        return positions_.row(triangles(g, (k + 1) % 3)) - positions_.row(triangles(g, k));
    };
    // Of the corner opposite to a side, along it.
    const auto foot = [&](int g, int k) { return -side(g, (k + 2) % 3).dot(side(g, k)) / side(g, k).squaredNorm(); };
    const auto has_shape = [&](int g) {
        const double longest = std::max({side(g, 0).squaredNorm(), side(g, 1).squaredNorm(), side(g, 2).squaredNorm()});
        return triangle_areas_[g] > 1e-9 * longest;
    };
    Facet& facet = facets_[static_cast<size_t>(f)];
    for (int k = 0; k < 3; ++k) {
        const int g = topology_->neighbour(f, k);
        facet.twin[k] = -1;
        for (int other = 0; g >= 0 && other < 3; ++other) {
            if (topology_->edge_of_side(g, other) == topology_->edge_of_side(f, k) && has_shape(f) && has_shape(g)) {
                facet.twin[k] = 3 * g + other;
                facet.across[k][1] = -triangle_areas_[f] / triangle_areas_[g];
                facet.across[k][0] = foot(f, k) - facet.across[k][1] * (1.0 - foot(g, other));
            }
        }
    }
}

namespace {

// The corner that a point at a vertex sits on.
int corner_of(const SkinPoint& point) {
    return point.b[0] > 0.5 ? 0 : point.b[1] > 0.5 ? 1 : 2;
}

}  // namespace

SkinPoint RestSurface::point_of_vertex(int v) const {
    const SurfacePoint at = point_at_vertex(*topology_, v);
    SkinPoint point;
    point.triangle = at.triangle;
    point.is_at_vertex = true;
    for (int k = 0; k < 3; ++k) {
        point.b[k] = at.barycentric[k];
    }
    return point;
}

void RestSurface::look_up(const SkinPoint& point, double* position, double* chart_normal, double* chart_axis,
                          double* along_u, double* along_w) const {
    using simd::Doubles;
    using simd::load;
    using simd::store;
    const Facet& facet = facets_[static_cast<size_t>(point.triangle)];
    const double* b = point.b;
    if (point.is_at_vertex) {
        const int v = facet.corner[corner_of(point)];
        const Vector3d n = normals_.row(v);
        const Vector3d axis = Vector3d::Map(vertex_axes_.data() + 3 * v);
        const Vector3d second = n.cross(axis);
        store(position, load(corner_positions_.at(v)));
        Vector3d::Map(chart_normal) = n;
        Vector3d::Map(chart_axis) = axis;
        // Exact on a smooth surface: the Phong offset leans the facets into the vertex plane.
        Vector3d::Map(along_u) = axis;
        Vector3d::Map(along_w) = second;
        return;
    }
    // p = sum b X, P = p - alpha sum b_k n_k d_k with d_k = n_k . (p - X_k) = sum_l height_kl b_l.
    const double d0 = facet.height[0][0] * b[1] + facet.height[0][1] * b[2];
    const double d1 = facet.height[1][0] * b[2] + facet.height[1][1] * b[0];
    const double d2 = facet.height[2][0] * b[0] + facet.height[2][1] * b[1];
    const double alpha0 = facet.alpha[0];
    const double alpha1 = facet.alpha[1];
    const double alpha2 = facet.alpha[2];
    const double alpha = alpha0 * b[0] + alpha1 * b[1] + alpha2 * b[2];
    const Doubles n0 = load(corner_normals_.at(facet.corner[0]));
    const Doubles n1 = load(corner_normals_.at(facet.corner[1]));
    const Doubles n2 = load(corner_normals_.at(facet.corner[2]));
    const Doubles offset = n0 * (b[0] * d0) + n1 * (b[1] * d1) + n2 * (b[2] * d2);
    store(position, load(corner_positions_.at(facet.corner[0])) * b[0] +
                        load(corner_positions_.at(facet.corner[1])) * b[1] +
                        load(corner_positions_.at(facet.corner[2])) * b[2] - offset * alpha);
    const Doubles up = load(facet.up);
    const Doubles axis = load(facet.axis);
    store(chart_normal, up);
    store(chart_axis, axis);
    const Doubles up_turned = __builtin_shufflevector(up, up, 1, 2, 0, 3);
    const Doubles axis_turned = __builtin_shufflevector(axis, axis, 1, 2, 0, 3);
    const Doubles turned = up * axis_turned - axis * up_turned;
    const Doubles second = __builtin_shufflevector(turned, turned, 1, 2, 0, 3);
    // By both chart coordinates at once.
    using Pair = double __attribute__((vector_size(16)));
    const auto pair = [](const double* from) { return Pair{from[0], from[1]}; };
    const Pair r1 = pair(facet.rate[0]);
    const Pair r2 = pair(facet.rate[1]);
    const Pair r0 = -(r1 + r2);
    const Pair slope = alpha0 * r0 + alpha1 * r1 + alpha2 * r2;
    const Pair w0 = alpha * (r0 * d0 + b[0] * (facet.height[0][0] * r1 + facet.height[0][1] * r2));
    const Pair w1 = alpha * (r1 * d1 + b[1] * (facet.height[1][0] * r2 + facet.height[1][1] * r0));
    const Pair w2 = alpha * (r2 * d2 + b[2] * (facet.height[2][0] * r0 + facet.height[2][1] * r1));
    store(along_u, axis - offset * slope[0] - n0 * w0[0] - n1 * w1[0] - n2 * w2[0]);
    store(along_w, second - offset * slope[1] - n0 * w0[1] - n1 * w1[1] - n2 * w2[1]);
}

Vector3d RestSurface::position_at(const SkinPoint& point) const {
    alignas(32) double unused[4][4];
    alignas(32) double position[4];
    look_up(point, position, unused[0], unused[1], unused[2], unused[3]);
    return Vector3d(position);
}

bool RestSurface::move(SkinPoint& point, double u, double w) const {
    if (u == 0.0 && w == 0.0) {
        return true;
    }
    const Facet& facet = facets_[static_cast<size_t>(point.triangle)];
    Vector3d axis(facet.axis);
    Vector3d up(facet.up);
    if (point.is_at_vertex) {
        // Less than what counts as being at a vertex: it stays.
        const int v = facet.corner[corner_of(point)];
        const double edge = vertex_edges_[v];
        if (u * u + w * w < 1e-26 * edge * edge) {
            return true;
        }
        axis = Vector3d::Map(vertex_axes_.data() + 3 * v);
        up = normals_.row(v);
    } else {
        // Most steps stay in the triangle.
        const double step1 = facet.rate[0][0] * u + facet.rate[0][1] * w;
        const double step2 = facet.rate[1][0] * u + facet.rate[1][1] * w;
        const double b0 = point.b[0] - (step1 + step2);
        const double b1 = point.b[1] + step1;
        const double b2 = point.b[2] + step2;
        if (b0 > 0.0 && b1 > 0.0 && b2 > 0.0) {
            const double inverse = 1.0 / (b0 + b1 + b2);
            point.b[0] = b0 * inverse;
            point.b[1] = b1 * inverse;
            point.b[2] = b2 * inverse;
            return true;
        }
        const double target[3] = {b0, b1, b2};
        if (cross(point, u, w, target)) {
            return true;
        }
    }
    const Vector3d second = up.cross(axis);
    SurfacePoint start;
    start.triangle = point.triangle;
    start.barycentric = Vector3d(point.b);
    const TraceResult end = tracer_.trace(start, u * axis + w * second);
    point.triangle = end.point.triangle;
    point.is_at_vertex = false;
    for (int k = 0; k < 3; ++k) {
        point.b[k] = end.point.barycentric[k];
        point.is_at_vertex = point.is_at_vertex || point.b[k] >= on_vertex;
    }
    return end.was_finite && !end.was_capped && !end.met_boundary && !end.ran_out;
}

// The tracer's walk over the nearest sides, by tables. \return  false, and nothing moved, where the way is
// long, meets the boundary or thin triangles
bool RestSurface::cross(SkinPoint& point, double u, double w, const double* target) const {
    constexpr int most_crossings = 6;
    int f = point.triangle;
    const int* corner = facets_[static_cast<size_t>(f)].corner;
    const double longest =
        tracer_.options().most_edges * (point.b[0] * vertex_edges_[corner[0]] + point.b[1] * vertex_edges_[corner[1]] +
                                        point.b[2] * vertex_edges_[corner[2]]);
    if (!(u * u + w * w <= longest * longest)) {
        return false;
    }
    double here[3] = {point.b[0], point.b[1], point.b[2]};
    double to[3] = {target[0], target[1], target[2]};
    int behind = -1;  // opposite to the side just crossed, which is not crossed back
    for (int crossings = 0;; ++crossings) {
        int left = -1;  // the weight that turns negative first
        for (int k = 0; k < 3; ++k) {
            if (to[k] < 0.0 && k != behind && (left < 0 || here[k] * to[left] > here[left] * to[k])) {
                left = k;
            }
        }
        if (left < 0) {
            break;
        }
        const Facet& facet = facets_[static_cast<size_t>(f)];
        const int first = (left + 1) % 3;
        const int second = (left + 2) % 3;
        const int twin = facet.twin[first];
        if (twin < 0 || crossings == most_crossings) {
            return false;
        }
        const double share = here[left] / (here[left] - to[left]);
        const double at = std::clamp(here[second] + share * (to[second] - here[second]), 0.0, 1.0);
        const double* across = facet.across[first];
        const double to_first = to[second] + to[left] * across[0];
        const double to_second = to[first] + to[left] * (1.0 - across[0] - across[1]);
        const double to_apex = to[left] * across[1];
        const double excess = 0.5 * (to_first + to_second + to_apex - 1.0);
        f = twin / 3;
        const int turn = twin % 3;
        behind = (turn + 2) % 3;
        here[turn] = at;
        here[(turn + 1) % 3] = 1.0 - at;
        here[behind] = 0.0;
        to[turn] = to_first - excess;
        to[(turn + 1) % 3] = to_second - excess;
        to[behind] = to_apex;
    }
    point.triangle = f;
    const double b[3] = {std::max(to[0], 0.0), std::max(to[1], 0.0), std::max(to[2], 0.0)};
    const double inverse = 1.0 / (b[0] + b[1] + b[2]);
    for (int k = 0; k < 3; ++k) {
        point.b[k] = b[k] * inverse;
        point.is_at_vertex = point.is_at_vertex || point.b[k] >= on_vertex;
    }
    return true;
}

size_t RestSurface::bytes() const {
    const auto numbers = positions_.size() + normals_.size() + triangle_normals_.size() + triangle_areas_.size() +
                         vertex_areas_.size() + cosines_.size() + vertex_edges_.size();
    return facets_.size() * sizeof(Facet) + corner_positions_.bytes() + corner_normals_.bytes() +
           sizeof(double) * (static_cast<size_t>(numbers) + vertex_axes_.size());
}

}  // namespace cutis::slide
