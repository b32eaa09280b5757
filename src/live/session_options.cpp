#include <algorithm>

#include "cutis/core/error.h"
#include "cutis/stack/layer_stack.h"
#include "live/command.h"
#include "live/session_parts.h"
#include "live/values.h"

// Options that change: in the next step, with their layer prepared again, or prepared on another thread.

namespace cutis {

Json Session::Parts::set(const Json& command) {
    const auto i = static_cast<size_t>(index_in(command, "layer", now->plans.size()));
    const std::string& key = command["key"].as_text();
    LayerScene changed = now->scene.layers[i];
    put_value(changed.values, command);
    const std::shared_ptr<LayerPlan> plan = plan_layer(changed, "");
    const Options all = plan->options();
    const auto option = std::find_if(all.begin(), all.end(), [&](const Option& one) { return one.name == key; });
    require(option != all.end() && is_key(*option), "key: there is none named ", quoted_text(key));
    require(!option->is_file || named_files(all) == named_files(now->plans[i]->options()),
            "key: files are read when a scene is opened");
    const bool is_live = option->change == Change::live && now->stack->change(i, *plan, key);
    const bool is_beside = command.contains("beside") && command["beside"].as_boolean();
    if (!is_live && !is_beside && (coming || now->prepare_seconds[i] > options.patience)) {
        prepare_beside(command);
        return {{"prepared", true}, {"pending", true}};
    }
    if (is_live) {
        now->hands->hold_again();
        if (coming) {
            coming->since.push_back(command);
        }
    }
    changed.plan = plan;
    if (is_beside && !is_live) {  // as one was that came from beside
        Scene scene = now->scene;
        scene.layers[i] = std::move(changed);
        take(open_scene(scene, options));
        return {{"prepared", true}};
    }
    if (!is_live) {
        prepare_again(i, plan);
    }
    now->plans[i] = plan;
    now->scene.layers[i] = std::move(changed);
    return {{"prepared", !is_live}};
}

/// On another thread, while the layers that are there go on; one at a time, the last value of each option.
void Session::Parts::prepare_beside(const Json& command) {
    const auto is_same = [&](const Json& other) {
        return other["layer"].as_number() == command["layer"].as_number() &&
               other["key"].as_text() == command["key"].as_text();
    };
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), is_same), waiting.end());
    waiting.push_back(command);
    begin_preparation();
}

void Session::Parts::begin_preparation() {
    if (coming || waiting.empty()) {
        return;
    }
    coming = std::make_unique<Preparation>();
    coming->command = waiting.front();
    waiting.erase(waiting.begin());
    Scene scene = now->scene;
    LayerScene& layer = scene.layers[static_cast<size_t>(coming->command["layer"].as_index())];
    put_value(layer.values, coming->command);
    for (LayerScene& any : scene.layers) {
        any.plan.reset();  // it makes its own: these are in use
    }
    coming->job = std::make_unique<Beside<std::unique_ptr<OpenScene>>>(
        [scene = std::move(scene), &given = options] { return open_scene(scene, given); });
}

/// What has come takes effect in the step that begins, and is noted there.
void Session::Parts::finish_preparation() {
    if (!coming || !coming->job->is_done()) {
        return;
    }
    const std::unique_ptr<Preparation> done = std::move(coming);
    try {
        take(done->job->result());
        Json command = done->command;
        command["beside"] = true;
        note(command);
        for (const Json& later : done->since) {  // set live meanwhile
            set(later);
        }
    } catch (const std::exception& error) {
        problem = concat("set ", done->command["key"].as_text(), ": ", error.what());
    }
    fresh_steps = std::max(fresh_steps, 1);
    begin_preparation();
}

void Session::Parts::forget_preparations() {
    waiting.clear();
    coming.reset();
}

void Session::Parts::take(std::unique_ptr<OpenScene> next) {
    next->stack->keep_plain(shows_plain);
    take_place_of(*next, *now);
    now = std::move(next);
    announces = true;
}

void Session::Parts::prepare_again(size_t layer, const std::shared_ptr<LayerPlan>& plan) {
    struct ShownClip {
        explicit ShownClip(LiveMotion& motion) : motion_(motion) { motion_.show_clip(true); }
        ~ShownClip() { motion_.show_clip(false); }
        ShownClip(const ShownClip&) = delete;
        ShownClip& operator=(const ShownClip&) = delete;
        LiveMotion& motion_;
    } shown(*now->motion);
    std::unique_ptr<Layer> next = plan->prepare(now->stack->ground(layer), now->scene.layers[layer].meshes);
    if (now->stack->replace(layer, next)) {
        now->frame = now->stack->info().empty_frame();
    } else {
        next.reset();
        // Layers above stand on another mesh.
        const std::shared_ptr<LayerPlan> before = now->plans[layer];
        std::unique_ptr<LayerStack> old = std::move(now->stack);
        try {
            now->plans[layer] = plan;
            add_layers(*now, options);
        } catch (...) {
            now->plans[layer] = before;
            now->stack = std::move(old);
            throw;
        }
        now->stack->keep_plain(shows_plain);
        take_over_layers(*now, *now, *old);
    }
    now->hands->move_to(*now->body, *now->stack);
    announces = true;
}

}  // namespace cutis
