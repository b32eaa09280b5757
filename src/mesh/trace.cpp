#include "mesh/trace.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "cutis/core/error.h"

namespace cutis {
namespace {

constexpr int trace_chunk = 2048;
constexpr double flattest = 1e-12;         // least height of a triangle over its longest side
constexpr double smallest = 1e-200;        // stands for zero in divisors; squares must not underflow here
constexpr double at_vertex = 1.0 - 1e-12;  // weight from which a point counts as sitting on a vertex

// A displacement counts as tangential when projection keeps this share of its length: fully above
// cos 41 deg, not at all below cos 60 deg. In between the answer changes smoothly: a jump here made
// points hop and triangles invert.
constexpr double tangential_none = 0.5;
constexpr double tangential_full = 0.75;

// Non-negative, sum one.
Vector3d renormalised(const Vector3d& weights) {
    const Vector3d positive = weights.cwiseMax(0.0);
    return positive / positive.sum();
}

}  // namespace

// Triangle, weights and target weights a trace begins with.
struct SurfaceTracer::Start {
    int triangle = 0;
    Vector3d here;
    Vector3d target;
};

// A trace under way: where it is and where it would end if this triangle's plane went on forever,
// both in weights of the current triangle. Weights are counted from corner `turn`, and turned so
// that the side just crossed is the first one; plain numbers with fixed names stay in registers.
struct SurfaceTracer::Walk {
    int triangle = 0;
    int turn = 0;
    double here0 = 0.0, here1 = 0.0, here2 = 0.0;
    double target0 = 0.0, target1 = 0.0, target2 = 0.0;
    double carried0 = 0.0, carried1 = 0.0, carried2 = 0.0;  // rates of the carried vector
    bool has_entered = false;                               // across the first side, which is then never re-tested
    int turned_at = -1;                                     // boundary vertex where a slide already turned back once

    int side() const { return turn; }
    int corner(int k) const { return (turn + k) % 3; }

    // Counts from the next corner: 1 2 0 become 0 1 2.
    void turn_once() {
        turn = turn == 2 ? 0 : turn + 1;
        here0 = std::exchange(here1, std::exchange(here2, here0));
        target0 = std::exchange(target1, std::exchange(target2, target0));
        carried0 = std::exchange(carried1, std::exchange(carried2, carried0));
    }
    void turn_twice() {
        turn = turn == 0 ? 2 : turn - 1;
        here0 = std::exchange(here2, std::exchange(here1, here0));
        target0 = std::exchange(target2, std::exchange(target1, target0));
        carried0 = std::exchange(carried2, std::exchange(carried1, carried0));
    }
};

SurfaceTracer::SurfaceTracer(const Topology& topology, const TraceOptions& options)
    : topology_(&topology), options_(options) {
    require(options.most_edges > 0.0, "most_edges: expected more than 0, found ", options.most_edges);
    require(options.most_crossings >= 1, "most_crossings: expected at least 1, found ", options.most_crossings);
    if (!options.keep_tables) {
        return;
    }
    const int triangle_count = topology.triangle_count();
    positions_.setZero(topology.vertex_count(), 3);
    incident_edge_.setZero(topology.vertex_count());
    feet_.setZero(triangle_count, 3);
    double_areas_.setOnes(triangle_count);
    faces_.resize(static_cast<size_t>(triangle_count));
    for (int f = 0; f < triangle_count; ++f) {
        Face& face = faces_[f];
        face = Face{};
        for (int side = 0; side < 3; ++side) {
            face.twin[side] = twin_of(f, side);
        }
    }
}

int SurfaceTracer::twin_of(int f, int side) const {
    const int g = topology_->neighbour(f, side);
    for (int other = 0; g >= 0 && other < 3; ++other) {
        if (topology_->edge_of_side(g, other) == topology_->edge_of_side(f, side)) {
            return 3 * g + other;
        }
    }
    return -1;
}

// Sides and area of one triangle.
struct SurfaceTracer::Shape {
    Vector3d side[3];
    double squared[3];
    double longest;
    double double_area;  // never zero
    Vector3d normal;     // unit; zero without area

    Shape(const Vector3d& a, const Vector3d& b, const Vector3d& c) : side{b - a, c - b, a - c} {
        for (int k = 0; k < 3; ++k) {
            squared[k] = side[k].squaredNorm();
        }
        longest = std::max({squared[0], squared[1], squared[2], smallest});
        const Vector3d area_vector = side[0].cross(-side[2]);
        const double whole = area_vector.norm();
        double_area = std::max(whole, flattest * longest);
        normal = whole > 1e-15 * longest ? Vector3d(area_vector / whole) : Vector3d::Zero();
    }
    // Of the weight of corner k, which lies opposite to side k+1: n x e / 2A.
    Vector3d gradient(int k) const { return normal.cross(side[(k + 1) % 3]) / double_area; }
    // Of corner k+2 along side k.
    double foot(int k) const {
        return -side[(k + 2) % 3].dot(side[k]) / std::max(squared[k], flattest * flattest * longest);
    }
};

Vector3d SurfaceTracer::place(int v) const {
    return options_.keep_tables ? Vector3d(positions_.row(v))
                                : Vector3d(watched_ + static_cast<std::ptrdiff_t>(v) * stride_);
}

SurfaceTracer::Plane SurfaceTracer::plane_of(int f) const {
    if (options_.keep_tables) {
        const Face& face = faces_[f];
        return {Vector3d(face.normal), Vector3d(face.gradient[0]), Vector3d(face.gradient[1])};
    }
    const auto corner = topology_->triangles().row(f);
    const Shape shape(place(corner[0]), place(corner[1]), place(corner[2]));
    return {shape.normal, shape.gradient(1), shape.gradient(2)};
}

void SurfaceTracer::unfold(int f, int side, int twin, double* across) const {
    const auto corner = topology_->triangles().row(f);
    const Shape shape(place(corner[0]), place(corner[1]), place(corner[2]));
    const double foot = shape.foot(side);
    if (twin < 0) {
        across[0] = foot;
        return;
    }
    // Same base, so heights are as areas; the neighbour's foot runs the other way.
    const auto next = topology_->triangles().row(twin / 3);
    const Shape other(place(next[0]), place(next[1]), place(next[2]));
    const double apex = -shape.double_area / other.double_area;
    across[0] = foot - apex * (1.0 - other.foot(twin % 3));
    across[1] = 1.0 - across[0] - apex;
    across[2] = apex;
}

double SurfaceTracer::measured_incident_edge(int v) const {
    const MatrixX3i& triangles = topology_->triangles();
    const Vector3d here = place(v);
    double sum = 0.0;
    int count = 0;
    for (const int f : topology_->triangles_around(v)) {
        const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
        sum += (place(triangles(f, (k + 1) % 3)) - here).norm();
        ++count;
        if (topology_->neighbour(f, (k + 2) % 3) < 0) {
            sum += (place(triangles(f, (k + 2) % 3)) - here).norm();
            ++count;
        }
    }
    return sum / count;
}

void SurfaceTracer::update(const Eigen::Ref<const MatrixX3d>& positions, const Workers& workers) {
    require(positions.rows() == positions_.rows(), "positions: expected ", positions_.rows(), " rows, found ",
            positions.rows());
    positions_ = positions;
    const MatrixX3i& triangles = topology_->triangles();

    const auto measure_faces = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Face& face = faces_[f];
            const Shape shape(place(triangles(f, 0)), place(triangles(f, 1)), place(triangles(f, 2)));
            double_areas_[f] = shape.double_area;
            Vector3d::Map(face.normal) = shape.normal;
            for (int k = 0; k < 3; ++k) {
                if (k > 0) {
                    Vector3d::Map(face.gradient[k - 1]) = shape.gradient(k);
                }
                feet_(f, k) = shape.foot(k);
            }
        }
    };
    workers.for_chunks(topology_->triangle_count(), trace_chunk, std::ref(measure_faces));

    const auto unfold_sides = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            Face& face = faces_[f];
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
    workers.for_chunks(topology_->triangle_count(), trace_chunk, std::ref(unfold_sides));

    const auto measure_vertices = [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            incident_edge_[v] = measured_incident_edge(v);
        }
    };
    workers.for_chunks(topology_->vertex_count(), trace_chunk, std::ref(measure_vertices));

    const auto copy_to_corners = [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            for (int k = 0; k < 3; ++k) {
                faces_[f].incident[k] = incident_edge_[triangles(f, k)];
            }
        }
    };
    workers.for_chunks(topology_->triangle_count(), trace_chunk, std::ref(copy_to_corners));
}

TraceResult SurfaceTracer::trace(const SurfacePoint& start, const Vector3d& displacement) const {
    return run<false>(start, displacement, Vector3d::Zero());
}

TraceResult SurfaceTracer::trace(const SurfacePoint& start, const Vector3d& displacement,
                                 const Vector3d& carried) const {
    return run<true>(start, displacement, carried);
}

Vector3d SurfaceTracer::rates_in(int f, const Vector3d& vector) const {
    const Plane plane = plane_of(f);
    const double first = plane.gradient1.dot(vector);
    const double second = plane.gradient2.dot(vector);
    return {-(first + second), first, second};
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
    const double along_normal = plane_of(f).normal.dot(vector);
    // The common case, a vector that already lies in the triangle, needs no square root.
    if (along_normal * along_normal <= 1e-30 * squared) {
        return 1.0;
    }
    const double projected = std::sqrt(std::max(0.0, squared - along_normal * along_normal));
    return projected > 0.0 ? restored(projected, std::sqrt(squared)) / projected : 1.0;
}

// From a vertex: the triangle of the fan that holds the direction best, i.e. maximises the smaller
// of the two rates. Returns true if the boundary changed or stopped the displacement.
bool SurfaceTracer::begin_at_vertex(int corner, const Vector3d& displacement, Start& start) const {
    const MatrixX3i& triangles = topology_->triangles();
    const int v = triangles(start.triangle, corner);
    double best = -std::numeric_limits<double>::infinity();
    Vector3d rates = Vector3d::Zero();
    for (const int f : topology_->triangles_around(v)) {
        const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
        const Vector3d candidate = rates_in(f, displacement);
        const double smaller = std::min(candidate[(k + 1) % 3], candidate[(k + 2) % 3]);
        if (smaller > best) {
            best = smaller;
            rates = candidate;
            start.triangle = f;
            corner = k;
        }
    }
    start.here = Vector3d::Unit(corner);
    start.target = start.here;
    if (best >= 0.0) {
        start.target += length_factor(displacement, start.triangle) * rates;
        return false;
    }

    // No triangle holds the direction. Inside the surface it points into the gap that opens between
    // two triangles of a tip when their common edge is laid flat: it goes along that edge.
    const int next = (corner + 1) % 3;
    const int last = (corner + 2) % 3;
    const bool next_fails = rates[next] < 0.0;
    const bool last_fails = rates[last] < 0.0;
    const int end = next_fails ? last : next;
    const int side = next_fails ? last : corner;  // the side that joins v and the corner `end`
    if (next_fails != last_fails && topology_->neighbour(start.triangle, side) >= 0) {
        const Vector3d edge = place(triangles(start.triangle, end)) - place(v);
        const double length = std::max(edge.norm(), smallest);
        const double projected = edge.dot(displacement) / length;
        const double rate = std::max(0.0, restored(projected, displacement.norm())) / length;
        start.target[end] += rate;
        start.target[corner] -= rate;
        return false;
    }
    // Away from all triangles, as a displacement along the normal is, it stays.
    return topology_->is_boundary_vertex(v) && begin_along_boundary(v, displacement, start);
}

// From a boundary vertex outward: along the boundary edge that goes further, if any.
bool SurfaceTracer::begin_along_boundary(int v, const Vector3d& displacement, Start& start) const {
    const MatrixX3i& triangles = topology_->triangles();
    const std::span<const int> fan = topology_->triangles_around(v);
    double furthest = 0.0;
    for (const bool is_first : {true, false}) {
        const int f = is_first ? fan.front() : fan.back();
        const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
        const int end = (k + (is_first ? 1 : 2)) % 3;
        const Vector3d edge = place(triangles(f, end)) - place(v);
        const double length = std::max(edge.norm(), smallest);
        const double distance = edge.dot(displacement) / length;
        if (distance > furthest) {
            furthest = distance;
            start.triangle = f;
            start.here = Vector3d::Unit(k);
            start.target = start.here;
            start.target[end] += distance / length;
            start.target[k] -= distance / length;
        }
    }
    return true;
}

// At the boundary, met on the first side: keep the part of the rest along the side. Returns false
// if the trace ends here.
bool SurfaceTracer::slide(Walk& walk) const {
    double foot = 0.0;
    if (options_.keep_tables) {
        foot = faces_[walk.triangle].across[walk.side()][0];
    } else {
        unfold(walk.triangle, walk.side(), -1, &foot);
    }
    const double rate = walk.target1 - walk.here1 + (walk.target2 - walk.here2) * foot;
    if (rate == 0.0) {
        return false;
    }
    walk.target0 = walk.here0 - rate;
    walk.target1 = walk.here1 + rate;
    walk.target2 = 0.0;
    walk.has_entered = true;  // the side itself is not to be left
    // Already at the end of the side and pushed beyond: go round that vertex, but only once.
    constexpr double at_end = 1e-14;
    if ((rate > 0.0 ? walk.here0 : walk.here1) <= at_end) {
        const int v = topology_->triangles()(walk.triangle, walk.corner(rate > 0.0 ? 1 : 0));
        if (walk.turned_at == v) {
            return false;
        }
        walk.turned_at = v;
    }
    return true;
}

template <bool use_carried>
void SurfaceTracer::walk_to_end(Walk& walk, TraceResult& result) const {
    while (true) {
        // The side met first: smallest here / (here - target) over the weights that turn negative,
        // compared without division.
        const bool leaves0 = walk.target0 < 0.0;
        const bool leaves1 = walk.target1 < 0.0;
        const bool leaves2 = walk.target2 < 0.0 && !walk.has_entered;
        if (!(leaves0 || leaves1 || leaves2)) {
            return;
        }
        if (result.crossings == options_.most_crossings) {
            result.ran_out = true;
            return;
        }
        ++result.crossings;
        const bool is_1_before_0 = leaves1 && (!leaves0 || walk.here1 * walk.target0 > walk.here0 * walk.target1);
        const double here01 = is_1_before_0 ? walk.here1 : walk.here0;
        const double target01 = is_1_before_0 ? walk.target1 : walk.target0;
        const bool is_2_first = leaves2 && ((!leaves0 && !leaves1) || walk.here2 * target01 > here01 * walk.target2);
        // Turn so that the corner left behind comes third and the side to cross first.
        if (!is_2_first) {
            if (is_1_before_0) {
                walk.turn_twice();
            } else {
                walk.turn_once();
            }
        }

        // On the side only two weights are left; taking one from the other renormalises them.
        const double share = walk.here2 / (walk.here2 - walk.target2);
        double at1 = walk.here1 + share * (walk.target1 - walk.here1);
        at1 = at1 > 0.0 ? at1 : 0.0;  // also where overflow made it NaN
        at1 = at1 < 1.0 ? at1 : 1.0;
        walk.here0 = 1.0 - at1;
        walk.here1 = at1;
        walk.here2 = 0.0;

        const Face* face = options_.keep_tables ? &faces_[walk.triangle] : nullptr;
        const int twin = face != nullptr ? face->twin[walk.side()] : twin_of(walk.triangle, walk.side());
        if (twin < 0) {
            result.met_boundary = true;
            if (!slide(walk)) {
                walk.target0 = walk.here0;
                walk.target1 = walk.here1;
                walk.target2 = walk.here2;
                return;
            }
            continue;
        }
        // The neighbour unfolded into this plane; its side runs the other way.
        double measured[3];
        if (face == nullptr) {
            unfold(walk.triangle, walk.side(), twin, measured);
        }
        const double* across = face != nullptr ? face->across[walk.side()] : measured;
        std::swap(walk.here0, walk.here1);
        const double first = walk.target1 + walk.target2 * across[0];
        const double second = walk.target0 + walk.target2 * across[1];
        const double apex = walk.target2 * across[2];
        const double excess = 0.5 * (first + second + apex - 1.0);
        walk.target0 = first - excess;
        walk.target1 = second - excess;
        walk.target2 = apex;
        if constexpr (use_carried) {
            const double carried0 = walk.carried1 + walk.carried2 * across[0];
            walk.carried1 = walk.carried0 + walk.carried2 * across[1];
            walk.carried0 = carried0;
            walk.carried2 *= across[2];
        }
        walk.triangle = twin / 3;
        walk.turn = twin % 3;
        walk.has_entered = true;
    }
}

template <bool use_carried>
TraceResult SurfaceTracer::run(const SurfacePoint& from, const Vector3d& displacement, const Vector3d& carried) const {
    const Vector3d& b = from.barycentric;
    if (from.triangle < 0 || from.triangle >= topology_->triangle_count() || !(b.cwiseMax(0.0).sum() > 0.5) ||
        !(b.cwiseAbs().sum() < 2.0)) {
        require_valid_point(*topology_, from);  // names what is wrong
        throw InvalidInput(concat("surface point in triangle ", from.triangle, ": weights ", b[0], ' ', b[1], ' ', b[2],
                                  " do not sum to 1"));
    }
    TraceResult result;
    result.point = from;
    if (!displacement.allFinite() || (use_carried && !carried.allFinite())) {
        result.was_finite = false;
        return result;
    }

    Start start;
    start.triangle = from.triangle;
    start.here = renormalised(b);
    Vector3d d = displacement;
    const double squared = d.squaredNorm();
    double incident = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (options_.keep_tables) {
            incident += start.here[k] * faces_[start.triangle].incident[k];
        } else if (start.here[k] > 0.0) {
            incident += start.here[k] * mean_incident_edge(topology_->triangles()(start.triangle, k));
        }
    }
    const double longest = options_.most_edges * incident;
    if (!(squared <= longest * longest)) {
        d *= longest / d.stableNorm();
        result.was_capped = true;
    }
    const int corner = start.here[0] >= at_vertex   ? 0
                       : start.here[1] >= at_vertex ? 1
                       : start.here[2] >= at_vertex ? 2
                                                    : -1;
    if (squared == 0.0) {
        start.target = start.here;
    } else if (corner >= 0) {
        result.met_boundary = begin_at_vertex(corner, d, start);
    } else {
        start.target = start.here + length_factor(d, start.triangle) * rates_in(start.triangle, d);
    }

    Walk walk;
    walk.triangle = start.triangle;
    walk.here0 = start.here[0];
    walk.here1 = start.here[1];
    walk.here2 = start.here[2];
    walk.target0 = start.target[0];
    walk.target1 = start.target[1];
    walk.target2 = start.target[2];
    if constexpr (use_carried) {
        const Vector3d rates = length_factor(carried, start.triangle) * rates_in(start.triangle, carried);
        walk.carried0 = rates[0];
        walk.carried1 = rates[1];
        walk.carried2 = rates[2];
    }
    walk_to_end<use_carried>(walk, result);

    if (!std::isfinite(walk.target0 + walk.target1 + walk.target2)) {
        result.ran_out = true;  // overflow, or positions that are not finite
    }
    const Vector3d end = result.ran_out ? Vector3d(walk.here0, walk.here1, walk.here2)
                                        : renormalised(Vector3d(walk.target0, walk.target1, walk.target2));
    result.point.triangle = walk.triangle;
    result.point.barycentric[walk.corner(0)] = end[0];
    result.point.barycentric[walk.corner(1)] = end[1];
    result.point.barycentric[walk.corner(2)] = end[2];
    if constexpr (use_carried) {
        const MatrixX3i& triangles = topology_->triangles();
        const auto end_corner = [&](int k) { return place(triangles(walk.triangle, walk.corner(k))); };
        const Vector3d origin = end_corner(0);
        result.carried = walk.carried1 * (end_corner(1) - origin) + walk.carried2 * (end_corner(2) - origin);
        if (!result.carried.allFinite()) {
            result.carried.setZero();
            result.ran_out = true;
        }
    }
    return result;
}

}  // namespace cutis
