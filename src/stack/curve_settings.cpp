#include "curve_settings.h"

#include <algorithm>

#include "cutis/core/error.h"
#include "stack/regions.h"

namespace cutis {

namespace {

constexpr double far_time = 1e7;  // seconds

FleshExample example_of(const CurveExample& given, const LayerMeshes& meshes) {
    require(given.morph.empty() || given.file.empty(),
            "[[layer]] curve: example: expected morph or file, found both");
    FleshExample example;
    example.time = given.time;
    example.morph = given.morph;
    if (!given.file.empty()) {
        const auto mesh = find_mesh(meshes, given.file, "[[layer]] curve: example: file");
        example.sculpted = std::shared_ptr<const MatrixX3d>(mesh, &mesh->positions);
    }
    return example;
}

std::vector<double> on_nodes(const CurvePart& part, const VectorXd& values,
                             const Workers& workers) {
    VectorXd nodes(part.rows());
    part.nodes.apply_to_scalars(values, workers, nodes);
    return {nodes.data(), nodes.data() + nodes.size()};
}

}  // namespace

// One entry is one option.
// clang-format off
Options describe(CurveExample& o) {
    return {
        {.name = "time", .field = &o.time,
         .about = "body time whose pose (or time) the shape belongs to", .unit = "s",
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
        {.name = "region", .field = &o.region, .about = "region (see scene.md), instead of joints"}});
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
        {.name = "example", .field = tables(o.examples),
         .about = "shapes to reach, each a table with time and morph or file", .was = {"examples"}},
        {.name = "force", .field = tables(o.forces),
         .about = "forces by hand, each a table with time, push and region", .was = {"forces"}}});
}
// clang-format on

std::unique_ptr<Flesh> make_flesh(const LayerInput& ground, const CurveBody& body,
                                  const CurveLayerOptions& given, const LayerMeshes& meshes) {
    CurveLayerOptions settings = given;
    const Workers& workers = ground.own_workers();
    look_up_regions(ground, describe(settings), "[[layer]] curve");
    for (int& vertex : settings.layout.start_vertices) {
        // Users count the vertices of their file.
        const std::vector<int>& map = ground.surface->mesh().vertex_of_art;
        require(vertex >= 0 && static_cast<size_t>(vertex) < map.size(),
                "curve: expected start_vertices from 0 to ", map.size() - 1, ", found ", vertex);
        vertex = map[vertex];
    }
    if (!settings.region.empty()) {
        settings.part.field = region_values(ground, settings.region);
    }
    CurvePart part = find_part(body, settings.part, settings.layout);
    FleshOptions options = settings.flesh;
    if (settings.a1) {
        const int intervals =
            part.direction == CurveDirection::around ? part.node_count : part.node_count - 1;
        options.curve.frequency_hz = frequency_for_stiffness(intervals, *settings.a1 / settings.a2);
    }
    options.curve.highest_frequency_hz =
        std::max(options.curve.highest_frequency_hz, options.curve.frequency_hz);
    options.paper_frames = ground.fps;
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
    return std::make_unique<Flesh>(body, std::move(part), options);
}

}  // namespace cutis
