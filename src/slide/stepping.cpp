#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.h"
#include "slide/passes.h"

namespace cutis {

// Passes in order, with what each reads and writes.
void SlideSolver::Parts::measure(bool keep_mass, const Workers& workers) {
    measure_skin(model, painted, state, workers, measured);
    find_jacobians(model, state.activity, keep_mass, workers, measured);
}

void SlideSolver::Parts::assemble_system(double seconds, bool is_static, bool is_first, const Workers& workers) {
    assemble(model, painted, state, measured, trial, {seconds, is_static, is_first, model.has_constraints}, workers,
             system);
}

void SlideSolver::Parts::try_places(double seconds, const Workers& workers) {
    report.capped_moves += place(model, state, seconds, workers, measured, trial.next_places);
}

void SlideSolver::Parts::look_up_all(const Workers& workers) {
    workers.for_chunks(model.vertex_count(), slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            look_up(model, v, state.places, measured.charts);
        }
    });
    trial.next_places = state.places;  // what is held is never placed again
}

void SlideSolver::Parts::reset(const MatrixX3d& positions, const Workers& workers) {
    ++report.starts;
    set_positions(model, positions, workers, trial.next_body);
    measure_body_triangles(model, trial.next_body, model.batch_count, workers, measured);
    find_body_frames(model, measured, state.body, {0, model.vertex_count(), 0.0}, workers, trial.next_body);
    state.body = trial.next_body;  // both, for what is held
    state.is_body_partial = false;
    state.has_body = true;
    state.has_velocity = false;
    state.clock = 0.0;
    start_over(workers);
    settle(workers);
}

// Static steps with the energy test, as long as it lets them be: nearly Newton's method on smooth
// bodies, small steps where creases brake. Materials that harden start from where neo-Hookean
// skin comes to rest.
void SlideSolver::Parts::settle(const Workers& workers) {
    const SlideMaterial own = model.options.material;
    if (own != SlideMaterial::neo_hookean) {
        model.options.material = SlideMaterial::neo_hookean;
        settle_as_it_is(workers);
        settle_as_it_is(workers);  // to the end: what it leaves takes Fung skin a second of short steps
        model.options.material = own;
        std::fill(state.grip.begin(), state.grip.end(), 0.0);
    }
    settle_as_it_is(workers);
    std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
}

void SlideSolver::Parts::settle_as_it_is(const Workers& workers) {
    constexpr double longest = 0.03;  // s
    constexpr double shortest = 0.001;
    constexpr int patience = 5;                               // steps in a row that change next to nothing
    const double still = 5e-4 * model.box_diagonal;           // m/s
    const double next_to_nothing = 1e-7 * painted.stiffness;  // J
    double seconds = longest;
    int still_steps = 0;
    for (int k = 0; k < model.options.relax_steps && still_steps < patience; ++k) {
        std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
        const long halved = report.halved_steps;
        take_step(seconds, Kind::still, workers);
        const bool is_held_back = trial.was_braked || report.halved_steps > halved;
        const bool is_still = trial.energy_change > -next_to_nothing || largest_move() <= still * seconds;
        still_steps = is_still ? still_steps + 1 : 0;
        seconds = is_held_back ? std::max(0.7 * seconds, shortest) : std::min(1.3 * seconds, longest);
    }
}

// After a step `det` holds the area of each triangle over that of the body.
void SlideSolver::Parts::note_smallest_area() {
    for (int f = 0; f < model.reach.triangles; ++f) {
        report.smallest_area = std::min(report.smallest_area, measured.skin_shape.number(f, slide::det));
    }
}

// Every vertex has its own material, at rest on the body.
void SlideSolver::Parts::start_over(const Workers& workers) {
    for (int v = 0; v < model.vertex_count(); ++v) {
        state.places.point[static_cast<size_t>(v)] = model.surface.point_of_vertex(v);
    }
    look_up_all(workers);
    refresh_painted(model, state.places, workers, painted);
    std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
    std::fill(state.acceleration.begin(), state.acceleration.end(), 0.0);
    std::fill(state.grip.begin(), state.grip.end(), 0.0);
    std::fill(state.sector.begin(), state.sector.end(), 0);
    wake_all();
    std::fill(state.bad_steps.begin(), state.bad_steps.end(), static_cast<unsigned char>(0));
    state.has_bad_steps = false;
    state.unrest = 0;
    state.hopeless_steps = 0;
    report.inverted_triangles = 0;
    for (int f = 0; f < 4 * model.batch_count; ++f) {
        const int g = std::min(f, model.triangle_count() - 1);
        for (int c = 0; c < 3; ++c) {
            state.track.number(f, slide::ref_x + c) = model.surface.triangle_normals()(g, c);
        }
        // |N|/2 above 0.02 of the rest area: the tracked normal follows.
        state.track.number(f, slide::least_area) = 0.04 * model.surface.triangle_areas()[g];
    }
}

// How far material went in the step that was accepted last.
double SlideSolver::Parts::largest_move() const {
    double largest = 0.0;
    for (int v = 0; v < model.reach.vertices; ++v) {
        largest =
            std::max(largest, (state.places.position.vector(v) - trial.next_places.position.vector(v)).squaredNorm());
    }
    return std::sqrt(largest);
}

// Static steps: no inertia, no damping; each starts with zero velocity.
double SlideSolver::Parts::relax(int steps, double seconds, const Workers& workers) {
    constexpr double still = 1e-12;  // of the mean edge
    double last_move = 0.0;
    for (int k = 0; k < steps; ++k) {
        std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
        const long held_back = report.limited_steps + report.halved_steps;
        take_step(seconds, Kind::relaxing, workers);
        const bool was_free = report.limited_steps + report.halved_steps == held_back;
        last_move = largest_move() / model.mean_edge;
        if (last_move < still && was_free) {
            break;
        }
    }
    std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
    return last_move;
}

// The solver starts from what the last step's acceleration leads to.
void SlideSolver::Parts::guess_velocity(double seconds, const Workers& workers) {
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = 2 * static_cast<size_t>(begin); i < 2 * static_cast<size_t>(end); ++i) {
            state.velocity[i] += seconds * state.acceleration[i];
        }
    });
}

// What constraints leave of the velocities.
void SlideSolver::Parts::constrain_velocity(const Workers& workers) {
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            double* x = state.velocity.data() + 2 * i;
            if (model.constraint[i] == slide::Constraint::fixed) {
                x[0] = x[1] = 0.0;
            } else if (model.constraint[i] == slide::Constraint::glide) {
                const double* d = model.glide_direction.data() + 2 * i;
                const double along = x[0] * d[0] + x[1] * d[1];
                x[0] = along * d[0];
                x[1] = along * d[1];
            }
        }
    });
}

// slip_speed_limit, of the vertex whose velocity starts at number i.
void SlideSolver::Parts::limit_speed(size_t i) {
    if (model.options.slip_speed_limit) {
        const double speed = math::hypot(state.velocity[i], state.velocity[i + 1]);
        const double limit = model.options.slip_speed_limit->at(static_cast<int>(i / 2));
        if (speed > limit) {
            state.velocity[i] *= limit / speed;
            state.velocity[i + 1] *= limit / speed;
        }
    }
}

// One linearly implicit step on the body as it is.
void SlideSolver::Parts::take_step(double seconds, Kind kind, const Workers& workers) {
    const bool is_static = kind == Kind::still || kind == Kind::relaxing;
    measure(false, workers);
    find_forces(model, state.activity, painted, workers, measured);
    if (model.has_constraints) {
        constrain_velocity(workers);
    }
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        std::copy(state.velocity.begin() + 2 * begin, state.velocity.begin() + 2 * end,
                  trial.start_velocity.begin() + 2 * begin);
    });
    assemble_system(seconds, is_static, true, workers);
    if (!is_static) {
        guess_velocity(seconds, workers);
    }
    solve(workers);
    const double rate = 1.0 / seconds;
    workers.for_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = 2 * static_cast<size_t>(begin); i < 2 * static_cast<size_t>(end); i += 2) {
            for (size_t c = i; c < i + 2 && !is_static; ++c) {
                state.acceleration[c] = (state.velocity[c] - trial.start_velocity[c]) * rate;
                state.velocity[c] += model.has_prescribed ? model.prescribed[c] : 0.0;
            }
            limit_speed(i);
        }
    });
    try_places(seconds, workers);
    std::fill(trial.is_braked.begin(), trial.is_braked.end(), static_cast<unsigned char>(0));
    if (model.options.use_limiter) {
        limit(seconds, Look::everywhere, workers);
    }
    trial.was_braked = false;
    const bool is_tested = kind == Kind::dynamic || kind == Kind::still;
    if (is_tested) {
        brake(seconds, is_static, workers);
        if (trial.was_braked && model.options.use_limiter) {
            limit(seconds, Look::at_suspects, workers);
        }
    }
    accept_places(true, workers);
    if (is_tested) {
        renew_grip(seconds, workers);
    }
    if (!is_static && *model.options.implicitness < 1.0) {
        for (int v = 0; v < model.reach.vertices; ++v) {
            if (!state.activity.is_awake(v)) {
                continue;
            }
            Vector2d::Map(state.velocity.data() + 2 * v) = end_velocity(v);
            limit_speed(2 * static_cast<size_t>(v));
        }
    }
}

// u lies between the old velocity and the new: v' = v + (u - v) / theta. What grips ends with u, as
// with theta = 1, and does not ring; what is prescribed keeps its speed.
Vector2d SlideSolver::Parts::end_velocity(int v) const {
    const Vector2d u(state.velocity.data() + 2 * v);
    const size_t i = static_cast<size_t>(v);
    if (state.grip[i] > 0.0 || trial.is_braked[i] != 0 || model.constraint[i] == slide::Constraint::fixed) {
        return u;
    }
    const Vector2d before(trial.start_velocity.data() + 2 * v);
    return before + (u - before) / *model.options.implicitness;
}

double SlideSolver::Parts::incremental_energy(const slide::SkinPlaces& where, const std::vector<double>& v,
                                              double seconds, const Workers& workers) const {
    const double inertia = workers.sum_chunks(model.reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (int i = 2 * begin; i < 2 * end; ++i) {
            const size_t k = static_cast<size_t>(i);
            const double change = v[k] - trial.start_velocity[k];
            sum += 0.5 * measured.mass[k / 2] * (change * change + seconds * painted.damping[k / 2] * v[k] * v[k]);
        }
        for (int i = begin; model.has_forces && i < end; ++i) {  // their work
            const size_t k = 2 * static_cast<size_t>(i);
            sum -= seconds * outer_force(model, state, measured, i).dot(Vector2d(v[k], v[k + 1]));
        }
        return sum;
    });
    return inertia + elastic_energy(model, painted, state, measured, where, model.reach.batches, workers) +
           tether_energy(model, where, workers);
}

// Several Newton iterations on 1/2 |v - v0|^2_M + W(v), each from where the last one ended, with an
// energy test: without it several are worse than one.
void SlideSolver::Parts::newton(double seconds, const Workers& workers) {
    trial.start_velocity = state.velocity;
    std::fill(trial.trial_velocity.begin(), trial.trial_velocity.end(),
              0.0);  // displacement so far over h
    measure(false, workers);
    double energy = incremental_energy(state.places, trial.trial_velocity, seconds, workers);
    for (int iteration = 0; iteration < model.options.newton_iterations; ++iteration) {
        if (iteration > 0) {
            measure(true, workers);
        }
        find_forces(model, state.activity, painted, workers, measured);
        assemble_system(seconds, false, iteration == 0, workers);
        if (iteration > 0) {
            std::fill(state.velocity.begin(), state.velocity.end(), 0.0);
        } else if (model.has_constraints) {
            for (int v = 0; v < model.vertex_count(); ++v) {
                if (model.constraint[static_cast<size_t>(v)] != slide::Constraint::free) {
                    state.velocity[2 * static_cast<size_t>(v)] = 0.0;
                    state.velocity[2 * static_cast<size_t>(v) + 1] = 0.0;
                }
            }
        }
        solve(workers);
        if (model.has_prescribed && iteration == 0) {
            for (size_t i = 0; i < state.velocity.size(); ++i) {
                state.velocity[i] += model.prescribed[i];
            }
        }
        const double size_before = energy;
        bool is_accepted = false;
        for (int halving = 0; halving < 6 && !is_accepted; ++halving) {
            try_places(seconds, workers);
            if (model.options.use_limiter) {
                limit(seconds, Look::everywhere, workers);
            }
            for (size_t i = 0; i < state.velocity.size(); ++i) {
                trial.advected[i] = trial.trial_velocity[i] + state.velocity[i];
            }
            const double tried = incremental_energy(trial.next_places, trial.advected, seconds, workers);
            if (tried <= energy || model.has_prescribed) {
                energy = tried;
                is_accepted = true;
                std::swap(trial.trial_velocity, trial.advected);
            } else {
                for (double& x : state.velocity) {
                    x *= 0.5;
                }
            }
        }
        if (!is_accepted) {
            ++report.newton_rejected;
            look_up_all(workers);  // back to where the last one ended
            break;
        }
        accept_places(true, workers);
        if (size_before - energy < 1e-6 * std::abs(size_before)) {
            break;
        }
    }
    state.velocity = trial.trial_velocity;
}

void SlideSolver::Parts::step(const MatrixX3d& positions, double seconds, const Workers& workers) {
    move_body(positions, seconds, workers);
    go_with_flow();
    ++report.steps;
    state.clock += seconds;
    if (model.options.newton_iterations > 1) {
        newton(seconds, workers);
    } else {
        take_step(seconds, Kind::dynamic, workers);
        fall_asleep(seconds);
    }
}

void SlideSolver::Parts::move_body(const MatrixX3d& positions, double seconds, const Workers& workers) {
    set_positions(model, positions, workers, trial.next_body);
    measure_body_triangles(model, trial.next_body, model.reach.near_batches, workers, measured);
    find_body_frames(model, measured, state.body, {0, model.reach.corners, seconds}, workers, trial.next_body);
    wake(seconds);
    transport_velocities(model, seconds, workers, state, trial);
    std::swap(state.body, trial.next_body);
    state.has_velocity = true;
    state.is_body_partial = model.reach.near_batches < model.batch_count;
}

// Pulled skin that goes along with something else than the body.
void SlideSolver::Parts::go_with_flow() {
    if (!model.flow) {
        return;
    }
    for (const PrescribedSlip& slip : model.options.prescribed) {
        const Vector3d at = state.body.position.vector(slip.vertex);
        const Vector3d slips = *model.flow * at.homogeneous() - state.body.velocity.vector(slip.vertex);
        const Vector3d axis = state.body.axis.vector(slip.vertex);
        double* prescribed = model.prescribed.data() + 2 * slip.vertex;
        prescribed[0] = slips.dot(axis);
        prescribed[1] = slips.dot(state.body.normal.vector(slip.vertex).cross(axis));
    }
}

void SlideSolver::Parts::complete_body(const Workers& workers) {
    if (state.is_body_partial) {
        measure_body_triangles(model, state.body, model.batch_count, workers, measured);
        find_body_frames(model, measured, state.body, {model.reach.corners, model.vertex_count(), 0.0}, workers,
                         state.body);
        state.is_body_partial = false;
    }
}

int SlideSolver::Parts::solve(const Workers& workers) {
    const slide::Activity& activity = state.activity;
    const slide::SolveResult result = system.solve(model.options.most_iterations, workers, state.velocity,
                                                   activity.is_whole ? nullptr : &activity.vertex);
    report.iterations += result.iterations;
    report.most_iterations = std::max(report.most_iterations, result.iterations);
    report.worst_residual = std::max(report.worst_residual, result.residual);
    report.unsolved += result.is_solved ? 0 : 1;
    return result.iterations;
}

}  // namespace cutis
