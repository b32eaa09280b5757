#include "slide/slide.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cutis/core/error.h"
#include "slide/passes.h"

namespace cutis {

SlideSolver::SlideSolver(const Topology& topology, const MatrixX3d& rest, const SlideOptions& options,
                         const Workers& workers)
    : parts_(std::make_unique<Parts>(topology, rest, options, workers)) {}

SlideSolver::~SlideSolver() = default;
SlideSolver::SlideSolver(SlideSolver&&) noexcept = default;
SlideSolver& SlideSolver::operator=(SlideSolver&&) noexcept = default;

void SlideSolver::reset(const MatrixX3d& body, const Workers& workers) {
    parts_->reset(body, workers);
}

void SlideSolver::step(const MatrixX3d& body, double seconds, const Workers& workers) {
    require(seconds > 0.0 && std::isfinite(seconds), "step: expected a positive number of seconds, found ", seconds);
    if (!parts_->state.has_body) {
        parts_->reset(body, workers);
        return;
    }
    parts_->step(body, seconds, workers);
}

void SlideSolver::set_outer(const OuterForces& outer) {
    slide::SkinModel& model = parts_->model;
    require(outer.drags.size() == model.options.drags.size(), "slide drags: expected ", model.options.drags.size(),
            " forces, found ", outer.drags.size());
    model.options.gravity = outer.gravity;
    model.options.wind = outer.wind;
    for (size_t d = 0; d < outer.drags.size(); ++d) {
        model.options.drags[d].force = outer.drags[d];
    }
    for (size_t i = 0; i < model.full_pull.size(); ++i) {
        model.prescribed[i] = outer.pull * model.full_pull[i];
    }
    model.flow = outer.flow;
    for (const auto& [v, when_loose] : model.loose_pins) {
        model.constraint[static_cast<size_t>(v)] = outer.pins_hold ? slide::Constraint::fixed : when_loose;
        if (outer.pins_hold) {  // no solve starts from where it was going
            Vector2d::Map(parts_->state.acceleration.data() + 2 * v).setZero();
        }
    }
    model.has_forces = model.has_forces || !outer.gravity.isZero();
    if (model.has_forces || model.flow || !model.loose_pins.empty()) {
        model.may_sleep = false;
        parts_->wake_all();
    }
}

double SlideSolver::relax(int steps, double seconds, const Workers& workers) {
    return parts_->relax(steps, seconds, workers);
}

void SlideSolver::advance(double from, double to, BodyAt body_at, const Workers& workers) {
    Parts& p = *parts_;
    body_at(to, p.frame_body);
    if (!p.state.has_body) {
        p.reset(p.frame_body, workers);
        return;
    }
    require(to > from, "advance: expected a time after ", from, ", found ", to);
    require(p.frame_body.rows() == p.model.vertex_count(), "body: expected ", p.model.vertex_count(),
            " positions, found ", p.frame_body.rows());
    if (p.model.is_painted) {
        slide::refresh_painted(p.model, p.state.places, workers, p.painted);
    }
    constexpr double rounding = 1e-9;
    const int steps = std::max(1, static_cast<int>(std::ceil((to - from) / p.model.options.longest_step - rounding)));
    const double seconds = (to - from) / steps;
    for (int k = 1; k < steps; ++k) {
        body_at(from + k * seconds, p.sub_step_body);
        p.step(p.sub_step_body, seconds, workers);
    }
    p.step(p.frame_body, seconds, workers);
    p.note_smallest_area();
}

SurfacePoint SlideSolver::material_point(int v) const {
    const slide::SkinPoint& from = parts_->state.places.point.at(static_cast<size_t>(v));
    SurfacePoint point;
    point.triangle = from.triangle;
    point.barycentric = Vector3d(from.b);
    return point;
}

void SlideSolver::set_material_points(const std::vector<SurfacePoint>& points, const Workers& workers) {
    Parts& p = *parts_;
    require(points.size() == static_cast<size_t>(p.model.vertex_count()), "material points: expected ",
            p.model.vertex_count(), ", found ", points.size());
    for (size_t i = 0; i < points.size(); ++i) {
        require_valid_point(*p.model.topology, points[i]);
        slide::SkinPoint& to = p.state.places.point[i];
        to.triangle = points[i].triangle;
        to.is_at_vertex = false;
        for (int k = 0; k < 3; ++k) {
            to.b[k] = std::max(points[i].barycentric[k], 0.0);
            to.is_at_vertex = to.is_at_vertex || to.b[k] >= 1.0 - 1e-12;
        }
    }
    p.look_up_all(workers);
    slide::refresh_painted(p.model, p.state.places, workers, p.painted);
    std::fill(p.state.velocity.begin(), p.state.velocity.end(), 0.0);
    std::fill(p.state.acceleration.begin(), p.state.acceleration.end(), 0.0);
    p.wake_all();
}

void SlideSolver::material_positions(MatrixX3d& out) const {
    out.resize(parts_->model.vertex_count(), 3);
    for (int v = 0; v < parts_->model.vertex_count(); ++v) {
        out.row(v) = parts_->state.places.position.vector(v);
    }
}

void SlideSolver::velocities(MatrixX3d& out) const {
    const Parts& p = *parts_;
    out.resize(p.model.vertex_count(), 3);
    for (int v = 0; v < p.model.vertex_count(); ++v) {
        const Vector3d axis = p.state.body.axis.vector(v);
        const Vector3d second = p.state.body.normal.vector(v).cross(axis);
        out.row(v) = p.state.velocity[2 * static_cast<size_t>(v)] * axis +
                     p.state.velocity[2 * static_cast<size_t>(v) + 1] * second;
    }
}

void SlideSolver::set_velocities(const MatrixX3d& velocities) {
    Parts& p = *parts_;
    require(velocities.rows() == p.model.vertex_count() && velocities.allFinite(), "velocities: expected ",
            p.model.vertex_count(), " finite rows, found ", velocities.rows());
    for (int v = 0; v < p.model.reach.vertices; ++v) {
        const Vector3d axis = p.state.body.axis.vector(v);
        p.state.velocity[2 * static_cast<size_t>(v)] = velocities.row(v).dot(axis);
        p.state.velocity[2 * static_cast<size_t>(v) + 1] =
            velocities.row(v).dot(p.state.body.normal.vector(v).cross(axis));
    }
    p.wake_all();
}

double SlideSolver::clock() const {
    return parts_->state.clock;
}
double SlideSolver::body_speed(int v) const {
    return parts_->state.has_velocity ? parts_->state.body.velocity.vector(v).norm() : 0.0;
}
bool SlideSolver::is_gripped(int v) const {
    return parts_->state.grip[static_cast<size_t>(v)] > 0.0;
}
bool SlideSolver::is_asleep(int v) const {
    return parts_->model.may_sleep && !parts_->state.activity.is_awake(v);
}
const SlideReport& SlideSolver::report() const {
    return parts_->report;
}
const SlideOptions& SlideSolver::options() const {
    return parts_->model.options;
}
const MatrixX3d& SlideSolver::rest_normals() const {
    return parts_->model.surface.normals();
}
bool SlideSolver::is_held(int v) const {
    const Parts& p = *parts_;
    const size_t i = static_cast<size_t>(v);
    const slide::SkinPoint& point = p.state.places.point[i];
    return p.model.constraint[i] == slide::Constraint::fixed && p.model.prescribed[2 * i] == 0.0 &&
           p.model.prescribed[2 * i + 1] == 0.0 && point.is_at_vertex &&
           p.state.places.position.vector(v) == p.model.surface.positions().row(v).transpose();
}
double SlideSolver::sharpness_cosine(int v) const {
    return parts_->model.surface.sharpness_cosine(v);
}

}  // namespace cutis
