#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "slide/element.h"
#include "slide/parts.h"

namespace cutis {

using simd::Doubles;
using simd::Doubles3;
using simd::load;
using simd::store;

namespace {

// Limits of thin-skin notes, section 12.
constexpr double least_determinant = 0.02;    // never pushed below this by a step
constexpr double least_share = 0.1;           // nor below this share of what it was
constexpr double tangled_determinant = 0.05;  // below this for `patience` steps: untangle
constexpr int patience = 3;
constexpr int limiter_rounds = 6;  // of halving, then velocities become zero
constexpr int most_rounds = 1000;
constexpr int longest_unrest = 50;       // steps watched after the last inverted triangle
constexpr int most_hopeless_steps = 20;  // with many triangles inverted

double allowed_determinant(double before) {
    if (before < least_determinant) {
        return before > 0.0 ? 0.0 : -1e300;
    }
    return std::max(least_determinant, least_share * std::min(before, 1.0));
}

/// Four triangles of the skin where its vertices are, against their tracked normals.
struct TrackedArea {
    Doubles3 normal;  // as long as twice the area
    Doubles3 tracked;
    Doubles double_area;
    Doubles sign;  // -1: turned over
};

EIGEN_ALWAYS_INLINE TrackedArea tracked_area(const double* p, const int* corner,
                                             const slide::Batches& track, int batch) {
    const Doubles3 p0 = simd::gather3(p, corner);
    const Doubles3 n =
        cross((simd::gather3(p, corner + 4) - p0), (simd::gather3(p, corner + 8) - p0));
    const Doubles3 ref = {load(track.at(batch, slide::ref_x)), load(track.at(batch, slide::ref_y)),
                          load(track.at(batch, slide::ref_z))};
    return {n, ref, simd::root(dot(n, n)),
            simd::select(dot(n, ref) < simd::all(0.0), simd::all(-1.0), simd::all(1.0))};
}

}  // namespace

bool SlideSolver::Parts::place_vertex(int v, double seconds) {
    const size_t i = static_cast<size_t>(v);
    const double* j = jacobian.at(v);
    const double v0 = -seconds * velocity[2 * i];
    const double v1 = -seconds * velocity[2 * i + 1];
    slide::SkinPoint& point = next_places.point[i];
    point = places.point[i];
    const bool went_all_the_way = surface.move(point, j[0] * v0 + j[2] * v1, j[1] * v0 + j[3] * v1);
    look_up(next_places, v);
    return went_all_the_way;
}

// dP/dt = - J v: material moves against the skin's velocity, with the Jacobian of the force.
void SlideSolver::Parts::place(double seconds, const Workers& workers) {
    const double stopped =
        workers.sum_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
            double count = 0.0;
            constexpr int ahead = 6;
            for (int v = begin; v < end; ++v) {
                surface.prefetch(places.point[static_cast<size_t>(std::min(v + ahead, end - 1))]);
                count += place_vertex(v, seconds) ? 0.0 : 1.0;
            }
            return count;
        });
    report.capped_moves += static_cast<long>(stopped);
}

double SlideSolver::Parts::triangle_determinant(const SkinPlaces& where, int f) const {
    const MatrixX3i& t = topology->triangles();
    const Vector3d p0 = where.position.vector(t(f, 0));
    const Vector3d n =
        (where.position.vector(t(f, 1)) - p0).cross(where.position.vector(t(f, 2)) - p0);
    const Vector3d ref(track.number(f, slide::ref_x), track.number(f, slide::ref_y),
                       track.number(f, slide::ref_z));
    const double sign = n.dot(ref) < 0.0 ? -1.0 : 1.0;
    return sign * n.norm() / (2.0 * body_shape.number(f, slide::area));
}

// Lists the triangles that the step would push too far; true if there are none.
bool SlideSolver::Parts::check_areas(const Workers& workers) {
    const double* p = next_places.position.data();
    const double scale2 = uniform_scale * uniform_scale;
    const double bad =
        workers.sum_chunks(reach.batches, slide::batch_chunk, [&](int begin, int end) {
            double count = 0.0;
            for (int batch = begin; batch < end; ++batch) {
                const int* corner = corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
                const TrackedArea area = tracked_area(p, corner, track, batch);
                const Doubles now = area.sign * area.double_area /
                                    (simd::all(2.0) * load(body_shape.at(batch, slide::area)));
                const Doubles before = load(skin_shape.at(batch, slide::det)) / simd::all(scale2);
                // Conservative and cheap; the exact rule is applied to the few that fail.
                const Doubles needed =
                    simd::larger(simd::all(least_determinant),
                                 simd::all(least_share) * simd::smaller(before, simd::all(1.0)));
                const simd::DoubleBits fails = now < needed;
                if ((fails[0] | fails[1] | fails[2] | fails[3]) != 0) {
                    count += 1.0;
                }
            }
            return count;
        });
    return bad == 0.0;
}

// Halves the whole step until the energy falls, for states in which so much is wrong that halving
// corner by corner would end with a skin that stands still for ever.
void SlideSolver::Parts::search_line(double seconds, const Workers& workers) {
    const double before = [&] {
        std::fill(trial_velocity.begin(), trial_velocity.end(), 0.0);
        return incremental_energy(places, trial_velocity, seconds, workers);
    }();
    constexpr int most_halvings = 40;
    for (int halving = 0; halving < most_halvings; ++halving) {
        if (incremental_energy(next_places, velocity, seconds, workers) < before) {
            return;
        }
        for (double& v : velocity) {
            v *= 0.5;
        }
        place(seconds, workers);
        ++report.halved_steps;
    }
}

// One bad triangle must not brake the character: velocities are halved at its corners only, again
// and again, then set to zero, then in the ring around (notes, section 12).
void SlideSolver::Parts::limit(double seconds, const Workers& workers) {
    if (is_widespread(report.inverted_triangles)) {
        search_line(seconds, workers);
    }
    if (check_areas(workers)) {
        return;
    }
    const MatrixX3i& t = topology->triangles();
    const double scale2 = uniform_scale * uniform_scale;
    const auto is_bad = [&](int f) {
        // With a relaxed metric `det` counts it in; the rule is about geometry.
        const double before = has_metric ? triangle_determinant(places, f)
                                         : skin_shape.number(f, slide::det) / scale2;
        return triangle_determinant(next_places, f) < allowed_determinant(before);
    };
    bad_triangles.clear();
    for (int f = 0; f < reach.triangles; ++f) {
        if (is_bad(f)) {
            bad_triangles.push_back(f);
        }
    }
    if (bad_triangles.empty()) {
        return;
    }
    ++report.limited_steps;
    if (is_widespread(static_cast<int>(bad_triangles.size()))) {
        search_line(seconds, workers);
        bad_triangles.clear();
        for (int f = 0; f < reach.triangles; ++f) {
            if (is_bad(f)) {
                bad_triangles.push_back(f);
            }
        }
    }
    // Each round after the halving sets vertices to zero for good, so it ends.
    for (int round = 0; !bad_triangles.empty() && round < most_rounds; ++round) {
        report.limited_triangles += static_cast<long>(bad_triangles.size());
        touched.clear();
        const auto slow_down = [&](int v, double factor) {
            if (touch_marks[static_cast<size_t>(v)] == 0) {
                touch_marks[static_cast<size_t>(v)] = 1;
                touched.push_back(v);
                velocity[2 * static_cast<size_t>(v)] *= factor;
                velocity[2 * static_cast<size_t>(v) + 1] *= factor;
            }
        };
        const double factor = round < limiter_rounds ? 0.5 : 0.0;
        for (const int f : bad_triangles) {
            for (int k = 0; k < 3; ++k) {
                slow_down(t(f, k), factor);
                if (round > limiter_rounds) {
                    for (int i = fan_starts[static_cast<size_t>(t(f, k))];
                         i < fan_starts[static_cast<size_t>(t(f, k)) + 1]; ++i) {
                        const int g = fans[static_cast<size_t>(i)] >> 2;
                        for (int c = 0; c < 3; ++c) {
                            slow_down(t(g, c), factor);
                        }
                    }
                }
            }
        }
        for (const int v : touched) {
            place_vertex(v, seconds);
        }
        // Whoever shares a vertex with what moved is looked at again, each once, in fan order.
        bad_triangles.clear();
        for (const int v : touched) {
            touch_marks[static_cast<size_t>(v)] = 0;
        }
        for (const int v : touched) {
            for (int i = fan_starts[static_cast<size_t>(v)];
                 i < fan_starts[static_cast<size_t>(v) + 1]; ++i) {
                const int f = fans[static_cast<size_t>(i)] >> 2;
                if (bad_steps[static_cast<size_t>(f)] < 128) {
                    bad_steps[static_cast<size_t>(f)] |= 128;  // seen
                    if (is_bad(f)) {
                        bad_triangles.push_back(f);
                    }
                }
            }
        }
        for (const int v : touched) {
            for (int i = fan_starts[static_cast<size_t>(v)];
                 i < fan_starts[static_cast<size_t>(v) + 1]; ++i) {
                bad_steps[static_cast<size_t>(fans[static_cast<size_t>(i)] >> 2)] &= 127;
            }
        }
    }
}

// The new places become the places; tracked normals follow while a triangle has area.
void SlideSolver::Parts::accept_places(bool do_track, const Workers& workers) {
    std::swap(places, next_places);
    const double* p = places.position.data();
    if (!do_track) {
        return;
    }
    constexpr double began_inverted = 1e9;  // counted apart from triangles nearly inverted now
    const double nearly =
        workers.sum_chunks(reach.batches, slide::batch_chunk, [&](int begin, int end) {
            double worst = 0.0;
            for (int batch = begin; batch < end; ++batch) {
                const int* corner = corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
                const TrackedArea area = tracked_area(p, corner, track, batch);
                const simd::DoubleBits follows =
                    area.double_area > load(track.at(batch, slide::least_area));
                const Doubles scale =
                    area.sign / simd::select(follows, area.double_area, simd::all(1.0));
                store(track.at(batch, slide::ref_x),
                      simd::select(follows, area.normal.x * scale, area.tracked.x));
                store(track.at(batch, slide::ref_y),
                      simd::select(follows, area.normal.y * scale, area.tracked.y));
                store(track.at(batch, slide::ref_z),
                      simd::select(follows, area.normal.z * scale, area.tracked.z));
                const Doubles now = area.sign * area.double_area /
                                    (simd::all(2.0) * load(body_shape.at(batch, slide::area)));
                const simd::DoubleBits began =
                    load(skin_shape.at(batch, slide::det)) < simd::all(0.0);
                worst += (began[0] | began[1] | began[2] | began[3]) != 0 ? began_inverted : 0.0;
                store(skin_shape.at(batch, slide::det), now);  // until the next measurement
                const simd::DoubleBits is_nearly = now < simd::all(tangled_determinant);
                if ((is_nearly[0] | is_nearly[1] | is_nearly[2] | is_nearly[3]) != 0) {
                    worst += 1.0;
                }
            }
            return worst;
        });
    const bool was_mistaken = (unrest > 0 || nearly >= began_inverted) && turn_mistaken_normals();
    if (nearly == 0.0 && !was_mistaken) {
        if (has_bad_steps) {
            std::fill(bad_steps.begin(), bad_steps.end(), static_cast<unsigned char>(0));
            has_bad_steps = false;
            hopeless_steps = 0;
            if (options.use_untangling && unrest > 0) {
                bad_triangles.clear();
                untangle(true);  // what the inversion left behind
            }
            report.inverted_triangles = 0;
        }
        unrest = std::max(0, unrest - 1);
        return;
    }
    has_bad_steps = true;
    if (was_mistaken && options.use_untangling &&
        !is_widespread(static_cast<int>(bad_triangles.size()))) {
        untangle(false);
        for (int f = 0; f < reach.triangles; ++f) {
            skin_shape.number(f, slide::det) = triangle_determinant(places, f);
        }
    }
    int inverted = 0;
    bad_triangles.clear();
    for (int f = 0; f < reach.triangles; ++f) {
        const double now = skin_shape.number(f, slide::det);
        report.smallest_area = std::min(report.smallest_area, now);
        inverted += now <= 0.0 ? 1 : 0;
        unsigned char& steps = bad_steps[static_cast<size_t>(f)];
        steps = now < tangled_determinant ? static_cast<unsigned char>(std::min(steps + 1, 100))
                                          : static_cast<unsigned char>(0);
        if (steps >= patience) {
            bad_triangles.push_back(f);
        }
    }
    report.inverted_triangles = inverted;
    report.inverted_steps += inverted > 0 ? 1 : 0;
    unrest = inverted > 0 || was_mistaken ? longest_unrest : std::max(0, unrest - 1);
    if (options.use_untangling && !bad_triangles.empty()) {
        untangle(false);
    }
    // The last resort, always valid: every vertex has its own material again.
    hopeless_steps = is_widespread(inverted) ? hopeless_steps + 1 : 0;
    if (options.use_untangling && hopeless_steps >= most_hopeless_steps) {
        ++report.given_up;
        start_over(workers);
    }
}

// In great disorder a triangle can turn by more than a right angle within a step, and the tracked
// normal then takes the wrong side for good. Where the surface is smooth its own normals tell: all
// three corners lie on smooth parts and agree against the tracked normal. Lists in bad_triangles
// those that were turned, which then count as inverted; true if there are any.
bool SlideSolver::Parts::turn_mistaken_normals() {
    constexpr double smooth = 0.75;   // sharpness of a vertex without crease
    constexpr double clearly = -0.3;  // cosine between tracked and surface normal
    const MatrixX3i& t = topology->triangles();
    const auto is_smooth = [&](int v) {
        const int f = places.point[static_cast<size_t>(v)].triangle;
        return surface.sharpness_cosine(t(f, 0)) > smooth &&
               surface.sharpness_cosine(t(f, 1)) > smooth &&
               surface.sharpness_cosine(t(f, 2)) > smooth;
    };
    bad_triangles.clear();
    for (int f = 0; f < reach.triangles; ++f) {
        const Vector3d tracked(track.number(f, slide::ref_x), track.number(f, slide::ref_y),
                               track.number(f, slide::ref_z));
        bool is_mistaken = true;
        for (int k = 0; k < 3 && is_mistaken; ++k) {
            is_mistaken =
                charts.normal.vector(t(f, k)).dot(tracked) < clearly && is_smooth(t(f, k));
        }
        if (is_mistaken) {
            bad_triangles.push_back(f);
            for (int c = 0; c < 3; ++c) {
                track.number(f, slide::ref_x + c) = -tracked[c];
            }
            skin_shape.number(f, slide::det) = -skin_shape.number(f, slide::det);
        }
    }
    return !bad_triangles.empty();
}

// Corners of triangles that stay nearly inverted move to the mean of their neighbours, three
// sweeps, and lose half their velocity. Where triangles are inverted the search for more of them
// goes on, also for vertices that skin winds round twice: there no triangle is inverted, and yet no
// force can undo it.
void SlideSolver::Parts::untangle(bool look_everywhere) {
    const MatrixX3i& t = topology->triangles();
    report.untangled += static_cast<long>(bad_triangles.size());
    const auto touch = [&](int v) {
        if (touch_marks[static_cast<size_t>(v)] == 0 &&
            constraint[static_cast<size_t>(v)] == slide::Constraint::free) {
            touch_marks[static_cast<size_t>(v)] = 1;
            touched.push_back(v);
        }
    };
    const auto touch_ring = [&](int v) {
        touch(v);
        for (int i = system.row_begin(v); i < system.row_end(v); ++i) {
            touch(system.column(i));
        }
    };
    bool has_inverted = look_everywhere;
    touched.clear();
    for (const int f : bad_triangles) {
        has_inverted = has_inverted || triangle_determinant(places, f) <= 0.0;
        bad_steps[static_cast<size_t>(f)] = 0;
        for (int k = 0; k < 3; ++k) {
            touch(t(f, k));
        }
    }
    const int most_sweeps = has_inverted ? 12 : 3;
    for (int sweep = 0; sweep < most_sweeps && (sweep == 0 || !touched.empty()); ++sweep) {
        for (const int v : touched) {
            move_to_neighbours(v);
        }
        if (!has_inverted) {
            continue;
        }
        for (const int v : touched) {
            touch_marks[static_cast<size_t>(v)] = 0;
        }
        touched.clear();
        for (int f = 0; f < reach.triangles; ++f) {
            if (triangle_determinant(places, f) < tangled_determinant) {
                for (int k = 0; k < 3; ++k) {
                    sweep < 3 ? touch(t(f, k)) : touch_ring(t(f, k));
                }
            }
        }
        for (int v = 0; v < reach.vertices; ++v) {
            if (winding(v) > 9.5) {  // three half turns
                touch_ring(v);
            }
        }
    }
    for (const int v : touched) {
        touch_marks[static_cast<size_t>(v)] = 0;
    }
}

void SlideSolver::Parts::move_to_neighbours(int v) {
    Vector3d mean = Vector3d::Zero();
    const int first = system.row_begin(v);
    const int count = system.row_end(v) - first;
    for (int i = first; i < first + count; ++i) {
        mean += places.position.vector(system.column(i));
    }
    const Vector3d move = mean / count - places.position.vector(v);
    const Vector3d axis = charts.axis.vector(v);
    const Vector3d second = charts.normal.vector(v).cross(axis);
    const auto worst = [&] {
        double least = 1e300;
        for (int i = fan_starts[static_cast<size_t>(v)]; i < fan_starts[static_cast<size_t>(v) + 1];
             ++i) {
            least =
                std::min(least, triangle_determinant(places, fans[static_cast<size_t>(i)] >> 2));
        }
        return least;
    };
    const double before = worst();
    slide::SkinPoint& point = places.point[static_cast<size_t>(v)];
    const slide::SkinPoint old = point;
    surface.move(point, move.dot(axis), move.dot(second));
    look_up(places, v);
    // In creases the mean of the neighbours may be worse than what was: then it stays.
    if (worst() < std::min(before, tangled_determinant)) {
        point = old;
        look_up(places, v);
    }
    velocity[2 * static_cast<size_t>(v)] *= 0.5;
    velocity[2 * static_cast<size_t>(v) + 1] *= 0.5;
}

// Sum of the angles of skin triangles round a vertex.
double SlideSolver::Parts::winding(int v) const {
    const Vector3d here = places.position.vector(v);
    const MatrixX3i& t = topology->triangles();
    double sum = 0.0;
    for (int i = fan_starts[static_cast<size_t>(v)]; i < fan_starts[static_cast<size_t>(v) + 1];
         ++i) {
        const int fan = fans[static_cast<size_t>(i)];
        const Vector3d a = places.position.vector(t(fan >> 2, ((fan & 3) + 1) % 3)) - here;
        const Vector3d b = places.position.vector(t(fan >> 2, ((fan & 3) + 2) % 3)) - here;
        sum += std::atan2(a.cross(b).norm(), a.dot(b));
    }
    return sum;
}

}  // namespace cutis
