#include "cutis/fold/options.h"

namespace cutis {

FoldStyle FoldStyle::of_cloth() const {
    // Density, pre-stretch, irregularity, sharpness, sag.
    constexpr double clothes[][5] = {{1.0, 0.05, 1.0, 0.0, 0.0},
                                     {1.35, 0.08, 0.7, 0.0, 0.0},
                                     {0.8, 0.02, 1.2, 0.6, 0.15},
                                     {0.65, 0.03, 1.0, 0.3, 0.05},
                                     {1.8, 0.12, 0.6, 0.4, 0.0}};
    const double* values = clothes[static_cast<int>(cloth)];
    const FoldStyle plain;
    FoldStyle style = *this;
    const auto paint = [](Painted& field, const Painted& otherwise, double value) {
        if (field.is_uniform() && field.value == otherwise.value) {
            field = value;
        }
    };
    const auto set = [](double& field, double otherwise, double value) { field = field == otherwise ? value : field; };
    paint(style.density, plain.density, values[0]);
    paint(style.pre_stretch, plain.pre_stretch, values[1]);
    set(style.irregularity, plain.irregularity, values[2]);
    set(style.sharpness, plain.sharpness, values[3]);
    set(style.sag, plain.sag, values[4]);
    return style;
}

// One entry is one option.
// clang-format off
Options describe(FoldStyle& o) {
    return {
        {.group = "look", .name = "cloth",
         .field = choice(o.cloth, {"plain", "jersey", "denim", "leather", "skin"}),
         .about = "a style to start from: sets density, pre_stretch, irregularity, sharpness and sag where they are left at their defaults"},
        {.name = "width", .field = &o.width, .about = "across one fold",
         .unit = "m", .range = {1e-6, 1e6}, .soft = {0.005, 0.2},
         .automatic = "from the girth of the limb"},
        {.name = "density", .field = &o.density, .about = "folds per width", .range = {0.1, 10},
         .soft = {0.5, 2}},
        {.name = "pre_stretch", .field = &o.pre_stretch,
         .about = "cloth gives way by this much before it folds", .range = {0, 1},
         .soft = {0, 0.3}},
        {.name = "slack", .field = &o.slack,
         .about = "cloth is this much longer than the body it lies on", .range = {0, 1},
         .soft = {0, 0.2}},
        {.name = "irregularity", .field = &o.irregularity,
         .about = "how much widths and heights of neighbouring folds differ", .range = {0, 1.5}},
        {.name = "sharpness", .field = &o.sharpness, .about = "sharpness of the crest: 0 round, 1 a ridge",
         .range = {0, 1}},
        {.name = "sag", .field = &o.sag, .about = "the crest leans this far towards the ground",
         .range = {-0.5, 0.5}, .was = {"lean"}},
        {.name = "cross_section", .field = in_code(o.profile), .about = "shape of a fold"},
    };
}

Options describe(FoldJointOptions& o) {
    return {
        {.group = "paper", .name = "joints", .field = &o.joints,
         .about = "joints by name; none: all that bend"},
        {.name = "least_swing", .field = &o.least_swing_deg,
         .about = "swing from the bind pose that counts as bending", .unit = "degrees",
         .range = {0, 180}},
        {.name = "curve_length", .field = &o.length,
         .about = "length of a fold curve; 0: as far as its cloth is compressed", .unit = "m",
         .range = {0, 100}},
    };
}

Options describe(FoldOptions& o) {
    return {
        {.group = "folding", .name = "gate", .field = &o.gate,
         .about = "compression from which folds count fully: below it they grow without popping",
         .range = {0, 0.5}},
        {.name = "height_cap", .field = &o.height_cap,
         .about = "highest fold, in widths; 0: none", .range = {0, 10}},
        {.name = "rounds", .field = &o.rounds,
         .about = "corrections for what neighbouring lines lift", .range = {0, 20},
         .advanced = true},
        {.name = "fields", .field = &o.fields,
         .about = "1, or 2: a second set of folds across the first, where cloth is squeezed in another direction, as in a twist", .range = {1, 2}},
        {.group = "mesh", .name = "guard", .field = &o.guard,
         .about = "hold vertices back where folding would turn a triangle over"},
        {.name = "side_by_side", .field = &o.lean,
         .about = "folds in a crease rise side by side where they would run into each other; steep ones may hang over"},
        {.name = "contact", .field = &o.contact,
         .about = "folds stay on their own side of the sheets they face, at the cost of length, and rise side by side; needs guard"},
        {.name = "thickness", .field = &o.thickness,
         .about = "thickness of the cloth: what contact keeps between folds", .unit = "m", .range = {0, 0.1},
         .soft = {0, 0.01}},
        {.name = "refine", .field = &o.refine, .about = "subdivide the mesh where folds are"},
        {.name = "edges_per_fold", .field = &o.edges_per_fold,
         .about = "edges of the refined mesh across a fold: 6 keep its length, 16 look smooth",
         .range = {4, 32}},
        {.name = "most_levels", .field = &o.most_levels, .about = "most levels of subdivision",
         .range = {0, 8}, .advanced = true},
        {.name = "most_vertices", .field = &o.most_vertices,
         .about = "budget of the refined mesh: beyond it folds get fewer edges",
         .range = {100, 4000000}},
        {.name = "width_policy", .field = choice(o.width_policy, {"refuse", "widen"}),
         .about = "a given width that is too narrow for mesh and budget: refuse it and name the least that works, or widen it with a note"},
        {.name = "look", .field = in_code(o.look), .about = "see describe(FoldStyle&)"},
    };
}
// clang-format on

}  // namespace cutis
