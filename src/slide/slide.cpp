#include "cutis/slide/slide.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cutis/core/error.h"
#include "slide/parts.h"

namespace cutis {

void SlideSolver::Parts::look_up(SkinPlaces& at, int v) {
    surface.look_up(at.point[static_cast<size_t>(v)], at.position.at(v), charts.normal.at(v),
                    charts.axis.at(v), charts.along_u.at(v), charts.along_w.at(v));
}

void SlideSolver::Parts::look_up_all(const Workers& workers) {
    workers.for_chunks(vertex_count(), slide::vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            look_up(places, v);
        }
    });
    next_places = places;  // what is held is never placed again
}

void SlideSolver::Parts::reset(const MatrixX3d& positions, const Workers& workers) {
    ++report.starts;
    set_body(positions, workers);
    measure_body_triangles(next_body, batch_count, workers);
    find_body_frames(next_body, 0, vertex_count(), 0.0, workers);
    body = next_body;  // both, for what is held
    is_body_partial = false;
    has_body = true;
    has_velocity = false;
    start_over(workers);
    slow_steps = 0;
    system.drop_factor();
    // Long static steps: nearly Newton's method.
    constexpr double relax_seconds = 0.03;
    constexpr double still = 1e-4;  // of the mean edge
    relax(options.relax_steps, relax_seconds, still, workers);
}

// After a step `det` holds the area of each triangle over that of the body.
void SlideSolver::Parts::note_smallest_area() {
    for (int f = 0; f < reach.triangles; ++f) {
        report.smallest_area = std::min(report.smallest_area, skin_shape.number(f, slide::det));
    }
}

// Every vertex has its own material, at rest on the body.
void SlideSolver::Parts::start_over(const Workers& workers) {
    for (int v = 0; v < vertex_count(); ++v) {
        places.point[static_cast<size_t>(v)] = surface.point_of_vertex(v);
    }
    look_up_all(workers);
    refresh_painted(workers);
    std::fill(velocity.begin(), velocity.end(), 0.0);
    std::fill(acceleration.begin(), acceleration.end(), 0.0);
    std::fill(sector.begin(), sector.end(), 0);
    std::fill(bad_steps.begin(), bad_steps.end(), static_cast<unsigned char>(0));
    has_bad_steps = false;
    unrest = 0;
    hopeless_steps = 0;
    report.inverted_triangles = 0;
    for (int f = 0; f < 4 * batch_count; ++f) {
        const int g = std::min(f, triangle_count() - 1);
        for (int c = 0; c < 3; ++c) {
            track.number(f, slide::ref_x + c) = surface.triangle_normals()(g, c);
        }
        // |N|/2 above 0.02 of the rest area: the tracked normal follows.
        track.number(f, slide::least_area) = 0.04 * surface.triangle_areas()[g];
    }
}

// Static steps: no inertia, no damping; each starts with zero velocity.
double SlideSolver::Parts::relax(int steps, double seconds, double still, const Workers& workers) {
    double last_move = 0.0;
    for (int k = 0; k < steps; ++k) {
        std::fill(velocity.begin(), velocity.end(), 0.0);
        const long held_back = report.limited_steps + report.halved_steps;
        take_step(seconds, true, workers);
        const bool was_free = report.limited_steps + report.halved_steps == held_back;
        last_move = 0.0;
        for (int v = 0; v < reach.vertices; ++v) {
            last_move = std::max(
                last_move, (places.position.vector(v) - next_places.position.vector(v)).norm());
        }
        last_move /= mean_edge;
        if (last_move < still && was_free) {
            break;
        }
    }
    std::fill(velocity.begin(), velocity.end(), 0.0);
    return last_move;
}

// The solver starts from what the last step's acceleration leads to.
void SlideSolver::Parts::guess_velocity(double seconds, const Workers& workers) {
    workers.for_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = 2 * static_cast<size_t>(begin); i < 2 * static_cast<size_t>(end); ++i) {
            velocity[i] += seconds * acceleration[i];
        }
    });
}

// What constraints leave of the velocities.
void SlideSolver::Parts::constrain_velocity(const Workers& workers) {
    workers.for_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
            double* x = velocity.data() + 2 * i;
            if (constraint[i] == slide::Constraint::fixed) {
                x[0] = x[1] = 0.0;
            } else if (constraint[i] == slide::Constraint::glide) {
                const double* d = glide_direction.data() + 2 * i;
                const double along = x[0] * d[0] + x[1] * d[1];
                x[0] = along * d[0];
                x[1] = along * d[1];
            }
        }
    });
}

// One linearly implicit step on the body as it is.
void SlideSolver::Parts::take_step(double seconds, bool is_static, const Workers& workers) {
    measure_skin(workers);
    find_jacobians(false, workers);
    find_forces(workers);
    workers.for_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        std::copy(velocity.begin() + 2 * begin, velocity.begin() + 2 * end,
                  start_velocity.begin() + 2 * begin);
    });
    assemble(seconds, is_static, true, workers);
    if (!is_static) {
        guess_velocity(seconds, workers);
    }
    if (has_constraints) {
        constrain_velocity(workers);
    }
    solve(workers);
    const double rate = 1.0 / seconds;
    workers.for_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
        for (size_t i = 2 * static_cast<size_t>(begin); i < 2 * static_cast<size_t>(end); i += 2) {
            for (size_t c = i; c < i + 2 && !is_static; ++c) {
                acceleration[c] = (velocity[c] - start_velocity[c]) * rate;
                velocity[c] += has_prescribed ? prescribed[c] : 0.0;
            }
            if (options.slip_speed_limit) {
                const double speed = std::hypot(velocity[i], velocity[i + 1]);
                if (speed > *options.slip_speed_limit) {
                    velocity[i] *= *options.slip_speed_limit / speed;
                    velocity[i + 1] *= *options.slip_speed_limit / speed;
                }
            }
        }
    });
    place(seconds, workers);
    if (options.use_limiter) {
        limit(seconds, workers);
    }
    accept_places(true, workers);
    if (!is_static && options.implicitness < 1.0) {
        // u lies between the old velocity and the new: v' = v + (u - v) / theta.
        const double theta = options.implicitness;
        for (size_t i = 0; i < moving_numbers(); ++i) {
            velocity[i] = start_velocity[i] + (velocity[i] - start_velocity[i]) / theta;
        }
    }
}

double SlideSolver::Parts::incremental_energy(const SkinPlaces& where, const std::vector<double>& v,
                                              double seconds, const Workers& workers) const {
    const double inertia =
        workers.sum_chunks(reach.vertices, slide::vertex_chunk, [&](int begin, int end) {
            double sum = 0.0;
            for (int i = 2 * begin; i < 2 * end; ++i) {
                const size_t k = static_cast<size_t>(i);
                const double change = v[k] - start_velocity[k];
                sum +=
                    0.5 * mass[k / 2] * (change * change + seconds * damping[k / 2] * v[k] * v[k]);
            }
            for (int i = begin; has_forces && i < end; ++i) {  // their work
                const size_t k = 2 * static_cast<size_t>(i);
                sum -= seconds * outer_force(i).dot(Vector2d(v[k], v[k + 1]));
            }
            return sum;
        });
    return inertia + elastic_energy(where, reach.batches, workers) + tether_energy(where, workers);
}

// Several Newton iterations on 1/2 |v - v0|^2_M + W(v), each from where the last one ended, with an
// energy test: without it several are worse than one (notes, section 12).
void SlideSolver::Parts::newton(double seconds, const Workers& workers) {
    start_velocity = velocity;
    std::fill(trial_velocity.begin(), trial_velocity.end(), 0.0);  // displacement so far over h
    measure_skin(workers);
    find_jacobians(false, workers);
    double energy = incremental_energy(places, trial_velocity, seconds, workers);
    for (int iteration = 0; iteration < options.newton_iterations; ++iteration) {
        if (iteration > 0) {
            measure_skin(workers);
            find_jacobians(true, workers);
        }
        find_forces(workers);
        assemble(seconds, false, iteration == 0, workers);
        if (iteration > 0) {
            std::fill(velocity.begin(), velocity.end(), 0.0);
        } else if (has_constraints) {
            for (int v = 0; v < vertex_count(); ++v) {
                if (constraint[static_cast<size_t>(v)] != slide::Constraint::free) {
                    velocity[2 * static_cast<size_t>(v)] = 0.0;
                    velocity[2 * static_cast<size_t>(v) + 1] = 0.0;
                }
            }
        }
        solve(workers);
        if (has_prescribed && iteration == 0) {
            for (size_t i = 0; i < velocity.size(); ++i) {
                velocity[i] += prescribed[i];
            }
        }
        const double size_before = energy;
        bool is_accepted = false;
        for (int halving = 0; halving < 6 && !is_accepted; ++halving) {
            place(seconds, workers);
            if (options.use_limiter) {
                limit(seconds, workers);
            }
            for (size_t i = 0; i < velocity.size(); ++i) {
                advected[i] = trial_velocity[i] + velocity[i];
            }
            const double tried = incremental_energy(next_places, advected, seconds, workers);
            if (tried <= energy || has_prescribed) {
                energy = tried;
                is_accepted = true;
                std::swap(trial_velocity, advected);
            } else {
                for (double& x : velocity) {
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
    velocity = trial_velocity;
}

void SlideSolver::Parts::step(const MatrixX3d& positions, double seconds, const Workers& workers) {
    move_body(positions, seconds, workers);
    ++report.steps;
    if (options.newton_iterations > 1) {
        newton(seconds, workers);
    } else {
        take_step(seconds, false, workers);
    }
}

SlideSolver::SlideSolver(const Topology& topology, const MatrixX3d& rest,
                         const SlideOptions& options, const Workers& workers)
    : parts_(std::make_unique<Parts>(topology, rest, options, workers)) {}

SlideSolver::~SlideSolver() = default;
SlideSolver::SlideSolver(SlideSolver&&) noexcept = default;
SlideSolver& SlideSolver::operator=(SlideSolver&&) noexcept = default;

void SlideSolver::reset(const MatrixX3d& body, const Workers& workers) {
    parts_->reset(body, workers);
}

void SlideSolver::step(const MatrixX3d& body, double seconds, const Workers& workers) {
    if (!(seconds > 0.0) || !std::isfinite(seconds)) {
        throw InvalidInput(say("step: expected a positive number of seconds, found ", seconds));
    }
    if (!parts_->has_body) {
        parts_->reset(body, workers);
        return;
    }
    parts_->step(body, seconds, workers);
}

double SlideSolver::relax(int steps, double seconds, const Workers& workers) {
    constexpr double still = 1e-12;
    return parts_->relax(steps, seconds, still, workers);
}

void SlideSolver::advance(double from, double to, BodyAt body_at, const Workers& workers) {
    Parts& p = *parts_;
    body_at(to, p.frame_body);
    if (!p.has_body) {
        p.reset(p.frame_body, workers);
        return;
    }
    if (!(to > from)) {
        throw InvalidInput(say("advance: expected a time after ", from, ", found ", to));
    }
    if (p.frame_body.rows() != p.vertex_count()) {
        throw InvalidInput(
            say("body: expected ", p.vertex_count(), " positions, found ", p.frame_body.rows()));
    }
    if (p.is_painted) {
        p.refresh_painted(workers);
    }
    // Each frame decides afresh, so that a resumed run takes the same way.
    p.slow_steps = 0;
    p.system.drop_factor();
    constexpr double rounding = 1e-9;
    const int steps =
        std::max(1, static_cast<int>(std::ceil((to - from) / p.options.longest_step - rounding)));
    const double seconds = (to - from) / steps;
    for (int k = 1; k < steps; ++k) {
        body_at(from + k * seconds, p.sub_step_body);
        p.step(p.sub_step_body, seconds, workers);
    }
    p.step(p.frame_body, seconds, workers);
    p.note_smallest_area();
}

SurfacePoint SlideSolver::material_point(int v) const {
    const slide::SkinPoint& from = parts_->places.point.at(static_cast<size_t>(v));
    SurfacePoint point;
    point.triangle = from.triangle;
    point.barycentric = Vector3d(from.b);
    return point;
}

void SlideSolver::set_material_points(const std::vector<SurfacePoint>& points,
                                      const Workers& workers) {
    Parts& p = *parts_;
    if (points.size() != static_cast<size_t>(p.vertex_count())) {
        throw InvalidInput(
            say("material points: expected ", p.vertex_count(), ", found ", points.size()));
    }
    for (size_t i = 0; i < points.size(); ++i) {
        require_valid_point(*p.topology, points[i]);
        slide::SkinPoint& to = p.places.point[i];
        to.triangle = points[i].triangle;
        to.is_at_vertex = false;
        for (int k = 0; k < 3; ++k) {
            to.b[k] = std::max(points[i].barycentric[k], 0.0);
            to.is_at_vertex = to.is_at_vertex || to.b[k] >= 1.0 - 1e-12;
        }
    }
    p.look_up_all(workers);
    p.refresh_painted(workers);
    std::fill(p.velocity.begin(), p.velocity.end(), 0.0);
    std::fill(p.acceleration.begin(), p.acceleration.end(), 0.0);
}

void SlideSolver::material_positions(MatrixX3d& out) const {
    out.resize(parts_->vertex_count(), 3);
    for (int v = 0; v < parts_->vertex_count(); ++v) {
        out.row(v) = parts_->places.position.vector(v);
    }
}

void SlideSolver::velocities(MatrixX3d& out) const {
    const Parts& p = *parts_;
    out.resize(p.vertex_count(), 3);
    for (int v = 0; v < p.vertex_count(); ++v) {
        const Vector3d axis = p.body.axis.vector(v);
        const Vector3d second = p.body.normal.vector(v).cross(axis);
        out.row(v) = p.velocity[2 * static_cast<size_t>(v)] * axis +
                     p.velocity[2 * static_cast<size_t>(v) + 1] * second;
    }
}

void SlideSolver::set_velocities(const MatrixX3d& velocities) {
    Parts& p = *parts_;
    if (velocities.rows() != p.vertex_count() || !velocities.allFinite()) {
        throw InvalidInput(say("velocities: expected ", p.vertex_count(), " finite rows, found ",
                               velocities.rows()));
    }
    for (int v = 0; v < p.reach.vertices; ++v) {
        const Vector3d axis = p.body.axis.vector(v);
        p.velocity[2 * static_cast<size_t>(v)] = velocities.row(v).dot(axis);
        p.velocity[2 * static_cast<size_t>(v) + 1] =
            velocities.row(v).dot(p.body.normal.vector(v).cross(axis));
    }
}

const SlideReport& SlideSolver::report() const {
    return parts_->report;
}
const SlideOptions& SlideSolver::options() const {
    return parts_->options;
}
const MatrixX3d& SlideSolver::rest_normals() const {
    return parts_->surface.normals();
}
bool SlideSolver::is_held(int v) const {
    const Parts& p = *parts_;
    const size_t i = static_cast<size_t>(v);
    const slide::SkinPoint& point = p.places.point[i];
    return p.constraint[i] == slide::Constraint::fixed && p.prescribed[2 * i] == 0.0 &&
           p.prescribed[2 * i + 1] == 0.0 && point.is_at_vertex &&
           p.places.position.vector(v) == p.surface.positions().row(v).transpose();
}
double SlideSolver::sharpness_cosine(int v) const {
    return parts_->surface.sharpness_cosine(v);
}

}  // namespace cutis
