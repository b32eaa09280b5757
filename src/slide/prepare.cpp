#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/dense.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "slide/passes.h"

namespace cutis {

slide::SkinModel::SkinModel(const Topology& mesh, const MatrixX3d& rest, const SlideOptions& given,
                            const Workers& workers)
    : topology(&mesh),
      options(fitted_options(given, mesh, rest)),
      surface(mesh, rest, workers, given.use_curved_surface) {}

SlideSolver::Parts::Parts(const Topology& mesh, const MatrixX3d& rest, const SlideOptions& given,
                          const Workers& workers)
    : model(mesh, rest, given, workers), trial(mesh), system(mesh) {
    const int count = mesh.vertex_count();
    const size_t n = static_cast<size_t>(count);
    const MatrixX3i& t = mesh.triangles();
    const int triangles = mesh.triangle_count();
    require(triangles != 0, "slide: expected at least one triangle, found none");
    model.mean_edge = mean_edge_length(rest, mesh);
    require(model.mean_edge > 0.0 && std::isfinite(model.mean_edge),
            "slide: expected edges with a length, their mean is ", model.mean_edge);

    model.box_diagonal = bounding_box_diagonal(rest);
    model.batch_count = (triangles + 3) / 4;
    model.corners.resize(12 * static_cast<size_t>(model.batch_count));
    for (int f = 0; f < 4 * model.batch_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            model.corners[12 * (static_cast<size_t>(f) / 4) + 4 * static_cast<size_t>(k) + static_cast<size_t>(f) % 4] =
                t(std::min(f, triangles - 1), k);
        }
    }
    model.fans.reserve(3 * static_cast<size_t>(triangles));
    model.fan_vertices.reserve(6 * static_cast<size_t>(triangles));
    model.reference.reserve(n);
    model.fan_starts.reserve(n + 1);
    model.fan_starts.push_back(0);
    for (int v = 0; v < count; ++v) {
        int longest = -1;
        double longest_square = -1.0;
        for (const int f : mesh.triangles_around(v)) {
            const int k = t(f, 0) == v ? 0 : t(f, 1) == v ? 1 : 2;
            model.fans.push_back(4 * f + k);
            model.fan_vertices.push_back(t(f, (k + 1) % 3));
            model.fan_vertices.push_back(t(f, (k + 2) % 3));
            const int other = t(f, (k + 1) % 3);
            const double square = (rest.row(other) - rest.row(v)).squaredNorm();
            if (square > longest_square) {
                longest_square = square;
                longest = other;
            }
        }
        model.reference.push_back(longest);
        model.fan_starts.push_back(static_cast<int>(model.fans.size()));
    }

    read_material();

    // Constraints: fixed wins over glide.
    model.constraint.assign(n, slide::Constraint::free);
    model.glide_direction.assign(2 * n, 0.0);
    model.prescribed.assign(2 * n, 0.0);
    state.body = slide::BodyFrame(count);
    trial.next_body = slide::BodyFrame(count);
    for (int v = 0; v < count; ++v) {
        state.body.normal.set(v, model.surface.normals().row(v));
        state.body.position.set(v, rest.row(v));
    }
    trial.next_body = state.body;
    // Rest frames: the same rule as for the moving body, so that directions carry over.
    painted.material = slide::Batches(model.batch_count, slide::material_fields);
    measured.body_shape = slide::Batches(model.batch_count, slide::body_fields);
    measured.skin_shape = slide::Batches(model.batch_count, slide::skin_fields);
    state.track = slide::Batches(model.batch_count, slide::track_fields);
    measured.scratch = slide::Records(4 * model.batch_count, 28);
    measured.jacobian = slide::Records(count);
    measured.along_first = slide::Records(count);
    measured.along_second = slide::Records(count);
    measure_body_triangles(model, trial.next_body, model.batch_count, workers, measured);
    find_body_frames(model, measured, state.body, {0, count, 0.0}, workers, trial.next_body);
    std::swap(state.body, trial.next_body);

    const auto in_basis = [&](int v, const Vector3d& direction) {
        const Vector3d axis = state.body.axis.vector(v);
        return Vector2d(direction.dot(axis), direction.dot(state.body.normal.vector(v).cross(axis)));
    };
    const auto glide = [&](int v, const Vector3d& direction, const char* what) {
        const Vector2d d = in_basis(v, direction);
        if (!(d.norm() > 1e-6 * direction.norm())) {
            throw InvalidInput(concat(
                what, ": expected a direction along the surface, found ", text_of(direction), " at vertex ",
                model.options.shown_vertices.empty() ? v : model.options.shown_vertices[static_cast<size_t>(v)]));
        }
        model.constraint[static_cast<size_t>(v)] = slide::Constraint::glide;
        Vector2d::Map(model.glide_direction.data() + 2 * v) = d.normalized();
    };
    if (model.options.rim == RimMode::glide) {
        for (const std::vector<int>& loop : mesh.boundary_loops()) {
            for (size_t i = 0; i < loop.size(); ++i) {
                const Vector3d along =
                    (rest.row(loop[(i + 1) % loop.size()]) - rest.row(loop[(i + loop.size() - 1) % loop.size()]))
                        .transpose();
                glide(loop[i], along, "rim");
            }
        }
    }
    if (model.options.region_rim == RegionRim::glide) {
        make_openings(rest, glide);
    }
    for (const Glide& one : model.options.glides) {
        glide(one.vertex, one.direction, "glides");
    }
    for (int v = 0; v < count; ++v) {
        const bool is_out = model.options.region.at(v) < 0.5;
        const bool is_rim = model.options.rim == RimMode::pin && mesh.is_boundary_vertex(v) &&
                            model.constraint[static_cast<size_t>(v)] == slide::Constraint::free;
        const bool is_crease = model.surface.sharpness_cosine(v) < model.options.pin_creases;
        if (is_out || is_rim || is_crease) {
            model.constraint[static_cast<size_t>(v)] = slide::Constraint::fixed;
        }
    }
    if (model.options.pin_slivers > 0.0) {
        for (int f = 0; f < triangles; ++f) {
            double longest = 0.0;
            for (int k = 0; k < 3; ++k) {
                longest = std::max(longest, (rest.row(t(f, (k + 1) % 3)) - rest.row(t(f, k))).squaredNorm());
            }
            if (2.0 * model.surface.triangle_areas()[f] < model.options.pin_slivers * longest) {
                for (int k = 0; k < 3; ++k) {
                    model.constraint[static_cast<size_t>(t(f, k))] = slide::Constraint::fixed;
                }
            }
        }
    }
    for (const int v : model.options.pins) {
        model.constraint[static_cast<size_t>(v)] = slide::Constraint::fixed;
    }
    for (const PrescribedSlip& slip : model.options.prescribed) {
        model.constraint[static_cast<size_t>(slip.vertex)] = slide::Constraint::fixed;
        Vector2d::Map(model.prescribed.data() + 2 * slip.vertex) = in_basis(slip.vertex, slip.velocity);
        model.has_prescribed = true;
    }
    model.full_pull = model.prescribed;
    int in_region = 0;
    for (int v = 0; v < count; ++v) {
        report.pinned += model.constraint[static_cast<size_t>(v)] == slide::Constraint::fixed ? 1 : 0;
        report.gliding += model.constraint[static_cast<size_t>(v)] == slide::Constraint::glide ? 1 : 0;
        in_region += model.options.region.at(v) < 0.5 ? 0 : 1;
    }
    require(in_region != 0,
            "region: expected at least one vertex with a value of 0.5 or more, "
            "found none");
    find_reach();
    for (const int v : model.options.loose_pins) {
        slide::Constraint& now = model.constraint[static_cast<size_t>(v)];
        if (now != slide::Constraint::fixed) {
            model.loose_pins.emplace_back(v, now);
            now = slide::Constraint::fixed;
        }
    }
    // What is held beyond the reach is no unknown: its velocity is zero as it is.
    model.has_constraints =
        model.has_prescribed || std::any_of(model.constraint.begin(), model.constraint.begin() + model.reach.vertices,
                                            [](slide::Constraint one) { return one != slide::Constraint::free; });
    system.make_rows(model.reach.vertices, model.options.tolerance);

    read_forces();
    read_resistance();

    prepare_sleep();
    state.places = slide::SkinPlaces(count);
    trial.next_places = slide::SkinPlaces(count);
    measured.charts = slide::SkinCharts(count);
    state.velocity.assign(2 * n, 0.0);
    trial.start_velocity = state.velocity;
    state.acceleration = state.velocity;
    trial.advected = state.velocity;
    trial.trial_velocity = state.velocity;
    state.grip.assign(n, 0.0);
    state.sector.assign(n, 0);
    trial.far_trace.assign(n, 0);
    measured.mass.assign(n, 0.0);
    state.bad_steps.assign(static_cast<size_t>(triangles), 0);
    trial.touch_marks.assign(n, 0);
    trial.suspects.assign(static_cast<size_t>(model.batch_count), 0);
    trial.changes = slide::Records(model.batch_count);
    trial.own.assign(n, 0.0);
    trial.gain.assign(n, 0.0);
    trial.is_braked.assign(n, 0);
    trial.batch_marks.assign(static_cast<size_t>(model.batch_count), 0);
    trial.renewed.reserve(static_cast<size_t>(model.batch_count));
    trial.gainers.reserve(n);
    trial.gaining.reserve(n);
    trial.is_gaining.assign(n, 0);
    trial.bad_triangles.reserve(static_cast<size_t>(triangles));
    trial.touched.reserve(n);
    sub_step_body.resize(count, 3);
    frame_body.resize(count, 3);
}

// Where triangles inside the region end, skin moves along their last edges, as at the rim of an open
// surface. What lies beyond does not count: neither its energy nor its shape, nor in means over fans.
void SlideSolver::Parts::make_openings(const MatrixX3d& rest,
                                       FunctionRef<void(int v, const Vector3d& direction, const char* what)> glide) {
    const MatrixX3i& t = model.topology->triangles();
    const auto is_inside = [&](int f) {
        return f >= 0 && model.options.region.at(t(f, 0)) >= 0.5 && model.options.region.at(t(f, 1)) >= 0.5 &&
               model.options.region.at(t(f, 2)) >= 0.5;
    };
    constexpr double hardly = 1e-9;  // some weight is left for means over fans that lie beyond
    model.least_seen = slide::Batches(model.batch_count, 1);
    model.weight = slide::Batches(model.batch_count, 1);
    std::vector<int> next(static_cast<size_t>(model.vertex_count()), -1);
    std::vector<int> last = next;
    for (int f = 0; f < 4 * model.batch_count; ++f) {
        const int g = std::min(f, model.triangle_count() - 1);
        model.least_seen.number(f, 0) = is_inside(g) ? -1e300 : 1.0;
        model.weight.number(f, 0) = is_inside(g) ? 1.0 : hardly;
        for (int k = 0; f == g && is_inside(g) && k < 3; ++k) {
            const int across = model.topology->neighbour(f, k);
            if (across >= 0 && !is_inside(across)) {
                next[static_cast<size_t>(t(f, k))] = t(f, (k + 1) % 3);
                last[static_cast<size_t>(t(f, (k + 1) % 3))] = t(f, k);
            }
        }
    }
    for (int v = 0; v < model.vertex_count(); ++v) {
        const int after = next[static_cast<size_t>(v)];
        const int before = last[static_cast<size_t>(v)];
        const auto fan = model.topology->triangles_around(v);
        if (after != before) {  // where it ends at an open border, along the one edge there is
            glide(v, (rest.row(after < 0 ? v : after) - rest.row(before < 0 ? v : before)).transpose(), "region_rim");
        } else if (after >= 0 || std::none_of(fan.begin(), fan.end(), is_inside)) {
            model.constraint[static_cast<size_t>(v)] = slide::Constraint::fixed;  // a pinch, or no skin at all
        }
    }
}

void SlideSolver::Parts::find_reach() {
    const MatrixX3i& t = model.topology->triangles();
    for (int v = 0; v < model.vertex_count(); ++v) {
        if (model.constraint[static_cast<size_t>(v)] != slide::Constraint::fixed) {
            model.reach.vertices = v + 1;
        }
    }
    for (const PrescribedSlip& slip : model.options.prescribed) {
        model.reach.vertices = std::max(model.reach.vertices, slip.vertex + 1);
    }
    // Whole groups of four: what moves then meets the same sums as if nothing were left out.
    model.reach.vertices = std::min((model.reach.vertices + 3) / 4 * 4, model.vertex_count());
    const auto last_with = [&](int vertices) {
        int last = -1;
        for (int f = 0; f < model.triangle_count(); ++f) {
            last = t.row(f).minCoeff() < vertices ? f : last;
        }
        return last;
    };
    const int last = last_with(model.reach.vertices);
    model.reach.triangles = last + 1;
    model.reach.batches = (last + 4) / 4;
    model.reach.corners = model.reach.vertices;
    for (int f = 0; f < std::min(4 * model.reach.batches, model.triangle_count()); ++f) {
        model.reach.corners = std::max(model.reach.corners, t.row(f).maxCoeff() + 1);
    }
    model.reach.near_batches = (last_with(model.reach.corners) + 4) / 4;
}

}  // namespace cutis
