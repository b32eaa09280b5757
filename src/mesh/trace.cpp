#include "cutis/mesh/trace.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "cutis/core/error.h"

namespace cutis {
namespace {

constexpr int chunk = 2048;
constexpr double flattest = 1e-12;   // least height of a triangle over its longest side
constexpr double smallest = 1e-200;  // stands for zero in divisors; squares must not underflow here
constexpr double at_vertex =
    1.0 - 1e-12;  // weight from which a point counts as sitting on a vertex

// A displacement counts as tangential when projection keeps this share of its length: fully above
// cos 41 deg, not at all below cos 60 deg. In between the answer changes smoothly: a jump here made
// points hop and triangles invert (thin-skin notes, section 4).
constexpr double tangential_none = 0.5;
constexpr double tangential_full = 0.75;

// Non-negative, sum one.
Vector3d renormalised(const Vector3d& weights) {
    const Vector3d positive = weights.cwiseMax(0.0);
    return positive / positive.sum();
}

}  // namespace

// A trace under way: where it is and where it would end if this triangle's plane went on forever,
// both in weights of the current triangle.
struct SurfaceTracer::Walk {
    int triangle = 0;
    Vector3d here;
    Vector3d target;
    Vector3d carried = Vector3d::Zero();  // rates of the carried vector
    int excluded = -1;   // corner opposite to the side just crossed: never re-tested
    int turned_at = -1;  // boundary vertex where a slide already turned back once
};

SurfaceTracer::SurfaceTracer(const Topology& topology, const TraceOptions& options)
    : topology_(&topology), options_(options) {
    if (!(options.most_edges > 0.0)) {
        throw InvalidInput(say("most_edges: expected more than 0, found ", options.most_edges));
    }
    if (options.most_crossings < 1) {
        throw InvalidInput(
            say("most_crossings: expected at least 1, found ", options.most_crossings));
    }
    const int triangle_count = topology.triangle_count();
    positions_.setZero(topology.vertex_count(), 3);
    incident_edge_.setZero(topology.vertex_count());
    feet_.setZero(triangle_count, 3);
    double_areas_.setOnes(triangle_count);
    faces_.resize(static_cast<size_t>(triangle_count));
    for (int f = 0; f < triangle_count; ++f) {
        Face& face = faces_[static_cast<size_t>(f)];
        face = Face{};
        for (int side = 0; side < 3; ++side) {
            const int g = topology.neighbour(f, side);
            face.twin[side] = -1;
            for (int other = 0; g >= 0 && other < 3; ++other) {
                if (topology.edge_of_side(g, other) == topology.edge_of_side(f, side)) {
                    face.twin[side] = 3 * g + other;
                }
            }
        }
    }
}

void SurfaceTracer::update(const Eigen::Ref<const MatrixX3d>& positions, const Workers& workers) {
    if (positions.rows() != positions_.rows()) {
        throw InvalidInput(
            say("positions: expected ", positions_.rows(), " rows, found ", positions.rows()));
    }
    positions_ = positions;
    const MatrixX3i& triangles = topology_->triangles();

    const auto measure_faces = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Face& face = faces_[static_cast<size_t>(f)];
            Vector3d side[3];
            double squared[3];
            for (int k = 0; k < 3; ++k) {
                side[k] =
                    positions_.row(triangles(f, (k + 1) % 3)) - positions_.row(triangles(f, k));
                squared[k] = side[k].squaredNorm();
            }
            const double longest = std::max({squared[0], squared[1], squared[2], smallest});
            const Vector3d area_vector = side[0].cross(-side[2]);
            const double double_area = area_vector.norm();
            double_areas_[f] = std::max(double_area, flattest * longest);
            const Vector3d normal = double_area > 1e-15 * longest
                                        ? Vector3d(area_vector / double_area)
                                        : Vector3d::Zero();
            Vector3d::Map(face.normal) = normal;
            for (int k = 0; k < 3; ++k) {
                // Corner k lies opposite to side k+1; grad = n x e / 2A.
                Vector3d::Map(face.gradient[k]) =
                    normal.cross(side[(k + 1) % 3]) / double_areas_[f];
                // Foot of corner k+2 along side k.
                feet_(f, k) = -side[(k + 2) % 3].dot(side[k]) /
                              std::max(squared[k], flattest * flattest * longest);
            }
        }
    };
    workers.for_chunks(topology_->triangle_count(), chunk, std::ref(measure_faces));

    const auto unfold_sides = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Face& face = faces_[static_cast<size_t>(f)];
            for (int side = 0; side < 3; ++side) {
                double* across = face.across[side];
                if (face.twin[side] < 0) {
                    across[0] = feet_(f, side);
                    continue;
                }
                // Same base, so heights are as areas; the neighbour's foot runs the other way.
                const int g = face.twin[side] / 3;
                const double apex = -double_areas_[f] / double_areas_[g];
                const double first = feet_(f, side) - apex * (1.0 - feet_(g, face.twin[side] % 3));
                across[0] = first;
                across[1] = 1.0 - first - apex;
                across[2] = apex;
            }
        }
    };
    workers.for_chunks(topology_->triangle_count(), chunk, std::ref(unfold_sides));

    const auto measure_vertices = [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            double sum = 0.0;
            int count = 0;
            for (const int f : topology_->triangles_around(v)) {
                const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
                sum += (positions_.row(triangles(f, (k + 1) % 3)) - positions_.row(v)).norm();
                ++count;
                if (topology_->neighbour(f, (k + 2) % 3) < 0) {
                    sum += (positions_.row(triangles(f, (k + 2) % 3)) - positions_.row(v)).norm();
                    ++count;
                }
            }
            incident_edge_[v] = sum / count;
        }
    };
    workers.for_chunks(topology_->vertex_count(), chunk, std::ref(measure_vertices));
}

TraceResult SurfaceTracer::trace(const SurfacePoint& start, const Vector3d& displacement) const {
    return run(start, displacement, nullptr);
}

TraceResult SurfaceTracer::trace(const SurfacePoint& start, const Vector3d& displacement,
                                 const Vector3d& carried) const {
    return run(start, displacement, &carried);
}

Vector3d SurfaceTracer::rates_in(int f, const Vector3d& vector) const {
    const Face& face = faces_[static_cast<size_t>(f)];
    return {Vector3d::Map(face.gradient[0]).dot(vector),
            Vector3d::Map(face.gradient[1]).dot(vector),
            Vector3d::Map(face.gradient[2]).dot(vector)};
}

double SurfaceTracer::restored(double projected, double original) const {
    if (!options_.restore_length || !(projected > tangential_none * original)) {
        return projected;
    }
    const double share = projected / original;
    const double s = std::min(1.0, (share - tangential_none) / (tangential_full - tangential_none));
    return projected + (original - projected) * (s * s * (3.0 - 2.0 * s));
}

double SurfaceTracer::length_factor(const Vector3d& vector, int f) const {
    const double squared = vector.squaredNorm();
    const double along_normal = Vector3d::Map(faces_[static_cast<size_t>(f)].normal).dot(vector);
    // The common case, a vector that already lies in the triangle, needs no square root.
    if (along_normal * along_normal <= 1e-30 * squared) {
        return 1.0;
    }
    const double projected = std::sqrt(std::max(0.0, squared - along_normal * along_normal));
    return projected > 0.0 ? restored(projected, std::sqrt(squared)) / projected : 1.0;
}

void SurfaceTracer::begin_inside(const Vector3d& displacement, Walk& walk) const {
    walk.target = walk.here + length_factor(displacement, walk.triangle) *
                                  rates_in(walk.triangle, displacement);
}

// From a vertex: the triangle of the fan that holds the direction best, i.e. maximises the smaller
// of the two rates. Returns false if the vertex is a corner of the boundary that stops the trace.
bool SurfaceTracer::begin_at_vertex(int corner, const Vector3d& displacement, Walk& walk) const {
    const MatrixX3i& triangles = topology_->triangles();
    const int v = triangles(walk.triangle, corner);
    const std::span<const int> fan = topology_->triangles_around(v);
    const auto corner_in = [&](int f) {
        return triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
    };
    double best = -std::numeric_limits<double>::infinity();
    Vector3d rates = Vector3d::Zero();
    for (const int f : fan) {
        const int k = corner_in(f);
        const Vector3d candidate = rates_in(f, displacement);
        const double smaller = std::min(candidate[(k + 1) % 3], candidate[(k + 2) % 3]);
        if (smaller > best) {
            best = smaller;
            rates = candidate;
            walk.triangle = f;
            corner = k;
        }
    }
    const auto place = [&] {
        walk.here.setZero();
        walk.here[corner] = 1.0;
        walk.target = walk.here;
    };
    place();
    if (best >= 0.0) {
        walk.target += length_factor(displacement, walk.triangle) * rates;
        return true;
    }

    // No triangle holds the direction: it leaves the surface at the boundary, or points into the
    // gap that opens between two triangles of a tip when their edge is laid flat.
    const auto along = [&](int end_corner) -> Vector3d {
        return (positions_.row(triangles(walk.triangle, end_corner)) - positions_.row(v))
            .transpose();
    };
    const int to_next = (corner + 1) % 3;
    const int to_last = (corner + 2) % 3;
    const bool next_fails = rates[to_next] < 0.0;
    const bool last_fails = rates[to_last] < 0.0;
    int target_corner = next_fails ? to_last : to_next;
    // Side `corner` joins v and to_next; side `to_last` joins to_last and v.
    const int side = next_fails ? to_last : corner;
    if (next_fails != last_fails && topology_->neighbour(walk.triangle, side) >= 0) {
        const Vector3d edge = along(target_corner);
        const double length = std::max(edge.norm(), smallest);
        const double projected = edge.dot(displacement) / length;
        const double rate = std::max(0.0, restored(projected, displacement.norm())) / length;
        walk.target[target_corner] += rate;
        walk.target[corner] -= rate;
        return true;
    }
    if (!topology_->is_boundary_vertex(v)) {
        return true;  // points away from all triangles, as a displacement along the normal: stay
    }
    double best_rate = 0.0;
    double best_length = 0.0;
    int best_face = -1;
    int best_corner = -1;
    for (const bool use_first : {true, false}) {
        const int f = use_first ? fan.front() : fan.back();
        const int end_corner = (corner_in(f) + (use_first ? 1 : 2)) % 3;
        const Vector3d edge =
            (positions_.row(triangles(f, end_corner)) - positions_.row(v)).transpose();
        const double length = std::max(edge.norm(), smallest);
        if (edge.dot(displacement) / length > best_length) {
            best_length = edge.dot(displacement) / length;
            best_rate = best_length / length;
            best_face = f;
            best_corner = end_corner;
        }
    }
    if (best_face >= 0) {
        walk.triangle = best_face;
        corner = corner_in(best_face);
        place();
        walk.target[best_corner] += best_rate;
        walk.target[corner] -= best_rate;
    }
    return false;
}

// The neighbour across `side`, unfolded into the plane of this triangle.
void SurfaceTracer::cross(Walk& walk, int side) const {
    const Face& face = faces_[static_cast<size_t>(walk.triangle)];
    const double* across = face.across[side];
    const int twin = face.twin[side];
    const int from = side;
    const int to = (side + 1) % 3;
    const int apex = (side + 2) % 3;
    const int first = twin % 3;  // the neighbour's side runs the other way
    const int second = (first + 1) % 3;
    const int opposite = (first + 2) % 3;
    const auto mapped = [&](const Vector3d& w) {
        Vector3d result;
        result[first] = w[to] + w[apex] * across[0];
        result[second] = w[from] + w[apex] * across[1];
        result[opposite] = w[apex] * across[2];
        return result;
    };
    Vector3d here;
    here[first] = walk.here[to];
    here[second] = walk.here[from];
    here[opposite] = 0.0;
    walk.here = here;
    walk.target = mapped(walk.target);
    const double excess = 0.5 * (walk.target.sum() - 1.0);
    walk.target[first] -= excess;
    walk.target[second] -= excess;
    walk.carried = mapped(walk.carried);
    walk.triangle = twin / 3;
    walk.excluded = opposite;
}

// At boundary side: keep the part of the rest along the side. Returns false if the trace ends here.
bool SurfaceTracer::slide(Walk& walk, int side) const {
    const int from = side;
    const int to = (side + 1) % 3;
    const int apex = (side + 2) % 3;
    const double foot = faces_[static_cast<size_t>(walk.triangle)].across[side][0];
    const Vector3d rest = walk.target - walk.here;
    const double rate = rest[to] + rest[apex] * foot;
    walk.target[from] = walk.here[from] - rate;
    walk.target[to] = walk.here[to] + rate;
    walk.target[apex] = 0.0;
    walk.excluded = apex;
    // Already at the end of the side and pushed beyond: go round that vertex, but only once.
    constexpr double at_end = 1e-14;
    const int behind = rate > 0.0 ? from : to;
    if (rate == 0.0) {
        return false;
    }
    if (walk.here[behind] <= at_end) {
        const int v = topology_->triangles()(walk.triangle, rate > 0.0 ? to : from);
        if (walk.turned_at == v) {
            return false;
        }
        walk.turned_at = v;
    }
    return true;
}

TraceResult SurfaceTracer::run(const SurfacePoint& start, const Vector3d& displacement,
                               const Vector3d* carried) const {
    const Vector3d& b = start.barycentric;
    if (start.triangle < 0 || start.triangle >= topology_->triangle_count() ||
        !(b.cwiseMax(0.0).sum() > 0.5) || !(b.cwiseAbs().sum() < 2.0)) {
        require_valid_point(*topology_, start);  // names what is wrong
        throw InvalidInput(say("surface point in triangle ", start.triangle, ": weights ", b[0],
                               ' ', b[1], ' ', b[2], " do not sum to 1"));
    }
    TraceResult result;
    result.point = start;
    if (!displacement.allFinite() || (carried != nullptr && !carried->allFinite())) {
        result.was_finite = false;
        return result;
    }

    Walk walk;
    walk.triangle = start.triangle;
    walk.here = renormalised(b);
    const MatrixX3i& triangles = topology_->triangles();
    Vector3d d = displacement;
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        longest += walk.here[k] * incident_edge_[triangles(start.triangle, k)];
    }
    longest *= options_.most_edges;
    const double squared = d.squaredNorm();
    if (!(squared <= longest * longest)) {
        d *= longest / d.stableNorm();
        result.was_capped = true;
    }

    int corner = -1;
    for (int k = 0; k < 3; ++k) {
        corner = walk.here[k] >= at_vertex ? k : corner;
    }
    if (squared == 0.0) {
        walk.target = walk.here;
    } else if (corner >= 0) {
        result.met_boundary = !begin_at_vertex(corner, d, walk);
    } else {
        begin_inside(d, walk);
    }
    if (carried != nullptr) {
        walk.carried = length_factor(*carried, walk.triangle) * rates_in(walk.triangle, *carried);
    }

    while (true) {
        int out = -1;
        double share = 1.0;
        for (int k = 0; k < 3; ++k) {
            if (k != walk.excluded && walk.target[k] < 0.0) {
                const double reached = walk.here[k] / (walk.here[k] - walk.target[k]);
                if (out < 0 || reached < share) {
                    out = k;
                    share = reached;
                }
            }
        }
        if (out < 0) {
            if (walk.target.allFinite()) {
                walk.here = renormalised(walk.target);
            } else {
                result.ran_out = true;
            }
            break;
        }
        if (result.crossings == options_.most_crossings) {
            result.ran_out = true;
            break;
        }
        ++result.crossings;
        Vector3d at = walk.here + share * (walk.target - walk.here);
        at[out] = 0.0;
        if (!at.allFinite()) {
            result.ran_out = true;
            break;
        }
        walk.here = renormalised(at);
        const int side = (out + 1) % 3;
        if (faces_[static_cast<size_t>(walk.triangle)].twin[side] >= 0) {
            cross(walk, side);
        } else {
            result.met_boundary = true;
            if (!slide(walk, side)) {
                break;
            }
        }
    }

    result.point.triangle = walk.triangle;
    result.point.barycentric = walk.here;
    if (carried != nullptr) {
        const Vector3d origin = positions_.row(triangles(walk.triangle, 0));
        result.carried =
            walk.carried[1] * (positions_.row(triangles(walk.triangle, 1)).transpose() - origin) +
            walk.carried[2] * (positions_.row(triangles(walk.triangle, 2)).transpose() - origin);
        if (!result.carried.allFinite()) {
            result.carried.setZero();
            result.ran_out = true;
        }
    }
    return result;
}

}  // namespace cutis
