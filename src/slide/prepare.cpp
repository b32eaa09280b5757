#include <algorithm>
#include <cmath>

#include "core/dense.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "slide/parts.h"

namespace cutis {

SlideSolver::Parts::Parts(const Topology& mesh, const MatrixX3d& rest, const SlideOptions& given,
                          const Workers& workers)
    : topology(&mesh),
      options(fitted_options(given, mesh, rest)),
      surface(mesh, rest, workers, given.use_curved_surface),
      system(mesh),
      body_tracer(mesh, {.keep_tables = false}) {
    const int count = mesh.vertex_count();
    const size_t n = static_cast<size_t>(count);
    const MatrixX3i& t = mesh.triangles();
    const int triangles = mesh.triangle_count();
    if (triangles == 0) {
        throw InvalidInput("slide: expected at least one triangle, found none");
    }
    mean_edge = mean_edge_length(rest, mesh);
    if (!(mean_edge > 0.0) || !std::isfinite(mean_edge)) {
        throw InvalidInput(say("slide: expected edges with a length, their mean is ", mean_edge));
    }

    batch_count = (triangles + 3) / 4;
    corners.resize(12 * static_cast<size_t>(batch_count));
    for (int f = 0; f < 4 * batch_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            corners[12 * (static_cast<size_t>(f) / 4) + 4 * static_cast<size_t>(k) +
                    static_cast<size_t>(f) % 4] = t(std::min(f, triangles - 1), k);
        }
    }
    fans.reserve(3 * static_cast<size_t>(triangles));
    fan_vertices.reserve(6 * static_cast<size_t>(triangles));
    reference.reserve(n);
    fan_starts.reserve(n + 1);
    fan_starts.push_back(0);
    for (int v = 0; v < count; ++v) {
        int longest = -1;
        double longest_square = -1.0;
        for (const int f : mesh.triangles_around(v)) {
            const int k = t(f, 0) == v ? 0 : t(f, 1) == v ? 1 : 2;
            fans.push_back(4 * f + k);
            fan_vertices.push_back(t(f, (k + 1) % 3));
            fan_vertices.push_back(t(f, (k + 2) % 3));
            const int other = t(f, (k + 1) % 3);
            const double square = (rest.row(other) - rest.row(v)).squaredNorm();
            if (square > longest_square) {
                longest_square = square;
                longest = other;
            }
        }
        reference.push_back(longest);
        fan_starts.push_back(static_cast<int>(fans.size()));
    }

    uniform_scale = 1.0 / options.initial_stretch.value;
    has_metric = options.relaxed_metric.rows() > 0;
    if (has_metric) {
        metric.resize(6 * n);
        for (int v = 0; v < count; ++v) {
            for (int c = 0; c < 6; ++c) {
                metric[6 * static_cast<size_t>(v) + static_cast<size_t>(c)] =
                    uniform_scale * options.relaxed_metric(v, c);
            }
        }
        vertex_metric = metric;
        uniform_scale = 1.0;
    }
    has_area_term = options.area_preservation.is_painted() || options.area_preservation.value > 0.0;
    is_painted = options.young_modulus->is_painted() || options.poisson_ratio.is_painted() ||
                 options.density.is_painted() || options.damping.is_painted() ||
                 options.fung_exponent.is_painted() || options.area_preservation.is_painted() ||
                 has_metric;

    // Constraints: fixed wins over glide.
    constraint.assign(n, slide::Constraint::free);
    glide_direction.assign(2 * n, 0.0);
    prescribed.assign(2 * n, 0.0);
    body = BodyFrame(count);
    next_body = BodyFrame(count);
    for (int v = 0; v < count; ++v) {
        body.normal.set(v, surface.normals().row(v));
        body.position.set(v, rest.row(v));
    }
    next_body = body;
    // Rest frames: the same rule as for the moving body, so that directions carry over.
    material = Batches(batch_count, slide::material_fields);
    body_shape = Batches(batch_count, slide::body_fields);
    skin_shape = Batches(batch_count, slide::skin_fields);
    track = Batches(batch_count, slide::track_fields);
    scratch = Records(4 * batch_count, 28);
    jacobian = Records(count);
    along_first = Records(count);
    along_second = Records(count);
    measure_body_triangles(next_body, batch_count, workers);
    find_body_frames(next_body, 0, count, 0.0, workers);
    std::swap(body, next_body);

    const auto in_basis = [&](int v, const Vector3d& direction) {
        const Vector3d axis = body.axis.vector(v);
        return Vector2d(direction.dot(axis), direction.dot(body.normal.vector(v).cross(axis)));
    };
    const auto glide = [&](int v, const Vector3d& direction, const char* what) {
        const Vector2d d = in_basis(v, direction);
        if (!(d.norm() > 1e-6 * direction.norm())) {
            throw InvalidInput(say(what, ": expected a direction along the surface, found ",
                                   direction.transpose(), " at vertex ",
                                   options.shown_vertices.empty()
                                       ? v
                                       : options.shown_vertices[static_cast<size_t>(v)]));
        }
        constraint[static_cast<size_t>(v)] = slide::Constraint::glide;
        Vector2d::Map(glide_direction.data() + 2 * v) = d.normalized();
    };
    if (options.rim == RimMode::glide) {
        for (const std::vector<int>& loop : mesh.boundary_loops()) {
            for (size_t i = 0; i < loop.size(); ++i) {
                const Vector3d along = (rest.row(loop[(i + 1) % loop.size()]) -
                                        rest.row(loop[(i + loop.size() - 1) % loop.size()]))
                                           .transpose();
                glide(loop[i], along, "rim");
            }
        }
    }
    for (const Glide& one : options.glides) {
        glide(one.vertex, one.direction, "glides");
    }
    for (int v = 0; v < count; ++v) {
        const bool is_out = options.region.at(v) < 0.5;
        const bool is_rim = options.rim == RimMode::pin && mesh.is_boundary_vertex(v) &&
                            constraint[static_cast<size_t>(v)] == slide::Constraint::free;
        const bool is_crease = surface.sharpness_cosine(v) < options.pin_creases;
        if (is_out || is_rim || is_crease) {
            constraint[static_cast<size_t>(v)] = slide::Constraint::fixed;
        }
    }
    if (options.pin_slivers > 0.0) {
        for (int f = 0; f < triangles; ++f) {
            double longest = 0.0;
            for (int k = 0; k < 3; ++k) {
                longest = std::max(longest,
                                   (rest.row(t(f, (k + 1) % 3)) - rest.row(t(f, k))).squaredNorm());
            }
            if (2.0 * surface.triangle_areas()[f] < options.pin_slivers * longest) {
                for (int k = 0; k < 3; ++k) {
                    constraint[static_cast<size_t>(t(f, k))] = slide::Constraint::fixed;
                }
            }
        }
    }
    for (const int v : options.pins) {
        constraint[static_cast<size_t>(v)] = slide::Constraint::fixed;
    }
    for (const PrescribedSlip& slip : options.prescribed) {
        constraint[static_cast<size_t>(slip.vertex)] = slide::Constraint::fixed;
        Vector2d::Map(prescribed.data() + 2 * slip.vertex) = in_basis(slip.vertex, slip.velocity);
        has_prescribed = true;
    }
    int in_region = 0;
    for (int v = 0; v < count; ++v) {
        report.pinned += constraint[static_cast<size_t>(v)] == slide::Constraint::fixed ? 1 : 0;
        report.gliding += constraint[static_cast<size_t>(v)] == slide::Constraint::glide ? 1 : 0;
        in_region += options.region.at(v) < 0.5 ? 0 : 1;
    }
    if (in_region == 0) {
        throw InvalidInput(
            "region: expected at least one vertex with a value of 0.5 or more, "
            "found none");
    }
    find_reach();
    // What is held beyond the reach is no unknown: its velocity is zero as it is.
    has_constraints =
        has_prescribed ||
        std::any_of(constraint.begin(), constraint.begin() + reach.vertices,
                    [](slide::Constraint one) { return one != slide::Constraint::free; });
    system.make_rows(reach.vertices, options.tolerance);

    has_forces = !options.gravity.isZero() || options.wind_drag > 0.0 || !options.drags.empty();
    drag_weights.assign(options.drags.size() * n, 0.0);
    for (size_t d = 0; d < options.drags.size(); ++d) {
        const DragForce& drag = options.drags[d];
        double* weights = drag_weights.data() + d * n;
        double sum = 0.0;
        for (int v = 0; v < count; ++v) {
            const double distance = (rest.row(v) - rest.row(drag.vertex)).norm();
            const double x = drag.radius > 0.0 ? distance / drag.radius : 2.0;
            weights[v] = x < 1.0 ? (1.0 - x * x) * (1.0 - x * x) * surface.vertex_areas()[v] : 0.0;
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

    damping.resize(n);
    stickiness.resize(n);
    tether_stiffness.resize(n);
    tether_softening.resize(n);
    for (int v = 0; v < count; ++v) {
        const size_t i = static_cast<size_t>(v);
        damping[i] = options.damping.at(v);
        stickiness[i] = options.stickiness.at(v);
        tether_stiffness[i] = options.tether.at(v) * surface.vertex_areas()[v];
        const double radius = options.tether_radius->at(v);
        tether_softening[i] = 1.0 / (radius * radius);
    }

    places = SkinPlaces(count);
    next_places = SkinPlaces(count);
    charts = slide::SkinCharts(count);
    velocity.assign(2 * n, 0.0);
    start_velocity = velocity;
    acceleration = velocity;
    advected = velocity;
    trial_velocity = velocity;
    sector.assign(n, 0);
    far_trace.assign(n, 0);
    mass.assign(n, 0.0);
    bad_steps.assign(static_cast<size_t>(triangles), 0);
    touch_marks.assign(n, 0);
    bad_triangles.reserve(static_cast<size_t>(triangles));
    touched.reserve(n);
    sub_step_body.resize(count, 3);
    frame_body.resize(count, 3);
}

void SlideSolver::Parts::find_reach() {
    const MatrixX3i& t = topology->triangles();
    for (int v = 0; v < vertex_count(); ++v) {
        const size_t i = static_cast<size_t>(v);
        if (constraint[i] != slide::Constraint::fixed || prescribed[2 * i] != 0.0 ||
            prescribed[2 * i + 1] != 0.0) {
            reach.vertices = v + 1;
        }
    }
    // Whole groups of four: what moves then meets the same sums as if nothing were left out.
    reach.vertices = std::min((reach.vertices + 3) / 4 * 4, vertex_count());
    const auto last_with = [&](int vertices) {
        int last = -1;
        for (int f = 0; f < triangle_count(); ++f) {
            last = t.row(f).minCoeff() < vertices ? f : last;
        }
        return last;
    };
    const int last = last_with(reach.vertices);
    reach.triangles = last + 1;
    reach.batches = (last + 4) / 4;
    reach.corners = reach.vertices;
    for (int f = 0; f < std::min(4 * reach.batches, triangle_count()); ++f) {
        reach.corners = std::max(reach.corners, t.row(f).maxCoeff() + 1);
    }
    reach.near_batches = (last_with(reach.corners) + 4) / 4;
}

// Values painted on the skin move with it: per body triangle, what lies there now.
void SlideSolver::Parts::refresh_painted(const Workers& workers) {
    const MatrixX3i& t = topology->triangles();
    const auto at_point = [&](const Painted& value, int v) {
        if (!value.is_painted()) {
            return value.value;
        }
        const slide::SkinPoint& point = places.point[static_cast<size_t>(v)];
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            sum += point.b[k] * value.per_vertex[t(point.triangle, k)];
        }
        return sum;
    };
    workers.for_chunks(batch_count, slide::batch_chunk, [&](int begin, int end) {
        for (int f = 4 * begin; f < 4 * end; ++f) {
            const int g = std::min(f, triangle_count() - 1);
            double young = 0.0;
            double poisson = 0.0;
            double areal = 0.0;
            double fung = 0.0;
            double extra = 0.0;
            for (int k = 0; k < 3; ++k) {
                young += at_point(*options.young_modulus, t(g, k)) / 3.0;
                poisson += at_point(options.poisson_ratio, t(g, k)) / 3.0;
                areal += at_point(options.density, t(g, k)) / 3.0;
                fung += at_point(options.fung_exponent, t(g, k)) / 3.0;
                extra += at_point(options.area_preservation, t(g, k)) / 3.0;
            }
            const MembraneModuli moduli = moduli_from_young(young, poisson);
            material.number(f, slide::shear) = moduli.shear;
            material.number(f, slide::bulk) = moduli.bulk;
            material.number(f, slide::fung) = fung;
            material.number(f, slide::extra_area) = extra;
            material.number(f, slide::density) = areal;
        }
    });
    for (int v = 0; v < vertex_count(); ++v) {
        damping[static_cast<size_t>(v)] = at_point(options.damping, v);
        if (has_metric) {
            const slide::SkinPoint& point = places.point[static_cast<size_t>(v)];
            for (int c = 0; c < 6; ++c) {
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    sum += point.b[k] * metric[6 * static_cast<size_t>(t(point.triangle, k)) +
                                               static_cast<size_t>(c)];
                }
                vertex_metric[6 * static_cast<size_t>(v) + static_cast<size_t>(c)] = sum;
            }
        }
    }
}

}  // namespace cutis
