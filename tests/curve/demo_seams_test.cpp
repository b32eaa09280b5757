// Every demo with flesh, as its scene has it: no seam where parts end.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer_stack.h"
#include "stack/curve_settings.h"
#include "support/data.h"
#include "verify/curve_seams.h"

namespace cutis {
namespace {

/// Options of a curve layer as a scene gives them.
CurveLayerOptions options_of(const LayerScene& layer, const std::string& file) {
    CurveLayerOptions options;
    read_options(layer.values, describe(options), "[[layer]] curve", file);
    return options;
}

/// The flesh of all curve layers of a scene, frame by frame over two seconds.
verify::Seams seams_of(const Scene& scene, const std::string& file) {
    const Workers workers(1);
    const Body body = load_body(scene, {}, load_actor);
    LayerStack stack(body, {.fps = scene.fps, .sampling = scene.body.sampling}, workers);
    const LayerInput& ground = stack.ground();
    const SimulationSurface& surface = *ground.surface;
    const CurveBody view{&body, &surface.rest(), &surface.topology(), &surface.mesh().art_of_vertex,
                         &surface.mesh().vertex_of_art};
    verify::SeamGauge gauge(view);
    std::vector<std::unique_ptr<FleshGroup>> groups;
    for (const LayerScene& layer : scene.layers) {
        if (layer.kind != "curve") {
            continue;
        }
        std::vector<std::string> notes;
        groups.push_back(make_flesh(ground, view, options_of(layer, file), layer.meshes, notes));
        for (const auto& flesh : groups.back()->parts()) {
            gauge.add_part(flesh->core_vertices());
        }
    }
    MatrixX3d art, plain, shown;
    constexpr int frames = 48;
    for (int f = 0; f <= frames; ++f) {
        const double time = f / 24.0;
        body.positions(time, TimeSampling::smooth, workers, art);
        surface.from_art().values(art, workers, plain);
        shown = plain;
        for (const auto& group : groups) {
            group->advance({.to = time, .body_to = time, .reset = f == 0}, workers);
            group->displace(time, TimeSampling::smooth, workers, shown);
        }
        gauge.look(plain, shown, f > 0);
    }
    return gauge.seams();
}

TEST(curve_demos, slow_none_is_torn_or_creased_where_its_parts_end) {
    setenv("CUTIS_DATA", test::data_folder().c_str(), 0);
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(CUTIS_EXAMPLES)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<verify::Case> cases;
    double largest = 0.0;
    for (const std::filesystem::path& file : files) {
        Scene scene;
        try {
            scene = read_scene(file);
        } catch (const IoError&) {
            ASSERT_FALSE(test::is_ci()) << file << " asks for files of the data folder";
            continue;
        }
        if (std::none_of(scene.layers.begin(), scene.layers.end(),
                         [](const auto& one) { return one.kind == "curve"; })) {
            continue;
        }
        const verify::Seams seams = seams_of(scene, file.string());
        largest = std::max(largest, seams.swing);
        verify::add_seam_cases(file.stem().string(), "its scene", seams, cases);
    }
    EXPECT_GE(cases.size(), 2 * 14U);
    EXPECT_GT(largest, 5e-3);
    for (const verify::Case& one : cases) {
        EXPECT_FALSE(one.fails()) << one.name << ": " << one.value << ", expected at most " << one.limit;
    }
}

}  // namespace
}  // namespace cutis
