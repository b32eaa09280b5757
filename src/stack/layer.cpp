#include "cutis/stack/layer.h"

#include "curve_layer.h"
#include "cutis/core/error.h"
#include "fold_layer.h"
#include "shell_layer.h"
#include "slide_layer.h"

namespace cutis {

const std::vector<LayerKind>& layer_kinds() {
    static const std::vector<LayerKind> kinds = {
        curve_layer_kind(),
        {"fold", "tight cloth that folds where skinning would shrink it", make_fold_plan},
        slide_layer_kind(),
        shell_layer_kind(),
    };
    return kinds;
}

std::shared_ptr<const ArtMesh> find_mesh(const LayerMeshes& meshes, const std::string& name,
                                         const std::string& section) {
    const auto found = meshes.find(name);
    if (found == meshes.end()) {
        throw InvalidInput(say(section, ": \"", name,
                               "\" was not read (meshes are read with a scene file)"));
    }
    return found->second;
}

std::unique_ptr<LayerPlan> plan_layer(const LayerScene& layer, const std::string& file,
                                      const std::vector<LayerKind>& kinds) {
    std::vector<std::string> names;
    for (const LayerKind& kind : kinds) {
        if (kind.kind == layer.kind) {
            std::unique_ptr<LayerPlan> plan = kind.plan();
            read_options(layer.values, plan->options(), "[[layer]] " + kind.kind, file);
            return plan;
        }
        names.push_back(kind.kind);
    }
    throw InvalidInput(say(scene_place(file, layer.line, layer.column),
                           "[[layer]] kind: expected a layer this build has (it has ",
                           word_list(names), "), found \"", layer.kind, "\""));
}

}  // namespace cutis
