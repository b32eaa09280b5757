#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "slide/passes.h"

namespace cutis::slide {

namespace {

struct Basis {
    Vector3d normal, axis, second;
    Basis(const slide::BodyFrame& frame, int v)
        : normal(frame.normal.vector(v)), axis(frame.axis.vector(v)), second(normal.cross(axis)) {}
};

// Sectors of the fans of four vertices that a displacement each points into: sought from those found
// last, in the way round that the first look shows.
struct FourSectors {
    simd::Doubles weight_a, weight_b;
    simd::DoubleBits is_inside;  // the ring
    int a[4], b[4];              // the other corners
};

FourSectors find_sectors(const SkinModel& model, const int* here, const simd::Doubles3& axis,
                         const simd::Doubles3& second, simd::Doubles d0, simd::Doubles d1, SkinState& state) {
    using namespace simd;
    constexpr int most_sectors = 8;  // what is farther round is looked for with care
    const Doubles zero = simd::all(0.0);
    const Doubles3 at = gather3(state.body.position.data(), here);
    FourSectors found;
    int entry[4];
    int way[4] = {0, 0, 0, 0};
    for (int l = 0; l < 4; ++l) {
        entry[l] = state.sector[static_cast<size_t>(here[l])];
    }
    for (int tried = 0;; ++tried) {
        for (int l = 0; l < 4; ++l) {
            const int i = 2 * (model.fan_starts[static_cast<size_t>(here[l])] + entry[l]);
            found.a[l] = model.fan_vertices[static_cast<size_t>(i)];
            found.b[l] = model.fan_vertices[static_cast<size_t>(i) + 1];
        }
        const Doubles3 ea = gather3(state.body.position.data(), found.a) - at;
        const Doubles3 eb = gather3(state.body.position.data(), found.b) - at;
        const Doubles a0 = dot(ea, axis);
        const Doubles a1 = dot(ea, second);
        const Doubles b0 = dot(eb, axis);
        const Doubles b1 = dot(eb, second);
        const Doubles turn = a0 * b1 - a1 * b0;
        const Doubles towards_a = d0 * b1 - d1 * b0;
        const Doubles towards_b = a0 * d1 - a1 * d0;
        const DoubleBits is_found = (turn > zero) & (towards_a >= zero) & (towards_b >= zero);
        if (tried + 1 == most_sectors || !any(~is_found)) {
            const Doubles inverse = simd::all(1.0) / turn;
            found.weight_a = towards_a * inverse;
            found.weight_b = towards_b * inverse;
            found.is_inside = is_found & (found.weight_a + found.weight_b <= simd::all(1.0));
            break;
        }
        for (int l = 0; l < 4; ++l) {
            if (is_found[l] == 0) {
                const size_t i = static_cast<size_t>(here[l]);
                const int count = model.fan_starts[i + 1] - model.fan_starts[i];
                way[l] = way[l] != 0 ? way[l] : towards_a[l] < towards_b[l] ? 1 : -1;
                entry[l] += way[l];
                entry[l] = entry[l] < 0 ? count - 1 : entry[l] == count ? 0 : entry[l];
            }
        }
    }
    for (int l = 0; l < 4; ++l) {
        state.sector[static_cast<size_t>(here[l])] = entry[l];
    }
    return found;
}

// Four vertices whose backtraces end in their fans; a bit is set for each whose does not.
unsigned transport_four(const SkinModel& model, int first, double seconds, SkinState& state, Trial& trial) {
    using namespace simd;
    const int here[4] = {first, first + 1, first + 2, first + 3};
    const auto pair = [&](const int* index, Doubles& v0, Doubles& v1) {
        const double* v = state.velocity.data();
        v0 = Doubles{v[2 * index[0]], v[2 * index[1]], v[2 * index[2]], v[2 * index[3]]};
        v1 = Doubles{v[2 * index[0] + 1], v[2 * index[1] + 1], v[2 * index[2] + 1], v[2 * index[3] + 1]};
    };
    const Doubles one = simd::all(1.0);
    const Doubles3 normal = gather3(state.body.normal.data(), here);
    const Doubles3 axis = gather3(state.body.axis.data(), here);
    const Doubles3 second = cross(normal, axis);
    Doubles v0;
    Doubles v1;
    pair(here, v0, v1);
    const FourSectors sectors =
        find_sectors(model, here, axis, second, simd::all(-seconds) * v0, simd::all(-seconds) * v1, state);
    const int* a = sectors.a;
    const int* b = sectors.b;
    const Doubles wa = sectors.weight_a;
    const Doubles wb = sectors.weight_b;
    const Doubles own = one - (wa + wb);

    Doubles s0 = own * v0;
    Doubles s1 = own * v1;
    const Doubles3 normal_a = gather3(state.body.normal.data(), a);
    const Doubles3 normal_b = gather3(state.body.normal.data(), b);
    // Where normals are nearly opposite nothing leans.
    const auto closeness = [&](const Doubles3& n) {
        const Doubles sum = one + dot(n, normal);
        return select(sum < simd::all(0.1), simd::all(1e100), sum);
    };
    const auto [inverse_a, inverse_b] = inverses(closeness(normal_a), closeness(normal_b));
    const auto add = [&](const int* index, const Doubles3& n, Doubles weight, Doubles inverse_closeness) {
        const Doubles3 t = gather3(state.body.axis.data(), index);
        Doubles u0;
        Doubles u1;
        pair(index, u0, u1);
        const Doubles3 t2 = cross(n, t);
        const Doubles3 w = {u0 * t.x + u1 * t2.x, u0 * t.y + u1 * t2.y, u0 * t.z + u1 * t2.z};
        const Doubles lean = dot(normal, w) * inverse_closeness;
        s0 += weight * (dot(w, axis) - dot(n, axis) * lean);
        s1 += weight * (dot(w, second) - dot(n, second) * lean);
    };
    add(a, normal_a, wa, inverse_a);
    add(b, normal_b, wb, inverse_b);

    const Doubles zeta = load(model.stickiness.data() + first);
    Doubles3 free = {s0 * axis.x + s1 * second.x, s0 * axis.y + s1 * second.y, s0 * axis.z + s1 * second.z};
    if (state.has_velocity) {
        const auto carry = [&](const Doubles3& v, Doubles weight) {
            free = {free.x + weight * v.x, free.y + weight * v.y, free.z + weight * v.z};
        };
        carry(gather3(state.body.velocity.data(), here), own);
        carry(gather3(state.body.velocity.data(), a), wa);
        carry(gather3(state.body.velocity.data(), b), wb);
        carry(gather3(trial.next_body.velocity.data(), here), -one);
    }
    const Doubles3 new_normal = gather3(trial.next_body.normal.data(), here);
    const Doubles3 new_axis = gather3(trial.next_body.axis.data(), here);
    const Doubles3 new_second = cross(new_normal, new_axis);
    const Doubles r0 = zeta * s0 + (one - zeta) * dot(free, new_axis);
    const Doubles r1 = zeta * s1 + (one - zeta) * dot(free, new_second);
    unsigned failed = 0;
    for (int l = 0; l < 4; ++l) {
        if (sectors.is_inside[l] != 0) {
            trial.advected[2 * (static_cast<size_t>(first) + static_cast<size_t>(l))] = r0[l];
            trial.advected[2 * (static_cast<size_t>(first) + static_cast<size_t>(l)) + 1] = r1[l];
            trial.far_trace[static_cast<size_t>(first) + static_cast<size_t>(l)] = 0;
        } else {
            failed |= 1u << l;
        }
    }
    return model.options.carried_speed_limit ? 15u : failed;
}

}  // namespace

// The velocity of the skin that arrives at each vertex, and what the body's acceleration adds.
//
// U = T v + (1 - zeta) V_body is what a free piece of skin keeps: zeta
// is the share of the body's acceleration the skin is carried with. Coriolis and the like come with
// it.
//   old body: backtrace -h v_i -> weights b_k
//   a_i = sum b_k Rot(n_k -> n_i) T_k v_k
//   v_i <- zeta Told^T a_i + (1 - zeta) Tnew^T (a_i + sum b_k V_k(old) - V_i(new))
void transport_velocities(const SkinModel& model, double seconds, const Workers& workers, SkinState& state,
                          Trial& trial) {
    const MatrixX3i& triangles = model.topology->triangles();

    // In tangent coordinates of vertex i: sum of weights times turned velocities.
    const auto gathered = [&](int i, const Basis& here, const int* vertex, const double* weight) {
        Vector2d sum = Vector2d::Zero();
        for (int c = 0; c < 3; ++c) {
            const int k = vertex[c];
            const double* v = state.velocity.data() + 2 * k;
            if (weight[c] == 0.0) {
                continue;
            }
            if (k == i) {
                sum += weight[c] * Vector2d(v[0], v[1]);
                continue;
            }
            const Vector3d normal = state.body.normal.vector(k);
            const Vector3d axis = state.body.axis.vector(k);
            const Vector3d w = v[0] * axis + v[1] * normal.cross(axis);
            const double closeness = 1.0 + normal.dot(here.normal);
            const double turn = closeness < 0.1 ? 0.0 : here.normal.dot(w) / closeness;
            sum[0] += weight[c] * (w.dot(here.axis) - normal.dot(here.axis) * turn);
            sum[1] += weight[c] * (w.dot(here.second) - normal.dot(here.second) * turn);
        }
        return sum;
    };

    const auto finish = [&](int i, const Basis& here, const int* vertex, const double* weight) {
        const Vector2d arrived = gathered(i, here, vertex, weight);
        double zeta = model.stickiness[static_cast<size_t>(i)];
        const Vector3d new_velocity = trial.next_body.velocity.vector(i);
        if (model.options.carried_speed_limit) {
            const Vector3d n = trial.next_body.normal.vector(i);
            const double speed = (new_velocity - n * n.dot(new_velocity)).norm();
            zeta *= std::min(1.0, model.options.carried_speed_limit->at(i) / std::max(speed, 1e-300));
        }
        double* result = trial.advected.data() + 2 * i;
        if (zeta >= 1.0) {
            result[0] = arrived[0];
            result[1] = arrived[1];
            return;
        }
        Vector3d free = arrived[0] * here.axis + arrived[1] * here.second;
        if (state.has_velocity) {
            for (int c = 0; c < 3; ++c) {
                free += weight[c] * state.body.velocity.vector(vertex[c]);
            }
            free -= new_velocity;
        }
        const Basis there(trial.next_body, i);
        result[0] = zeta * arrived[0] + (1.0 - zeta) * free.dot(there.axis);
        result[1] = zeta * arrived[1] + (1.0 - zeta) * free.dot(there.second);
    };

    // One vertex with care: any sector of its fan, or further. Returns 1 if it lies beyond the
    // ring.
    const auto transport_one = [&](int i) {
        const double* v = state.velocity.data() + 2 * i;
        const Basis here(state.body, i);
        const int first = model.fan_starts[static_cast<size_t>(i)];
        const int count = model.fan_starts[static_cast<size_t>(i) + 1] - first;
        int vertex[3] = {i, i, i};
        double weight[3] = {1.0, 0.0, 0.0};
        trial.far_trace[static_cast<size_t>(i)] = 0;
        const double d0 = -seconds * v[0];
        const double d1 = -seconds * v[1];
        if (d0 != 0.0 || d1 != 0.0) {
            const Vector3d at = state.body.position.vector(i);
            int best = -1;
            double best_least = -1e300;
            double best_a = 0.0;
            double best_b = 0.0;
            int entry = state.sector[static_cast<size_t>(i)];
            int step = 0;  // the way round that the first sector shows
            for (int tried = 0; tried < count; ++tried, entry = (entry + step) % count) {
                const int fan = model.fans[static_cast<size_t>(first) + static_cast<size_t>(entry)];
                const int f = fan >> 2;
                const int k = fan & 3;
                const Vector3d ea = state.body.position.vector(triangles(f, (k + 1) % 3)) - at;
                const Vector3d eb = state.body.position.vector(triangles(f, (k + 2) % 3)) - at;
                const double a0 = ea.dot(here.axis);
                const double a1 = ea.dot(here.second);
                const double b0 = eb.dot(here.axis);
                const double b1 = eb.dot(here.second);
                const double turn = a0 * b1 - a1 * b0;
                const double towards_a = d0 * b1 - d1 * b0;
                const double towards_b = a0 * d1 - a1 * d0;
                if (step == 0) {
                    step = towards_a < towards_b ? 1 : count - 1;
                }
                if (!(turn > 0.0)) {
                    continue;
                }
                const double a = towards_a / turn;
                const double b = towards_b / turn;
                const double least = std::min(a, b);
                if (least > best_least) {
                    best_least = least;
                    best = entry;
                    best_a = a;
                    best_b = b;
                }
                if (least >= 0.0) {
                    break;
                }
            }
            if (best >= 0) {
                state.sector[static_cast<size_t>(i)] = best;
                best_a = std::max(best_a, 0.0);
                best_b = std::max(best_b, 0.0);
                const double both = best_a + best_b;
                if (!(both <= 1.0)) {
                    trial.far_trace[static_cast<size_t>(i)] = 1;
                    return 1.0;
                }
                const int fan = model.fans[static_cast<size_t>(first) + static_cast<size_t>(best)];
                vertex[1] = triangles(fan >> 2, ((fan & 3) + 1) % 3);
                vertex[2] = triangles(fan >> 2, ((fan & 3) + 2) % 3);
                weight[0] = 1.0 - both;
                weight[1] = best_a;
                weight[2] = best_b;
            }
        }
        finish(i, here, vertex, weight);
        return 0.0;
    };

    const double far_count = workers.sum_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        double far_here = 0.0;
        int first = begin;
        for (; first + 4 <= end; first += 4) {
            if (!state.activity.has_awake(first)) {
                continue;
            }
            unsigned failed = transport_four(model, first, seconds, state, trial);
            for (int l = 0; failed != 0; ++l, failed >>= 1) {
                if ((failed & 1u) != 0) {
                    far_here += transport_one(first + l);
                }
            }
        }
        for (; first < end; ++first) {
            far_here += transport_one(first);
        }
        return far_here;
    });

    if (far_count > 0.0) {
        // Beyond the ring: walk on the old body, as far as four edges.
        trial.body_tracer.watch(state.body.position.data(), 4);
        workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                if (trial.far_trace[static_cast<size_t>(i)] == 0) {
                    continue;
                }
                const Basis here(state.body, i);
                const double* v = state.velocity.data() + 2 * i;
                const Vector3d back = -seconds * (v[0] * here.axis + v[1] * here.second);
                const TraceResult end_point = trial.body_tracer.trace(point_at_vertex(*model.topology, i), back);
                const int f = end_point.point.triangle;
                const int vertex[3] = {triangles(f, 0), triangles(f, 1), triangles(f, 2)};
                finish(i, here, vertex, end_point.point.barycentric.data());
            }
        });
    }
    std::swap(state.velocity, trial.advected);
    for (int v = 0; !state.activity.is_whole && v < model.reach.vertices; ++v) {
        if (!state.activity.is_awake(v)) {  // beside one that is awake it was given what the body does
            state.velocity[2 * static_cast<size_t>(v)] = 0.0;
            state.velocity[2 * static_cast<size_t>(v) + 1] = 0.0;
        }
    }
}

}  // namespace cutis::slide
