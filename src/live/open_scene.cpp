#include "live/open_scene.h"

#include <chrono>

#include "cutis/core/error.h"

namespace cutis {

namespace {

/// Files that a page's scene names must be those that were handed in.
void check_inside(const Scene& scene, const std::filesystem::path& folder) {
    const std::string root = (folder / "").lexically_normal().string();
    for (const std::filesystem::path& input : scene_inputs(scene)) {
        if (input == scene.file) {
            continue;
        }
        const std::string path = input.lexically_normal().string();
        require(path.compare(0, root.size(), root) == 0, "scene: expected files that were handed in, found \"",
                input.generic_string(), "\"");
    }
}

}  // namespace

std::unique_ptr<OpenScene> read_open_scene(const std::string& text, const std::filesystem::path& folder, bool is_page,
                                           const SessionOptions& options) {
    Scene scene = parse_scene(text, "scene");
    scene.folder = folder.string();
    check_scene(scene);
    require(scene.wedges.empty(), "scene: expected one without [wedge], found several in one");
    if (is_page) {
        check_inside(scene, folder);
    }
    load_layer_meshes(scene);
    std::unique_ptr<OpenScene> next = open_scene(scene, options);
    next->text = text;
    return next;
}

std::unique_ptr<OpenScene> open_scene(const Scene& scene, const SessionOptions& options) {
    auto next = std::make_unique<OpenScene>();
    next->scene = scene;
    next->scene.output.formats = {"glb"};  // nothing is written: what pages of a bake show need not be found
    next->recorded = read_recording(scene.recording);
    next->clip.emplace(load_body(next->scene, {}, options.actors));
    next->motion = std::make_shared<LiveMotion>(*next->clip, options.keeps_past);
    next->body.emplace(make_live_body(*next->clip, next->motion));
    for (const LayerScene& layer : next->scene.layers) {
        next->plans.push_back(layer.plan ? layer.plan : plan_layer(layer, next->scene.file));
    }
    add_layers(*next, options);
    return next;
}

void add_layers(OpenScene& to, const SessionOptions& options) {
    StackOptions how;
    how.fps = to.scene.fps;
    how.sampling = to.scene.body.sampling;
    how.repair = to.scene.body.repair;
    how.weld_distance = to.scene.body.weld_distance;
    how.cut_distance = to.scene.body.cut_distance;
    how.look_ahead = 0;
    to.stack = std::make_unique<LayerStack>(*to.body, how, *options.workers);
    to.stack->ground();
    to.prepare_seconds.assign(to.plans.size(), 0.0);
    for (size_t i = 0; i < to.plans.size(); ++i) {
        const auto begin = std::chrono::steady_clock::now();
        to.stack->add(to.scene.layers[i].kind, to.plans[i]->prepare(to.stack->ground(), to.scene.layers[i].meshes));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        for (size_t below = 0; below <= i; ++below) {  // those above a refined mesh are made anew with it
            const bool follows = below == i || to.stack->layer(below).facts().refined != nullptr;
            to.prepare_seconds[below] += follows ? seconds : 0.0;
        }
    }
    to.frame = to.stack->info().empty_frame();
}

void take_over_layers(OpenScene& to, const OpenScene& from, const LayerStack& before) {
    std::vector<int> same;
    for (size_t i = 0; i < from.plans.size(); ++i) {
        same.push_back(static_cast<int>(i));
        to.stack->set_on(i, before.layer(i).is_on());
    }
    to.stack->take_over(before, same);
}

void take_place_of(OpenScene& next, OpenScene& before) {
    next.text = before.text;
    next.demo = before.demo;
    next.recorded = before.recorded;
    next.played = before.played;
    next.motion->go_on_from(*before.motion);
    take_over_layers(next, before, *before.stack);
    next.hands = std::move(before.hands);
    next.hands->move_to(*next.body, *next.stack);
}

}  // namespace cutis
