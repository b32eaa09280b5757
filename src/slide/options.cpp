#include "cutis/slide/options.h"

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/dense.h"
#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

// The size the defaults were found at.
constexpr double human_size = 1.7;
constexpr double human_young_modulus = 210.0;
constexpr double human_tether_radius = 0.03;
constexpr double much = 1e12;
// Of the stretches a skin may have at rest, and of the eigenvalues of its relaxed metric.
constexpr Range stretch_range = {0.1, 10.0};

bool is_directed(const SlideOptions& o) {
    return !o.directed_stretch.is_uniform() || o.directed_stretch.value != 1.0;
}

void check_vertex(const char* name, int v, int count) {
    require(v >= 0 && v < count, "slide ", name, ": expected a vertex from 0 to ", count - 1, ", found ", v);
}

void check_vector(const char* name, const Vector3d& vector) {
    require(vector.allFinite(), "slide ", name, ": expected finite numbers, found ", text_of(vector));
}

// What only code can give.
void check_arrays(const SlideOptions& o, int count) {
    require(o.shown_vertices.empty() || o.shown_vertices.size() == static_cast<size_t>(count),
            "slide shown_vertices: expected ", count, " numbers or none, found ", o.shown_vertices.size());
    for (const int v : o.pins) {
        check_vertex("pins", v, count);
    }
    for (const int v : o.loose_pins) {
        check_vertex("loose_pins", v, count);
    }
    for (const Glide& glide : o.glides) {
        check_vertex("glides", glide.vertex, count);
        check_vector("glides", glide.direction);
    }
    for (const PrescribedSlip& slip : o.prescribed) {
        check_vertex("prescribed", slip.vertex, count);
        check_vector("prescribed", slip.velocity);
    }
    for (const DragForce& drag : o.drags) {
        check_vertex("drags", drag.vertex, count);
        check_vector("drags", drag.force);
        require(drag.radius >= 0.0, "slide drags: expected a radius of at least 0, found ", drag.radius);
    }
    const Eigen::Index rows = o.relaxed_metric.rows();
    require(rows == 0 || rows == count, "slide relaxed_metric: expected ", count, " rows, found ", rows);
    for (Eigen::Index v = 0; v < rows; ++v) {
        Eigen::Matrix3d m;
        const auto& r = o.relaxed_metric;
        m << r(v, 0), r(v, 3), r(v, 5), r(v, 3), r(v, 1), r(v, 4), r(v, 5), r(v, 4), r(v, 2);
        const Vector3d values = m.allFinite() ? symmetric_eigenvalues(m) : Vector3d(Vector3d::Zero());
        require(values.minCoeff() >= stretch_range.lowest && values.maxCoeff() <= stretch_range.highest,
                "slide relaxed_metric: expected eigenvalues from 0.1 to 10, found ", text_of(values), " at vertex ", v);
    }
}

// Both numbers of every vertex, or of all of them, in one.
template <class Function>
Painted painted_from(const Painted& a, const Painted& b, int count, const Function& function) {
    if (!a.is_painted() && !b.is_painted()) {
        return function(a.value, b.value);
    }
    VectorXd values(count);
    for (int v = 0; v < count; ++v) {
        values[v] = function(a.at(v), b.at(v));
    }
    return values;
}

// Options that only make sense beside, or without, others.
void check_together(const SlideOptions& o, int count) {
    require(o.newton_iterations <= 1 || o.implicitness.value_or(1.0) >= 1.0,
            "slide implicitness: expected 1 where newton_iterations is more than 1, found ",
            o.implicitness.value_or(1.0));
    require(!o.lame_lambda || o.lame_mu, "slide lame_lambda: expected lame_mu beside it, found none");
    if (o.lame_mu) {
        const bool has_poisson =
            !o.poisson_ratio.is_uniform() || o.poisson_ratio.value != SlideOptions().poisson_ratio.value;
        if (o.young_modulus || has_poisson) {
            throw InvalidInput(concat("slide: expected ", o.young_modulus ? "young_modulus" : "poisson_ratio",
                                      " or Lame constants, found both"));
        }
        // Poisson's ratio lambda / (lambda + 2 mu) within +-0.99.
        constexpr double lowest = -0.99 * 2.0 / 1.99;
        constexpr double highest = 0.99 * 2.0 / 0.01;
        painted_from(o.lame_lambda.value_or(0.0), *o.lame_mu, count, [&](double lambda, double mu) {
            require(lambda >= lowest * mu && lambda <= highest * mu, "slide lame_lambda: expected ", lowest * mu,
                    " to ", highest * mu, " (-0.99 to 198 times lame_mu), found ", lambda);
            return lambda;
        });
    }
    require(!is_directed(o) || !o.stretch_direction.isZero(),
            "slide directed_stretch: expected a stretch_direction, found 0 0 0");
    const bool is_turned = !o.stretch_angle.is_uniform() || o.stretch_angle.value != 0.0;
    require(!is_turned || is_directed(o), "slide stretch_angle: expected directed_stretch beside it, found none");
    require(o.region_rim == RegionRim::hold || !o.region.is_uniform(),
            "slide region_rim: expected a region beside it, found none");
    require(o.wind.isZero() || !o.wind_drag.is_uniform() || o.wind_drag.value != 0.0,
            "slide wind: expected wind_drag above 0 beside it, found 0: no wind is felt");
}

// Initial strain that varies from place to place or has a direction becomes a metric: two stretches and
// an angle are all there is to the relaxed shape of a patch of skin, and neighbours need not fit.
void make_metric(const Topology& topology, const MatrixX3d& rest, SlideOptions& o) {
    if (!is_directed(o) && !o.initial_stretch.is_painted()) {
        return;
    }
    require(o.relaxed_metric.rows() <= 0, "slide relaxed_metric: expected it or stretches, found both");
    const MatrixX3d normals = vertex_normals(rest, topology);
    o.relaxed_metric.resize(topology.vertex_count(), 6);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const double stretch = o.initial_stretch.at(v);
        const double further = o.directed_stretch.at(v);
        const double both = stretch * further;
        require(both >= stretch_range.lowest && both <= stretch_range.highest,
                "slide initial_stretch times directed_stretch: expected 0.1 to 10, found ", both);
        const Vector3d n = normals.row(v);
        const Vector3d along = o.stretch_direction - n * n.dot(o.stretch_direction);
        Eigen::Matrix3d metric = Eigen::Matrix3d::Identity();
        if (along.norm() > 1e-6 * o.stretch_direction.norm()) {
            const double angle = o.stretch_angle.at(v) * std::numbers::pi / 180.0;
            const Vector3d first = along.normalized();
            const Vector3d d = math::cos(angle) * first + math::sin(angle) * n.cross(first);
            metric += (1.0 / further - 1.0) * d * d.transpose();
        }
        metric /= stretch;
        o.relaxed_metric.row(v) << metric(0, 0), metric(1, 1), metric(2, 2), metric(0, 1), metric(1, 2), metric(2, 0);
    }
    o.initial_stretch = 1.0;
    o.directed_stretch = 1.0;
    o.stretch_angle = 0.0;
}

}  // namespace

// One entry is one option.
// clang-format off
Options describe(SlideOptions& o) {
    return {
        {.group = "material", .name = "material",
         .field = choice(o.material, {"neo-hookean", "st-venant-kirchhoff", "fung"}),
         .about = "strain energy of the skin"},
        {.name = "young_modulus", .field = &o.young_modulus,
         .about = "Young's modulus times thickness: how hard skin is to stretch", .unit = "N/m",
         .range = {0, much, true}, .soft = {10, 2000}, .change = Change::live,
         .automatic = "210 scaled with (size / 1.7 m)^2"},
        {.name = "poisson_ratio", .field = &o.poisson_ratio,
         .about = "Poisson's ratio of the membrane; 0.5 keeps its volume", .range = {-0.99, 0.99},
         .soft = {0, 0.9}, .change = Change::live},
        {.name = "lame_lambda", .field = &o.lame_lambda,
         .about = "with lame_mu: instead of Young's modulus and Poisson's ratio", .unit = "N/m",
         .range = {-much, much}, .advanced = true, .automatic = "0 with lame_mu, else not used"},
        {.name = "lame_mu", .field = &o.lame_mu, .about = "shear modulus of the membrane",
         .unit = "N/m", .range = {0, much, true}, .advanced = true,
         .automatic = "Young's modulus counts"},
        {.name = "density", .field = &o.density, .about = "density of relaxed skin", .unit = "kg/m^2",
         .range = {0, much, true}, .soft = {0.5, 10}, .change = Change::live},
        {.name = "damping", .field = &o.damping, .about = "slip dies away at this rate",
         .unit = "1/s", .range = {0, 1e6}, .soft = {0, 50}, .change = Change::live},
        {.name = "fung_exponent", .field = &o.fung_exponent, .about = "how soon Fung skin locks",
         .range = {0.01, 100}, .soft = {0.1, 10}, .change = Change::live},
        {.name = "area_preservation", .field = &o.area_preservation,
         .about = "extra resistance to change of area", .unit = "N/m", .range = {0, much},
         .soft = {0, 2000}, .change = Change::live},
        {.group = "initial strain", .name = "initial_stretch", .field = &o.initial_stretch,
         .about = "skin at rest is stretched by this: above 1 tight, below loose",
         .range = {0.2, 5}, .soft = {0.7, 1.5}},
        {.name = "directed_stretch", .field = &o.directed_stretch,
         .about = "a further stretch along stretch_direction", .range = {0.2, 5},
         .soft = {0.7, 1.5}},
        {.name = "stretch_direction", .field = &o.stretch_direction,
         .about = "direction of directed_stretch, in the rest pose"},
        {.name = "stretch_angle", .field = &o.stretch_angle,
         .about = "turns stretch_direction about the surface's normal: with the two stretches any relaxed "
                  "metric, which is residual stress", .unit = "deg", .range = {-360, 360}},
        {.name = "relaxed_metric", .field = in_code(o.relaxed_metric),
         .about = "lengths on the rest surface to relaxed lengths, six numbers a vertex"},
        {.group = "coupling", .name = "stickiness", .field = &o.stickiness,
         .about = "share of the body's acceleration that carries the skin: 0 lags and jiggles, 1 "
                  "does not", .range = {0, 1}, .change = Change::live},
        {.name = "tether", .field = &o.tether,
         .about = "elastic bond to the body: how far skin may slide", .unit = "N/m^3",
         .range = {0, much}, .soft = {0, 2e4}, .change = Change::live},
        {.name = "tether_radius", .field = &o.tether_radius,
         .about = "slip at which the bond stiffens", .unit = "m", .range = {0, 1e6, true},
         .soft = {0.001, 0.2}, .change = Change::live,
         .automatic = "0.03 scaled with size / 1.7 m"},
        {.name = "slip_speed_limit", .field = &o.slip_speed_limit,
         .about = "highest speed of skin over the body", .unit = "m/s", .range = {0, 1e6, true},
         .change = Change::live, .advanced = true, .automatic = "no limit"},
        {.name = "carried_speed_limit", .field = &o.carried_speed_limit,
         .about = "body speed above which stickiness fades", .unit = "m/s",
         .range = {0, 1e6, true}, .change = Change::live, .advanced = true,
         .automatic = "no limit"},
        {.name = "body_size", .field = &o.body_size,
         .about = "size that defaults are scaled with", .unit = "m", .range = {0, 1e6, true},
         .advanced = true, .automatic = "the longest side of the body's box"},
        {.group = "borders", .name = "region", .field = &o.region,
         .about = "where skin is simulated (at least 0.5); elsewhere it stays on the body"},
        {.name = "region_rim", .field = choice(o.region_rim, {"hold", "glide"}),
         .about = "where region ends: skin is joined to what is held beyond, or it is an opening (mouth, eye) "
                  "along whose rim skin glides"},
        {.name = "rim", .field = choice(o.rim, {"pin", "glide", "free"}),
         .about = "skin at open borders"},
        {.name = "pin_creases", .field = &o.pin_creases,
         .about = "pins vertices sharper than this cosine: -1 none, 0.5 for teeth and claws",
         .range = {-1, 1}},
        {.name = "pin_slivers", .field = &o.pin_slivers,
         .about = "pins triangles thinner than this (height over side): 0 none, 0.02 typical",
         .range = {0, 0.5}},
        {.name = "shown_vertices", .field = in_code(o.shown_vertices),
         .about = "number of each vertex in messages"},
        {.name = "pinned", .field = in_code(o.pins), .about = "vertices that stay on the body"},
        {.name = "loose_pins", .field = in_code(o.loose_pins), .about = "those that let go and hold again"},
        {.name = "gliding", .field = in_code(o.glides), .about = "vertices that move along a line"},
        {.name = "prescribed", .field = in_code(o.prescribed),
         .about = "vertices pulled at a given velocity"},
        {.group = "forces", .name = "gravity", .field = &o.gravity,
         .about = "pulls the skin down", .unit = "m/s^2", .change = Change::live},
        {.name = "wind", .field = &o.wind, .about = "velocity of the air", .unit = "m/s",
         .change = Change::live},
        {.name = "wind_drag", .field = &o.wind_drag,
         .about = "force of the wind per area and speed", .unit = "N s/m^3", .range = {0, much},
         .change = Change::live},
        {.name = "drags", .field = in_code(o.drags), .about = "hands, by vertex"},
        {.group = "time", .name = "step", .field = &o.longest_step,
         .about = "longest time step inside a frame", .unit = "s", .range = {0, 1, true},
         .soft = {0.0005, 0.04}, .change = Change::live},
        {.name = "implicitness", .field = &o.implicitness,
         .about = "1 damps fast waves; 0.5 is second-order accurate and rings longest",
         .range = {0.5, 1}, .change = Change::live, .advanced = true,
         .automatic = "0.6, and 1 with several Newton iterations"},
        {.name = "newton_iterations", .field = &o.newton_iterations,
         .about = "per step; more than one for steps as long as a frame", .range = {1, 20},
         .change = Change::live, .advanced = true},
        {.name = "relax_steps", .field = &o.relax_steps,
         .about = "at most this many static steps before time starts", .range = {0, 10000}, .change = Change::live,
         .advanced = true},
        {.name = "cut_distance", .field = MovedField{"cut_distance in [body]"}},
        {.group = "numerics", .name = "curved", .field = &o.use_curved_surface,
         .about = "look skin up on a curved surface, not on flat facets", .advanced = true},
        {.name = "tolerance", .field = &o.tolerance,
         .about = "relative residual of the linear system", .range = {1e-14, 0.1},
         .advanced = true},
        {.name = "most_iterations", .field = &o.most_iterations,
         .about = "most iterations of the linear solver in a step", .range = {1, 1e6}, .advanced = true},
        {.name = "sleep", .field = &o.use_sleeping,
         .about = "skin at rest on the body is not computed until body or skin around it moves; not with forces, pulls, loose pins or several Newton iterations"},
        {.name = "limiter", .field = &o.use_limiter,
         .about = "keep triangles from inverting within a step", .advanced = true},
        {.name = "untangling", .field = &o.use_untangling,
         .about = "free triangles that stay nearly inverted", .advanced = true},
    };
}
// clang-format on

SlideOptions fitted_options(SlideOptions o, const Topology& topology, const MatrixX3d& rest) {
    check_options(describe(o), "slide", topology.vertex_count());
    check_arrays(o, topology.vertex_count());
    const int count = topology.vertex_count();
    check_together(o, count);
    if (!o.body_size && (!o.young_modulus || !o.tether_radius)) {
        o.body_size = main_box(rest, topology).maxCoeff();
    }
    const double scale = o.body_size.value_or(human_size) / human_size;
    if (o.lame_mu) {
        const Painted lambda = o.lame_lambda.value_or(0.0);
        // In the plane: k = lambda + mu, E = 4 k mu / (k + mu), nu = (k - mu) / (k + mu).
        o.young_modulus = painted_from(lambda, *o.lame_mu, count,
                                       [](double l, double mu) { return 4.0 * (l + mu) * mu / (l + 2.0 * mu); });
        o.poisson_ratio =
            painted_from(lambda, *o.lame_mu, count, [](double l, double mu) { return l / (l + 2.0 * mu); });
        o.lame_mu.reset();
        o.lame_lambda.reset();
    } else if (!o.young_modulus) {
        o.young_modulus = human_young_modulus * scale * scale;
    }
    if (!o.tether_radius) {
        o.tether_radius = human_tether_radius * scale;
    }
    if (!o.implicitness) {
        // Long steps eat jiggle; this gives it back and stays calm.
        o.implicitness = o.newton_iterations > 1 ? 1.0 : 0.6;
    }
    make_metric(topology, rest, o);
    return o;
}

}  // namespace cutis
