#include "curve_settings.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"
#include "stack/regions.h"

namespace cutis {

namespace {

constexpr double far_time = 1e7;  // seconds

FleshExample example_of(const CurveExample& given, const LayerMeshes& meshes) {
    require(given.morph.empty() || given.file.empty(), "[[layer]] curve: example: expected morph or file, found both");
    FleshExample example;
    example.time = given.time;
    example.morph = given.morph;
    if (!given.file.empty()) {
        const auto mesh = find_mesh(meshes, given.file, "[[layer]] curve: example: file");
        example.sculpted = std::shared_ptr<const MatrixX3d>(mesh, &mesh->positions);
    }
    return example;
}

std::vector<double> on_nodes(const CurvePart& part, const VectorXd& values, const Workers& workers) {
    VectorXd nodes(part.rows());
    part.nodes.apply_to_scalars(values, workers, nodes);
    return {nodes.data(), nodes.data() + nodes.size()};
}

struct PartPreset {
    const char* name;
    double frequency, damping, inertia;
};

// Swings of a few per cent of the part's size in walks and runs.
constexpr PartPreset part_presets[] = {
    {"belly", 3.5, 0.25, 0.4}, {"thigh", 5.0, 0.3, 0.3},   {"cheek", 7.0, 0.3, 0.3},
    {"tail", 2.0, 0.25, 0.25}, {"ear", 4.0, 0.25, 0.3},    {"trunk", 1.5, 0.3, 0.3},
    {"breast", 3.0, 0.2, 0.4}, {"wattle", 2.5, 0.15, 0.6}, {"fin", 3.0, 0.35, 0.25},
};

/// Preset and knobs as the numbers they stand for.
void apply_character(const CurveLayerOptions& settings, const CurvePart& part, double body_size, CurveOptions& curve) {
    const CurveOptions plain;
    for (const PartPreset& preset : part_presets) {
        if (settings.preset == preset.name) {
            curve.frequency_hz = curve.frequency_hz == plain.frequency_hz ? preset.frequency : curve.frequency_hz;
            curve.damping = curve.damping == plain.damping ? preset.damping : curve.damping;
            curve.inertia_gain = curve.inertia_gain == plain.inertia_gain ? preset.inertia : curve.inertia_gain;
        }
    }
    const auto only_one = [&](const std::optional<double>& knob, double number, double otherwise, const char* name,
                              const char* key) {
        require(!knob || number == otherwise, "[[layer]] curve: expected ", name, " or ", key, ", found both");
    };
    const CurveOptions& given = settings.flesh.curve;
    only_one(settings.soft, given.frequency_hz, plain.frequency_hz, "soft", "frequency");
    only_one(settings.lively, given.inertia_gain, plain.inertia_gain, "lively", "inertia");
    only_one(settings.damped, given.damping, plain.damping, "damped", "damping");
    require(!settings.soft || !settings.a1, "[[layer]] curve: expected soft or a1, found both");
    if (settings.soft) {
        // Soft flesh of a thigh's length, for a body of this size, at 2 Hz, firm at 10; a free tip at half of that.
        const double thigh = 0.45 / 1.7 * body_size;
        const bool is_free = part.has_closed_end && curve.free_tip && part.direction == CurveDirection::along;
        const double firm = is_free ? 5.0 : 10.0;
        curve.frequency_hz = std::clamp(
            firm * math::pow(0.2, *settings.soft) * std::sqrt(thigh / std::max(part.length, 1e-9)), 0.2, 60.0);
    }
    if (settings.lively) {
        curve.inertia_gain = 1.2 * *settings.lively * *settings.lively;
    }
    if (settings.damped) {
        curve.damping = 0.05 * math::pow(16.0, *settings.damped);
    }
}

/// Options of the flesh on one part.
FleshOptions flesh_options(const LayerInput& ground, const CurveBody& body, const CurveLayerOptions& settings,
                           const LayerMeshes& meshes, const CurvePart& part, std::vector<std::string>& notes) {
    const Workers& workers = ground.own_workers();
    FleshOptions options = settings.flesh;
    apply_character(settings, part, ground.surface->main_box().maxCoeff(), options.curve);
    if (settings.a1) {
        const int intervals = part.direction == CurveDirection::around ? part.node_count : part.node_count - 1;
        options.curve.frequency_hz = frequency_for_stiffness(intervals, *settings.a1 / settings.a2);
    }
    options.curve.highest_frequency_hz = std::max(options.curve.highest_frequency_hz, options.curve.frequency_hz);
    options.paper_frames = ground.fps;
    const bool repeats = settings.loop && ground.body->is_looping() && !ground.body->seam_is_jump();
    const double period = repeats ? ground.body->duration() : 0.0;
    const double steps = std::round(period * options.curve.rate_hz);
    if (steps >= 2.0) {
        options.period = period;
        options.curve.rate_hz = steps / period;
    }
    if (settings.softness.is_painted() || settings.softness.value != 1.0) {
        VectorXd soft(ground.surface->vertex_count());
        for (int v = 0; v < ground.surface->vertex_count(); ++v) {
            soft[v] = settings.softness.at(v);
        }
        options.curve.softness = on_nodes(part, soft, workers);
    }
    for (const CurveExample& example : settings.examples) {
        options.examples.push_back(example_of(example, meshes));
    }
    if (settings.morph_examples) {
        require(settings.examples.empty(), "[[layer]] curve: expected example or morph_examples, found both");
        if (!examples_from_morphs(body, part, options)) {
            notes.emplace_back("curve: no morph target is keyed with a pose of this part, none became an example");
        }
    }
    std::vector<std::string> places;
    for (const CurveForce& push : settings.forces) {
        FleshForce force;
        force.time = push.time;
        force.push = push.push;
        if (!push.region.empty()) {
            force.share = on_nodes(part, region_values(ground, push.region), workers);
        }
        const std::string place = region_text(push.region);
        const auto known = std::find(places.begin(), places.end(), place);
        force.place = static_cast<int>(known - places.begin());
        if (known == places.end()) {
            places.push_back(place);
        }
        options.forces.push_back(force);
    }
    return options;
}

}  // namespace

// One entry is one option.
// clang-format off
Options describe(CurveExample& o) {
    return {
        {.name = "time", .field = &o.time,
         .about = "body time at whose pose (or time) the shape applies", .unit = "s",
         .range = {-far_time, far_time}},
        {.name = "morph", .field = &o.morph,
         .about = "morph target that is the shape; neither morph nor file: the body's own shape"},
        {.name = "file", .field = &o.file,
         .about = "OBJ file with the body as it should look then", .is_file = true},
    };
}

Options describe(CurveForce& o) {
    return {
        {.name = "time", .field = &o.time,
         .about = "body time; linear between forces of the same region", .unit = "s",
         .range = {-far_time, far_time}},
        {.name = "push", .field = &o.push, .about = "force per mass, world axes", .unit = "m/s^2"},
        {.name = "region", .field = &o.region, .about = "where it pushes; empty: the whole part"},
    };
}

Options describe(CurveLayerOptions& o) {
    Options all = describe(o.part);
    all = join(std::move(all), {
        {.name = "region", .field = &o.region, .about = "region (see scene.md), instead of joints"},
        {.name = "parts", .field = &o.parts,
         .about = "where no part is named, soft parts are found: only these kinds; empty: all",
         .choices = {"arm", "leg", "neck", "torso", "tail", "ear", "fin", "tube"}}});
    all = join(std::move(all), {
        {.group = "character", .name = "preset", .field = &o.preset,
         .about = "frequency, damping and inertia that suit a body part, where they are left at their defaults",
         .choices = {"", "belly", "thigh", "cheek", "tail", "ear", "trunk", "breast", "wattle", "fin"}},
        {.name = "soft", .field = &o.soft, .about = "0 firm to 1 soft, in place of frequency; long parts are slower",
         .range = {0, 1}, .automatic = "frequency counts"},
        {.name = "lively", .field = &o.lively, .about = "0 still to 1 physical and more, in place of inertia",
         .range = {0, 1}, .automatic = "inertia counts"},
        {.name = "damped", .field = &o.damped, .about = "0 rings on to 1 stops at once, in place of damping",
         .range = {0, 1}, .automatic = "damping counts"}});
    all = join(std::move(all), describe(o.layout));
    all = join(std::move(all), describe(o.flesh.curve));
    all = join(std::move(all), {
        {.name = "a1", .field = &o.a1,
         .about = "bending stiffness of the paper, instead of frequency",
         .range = {0, 1e12, true}, .advanced = true, .automatic = "frequency counts"},
        {.name = "a2", .field = &o.a2, .about = "mass of the paper, used with a1",
         .range = {1e-12, 1e12}, .advanced = true},
        {.name = "softness", .field = &o.softness,
         .about = "share of the swing, by place: 1 flesh, 0 bone", .range = {0, 1}}});
    all = join(std::move(all), describe(o.flesh));
    return join(std::move(all),
                {
        {.name = "collide", .field = &o.collide,
         .about = "parts stay out of the rest of the body and of each other, except as far as the body itself overlaps"},
        {.name = "collider", .field = tables(o.colliders),
         .about = "what flesh stays out of, each a table with shape, at, to, radius and node"},
        {.name = "loop", .field = &o.loop,
         .about = "where the clip loops, flesh starts as it will come back, so the loop has no seam", .advanced = true},
        {.name = "example", .field = tables(o.examples),
         .about = "shapes to reach, each a table with time and morph or file", .was = {"examples"}},
        {.name = "morph_examples", .field = &o.morph_examples,
         .about = "morph targets keyed in the clip become examples of the pose at which they are strongest"},
        {.name = "force", .field = tables(o.forces),
         .about = "forces applied by hand, each a table with time, push and region", .was = {"forces"}}});
}
// clang-format on

std::unique_ptr<FleshGroup> make_flesh(const LayerInput& ground, const CurveBody& body, const CurveLayerOptions& given,
                                       const LayerMeshes& meshes, std::vector<std::string>& notes) {
    CurveLayerOptions settings = given;
    look_up_regions(ground, describe(settings), "[[layer]] curve");
    for (int& vertex : settings.layout.start_vertices) {
        // Users count the vertices of their file.
        const std::vector<int>& map = ground.surface->mesh().vertex_of_art;
        require(vertex >= 0 && static_cast<size_t>(vertex) < map.size(), "curve: expected start_vertices from 0 to ",
                map.size() - 1, ", found ", vertex);
        vertex = map[vertex];
    }
    if (!settings.region.empty()) {
        settings.part.field = region_values(ground, settings.region);
    }
    const PartNames& names = settings.part;
    const bool is_named = !names.from.empty() || !names.to.empty() || !names.without.empty() || !names.group.empty() ||
                          !names.attribute.empty() || names.field.size() > 0;
    require(!is_named || settings.parts.empty(),
            "[[layer]] curve: expected a part by name, or kinds of `parts`, found both");
    std::vector<FoundPart> parts;
    if (is_named) {
        parts.push_back({PartKind::tube, find_part(body, names, settings.layout)});
    } else {
        parts = find_soft_parts(ground, body, settings, notes);
    }
    std::vector<std::unique_ptr<Flesh>> all;
    for (FoundPart& part : parts) {
        FleshOptions options = flesh_options(ground, body, settings, meshes, part.tube, notes);
        options.meets = settings.collide || !settings.colliders.empty();
        all.push_back(std::make_unique<Flesh>(body, std::move(part.tube), options));
    }
    return std::make_unique<FleshGroup>(body, std::move(all), settings.collide, settings.colliders);
}

}  // namespace cutis
