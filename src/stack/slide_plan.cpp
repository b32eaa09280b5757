#include "cutis/stack/slide_layer.h"

#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "stack/regions.h"

namespace cutis {

namespace {

// Along the chain of edges a set of vertices makes: from one neighbour in the set to the other.
Vector3d along_chain(const LayerInput& ground, const std::vector<char>& is_in, int v) {
    const Topology& topology = ground.surface->topology();
    const MatrixX3d& rest = ground.surface->rest();
    Vector3d sum = Vector3d::Zero();
    Vector3d across = Vector3d::Zero();
    int neighbours = 0;
    for (const auto& [a, b] : topology.edges()) {
        if ((a == v || b == v) && is_in[static_cast<size_t>(a)] != 0 && is_in[static_cast<size_t>(b)] != 0) {
            const Vector3d edge = (rest.row(a == v ? b : a) - rest.row(v)).transpose().normalized();
            sum += sum.dot(edge) < 0.0 ? Vector3d(-edge) : edge;
            across = neighbours == 0 ? edge : Vector3d(across - edge);
            ++neighbours;
        }
    }
    if (sum.isZero()) {
        throw InvalidInput(concat("[[layer]] slide: glides: vertex ",
                                  ground.surface->mesh().art_of_vertex[static_cast<size_t>(v)],
                                  " has no neighbour in its region to glide towards; give "
                                  "glide_direction"));
    }
    // Two neighbours: right however sharply the chain bends.
    return neighbours == 2 && !across.isZero(1e-6) ? across : sum;
}

template <class Key>
void check_keys(const std::vector<Key>& keys, const char* name) {
    for (size_t i = 1; i < keys.size(); ++i) {
        require(keys[i].time > keys[i - 1].time, "[[layer]] slide: ", name, ": expected keys with rising times, found ",
                keys[i].time, " s after ", keys[i - 1].time, " s");
    }
}

// Vertices of a region a scene names; an empty region has none, one that is named must have some.
std::vector<int> named_vertices(const LayerInput& ground, const Region& region, const char* key) {
    std::vector<int> vertices = region_vertices(ground, region);
    if (!region.empty() && vertices.empty()) {
        throw InvalidInput(concat("[[layer]] slide: ", key, ": expected at least one vertex in ", region_text(region),
                                  ", found none"));
    }
    return vertices;
}

}  // namespace

// One entry is one option.
// clang-format off
Options describe(VectorKey& o) {
    return {
        {.name = "time", .field = &o.time, .about = "of the clip", .unit = "s", .range = {-1e6, 1e6}},
        {.name = "value", .field = &o.value, .about = "value at that time"},
    };
}

Options describe(NumberKey& o) {
    return {
        {.name = "time", .field = &o.time, .about = "of the clip", .unit = "s", .range = {-1e6, 1e6}},
        {.name = "value", .field = &o.value, .about = "value at that time", .range = {-1e6, 1e6}},
    };
}

Options describe(SlideDrag& o) {
    return {
        {.name = "at", .field = &o.at, .about = "place of the hand, in the rest pose",
         .unit = "m", .change = Change::live},
        {.name = "force", .field = &o.force, .about = "its force", .unit = "N",
         .change = Change::live},
        {.name = "radius", .field = &o.radius, .about = "the force is spread over this distance",
         .unit = "m", .range = {0, 1e6}, .change = Change::live},
        {.name = "over_time", .field = tables(o.over_time), .about = "keys of the force, in place of a constant"},
        {.name = "node", .field = &o.node,
         .about = "node of the character that the hand follows, dragging the skin along, instead of a force"},
        {.name = "stiffness", .field = &o.stiffness,
         .about = "force per distance that the node has gone from its place on the body at the first frame", .unit = "N/m",
         .range = {0, 1e9}},
    };
}

Options describe(SlideLayerOptions& o) {
    return join(
        describe(o.options),
        {
        {.group = "places", .name = "pins", .field = &o.pins,
         .about = "regions where skin is fixed to the body"},
        {.name = "leave_rigid", .field = &o.leaves_rigid,
         .about = "eyes, teeth, horns and hair (as the anatomy finds them) stay on the body"},
        {.name = "glides", .field = &o.glides,
         .about = "regions where skin moves along a line only"},
        {.name = "glide_direction", .field = &o.glide_direction,
         .about = "direction of glides, in the rest pose; 0 0 0: along the chain of edges they form"},
        {.name = "pull", .field = &o.pull,
         .about = "regions where skin is pulled at pull_velocity"},
        {.name = "pull_velocity", .field = &o.pull_velocity,
         .about = "relative to the body, in the rest pose", .unit = "m/s", .change = Change::live},
        {.name = "pull_node", .field = &o.pull_node,
         .about = "node of the character that pulled skin goes along with instead: a pin that is not on the body"},
        {.name = "drag", .field = tables(o.drags),
         .about = "hands that drag the skin, as tables with at, force and radius",
         .change = Change::live, .was = {"drag_at", "drag_force", "drag_radius"}},
        {.group = "over time", .name = "gravity_over_time", .field = tables(o.gravity_over_time),
         .about = "keys of gravity, in place of a constant"},
        {.name = "wind_over_time", .field = tables(o.wind_over_time), .about = "keys of wind, in place of a constant"},
        {.name = "pull_over_time", .field = tables(o.pull_over_time), .about = "keys of a factor on pull_velocity"},
        {.name = "pins_over_time", .field = tables(o.pins_over_time),
         .about = "keys of the pins' hold: at 0.5 and above they hold skin where it lies, below they release it"},
        {.group = "output", .name = "output",
         .field = choice(o.output, {"vertices", "uv", "none", "both"}),
         .about = "what slides: the vertices with their UVs, the UVs on an unmoved body, channels alone, or both: the vertices, and the sliding UVs as a mesh of their own, slid_uv"},
        {.name = "channels", .field = &o.has_channels,
         .about = "stretches, stress, slide, wrinkles and Pref per vertex"},
        {.name = "wrinkle_wavelength", .field = &o.wrinkle_wavelength,
         .about = "wavelength of the ripples whose amplitude is given", .unit = "m", .range = {0, 1e6, true},
         .change = Change::live, .automatic = "0.006 scaled with size / 1.7 m"},
        {.name = "smooth_time", .field = &o.is_smooth_in_time,
         .about = "between keys the skin feels a body without velocity jumps"},
        });
}
// clang-format on

SlideOptions SlideLayerOptions::options_for(const LayerInput& ground) const {
    SlideOptions o = options;
    check_keys(gravity_over_time, "gravity_over_time");
    check_keys(wind_over_time, "wind_over_time");
    check_keys(pull_over_time, "pull_over_time");
    check_keys(pins_over_time, "pins_over_time");
    if (!gravity_over_time.empty()) {
        o.gravity = gravity_over_time.front().value;
    }
    if (!wind_over_time.empty()) {
        o.wind = wind_over_time.front().value;
        require(!o.wind_drag.is_uniform() || o.wind_drag.value != 0.0,
                "[[layer]] slide: wind_over_time: expected wind_drag above 0 beside it, found 0: no wind is felt");
    }
    require(pull_over_time.empty() || !pull.empty(), "[[layer]] slide: pull_over_time: expected pull beside it");
    require(pins_over_time.empty() || !pins.empty(), "[[layer]] slide: pins_over_time: expected pins beside it");
    require(pull_node.empty() || !pull.empty(), "[[layer]] slide: pull_node: expected pull beside it");
    require(pull_node.empty() || (pull_velocity.isZero() && pull_over_time.empty()),
            "[[layer]] slide: pull_node: expected it alone, found pull_velocity or pull_over_time beside it");
    if (!pull_node.empty()) {
        find_node(*ground.body, pull_node, "[[layer]] slide: pull_node");
    }
    const MatrixX3d& rest = ground.surface->rest();
    const int count = ground.surface->vertex_count();
    look_up_regions(ground, describe(o), "[[layer]] slide");
    o.shown_vertices = ground.surface->mesh().art_of_vertex;
    if (!o.body_size && (!o.young_modulus || !o.tether_radius)) {
        o.body_size = ground.surface->main_box().maxCoeff();
    }
    (pins_over_time.empty() ? o.pins : o.loose_pins) = named_vertices(ground, pins, "pins");
    if (leaves_rigid) {
        const std::vector<int> left = rigid_vertices(ground);
        if (static_cast<int>(left.size()) < count) {
            o.pins.insert(o.pins.end(), left.begin(), left.end());
            std::sort(o.pins.begin(), o.pins.end());
            o.pins.erase(std::unique(o.pins.begin(), o.pins.end()), o.pins.end());
        }
    }
    const std::vector<int> gliding = named_vertices(ground, glides, "glides");
    std::vector<char> is_in(static_cast<size_t>(count), 0);
    for (const int v : gliding) {
        is_in[static_cast<size_t>(v)] = 1;
    }
    for (const int v : gliding) {
        o.glides.push_back({v, glide_direction.isZero() ? along_chain(ground, is_in, v) : glide_direction});
    }
    const std::vector<int> pulled = named_vertices(ground, pull, "pull");
    require(pulled.empty() || !pull_velocity.isZero() || !pull_node.empty(),
            "[[layer]] slide: pull: expected a pull_velocity, found 0 0 0; pins hold skin");
    for (const int v : pulled) {
        o.prescribed.push_back({v, pull_velocity});
    }
    for (const SlideDrag& drag : drags) {
        check_keys(drag.over_time, "drag over_time");
        if (!drag.node.empty()) {
            find_node(*ground.body, drag.node, "[[layer]] slide: drag node");
            require(drag.over_time.empty() && drag.force.isZero(),
                    "[[layer]] slide: drag: expected a node or a force, found both");
        }
        Eigen::Index nearest = 0;
        const double away =
            std::sqrt((rest.rowwise() - drag.at.transpose()).rowwise().squaredNorm().minCoeff(&nearest));
        require(away <= 0.5 * o.body_size.value_or(ground.surface->main_box().maxCoeff()),
                "[[layer]] slide: drag: expected a place on the skin, found ", text_of(drag.at), ", ", away,
                " m away from it");
        o.drags.push_back({static_cast<int>(nearest), drag.force, drag.radius});
    }
    return o;
}

}  // namespace cutis
