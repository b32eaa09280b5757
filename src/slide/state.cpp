#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "slide/passes.h"

namespace cutis {

namespace {

constexpr double state_version = 6.0;
constexpr double state_mark = 7.51e4;  // "slide"

}  // namespace

std::vector<double> SlideSolver::save() const {
    Parts& p = *parts_;
    p.complete_body(Workers(1));
    std::vector<double> state = {state_mark,
                                 state_version,
                                 static_cast<double>(p.model.vertex_count()),
                                 static_cast<double>(p.model.triangle_count()),
                                 p.state.has_body ? 1.0 : 0.0,
                                 p.state.has_velocity ? 1.0 : 0.0,
                                 static_cast<double>(p.state.unrest),
                                 static_cast<double>(p.state.hopeless_steps),
                                 static_cast<double>(p.report.inverted_triangles),
                                 p.state.clock};
    if (!p.state.has_body) {
        return state;
    }
    for (int v = 0; v < p.model.vertex_count(); ++v) {
        const size_t i = static_cast<size_t>(v);
        const slide::SkinPoint& point = p.state.places.point[i];
        state.insert(state.end(), {static_cast<double>(point.triangle), point.is_at_vertex ? 1.0 : 0.0, point.b[0],
                                   point.b[1], point.b[2], p.state.velocity[2 * i], p.state.velocity[2 * i + 1],
                                   static_cast<double>(p.state.sector[i]), p.state.acceleration[2 * i],
                                   p.state.acceleration[2 * i + 1], p.state.grip[i], p.state.rest[i]});
        for (const slide::Records* records : {&p.state.body.position, &p.state.body.normal, &p.state.body.axis,
                                              &p.state.body.velocity, &p.state.anchor, &p.state.kick, &p.state.pull}) {
            state.insert(state.end(), records->at(v), records->at(v) + 3);
        }
    }
    for (int f = 0; f < p.model.triangle_count(); ++f) {
        for (int c = 0; c < 3; ++c) {
            state.push_back(p.state.track.number(f, slide::ref_x + c));
        }
        state.push_back(p.state.bad_steps[static_cast<size_t>(f)]);
        for (int c = 0; c < 3; ++c) {
            state.push_back(p.state.rest_shape.number(f, c));
        }
    }
    return state;
}

void SlideSolver::restore(const std::vector<double>& state, const Workers& workers) {
    Parts& p = *parts_;
    const size_t vertices = static_cast<size_t>(p.model.vertex_count());
    const size_t triangles = static_cast<size_t>(p.model.triangle_count());
    constexpr size_t head = 10;
    constexpr size_t per_vertex = 33;
    constexpr size_t per_triangle = 7;
    require(state.size() >= head && state[0] == state_mark && state[1] == state_version,
            "slide state: expected a state of this layer, version ", state_version);
    const bool has_body = state[4] == 1.0;
    require(state[2] == static_cast<double>(vertices) && state[3] == static_cast<double>(triangles) &&
                state.size() == head + (has_body ? per_vertex * vertices + per_triangle * triangles : 0),
            "slide state: expected ", vertices, " vertices and ", triangles, " triangles, found ", state[2], " and ",
            state[3], " in ", state.size(), " numbers");
    for (size_t i = 0; i < state.size(); ++i) {
        require(std::isfinite(state[i]), "slide state: number ", i, " is not finite");
    }
    p.state.has_body = has_body;
    p.state.has_velocity = state[5] == 1.0;
    p.state.unrest = static_cast<int>(std::clamp(state[6], 0.0, 1e6));
    p.state.hopeless_steps = static_cast<int>(std::clamp(state[7], 0.0, 1e6));
    p.report.inverted_triangles = static_cast<int>(std::clamp(state[8], 0.0, 1e9));
    p.state.clock = state[9];
    if (!has_body) {
        return;
    }
    const double* from = state.data() + head;
    for (int v = 0; v < p.model.vertex_count(); ++v, from += per_vertex) {
        const size_t i = static_cast<size_t>(v);
        SurfacePoint at;
        require(from[0] >= 0.0 && from[0] < static_cast<double>(triangles), "slide state: vertex ", v,
                " lies in triangle ", from[0], ", expected 0 to ", triangles - 1);
        at.triangle = static_cast<int>(from[0]);
        at.barycentric = Vector3d(from + 2);
        require_valid_point(*p.model.topology, at);
        slide::SkinPoint& point = p.state.places.point[i];
        point.triangle = at.triangle;
        point.is_at_vertex = from[1] == 1.0;
        std::copy(from + 2, from + 5, point.b);
        p.state.velocity[2 * i] = v < p.model.reach.vertices ? from[5] : 0.0;
        p.state.velocity[2 * i + 1] = v < p.model.reach.vertices ? from[6] : 0.0;
        const int fan = p.model.fan_starts[i + 1] - p.model.fan_starts[i];
        p.state.sector[i] = static_cast<int>(std::clamp(from[7], 0.0, static_cast<double>(fan - 1)));
        p.state.acceleration[2 * i] = from[8];
        p.state.acceleration[2 * i + 1] = from[9];
        p.state.grip[i] = std::max(from[10], 0.0);
        p.state.rest[i] = std::max(from[11], 0.0);
        p.state.body.position.set(v, Vector3d(from + 12));
        p.state.body.normal.set(v, Vector3d(from + 15));
        p.state.body.axis.set(v, Vector3d(from + 18));
        p.state.body.velocity.set(v, Vector3d(from + 21));
        p.state.anchor.set(v, Vector3d(from + 24));
        p.state.kick.set(v, Vector3d(from + 27));
        p.state.pull.set(v, Vector3d(from + 30));
    }
    p.state.has_bad_steps = false;
    for (int f = 0; f < 4 * p.model.batch_count; ++f) {
        const int g = std::min(f, p.model.triangle_count() - 1);
        const double* numbers = from + static_cast<std::ptrdiff_t>(per_triangle) * g;
        for (int c = 0; c < 3; ++c) {
            p.state.track.number(f, slide::ref_x + c) = numbers[c];
        }
        p.state.track.number(f, slide::least_area) = 0.04 * p.model.surface.triangle_areas()[g];
        for (int c = 0; c < 3; ++c) {
            p.state.rest_shape.number(f, c) = numbers[4 + c];
        }
        if (f == g) {
            p.state.bad_steps[static_cast<size_t>(f)] = static_cast<unsigned char>(std::clamp(numbers[3], 0.0, 100.0));
            p.state.has_bad_steps = p.state.has_bad_steps || numbers[3] > 0.0;
        }
    }
    p.state.activity.is_whole = true;  // the next step finds out who sleeps
    p.look_up_all(workers);
    slide::refresh_painted(p.model, p.state.places, workers, p.painted);
    // Triangles of the body as they are, for channels and energies asked for before the next step.
    p.trial.next_body = p.state.body;  // both, for what is held
    slide::measure_body_triangles(p.model, p.state.body, p.model.batch_count, workers, p.measured);
    p.state.is_body_partial = false;
    p.measure(false, workers);
}

}  // namespace cutis
