// What options give the model and steps read again and again: when a solver is made, and when one of them changes while
// time goes on.
#include <algorithm>

#include "cutis/core/error.h"
#include "slide/passes.h"

namespace cutis {

void SlideSolver::Parts::read_material() {
    const int count = model.vertex_count();
    const auto n = static_cast<size_t>(count);
    model.uniform_scale = 1.0 / model.options.initial_stretch.value;
    model.has_metric = model.options.relaxed_metric.rows() > 0;
    if (model.has_metric) {
        model.metric.resize(6 * n);
        for (int v = 0; v < count; ++v) {
            for (int c = 0; c < 6; ++c) {
                model.metric[6 * static_cast<size_t>(v) + static_cast<size_t>(c)] =
                    model.uniform_scale * model.options.relaxed_metric(v, c);
            }
        }
        painted.vertex_metric = model.metric;
        model.uniform_scale = 1.0;
    }
    model.has_area_term = model.options.area_preservation.is_painted() || model.options.area_preservation.value > 0.0;
    model.is_painted = model.options.young_modulus->is_painted() || model.options.poisson_ratio.is_painted() ||
                       model.options.density.is_painted() || model.options.damping.is_painted() ||
                       model.options.fung_exponent.is_painted() || model.options.area_preservation.is_painted() ||
                       model.has_metric || model.options.region_rim == RegionRim::glide;
}

void SlideSolver::Parts::read_forces() {
    const int count = model.vertex_count();
    const auto n = static_cast<size_t>(count);
    const MatrixX3d& rest = model.surface.positions();
    model.has_forces = !model.options.gravity.isZero() || !model.options.wind_drag.is_uniform() ||
                       model.options.wind_drag.value > 0.0 || !model.options.drags.empty();
    model.drag_weights.assign(model.options.drags.size() * n, 0.0);
    for (size_t d = 0; d < model.options.drags.size(); ++d) {
        const DragForce& drag = model.options.drags[d];
        double* weights = model.drag_weights.data() + d * n;
        double sum = 0.0;
        for (int v = 0; v < count; ++v) {
            const double distance = (rest.row(v) - rest.row(drag.vertex)).norm();
            const double x = drag.radius > 0.0 ? distance / drag.radius : 2.0;
            weights[v] = x < 1.0 ? (1.0 - x * x) * (1.0 - x * x) * model.surface.vertex_areas()[v] : 0.0;
            sum += weights[v];
        }
        if (sum > 0.0) {
            for (int v = 0; v < count; ++v) {
                weights[v] /= sum;
            }
        } else {
            weights[drag.vertex] = 1.0;
        }
    }
}

void SlideSolver::Parts::read_resistance() {
    const int count = model.vertex_count();
    const auto n = static_cast<size_t>(count);
    painted.damping.resize(n);
    model.stickiness.resize(n);
    model.tether_stiffness.resize(n);
    model.tether_softening.resize(n);
    for (int v = 0; v < count; ++v) {
        const size_t i = static_cast<size_t>(v);
        painted.damping[i] = model.options.damping.at(v);
        model.stickiness[i] = model.options.stickiness.at(v);
        model.tether_stiffness[i] = model.options.tether.at(v) * model.surface.vertex_areas()[v];
        const double radius = model.options.tether_radius->at(v);
        model.tether_softening[i] = 1.0 / (radius * radius);
    }
}

void SlideSolver::change(const SlideOptions& options, const Workers& workers) {
    Parts& p = *parts_;
    SlideOptions next = fitted_options(options, *p.model.topology, p.model.surface.positions());
    next.pins = p.model.options.pins;  // what may not change stays
    p.model.options = std::move(next);
    p.read_material();
    p.read_forces();
    p.read_resistance();
    p.read_sleep();
    if (p.state.has_body) {
        slide::refresh_painted(p.model, p.state.places, workers, p.painted);
    }
}

void SlideSolver::set_drags(std::vector<DragForce> drags) {
    Parts& p = *parts_;
    for (const DragForce& drag : drags) {
        require(
            drag.vertex >= 0 && drag.vertex < p.model.vertex_count() && drag.force.allFinite() && drag.radius >= 0.0,
            "slide drags: expected a vertex below ", p.model.vertex_count(), ", a finite force and a radius, found ",
            drag.vertex, ", ", text_of(drag.force), " and ", drag.radius);
    }
    const auto is_same = [](const DragForce& a, const DragForce& b) {
        return a.vertex == b.vertex && a.force == b.force && a.radius == b.radius;
    };
    std::vector<DragForce>& now = p.model.options.drags;
    if (std::equal(now.begin(), now.end(), drags.begin(), drags.end(), is_same)) {
        return;  // what sleeps, sleeps on
    }
    now = std::move(drags);
    p.read_forces();
    p.read_sleep();
}

}  // namespace cutis
