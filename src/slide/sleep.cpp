#include <algorithm>
#include <cmath>

#include "slide/passes.h"

// Skin that rests on the body sleeps, though the body moves. A vertex falls asleep when it has not
// left a small ball of the rest surface for a while, and wakes when the skin beside it has drawn it
// along, when the body's triangles around it change their shape, or when the body's acceleration
// would take it out of the ball. What it misses is less than anybody sees. One whom the body woke
// sleeps again soon if it had nothing to catch up; one that was drawn along stays up, or sleepers
// would stir one another for ever.

namespace cutis {

using slide::Activity;
using slide::Constraint;

namespace {

constexpr double long_enough = 0.1;        // s; skin that swings freely turns round sooner
constexpr double look_round = 0.02;        // s that one whom the body woke stays awake at least
constexpr double slowest_settling = 10.0;  // 1/s
constexpr double change_of_shape = 1e-3;   // strain of the body since a triangle fell asleep
// Of the body's diagonal, 2 m of a person.
constexpr double ball = 7.5e-5;
constexpr double farthest_kick = 1e-4;
constexpr double farthest_pull = 1.7e-5;

}  // namespace

void SlideSolver::Parts::prepare_sleep() {
    const size_t n = static_cast<size_t>(model.vertex_count());
    state.rest.assign(n, 0.0);
    state.anchor = slide::Records(model.vertex_count());
    state.rest_shape = slide::Batches(model.batch_count, 3);
    state.activity.vertex.assign(n, Activity::none);
    state.activity.batch.assign(static_cast<size_t>(model.batch_count), Activity::none);
    state.kick = slide::Records(model.vertex_count());
    state.pull = slide::Records(model.vertex_count());
    read_sleep();
}

// Also when an option or a force changes while time goes on: then all wake.
void SlideSolver::Parts::read_sleep() {
    model.may_sleep = model.options.use_sleeping && !model.has_forces && !model.has_prescribed &&
                      model.loose_pins.empty() && model.options.newton_iterations == 1;
    model.settling.resize(static_cast<size_t>(model.vertex_count()));
    for (int v = 0; v < model.vertex_count(); ++v) {
        const double frequency = std::sqrt(model.options.tether.at(v) / model.options.density.at(v));
        model.settling[static_cast<size_t>(v)] = std::max(frequency, slowest_settling);
    }
    wake_all();
}

void SlideSolver::Parts::wake_all() {
    std::fill(state.rest.begin(), state.rest.end(), 0.0);
    state.activity.is_whole = true;
}

// Before a step: whom the body's new place wakes. Its triangles are measured, its frames are known.
void SlideSolver::Parts::wake(double seconds) {
    using simd::load;
    if (!model.may_sleep) {
        state.activity.is_whole = true;
        return;
    }
    const auto sleeps = [&](int v) { return state.rest[static_cast<size_t>(v)] >= long_enough; };
    const auto rouse = [&](int v) {
        double& rest = state.rest[static_cast<size_t>(v)];
        rest = std::min(rest, long_enough - look_round);
    };
    // What the body's acceleration would have done to a sleeper: its velocity, which the tether (an
    // oscillator of some frequency) takes away again, is a way when divided by that frequency.
    const double radius = farthest_kick * model.box_diagonal;
    for (int v = 0; state.has_velocity && v < model.reach.vertices; ++v) {
        if (sleeps(v)) {
            const double rate = model.settling[static_cast<size_t>(v)];
            const double carried = model.options.carried_speed_limit ? 0.0 : model.stickiness[static_cast<size_t>(v)];
            const Vector3d change = trial.next_body.velocity.vector(v) - state.body.velocity.vector(v);
            const Vector3d kick = state.kick.vector(v) / (1.0 + rate * seconds) + (1.0 - carried) * change;
            state.kick.set(v, kick);
            if (kick.squaredNorm() > rate * rate * radius * radius) {
                rouse(v);
            }
        }
    }
    // Inverse edge matrices [a b; 0 c] before, [x y; 0 z] now: the strain is [x/a - 1, (y c - b z) / (a c); 0, z/c -
    // 1].
    const simd::Doubles limit = simd::all(change_of_shape);
    for (int batch = 0; batch < model.reach.batches; ++batch) {
        const int* corner = model.corners.data() + 12 * static_cast<std::ptrdiff_t>(batch);
        if (!std::all_of(corner, corner + 12, [&](int v) { return v >= model.reach.vertices || sleeps(v); })) {
            continue;
        }
        const simd::Doubles a = load(state.rest_shape.at(batch, 0));
        const simd::Doubles b = load(state.rest_shape.at(batch, 1));
        const simd::Doubles c = load(state.rest_shape.at(batch, 2));
        const simd::Doubles x = load(measured.body_shape.at(batch, slide::inv00));
        const simd::Doubles y = load(measured.body_shape.at(batch, slide::inv01));
        const simd::Doubles z = load(measured.body_shape.at(batch, slide::inv11));
        const auto size = [](simd::Doubles number) { return simd::larger(number, -number); };
        const simd::DoubleBits changed =
            (size(x - a) > limit * a) | (size(z - c) > limit * c) | (size(y * c - b * z) > limit * a * c);
        for (int i = 0; i < 12; ++i) {
            if (changed[i % 4] != 0) {
                rouse(corner[i]);
            }
        }
    }
    find_activity();
    for (int batch = 0; batch < model.reach.batches; ++batch) {
        if (state.activity.is_acting(batch)) {
            simd::store(state.rest_shape.at(batch, 0), load(measured.body_shape.at(batch, slide::inv00)));
            simd::store(state.rest_shape.at(batch, 1), load(measured.body_shape.at(batch, slide::inv01)));
            simd::store(state.rest_shape.at(batch, 2), load(measured.body_shape.at(batch, slide::inv11)));
        }
    }
}

// Who is awake, what is around them, and what is around that. While triangles are inverted or were
// lately all are looked at.
void SlideSolver::Parts::find_activity() {
    Activity& activity = state.activity;
    activity.awake_count = 0;
    for (int v = 0; v < model.reach.vertices; ++v) {
        activity.awake_count += state.rest[static_cast<size_t>(v)] < long_enough ? 1 : 0;
    }
    report.asleep += model.reach.vertices - activity.awake_count;
    report.watched += model.reach.vertices;
    activity.is_whole = activity.awake_count == model.reach.vertices || state.unrest > 0 || state.has_bad_steps;
    if (activity.is_whole) {
        return;
    }
    std::fill(activity.batch.begin(), activity.batch.end(), Activity::none);
    const auto mark_fan = [&](int v, unsigned char mark) {
        for (int i = model.fan_starts[static_cast<size_t>(v)]; i < model.fan_starts[static_cast<size_t>(v) + 1]; ++i) {
            unsigned char& batch = activity.batch[static_cast<size_t>(model.fans[static_cast<size_t>(i)]) >> 4];
            batch = std::max(batch, mark);
        }
    };
    for (int v = 0; v < model.vertex_count(); ++v) {
        const bool is_awake = v < model.reach.vertices && state.rest[static_cast<size_t>(v)] < long_enough;
        activity.vertex[static_cast<size_t>(v)] = is_awake ? Activity::awake : Activity::none;
        if (is_awake) {
            mark_fan(v, Activity::acting);
        }
    }
    for (int batch = 0; batch < model.batch_count; ++batch) {
        for (int i = 0; activity.is_acting(batch) && i < 12; ++i) {
            unsigned char& corner = activity.vertex[static_cast<size_t>(
                model.corners[12 * static_cast<size_t>(batch) + static_cast<size_t>(i)])];
            corner = std::max<unsigned char>(corner, Activity::seen);
        }
    }
    for (int v = 0; v < model.reach.vertices; ++v) {
        if (activity.vertex[static_cast<size_t>(v)] == Activity::seen) {
            mark_fan(v, Activity::measured);
        }
    }
}

// After a step: who left its ball, whom that draws along, and who has rested long enough.
void SlideSolver::Parts::fall_asleep(double seconds) {
    if (!model.may_sleep) {
        return;
    }
    const double radius = ball * model.box_diagonal;
    for (int v = 0; v < model.reach.vertices; ++v) {
        if (!state.activity.is_awake(v)) {
            continue;
        }
        double& rest = state.rest[static_cast<size_t>(v)];
        const Vector3d now = state.places.position.vector(v);
        const Vector3d way = now - state.anchor.vector(v);
        rest += seconds;
        if (way.squaredNorm() > radius * radius) {
            state.anchor.set(v, now);
            rest = 0.0;
            draw_along(v, way);
        }
    }
    // The other copy of what is held is never written again.
    for (int v = 0; v < model.reach.vertices; ++v) {
        if (state.activity.is_awake(v) && state.rest[static_cast<size_t>(v)] >= long_enough) {
            trial.next_places.point[static_cast<size_t>(v)] = state.places.point[static_cast<size_t>(v)];
            trial.next_places.position.set(v, state.places.position.vector(v));
            state.kick.set(v, Vector3d::Zero());
            state.pull.set(v, Vector3d::Zero());
            for (std::vector<double>* numbers : {&state.velocity, &state.acceleration}) {
                Vector2d::Map(numbers->data() + 2 * v).setZero();
            }
        }
    }
}

// Skin lies about where the mean of its neighbours does, so a sleeper is drawn along by its share of
// each of their ways.
void SlideSolver::Parts::draw_along(int v, const Vector3d& way) {
    const double farthest = farthest_pull * model.box_diagonal;
    const auto fan_begin = [&](int w) { return model.fan_starts[static_cast<size_t>(w)]; };
    for (int i = 2 * fan_begin(v); i < 2 * fan_begin(v + 1); ++i) {  // inside the surface each comes twice
        const int w = model.fan_vertices[static_cast<size_t>(i)];
        if (w < model.reach.vertices && state.rest[static_cast<size_t>(w)] >= long_enough) {
            const Vector3d pull = state.pull.vector(w) + 0.5 / (fan_begin(w + 1) - fan_begin(w)) * way;
            state.pull.set(w, pull);
            if (pull.squaredNorm() > farthest * farthest) {
                state.rest[static_cast<size_t>(w)] = 0.0;
            }
        }
    }
}

}  // namespace cutis
