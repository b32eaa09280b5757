#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "slide/passes.h"
#include "slide/tracked_area.h"

namespace cutis {

using simd::Doubles;
using simd::load;
using simd::store;
using slide::least_determinant;
using slide::least_share;
using slide::TrackedArea;

namespace {

// When a step has gone too far, found by trial on creased characters.
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

}  // namespace

// Halves the whole step until the energy falls, for states in which so much is wrong that halving
// corner by corner would end with a skin that stands still for ever.
void SlideSolver::Parts::search_line(double seconds, const Workers& workers) {
    const double before = [&] {
        std::fill(trial.trial_velocity.begin(), trial.trial_velocity.end(), 0.0);
        return incremental_energy(state.places, trial.trial_velocity, seconds, workers);
    }();
    constexpr int most_halvings = 40;
    for (int halving = 0; halving < most_halvings; ++halving) {
        if (incremental_energy(trial.next_places, state.velocity, seconds, workers) < before) {
            return;
        }
        for (double& v : state.velocity) {
            v *= 0.5;
        }
        try_places(seconds, workers);
        ++report.halved_steps;
    }
}

// One bad triangle must not brake the character: velocities are halved at its corners only, again
// and again, then set to zero, then in the ring around.
void SlideSolver::Parts::limit(double seconds, Look look, const Workers& workers) {
    if (is_widespread(report.inverted_triangles)) {
        search_line(seconds, workers);
        look = Look::everywhere;
    }
    const MatrixX3i& t = model.topology->triangles();
    const double scale2 = model.uniform_scale * model.uniform_scale;
    const auto is_bad = [&](int f) {
        // With a relaxed metric `det` counts it in; the rule is about geometry.
        const double before = model.has_metric ? triangle_determinant(model, state, measured, state.places, f)
                                               : measured.skin_shape.number(f, slide::det) / scale2;
        return triangle_determinant(model, state, measured, trial.next_places, f) < allowed_determinant(before);
    };
    const auto list_bad = [&] {
        trial.bad_triangles.clear();
        const bool are_good =
            check_areas(model, state, measured, trial.next_places, look == Look::at_suspects, workers, trial.suspects);
        for (int batch = 0; !are_good && batch < model.reach.batches; ++batch) {
            for (int f = 4 * batch; f < std::min(4 * batch + 4, model.reach.triangles); ++f) {
                if ((trial.suspects[static_cast<size_t>(batch)] != 0 || model.has_metric) && is_bad(f)) {
                    trial.bad_triangles.push_back(f);
                }
            }
        }
    };
    list_bad();
    if (trial.bad_triangles.empty()) {
        return;
    }
    ++report.limited_steps;
    if (is_widespread(static_cast<int>(trial.bad_triangles.size()))) {
        search_line(seconds, workers);
        look = Look::everywhere;
        list_bad();
    }
    // Each round after the halving sets vertices to zero for good, so it ends.
    for (int round = 0; !trial.bad_triangles.empty() && round < most_rounds; ++round) {
        report.limited_triangles += static_cast<long>(trial.bad_triangles.size());
        trial.touched.clear();
        const auto slow_down = [&](int v, double factor) {
            if (trial.touch_marks[static_cast<size_t>(v)] == 0) {
                trial.touch_marks[static_cast<size_t>(v)] = 1;
                trial.touched.push_back(v);
                trial.is_braked[static_cast<size_t>(v)] = 1;
                state.velocity[2 * static_cast<size_t>(v)] *= factor;
                state.velocity[2 * static_cast<size_t>(v) + 1] *= factor;
            }
        };
        const double factor = round < limiter_rounds ? 0.5 : 0.0;
        for (const int f : trial.bad_triangles) {
            for (int k = 0; k < 3; ++k) {
                slow_down(t(f, k), factor);
                if (round > limiter_rounds) {
                    for (int i = model.fan_starts[static_cast<size_t>(t(f, k))];
                         i < model.fan_starts[static_cast<size_t>(t(f, k)) + 1]; ++i) {
                        const int g = model.fans[static_cast<size_t>(i)] >> 2;
                        for (int c = 0; c < 3; ++c) {
                            slow_down(t(g, c), factor);
                        }
                    }
                }
            }
        }
        for (const int v : trial.touched) {
            place_vertex(model, state, seconds, v, measured, trial.next_places);
        }
        // Whoever shares a vertex with what moved is looked at again, each once, in fan order.
        trial.bad_triangles.clear();
        for (const int v : trial.touched) {
            trial.touch_marks[static_cast<size_t>(v)] = 0;
        }
        for (const int v : trial.touched) {
            for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1];
                 ++i) {
                const int f = model.fans[static_cast<size_t>(i)] >> 2;
                if (state.bad_steps[static_cast<size_t>(f)] < 128) {
                    state.bad_steps[static_cast<size_t>(f)] |= 128;  // seen
                    if (is_bad(f)) {
                        trial.bad_triangles.push_back(f);
                    }
                }
            }
        }
        for (const int v : trial.touched) {
            for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1];
                 ++i) {
                state.bad_steps[static_cast<size_t>(model.fans[static_cast<size_t>(i)] >> 2)] &= 127;
            }
        }
    }
}

// The new places become the places; tracked normals follow while a triangle has area.
void SlideSolver::Parts::accept_places(bool do_track, const Workers& workers) {
    std::swap(state.places, trial.next_places);
    const double* p = state.places.position.data();
    if (!do_track) {
        return;
    }
    constexpr double began_inverted = 1e9;  // counted apart from triangles nearly inverted now
    const double nearly = workers.sum_chunks(model.reach.batches, slide::batch_chunk, [&](int begin, int end) {
        double worst = 0.0;
        for (int batch = begin; batch < end; ++batch) {
            if (!state.activity.is_acting(batch)) {
                continue;
            }
            const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
            const TrackedArea area = tracked_area(p, corner, state.track, batch);
            const simd::DoubleBits follows = area.double_area > load(state.track.at(batch, slide::least_area));
            const Doubles scale = area.sign / simd::select(follows, area.double_area, simd::all(1.0));
            store(state.track.at(batch, slide::ref_x), simd::select(follows, area.normal.x * scale, area.tracked.x));
            store(state.track.at(batch, slide::ref_y), simd::select(follows, area.normal.y * scale, area.tracked.y));
            store(state.track.at(batch, slide::ref_z), simd::select(follows, area.normal.z * scale, area.tracked.z));
            Doubles now =
                area.sign * area.double_area / (simd::all(2.0) * load(measured.body_shape.at(batch, slide::area)));
            Doubles at_first = load(measured.skin_shape.at(batch, slide::det));
            if (model.has_openings()) {
                now = simd::larger(now, load(model.least_seen.at(batch, 0)));
                at_first = simd::larger(at_first, load(model.least_seen.at(batch, 0)));
            }
            const simd::DoubleBits began = at_first < simd::all(0.0);
            worst += (began[0] | began[1] | began[2] | began[3]) != 0 ? began_inverted : 0.0;
            store(measured.skin_shape.at(batch, slide::det),
                  now);  // until the next measurement
            const simd::DoubleBits is_nearly = now < simd::all(tangled_determinant);
            if ((is_nearly[0] | is_nearly[1] | is_nearly[2] | is_nearly[3]) != 0) {
                worst += 1.0;
            }
        }
        return worst;
    });
    const bool was_mistaken = (state.unrest > 0 || nearly >= began_inverted) && turn_mistaken_normals();
    if (nearly == 0.0 && !was_mistaken) {
        if (state.has_bad_steps) {
            std::fill(state.bad_steps.begin(), state.bad_steps.end(), static_cast<unsigned char>(0));
            state.has_bad_steps = false;
            state.hopeless_steps = 0;
            if (model.options.use_untangling && state.unrest > 0) {
                trial.bad_triangles.clear();
                untangle(true);  // what the inversion left behind
            }
            report.inverted_triangles = 0;
        }
        state.unrest = std::max(0, state.unrest - 1);
        return;
    }
    state.has_bad_steps = true;
    if (was_mistaken && model.options.use_untangling && !is_widespread(static_cast<int>(trial.bad_triangles.size()))) {
        untangle(false);
        for (int f = 0; f < model.reach.triangles; ++f) {
            measured.skin_shape.number(f, slide::det) = triangle_determinant(model, state, measured, state.places, f);
        }
    }
    int inverted = 0;
    trial.bad_triangles.clear();
    for (int f = 0; f < model.reach.triangles; ++f) {
        const double now = measured.skin_shape.number(f, slide::det);
        report.smallest_area = std::min(report.smallest_area, now);
        inverted += now <= 0.0 ? 1 : 0;
        unsigned char& steps = state.bad_steps[static_cast<size_t>(f)];
        steps = now < tangled_determinant ? static_cast<unsigned char>(std::min(steps + 1, 100))
                                          : static_cast<unsigned char>(0);
        if (steps >= patience) {
            trial.bad_triangles.push_back(f);
        }
    }
    report.inverted_triangles = inverted;
    report.inverted_steps += inverted > 0 ? 1 : 0;
    state.unrest = inverted > 0 || was_mistaken ? longest_unrest : std::max(0, state.unrest - 1);
    if (model.options.use_untangling && !trial.bad_triangles.empty()) {
        untangle(false);
    }
    // The last resort, always valid: every vertex has its own material again.
    state.hopeless_steps = is_widespread(inverted) ? state.hopeless_steps + 1 : 0;
    if (model.options.use_untangling && state.hopeless_steps >= most_hopeless_steps) {
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
    const MatrixX3i& t = model.topology->triangles();
    const auto is_smooth = [&](int v) {
        const int f = state.places.point[static_cast<size_t>(v)].triangle;
        return model.surface.sharpness_cosine(t(f, 0)) > smooth && model.surface.sharpness_cosine(t(f, 1)) > smooth &&
               model.surface.sharpness_cosine(t(f, 2)) > smooth;
    };
    trial.bad_triangles.clear();
    for (int f = 0; f < model.reach.triangles; ++f) {
        const Vector3d tracked(state.track.number(f, slide::ref_x), state.track.number(f, slide::ref_y),
                               state.track.number(f, slide::ref_z));
        bool is_mistaken = true;
        for (int k = 0; k < 3 && is_mistaken; ++k) {
            is_mistaken = measured.charts.normal.vector(t(f, k)).dot(tracked) < clearly && is_smooth(t(f, k));
        }
        if (is_mistaken) {
            trial.bad_triangles.push_back(f);
            for (int c = 0; c < 3; ++c) {
                state.track.number(f, slide::ref_x + c) = -tracked[c];
            }
            measured.skin_shape.number(f, slide::det) = -measured.skin_shape.number(f, slide::det);
        }
    }
    return !trial.bad_triangles.empty();
}

// Corners of triangles that stay nearly inverted move to the mean of their neighbours, three
// sweeps, and lose half their velocity. Where triangles are inverted the search for more of them
// goes on, also for vertices that skin winds round twice: there no triangle is inverted, and yet no
// force can undo it.
void SlideSolver::Parts::untangle(bool look_everywhere) {
    const MatrixX3i& t = model.topology->triangles();
    report.untangled += static_cast<long>(trial.bad_triangles.size());
    const auto touch = [&](int v) {
        if (trial.touch_marks[static_cast<size_t>(v)] == 0 &&
            model.constraint[static_cast<size_t>(v)] == slide::Constraint::free) {
            trial.touch_marks[static_cast<size_t>(v)] = 1;
            trial.touched.push_back(v);
        }
    };
    const auto touch_ring = [&](int v) {
        touch(v);
        for (int i = system.row_begin(v); i < system.row_end(v); ++i) {
            touch(system.column(i));
        }
    };
    bool has_inverted = look_everywhere;
    trial.touched.clear();
    for (const int f : trial.bad_triangles) {
        has_inverted = has_inverted || triangle_determinant(model, state, measured, state.places, f) <= 0.0;
        state.bad_steps[static_cast<size_t>(f)] = 0;
        for (int k = 0; k < 3; ++k) {
            touch(t(f, k));
        }
    }
    const int most_sweeps = has_inverted ? 12 : 3;
    for (int sweep = 0; sweep < most_sweeps && (sweep == 0 || !trial.touched.empty()); ++sweep) {
        for (const int v : trial.touched) {
            move_to_neighbours(v);
        }
        if (!has_inverted) {
            continue;
        }
        for (const int v : trial.touched) {
            trial.touch_marks[static_cast<size_t>(v)] = 0;
        }
        trial.touched.clear();
        for (int f = 0; f < model.reach.triangles; ++f) {
            if (triangle_determinant(model, state, measured, state.places, f) < tangled_determinant) {
                for (int k = 0; k < 3; ++k) {
                    sweep < 3 ? touch(t(f, k)) : touch_ring(t(f, k));
                }
            }
        }
        for (int v = 0; v < model.reach.vertices; ++v) {
            if (winding(model, state.places, v) > 9.5) {  // three half turns
                touch_ring(v);
            }
        }
    }
    for (const int v : trial.touched) {
        trial.touch_marks[static_cast<size_t>(v)] = 0;
    }
}

void SlideSolver::Parts::move_to_neighbours(int v) {
    Vector3d mean = Vector3d::Zero();
    const int first = system.row_begin(v);
    const int count = system.row_end(v) - first;
    for (int i = first; i < first + count; ++i) {
        mean += state.places.position.vector(system.column(i));
    }
    const Vector3d move = mean / count - state.places.position.vector(v);
    const Vector3d axis = measured.charts.axis.vector(v);
    const Vector3d second = measured.charts.normal.vector(v).cross(axis);
    const auto worst = [&] {
        double least = 1e300;
        for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
            least = std::min(least, triangle_determinant(model, state, measured, state.places,
                                                         model.fans[static_cast<size_t>(i)] >> 2));
        }
        return least;
    };
    const double before = worst();
    slide::SkinPoint& point = state.places.point[static_cast<size_t>(v)];
    const slide::SkinPoint old = point;
    model.surface.move(point, move.dot(axis), move.dot(second));
    look_up(model, v, state.places, measured.charts);
    // In creases the mean of the neighbours may be worse than what was: then it stays.
    if (worst() < std::min(before, tangled_determinant)) {
        point = old;
        look_up(model, v, state.places, measured.charts);
    }
    state.velocity[2 * static_cast<size_t>(v)] *= 0.5;
    state.velocity[2 * static_cast<size_t>(v) + 1] *= 0.5;
    state.rest[static_cast<size_t>(v)] = 0.0;
}

}  // namespace cutis
