#include <gtest/gtest.h>

#include "cutis/io/formats.h"
#include "cutis/stack/curve_layer.h"
#include "cutis/stack/fold_layer.h"
#include "cutis/stack/shell_layer.h"
#include "cutis/stack/slide_layer.h"
#include "cutis/stack/wrinkle_layer.h"
#include "support/undescribed.h"

namespace cutis {
namespace {

/// No field is left undescribed, and every option says what it is, once, with a default that its
/// own range allows.
template <class Struct, class Describe>
void expect_described(const char* name, const Describe& described) {
    EXPECT_EQ(test::undescribed_bytes<Struct>(described), std::vector<size_t>{}) << name;
    Struct defaults;
    for (const Option& option : described(defaults)) {
        if (is_key(option)) {
            EXPECT_FALSE(option.about.empty()) << name << " " << option.name;
        }
    }
    EXPECT_NO_THROW(check_options(described(defaults), name));
}

template <class Struct>
void expect_described(const char* name) {
    expect_described<Struct>(name, [](Struct& o) { return describe(o); });
}

TEST(Described, no_field_of_any_options_struct_is_left_out) {
    expect_described<SlideOptions>("slide");
    expect_described<SlideLayerOptions>("slide layer", [](SlideLayerOptions& o) {
        return join(describe(o), {{.name = "skin", .field = in_code(o.options)}});
    });
    expect_described<SlideDrag>("drag");
    expect_described<VectorKey>("key");
    expect_described<NumberKey>("key");
    expect_described<DecalScene>("decal");
    expect_described<PartNames>("part");
    expect_described<CurveLayout>("layout");
    expect_described<CurveOptions>("curve");
    expect_described<FleshOptions>("flesh");
    expect_described<CurveExample>("example");
    expect_described<CurveForce>("force");
    expect_described<FleshCollider>("collider");
    expect_described<CurveLayerOptions>("curve layer", [](CurveLayerOptions& o) {
        return join(describe(o), {{.name = "part", .field = in_code(o.part)},
                                  {.name = "layout", .field = in_code(o.layout)},
                                  {.name = "flesh", .field = in_code(o.flesh)}});
    });
    expect_described<FoldStyle>("look");
    expect_described<FoldJointOptions>("joints");
    expect_described<FoldOptions>("fold");
    expect_described<FoldChain>("chain");
    expect_described<FoldCurveLook>("curve look");
    expect_described<FoldLayerOptions>("fold layer", [](FoldLayerOptions& o) {
        return join(describe(o),
                    {{.name = "joints", .field = in_code(o.joints)}, {.name = "solver", .field = in_code(o.solver)}});
    });
    expect_described<WrinkleOptions>("wrinkle");
    expect_described<WrinkleLayerOptions>("wrinkle layer");
    expect_described<SafeOffsetOptions>("offset");
    expect_described<EquilibriumOptions>("equilibrium");
    expect_described<ScatterOptions>("scatter");
    expect_described<TileOptions>("tiles");
    expect_described<VibrationOptions>("vibration");
    expect_described<ManipulationOptions>("manipulation");
    expect_described<ShellOptions>("shell");
    expect_described<ShellMove>("move");
    expect_described<ShellHandle>("handle");
    expect_described<ShellLayerOptions>("shell layer", [](ShellLayerOptions& o) {
        return join(describe(o), {{.name = "offset", .field = in_code(o.offset)},
                                  {.name = "scatter", .field = in_code(o.scatter)},
                                  {.name = "tiles", .field = in_code(o.tiles)},
                                  {.name = "shell", .field = in_code(o.shell)}});
    });
    expect_described<ClockOptions>("clock");
    expect_described<BodyOptions>("body");
    expect_described<Scene>("scene", [](Scene& o) {
        return join(join(describe_body(o), describe_output(o)), {{.name = "file", .field = in_code(o.file)},
                                                                 {.name = "folder", .field = in_code(o.folder)},
                                                                 {.name = "decals", .field = in_code(o.decals)},
                                                                 {.name = "layers", .field = in_code(o.layers)},
                                                                 {.name = "wedges", .field = in_code(o.wedges)},
                                                                 {.name = "recording", .field = in_code(o.recording)}});
    });
    expect_described<RecordingScene>("recording");
    expect_described<GlbOptions>("glb");
    expect_described<UsdaOptions>("usda");
    expect_described<NpzOptions>("npz");
    expect_described<PageOptions>("html");
}

}  // namespace
}  // namespace cutis
