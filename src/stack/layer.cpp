#include "cutis/stack/layer.h"

#include <type_traits>

#include "cutis/anatomy/anatomy.h"
#include "cutis/core/error.h"
#include "cutis/stack/curve_layer.h"
#include "cutis/stack/fold_layer.h"
#include "cutis/stack/shell_layer.h"
#include "cutis/stack/slide_layer.h"
#include "cutis/stack/wrinkle_layer.h"
#include "stack/fold_plan.h"

namespace cutis {

const Workers& LayerInput::own_workers() const {
    static const Workers one(1);
    return workers == nullptr ? one : *workers;
}

std::shared_ptr<const Anatomy> KnownAnatomy::of(const Body& body) {
    if (!found_) {
        found_ = std::make_shared<const Anatomy>(find_anatomy(body));
    }
    return found_;
}

std::shared_ptr<const Anatomy> LayerInput::anatomy() const {
    return known_anatomy ? known_anatomy->of(*body) : KnownAnatomy().of(*body);
}

LayerCost LayerPlan::estimate(const LayerInput& /*ground*/) const {
    return {};
}

bool LayerPlan::change(Layer& /*layer*/, const std::string& /*key*/) const {
    return false;
}

void Layer::shape_at(double /*time*/, TimeSampling /*sampling*/, MatrixX3d& /*surface*/) {}

std::vector<double> Layer::save() const {
    return {};
}

void Layer::restore(const std::vector<double>& state) {
    require(state.empty(), report_.kind, " state: expected none, since it has no memory, found ", state.size(),
            " numbers");
}

void Layer::report_number(const char* name, double value) {
    if (next_number_ == numbers_.size()) {
        numbers_.push_back(&report_.numbers[name]);
    }
    *numbers_[next_number_++] = value;
}

namespace {

/// Options that are read from a scene, then made into their layer.
template <class LayerOptions, class Make>
class OptionsPlan final : public LayerPlan {
public:
    explicit OptionsPlan(Make make) : make_(make) {}
    Options options() override { return describe(options_); }
    std::unique_ptr<Layer> prepare(const LayerInput& ground, const LayerMeshes& meshes) const override {
        if constexpr (std::is_invocable_v<Make, LayerOptions, const LayerInput&>) {
            return make_(options_, ground);
        } else {
            return make_(options_, ground, meshes);
        }
    }
    bool change(Layer& layer, const std::string& key) const override {
        if constexpr (std::is_same_v<LayerOptions, SlideLayerOptions>) {
            return change_slide_layer(layer, options_, key);
        } else if constexpr (std::is_same_v<LayerOptions, ShellLayerOptions>) {
            return change_shell_layer(layer, options_, key);
        } else {
            return LayerPlan::change(layer, key);
        }
    }
    LayerCost estimate(const LayerInput& ground) const override {
        constexpr double slide_bytes = 1400.0;  // a triangle
        if constexpr (std::is_same_v<LayerOptions, FoldLayerOptions>) {
            return estimate_folds(options_, ground);
        } else if constexpr (std::is_same_v<LayerOptions, SlideLayerOptions>) {
            return {0.0, slide_bytes * ground.surface->topology().triangle_count()};
        } else {
            return {};
        }
    }

private:
    LayerOptions options_;
    Make make_;
};

template <class LayerOptions, class Make>
LayerKind kind_of(const char* kind, const char* about, Make make) {
    return {kind, about, [make] { return std::make_unique<OptionsPlan<LayerOptions, Make>>(make); }};
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
    static const std::vector<LayerKind> kinds = {
        kind_of<CurveLayerOptions>("curve", "flesh that deforms between examples with its own dynamics",
                                   &make_curve_layer),
        kind_of<FoldLayerOptions>("fold", "tight cloth that folds where skinning would shrink it", &make_fold_layer),
        kind_of<SlideLayerOptions>("slide", "skin that slides and stretches over the body", &make_slide_layer),
        kind_of<WrinkleLayerOptions>("wrinkle", "wrinkles where skin is compressed, as maps and channels",
                                     &make_wrinkle_layer),
        kind_of<ShellLayerOptions>("shell", "detail that rides on the surface, quivers, and can be grabbed",
                                   &make_shell_layer),
    };
    return kinds;
}

std::shared_ptr<const ArtMesh> find_mesh(const LayerMeshes& meshes, const std::string& name,
                                         const std::string& section) {
    const auto found = meshes.find(name);
    require(found != meshes.end(), section, ": \"", name, "\" was not read (meshes are read with a scene file)");
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
    throw InvalidInput(concat(scene_place(file, layer.line, layer.column),
                              "[[layer]] kind: expected a layer this build has (it has ", word_list(names),
                              "), found \"", layer.kind, "\""));
}

}  // namespace cutis
