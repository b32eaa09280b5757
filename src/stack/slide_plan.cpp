#include "slide_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/regions.h"

namespace cutis {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
// The size the defaults were found at (thin-skin notes, section 12).
constexpr double human_size = 1.7;
constexpr double human_young_modulus = 210.0;
constexpr double human_tether_radius = 0.03;

Vector3d three(const std::vector<double>& numbers, const char* key) {
    if (numbers.size() != 3) {
        throw InvalidInput(
            say("[[layer]] slide: ", key, ": expected three numbers, found ", numbers.size()));
    }
    return Vector3d(numbers[0], numbers[1], numbers[2]);
}

VertexValue vertex_value(const LayerGround& ground, const Paintable& number, const char* key,
                         double lowest, double highest) {
    if (number.region.empty()) {
        return VertexValue(number.value);
    }
    return VertexValue(painted_values(ground, number, key, lowest, highest));
}

// Along the chain of edges a set of vertices makes: from one neighbour in the set to the other.
Vector3d along_chain(const LayerGround& ground, const std::vector<char>& is_in, int v) {
    const Topology& topology = ground.surface->topology();
    const MatrixX3d& rest = ground.surface->rest();
    Vector3d sum = Vector3d::Zero();
    Vector3d across = Vector3d::Zero();
    int neighbours = 0;
    for (const auto& [a, b] : topology.edges()) {
        if ((a == v || b == v) && is_in[static_cast<size_t>(a)] != 0 &&
            is_in[static_cast<size_t>(b)] != 0) {
            const Vector3d edge = (rest.row(a == v ? b : a) - rest.row(v)).transpose().normalized();
            sum += sum.dot(edge) < 0.0 ? Vector3d(-edge) : edge;
            across = neighbours == 0 ? edge : Vector3d(across - edge);
            ++neighbours;
        }
    }
    if (sum.isZero()) {
        throw InvalidInput(say("[[layer]] slide: glides: vertex ",
                               ground.surface->mesh().art_of_vertex[static_cast<size_t>(v)],
                               " has no neighbour in its region to glide towards; give "
                               "glide_direction"));
    }
    // Two neighbours: right however sharply the chain bends.
    return neighbours == 2 && !across.isZero(1e-6) ? across : sum;
}

}  // namespace

std::vector<Setting> SlideSettings::table() {
    SlideOptions& o = options;
    const auto choice = [](auto& field, auto... values) {
        using Field = std::remove_reference_t<decltype(field)>;
        const std::vector<Field> all = {values...};
        const auto at = std::find(all.begin(), all.end(), field) - all.begin();
        return ChoiceTarget{static_cast<int>(at),
                            [&field, all](int i) { field = all[static_cast<size_t>(i)]; }};
    };
    return {
        {"material",
         choice(o.material, SlideMaterial::neo_hookean, SlideMaterial::st_venant_kirchhoff,
                SlideMaterial::fung),
         "strain energy of the skin",
         "",
         -infinite,
         infinite,
         {"neo-hookean", "st-venant-kirchhoff", "fung"}},
        {"young_modulus", &young_modulus,
         "Young's modulus times thickness; 0: 210 scaled with (size / 1.7 m)^2", "N/m", 0.0, 1e9},
        {"poisson_ratio", &poisson_ratio, "of the membrane; 0.5 keeps its volume", "", -0.99, 0.99},
        {"lame_lambda", &lame_lambda,
         "with lame_mu: instead of Young's modulus and Poisson's ratio", "N/m", -1e9, 1e9},
        {"lame_mu", &lame_mu, "shear modulus of the membrane; 0: Young's modulus counts", "N/m",
         0.0, 1e9},
        {"density", &density, "of relaxed skin", "kg/m^2", 1e-6, 1e6},
        {"damping", &damping, "slip dies away at this rate", "1/s", 0.0, 1e6},
        {"fung_exponent", &fung_exponent, "how soon Fung skin locks", "", 0.01, 100.0},
        {"area_preservation", &area_preservation, "extra resistance to change of area", "N/m", 0.0,
         1e9},
        {"initial_stretch", &initial_stretch,
         "skin at rest is stretched by this: above 1 tight, below loose", "", 0.2, 5.0},
        {"directed_stretch", &directed_stretch, "a further stretch along stretch_direction", "",
         0.2, 5.0},
        {"stretch_direction", &stretch_direction, "of directed_stretch, in the rest pose"},
        {"stickiness", &stickiness,
         "share of the body's acceleration that carries the skin: 0 lags and jiggles, 1 does not",
         "", 0.0, 1.0},
        {"tether", &tether, "elastic bond to the body: how far skin may slide", "N/m^3", 0.0, 1e9},
        {"tether_radius", &tether_radius,
         "slip at which the bond stiffens; 0: 0.03 scaled with size / 1.7 m", "m", 0.0, 1e3},
        {"slip_speed_limit", &slip_speed_limit, "of skin over the body; 0: none", "m/s", 0.0, 1e6},
        {"carried_speed_limit", &carried_speed_limit,
         "body speed above which stickiness fades; 0: none", "m/s", 0.0, 1e6},
        {"body_size", &body_size, "for the scaled defaults; 0: the longest side of its box", "m",
         0.0, 1e6},
        {"region", &region, "where skin is simulated; elsewhere it stays on the body"},
        {"pins", &pins, "regions where skin is fixed to the body"},
        {"glides", &glides, "regions where skin moves along a line only"},
        {"glide_direction", &glide_direction,
         "of glides, in the rest pose; 0 0 0: along the chain of edges they form"},
        {"pull", &pull, "regions where skin is pulled at pull_velocity"},
        {"pull_velocity", &pull_velocity, "relative to the body, in the rest pose", "m/s"},
        {"rim",
         choice(o.rim, RimMode::pin, RimMode::glide, RimMode::free),
         "skin at open borders",
         "",
         -infinite,
         infinite,
         {"pin", "glide", "free"}},
        {"pin_creases", &o.pin_creases,
         "pins vertices sharper than this cosine: -1 none, 0.5 for teeth and claws", "", -1.0, 1.0},
        {"pin_slivers", &o.pin_slivers,
         "pins triangles thinner than this (height over side): 0 none, 0.02 typical", "", 0.0, 0.5},
        {"gravity", &gravity, "pulls the skin down", "m/s^2"},
        {"wind", &wind, "velocity of the air", "m/s"},
        {"wind_drag", &o.wind_drag, "force of the wind per area and speed", "N s/m^3", 0.0, 1e9},
        {"drag_at", &drag_at, "place of a hand that drags the skin, in the rest pose", "m"},
        {"drag_force", &drag_force, "its force", "N"},
        {"drag_radius", &drag_radius, "it is spread over this distance", "m", 0.0, 1e6},
        {"step", &o.longest_step, "longest time step inside a frame", "s", 1e-6, 1.0},
        {"implicitness", &o.implicitness,
         "1 damps fast waves; 0.5 is of second order and rings longest", "", 0.5, 1.0},
        {"newton_iterations", &o.newton_iterations,
         "per step; more than one for steps as long as a frame", "", 1, 20},
        {"relax_steps", &o.relax_steps, "static steps before time starts", "", 0, 10000},
        {"smooth_time", &is_smooth_in_time,
         "between keys the skin feels a body without velocity jumps"},
        {"curved", &o.use_curved_surface, "look skin up on a curved surface, not on flat facets"},
        {"system",
         choice(o.system, SlideSystem::automatic, SlideSystem::block_jacobi,
                SlideSystem::lagged_factor),
         "who solves the linear system",
         "",
         -infinite,
         infinite,
         {"automatic", "block-jacobi", "lagged-factor"}},
        {"tolerance", &o.tolerance, "relative residual of the linear system", "", 1e-14, 0.1},
        {"limiter", &o.use_limiter, "keep triangles from inverting within a step"},
        {"untangling", &o.use_untangling, "free triangles that stay nearly inverted"},
        {"output",
         choice(output, SlideOutput::vertices, SlideOutput::uv, SlideOutput::none),
         "what slides: the vertices with their UVs, the UVs on an unmoved body, or channels alone",
         "",
         -infinite,
         infinite,
         {"vertices", "uv", "none"}},
        {"channels", &has_channels, "stretches, stress, slide, wrinkles and Pref per vertex"},
        {"wrinkle_wavelength", &wrinkle_wavelength, "of the ripples whose amplitude is given", "m",
         1e-6, 10.0},
    };
}

SlideOptions SlideSettings::options_for(const LayerGround& ground,
                                        std::vector<std::string>& notes) const {
    SlideOptions o = options;
    const MatrixX3d& rest = ground.surface->rest();
    const int count = ground.surface->vertex_count();
    const double size = body_size > 0.0 ? body_size : ground.surface->main_box().maxCoeff();
    const double scale = size / human_size;
    const bool has_young = !young_modulus.region.empty() || young_modulus.value != 0.0;
    if (lame_mu == 0.0 && lame_lambda != 0.0) {
        throw InvalidInput("[[layer]] slide: lame_lambda: expected lame_mu beside it, found none");
    }
    if (lame_mu > 0.0) {
        const bool has_poisson = !poisson_ratio.region.empty() ||
                                 poisson_ratio.value != SlideSettings().poisson_ratio.value;
        if (has_young || has_poisson) {
            throw InvalidInput(say("[[layer]] slide: expected ",
                                   has_young ? "young_modulus" : "poisson_ratio",
                                   " or Lame constants, found both"));
        }
        // Poisson's ratio lambda / (lambda + 2 mu) within +-0.99.
        constexpr double lowest = -0.99 * 2.0 / 1.99;
        constexpr double highest = 0.99 * 2.0 / 0.01;
        if (!(lame_lambda >= lowest * lame_mu && lame_lambda <= highest * lame_mu)) {
            throw InvalidInput(say("[[layer]] slide: lame_lambda: expected ", lowest * lame_mu,
                                   " to ", highest * lame_mu,
                                   " (-0.99 to 198 times lame_mu), found ", lame_lambda));
        }
        // In the plane: k = lambda + mu, E = 4 k mu / (k + mu), nu = (k - mu) / (k + mu).
        o.young_modulus = 4.0 * (lame_lambda + lame_mu) * lame_mu / (lame_lambda + 2.0 * lame_mu);
    } else if (!has_young) {
        o.young_modulus = human_young_modulus * scale * scale;
        notes.push_back(
            say("young_modulus: ", o.young_modulus.value, " N/m for a body of ", size, " m"));
    } else {
        o.young_modulus = vertex_value(ground, young_modulus, "young_modulus", 1e-9, 1e9);
    }
    o.poisson_ratio = lame_mu > 0.0
                          ? VertexValue(lame_lambda / (lame_lambda + 2.0 * lame_mu))
                          : vertex_value(ground, poisson_ratio, "poisson_ratio", -0.99, 0.99);
    o.density = vertex_value(ground, density, "density", 1e-6, 1e6);
    o.damping = vertex_value(ground, damping, "damping", 0.0, 1e6);
    o.fung_exponent = vertex_value(ground, fung_exponent, "fung_exponent", 0.01, 100.0);
    o.area_preservation = vertex_value(ground, area_preservation, "area_preservation", 0.0, 1e9);
    o.stickiness = vertex_value(ground, stickiness, "stickiness", 0.0, 1.0);
    o.tether = vertex_value(ground, tether, "tether", 0.0, 1e9);
    if (tether_radius.region.empty() && tether_radius.value == 0.0) {
        o.tether_radius = human_tether_radius * scale;
    } else {
        o.tether_radius = vertex_value(ground, tether_radius, "tether_radius", 1e-9, 1e6);
    }
    o.slip_speed_limit = slip_speed_limit > 0.0 ? slip_speed_limit : infinite;
    o.carried_speed_limit = carried_speed_limit > 0.0 ? carried_speed_limit : infinite;

    // Initial strain: one number goes in as such; anything that varies becomes a metric.
    const Vector3d direction = three(stretch_direction, "stretch_direction");
    const bool is_directed = directed_stretch != 1.0;
    if (is_directed && direction.isZero()) {
        throw InvalidInput("[[layer]] slide: directed_stretch: expected a stretch_direction");
    }
    if (!is_directed && initial_stretch.region.empty()) {
        o.initial_stretch = initial_stretch.value;
    } else {
        const VertexValue stretch =
            vertex_value(ground, initial_stretch, "initial_stretch", 0.2, 5.0);
        const MatrixX3d normals = vertex_normals(rest, ground.surface->topology());
        o.relaxed_metric.resize(count, 6);
        for (int v = 0; v < count; ++v) {
            const double both = stretch.at(v) * directed_stretch;
            if (!(both >= 0.1 && both <= 10.0)) {
                throw InvalidInput(
                    say("[[layer]] slide: initial_stretch times directed_stretch: expected 0.1 to "
                        "10, found ",
                        both));
            }
            const Vector3d n = normals.row(v);
            const Vector3d along = direction - n * n.dot(direction);
            Eigen::Matrix3d metric = Eigen::Matrix3d::Identity();
            if (is_directed && along.norm() > 1e-6 * direction.norm()) {
                const Vector3d d = along.normalized();
                metric += (1.0 / directed_stretch - 1.0) * d * d.transpose();
            }
            metric /= stretch.at(v);
            o.relaxed_metric.row(v) << metric(0, 0), metric(1, 1), metric(2, 2), metric(0, 1),
                metric(1, 2), metric(2, 0);
        }
    }

    if (!(region.size() == 1 && region[0] == "all")) {
        o.region = region_values(ground, region);
    }
    o.pins = region_vertices(ground, pins);
    if (!pins.empty() && o.pins.empty()) {
        throw InvalidInput(say("[[layer]] slide: pins: expected at least one vertex in ",
                               word_list(pins), ", found none"));
    }
    const std::vector<int> gliding = region_vertices(ground, glides);
    if (!glides.empty() && gliding.empty()) {
        throw InvalidInput(say("[[layer]] slide: glides: expected at least one vertex in ",
                               word_list(glides), ", found none"));
    }
    std::vector<char> is_in(static_cast<size_t>(count), 0);
    for (const int v : gliding) {
        is_in[static_cast<size_t>(v)] = 1;
    }
    const Vector3d line = three(glide_direction, "glide_direction");
    for (const int v : gliding) {
        o.glides.push_back({v, line.isZero() ? along_chain(ground, is_in, v) : line});
    }
    const std::vector<int> pulled = region_vertices(ground, pull);
    const Vector3d speed = three(pull_velocity, "pull_velocity");
    if (!pull.empty() && (pulled.empty() || speed.isZero())) {
        throw InvalidInput(
            pulled.empty() ? say("[[layer]] slide: pull: expected at least one vertex in ",
                                 word_list(pull), ", found none")
                           : std::string("[[layer]] slide: pull: expected a pull_velocity, found "
                                         "0 0 0; pins hold skin"));
    }
    for (const int v : pulled) {
        o.prescribed.push_back({v, speed});
    }
    o.shown_vertices = ground.surface->mesh().art_of_vertex;
    o.gravity = three(gravity, "gravity");
    o.wind = three(wind, "wind");
    if (!o.wind.isZero() && o.wind_drag == 0.0) {
        throw InvalidInput(
            "[[layer]] slide: wind: expected wind_drag above 0 beside it, found 0: no wind is "
            "felt");
    }
    const Vector3d force = three(drag_force, "drag_force");
    if (!force.isZero()) {
        const Vector3d at = three(drag_at, "drag_at");
        Eigen::Index nearest = 0;
        const double away =
            std::sqrt((rest.rowwise() - at.transpose()).rowwise().squaredNorm().minCoeff(&nearest));
        if (away > 0.5 * size) {
            throw InvalidInput(say("[[layer]] slide: drag_at: expected a place on the skin, found ",
                                   at.transpose(), ", ", away, " m away from it"));
        }
        o.drags.push_back({static_cast<int>(nearest), force, drag_radius});
    }
    return o;
}

}  // namespace cutis
