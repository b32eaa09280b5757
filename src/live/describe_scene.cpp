#include <map>

#include "live/open_scene.h"
#include "live/values.h"

namespace cutis {

namespace {

// Sliders that a page shows first.
const std::map<std::string, std::vector<std::string>>& first_options() {
    static const std::map<std::string, std::vector<std::string>> first = {
        {"curve", {"frequency", "damping", "inertia"}},
        {"fold", {"width", "gate", "height_cap"}},
        {"slide", {"stickiness", "young_modulus", "damping"}},
        {"wrinkle", {"strength", "onset", "scale"}},
        {"shell", {"frequency", "offset_stiffness", "base_stiffness"}},
    };
    return first;
}

}  // namespace

Json describe_scene(const OpenScene& scene) {
    Json layers = Json::array();
    for (size_t i = 0; i < scene.plans.size(); ++i) {
        const LayerScene& layer = scene.scene.layers[i];
        std::unique_ptr<LayerPlan> plain;
        for (const LayerKind& kind : layer_kinds()) {
            if (kind.kind == layer.kind) {
                plain = kind.plan();
            }
        }
        const auto first = first_options().find(layer.kind);
        layers.push_back(
            {{"kind", layer.kind},
             {"name", scene.stack->info().layers[i].name},
             {"on", scene.stack->layer(i).is_on()},
             {"options", options_json(scene.plans[i]->options(), plain->options(),
                                      first == first_options().end() ? std::vector<std::string>() : first->second)}});
    }
    Json clips = Json::array();
    if (const Character* character = scene.clip->source().character.get()) {
        for (const Clip& clip : character->clips) {
            clips.push_back(clip.name);
        }
    }
    Json joints = Json::array();
    if (const Rig* rig = scene.clip->rig()) {
        for (size_t j = 0; j < rig->node.size(); ++j) {
            joints.push_back({{"name", rig->name[j]}, {"parent", rig->parent[j]}});
        }
    }
    return {{"layers", std::move(layers)}, {"demo", scene.demo},
            {"clips", std::move(clips)},   {"clip", scene.clip->source().clip.name},
            {"joints", std::move(joints)}, {"duration", scene.clip->duration()},
            {"fps", scene.scene.fps}};
}

}  // namespace cutis
