#include "cutis/fold/look.h"

#include "cutis/fold/curves.h"
#include "cutis/fold/field.h"
#include "cutis/fold/folds.h"
#include "cutis/fold/rails.h"

namespace cutis {

FoldStyle FoldStyle::strict() const {
    FoldStyle look = *this;
    look.taper = 0.0;
    look.irregularity = 0.0;
    return look;
}

// One entry is one option.
// clang-format off
Options describe(FoldStyle& o) {
    return {
        {.group = "look", .name = "width", .field = &o.width, .about = "across one fold",
         .unit = "m", .range = {0.001, 10}, .soft = {0.005, 0.2}},
        {.name = "pre_stretch", .field = &o.pre_stretch,
         .about = "cloth gives way by this much before it folds", .range = {0, 1},
         .soft = {0, 0.3}},
        {.name = "taper", .field = &o.taper,
         .about = "a fold's ends run out over this many widths", .range = {0, 10}},
        {.name = "irregularity", .field = &o.irregularity,
         .about = "folds wander by this many widths", .range = {0, 1}},
        {.name = "sharpness", .field = &o.sharpness, .about = "of the crest: 0 round, 1 a ridge",
         .range = {0, 1}},
        {.name = "lean", .field = &o.lean, .about = "of the crest to one side",
         .range = {-0.5, 0.5}},
        {.name = "rail_spacing", .field = &o.rail_spacing, .about = "widths between rails",
         .range = {0.1, 2}, .advanced = true},
        {.name = "rail_segments", .field = &o.rail_segments,
         .about = "points solved for across a fold", .range = {4, 64}, .advanced = true},
        {.name = "cross_section", .field = in_code(o.profile), .about = "shape of a fold"},
    };
}

Options describe(FoldFieldOptions& o) {
    return {
        {.group = "place: field", .name = "activity", .field = &o.activity,
         .about = "field: fold where the clip compresses cloth below this share of its length",
         .range = {0.1, 0.99}, .soft = {0.5, 0.99}},
        {.name = "coherence", .field = &o.coherence,
         .about = "field: how much one direction of compression must prevail", .range = {0, 1}},
        {.name = "look", .field = in_code(o.look), .about = "see describe(FoldStyle&)"},
        {.name = "is_strict", .field = in_code(o.is_strict), .about = "from the mode of the rails"},
    };
}

Options describe(FoldCurveOptions& o) {
    return {
        {.group = "place: curves", .name = "reach", .field = &o.reach,
         .about = "joints and chains: folds reach this far to each side of a curve", .unit = "m",
         .range = {0, 100, true}, .soft = {0.01, 0.3}},
        {.name = "one_line", .field = &o.is_one_line,
         .about = "joints and chains: solve one line only and fade it out, as in the paper",
         .advanced = true},
        {.name = "look", .field = in_code(o.look), .about = "see describe(FoldStyle&)"},
        {.name = "is_strict", .field = in_code(o.is_strict), .about = "from the mode of the rails"},
    };
}

Options describe(FoldJointOptions& o) {
    return {
        {.group = "place: joints", .name = "joints", .field = &o.joints,
         .about = "joints: by name; none: all that bend"},
        {.name = "least_swing", .field = &o.least_swing_deg,
         .about = "joints: swing from the bind pose that counts as bending", .unit = "degrees",
         .range = {0, 180}},
        {.name = "curve_length", .field = &o.length,
         .about = "joints: length of a fold curve; 0: as far as it is compressed", .unit = "m",
         .range = {0, 100}},
        {.name = "marching", .field = &o.use_marching,
         .about = "joints: along mesh edges instead of a section", .advanced = true},
        {.name = "every_pose", .field = &o.use_all_poses,
         .about = "joints: curves of every pose, `reach` apart", .advanced = true},
        {.name = "lengths", .field = in_code(o.lengths), .about = "of the curves, in turn"},
    };
}

Options describe(FoldRailOptions& o) {
    return {
        {.group = "folding", .name = "mode", .field = choice(o.mode, {"gate", "strict"}),
         .about = "gate: folds grow without popping; strict: compressed lines keep their exact "
                  "length (taper, irregularity, cap, guard and limiter are off)"},
        {.name = "gate", .field = &o.gate,
         .about = "gate mode: compression from which folds count fully", .range = {0, 0.5},
         .change = Change::live},
        {.name = "distortion_passes", .field = &o.distortion_passes,
         .about = "passes that keep a texture even along a fold", .range = {0, 10},
         .change = Change::live},
        {.name = "height_cap", .field = &o.height_cap,
         .about = "gate mode: highest fold, in lengths of its rail; 0: none", .range = {0, 10},
         .change = Change::live},
        {.name = "limiter", .field = &o.limiter,
         .about = "hold folds at their end planes and joint plane, so that neighbours do not "
                  "cross", .change = Change::live},
        {.name = "merge_from", .field = &o.merge_from,
         .about = "compression at which two folds begin to merge into one; 0: never",
         .range = {0, 1}},
        {.name = "merge_to", .field = &o.merge_to, .about = "compression at which they are one",
         .range = {0, 1}},
        {.name = "tolerance", .field = in_code(o.tolerance),
         .about = "when the height of a fold counts as found"},
    };
}

Options describe(FoldOptions& o) {
    return {
        {.group = "mesh", .name = "guard", .field = &o.guard,
         .about = "hold vertices back where folding would invert a triangle"},
        {.name = "refine", .field = &o.refine, .about = "subdivide the mesh where folds are"},
        {.name = "edges_per_fold", .field = &o.edges_per_fold,
         .about = "edges of the refined mesh across a fold: 8 keeps the shape, 16 is smooth",
         .range = {4, 32}},
        {.name = "most_levels", .field = &o.most_levels, .about = "of subdivision",
         .range = {0, 8}, .advanced = true},
        {.name = "rails", .field = in_code(o.rails), .about = "see describe(FoldRailOptions&)"},
    };
}
// clang-format on

}  // namespace cutis
