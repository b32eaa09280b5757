#include "cutis/core/options.h"

#include "shell/shell.h"

namespace cutis {

namespace {

constexpr double huge_number = 1e6;

}  // namespace

// One entry is one option.
// clang-format off
Options describe(SafeOffsetOptions& o) {
    return {
        {.group = "shell", .name = "height", .field = &o.height, .about = "of the shell",
         .unit = "m", .range = {0, 1e9, true}},
        {.name = "height_factor", .field = &o.height_factor, .about = "share of the height",
         .range = {0, 1}},
        {.name = "keep_off_walls", .field = &o.keep_off_walls,
         .about = "at most half the distance to the opposite surface"},
    };
}

Options describe(EquilibriumOptions& o) {
    return {
        {.group = "shell", .name = "poisson", .field = &o.poisson,
         .about = "Poisson's ratio; 0.5 keeps the shell's volume", .range = {-0.9, 0.5}},
        {.name = "volume_rounds", .field = &o.volume_rounds,
         .about = "corrections of the thickness towards the volume that Poisson's ratio asks for; 0 in the paper", .range = {0, 10}, .advanced = true},
        {.name = "stiffness_of_triangles", .field = in_code(o.stiffness),
         .about = "relative, per triangle"},
    };
}

Options describe(ScatterOptions& o) {
    return {
        {.group = "scatter", .name = "size", .field = &o.size,
         .about = "scatter: side of a piece", .unit = "m", .range = {0, 1e9, true}},
        {.name = "spacing", .field = &o.spacing,
         .about = "scatter: least distance of neighbours, in sizes", .range = {0.01, 100},
         .soft = {0.2, 5}},
        {.name = "lift", .field = &o.lift, .about = "factor on the piece's heights",
         .range = {0, 100}},
        {.name = "axis", .field = &o.axis, .about = "scatter: direction in which pieces point"},
        {.name = "smoothing", .field = &o.smoothing,
         .about = "scatter: rounds that even out headings", .range = {0, 10000}, .advanced = true},
        {.name = "turn", .field = &o.turn_deg, .about = "scatter: how much headings vary",
         .unit = "degrees", .range = {0, 180}},
        {.name = "size_variation", .field = &o.size_variation,
         .about = "scatter: sizes vary by this share", .range = {0, 0.9}},
        {.name = "density", .field = &o.density, .about = "scatter: how dense; 0 leaves bare",
         .range = {0, 1}},
        {.name = "size_factor", .field = &o.size_factor,
         .about = "scatter: factor on sizes; 0 leaves bare", .range = {0, 100}, .soft = {0, 3}},
        {.name = "seed", .field = &o.seed, .about = "scatter: another seed, another scatter",
         .range = {0, 1e9}},
        {.name = "most_pieces", .field = &o.most_pieces,
         .about = "scatter: more pieces are refused", .range = {1, 1e8}, .advanced = true},
        {.name = "headings", .field = in_code(o.headings), .about = "per vertex, instead of axis"},
    };
}

Options describe(TileOptions& o) {
    return {
        {.group = "tiles", .name = "tiles_u", .field = &o.tiles_u,
         .about = "tiles: number along one unit of u", .range = {0.01, 10000}},
        {.name = "tiles_v", .field = &o.tiles_v, .about = "tiles: number along one unit of v",
         .range = {0.01, 10000}},
        {.name = "tiles_turn", .field = &o.turn,
         .about = "tiles: angle by which rows turn from u towards v", .unit = "degrees",
         .range = {-180, 180}},
        {.name = "lift", .field = &o.lift, .about = "factor on the piece's heights",
         .range = {0, 100}},
    };
}

Options describe(VibrationOptions& o) {
    return {
        {.group = "vibration", .name = "gain", .field = &o.gain,
         .about = "factor on the displacement shown", .range = {0, 10}, .soft = {0, 3},
         .change = Change::live},
        {.name = "weight_by_height", .field = &o.weight_by_height,
         .about = "roots stay on the skin"},
        {.name = "limiter", .field = choice(o.limiter, {"none", "piece", "vertex", "soft"}),
         .about = "what keeps fast motion from throwing detail off"},
        {.name = "limit", .field = &o.limit, .about = "largest displacement",
         .unit = "of the local thickness", .range = {1e-6, huge_number}, .soft = {0.1, 2},
         .change = Change::live},
        {.name = "damping_against", .field = choice(o.damping_against, {"goal", "room"}),
         .about = "damp relative to the moving surface, or to the room as the paper does",
         .advanced = true},
        {.name = "precision", .field = choice(o.precision, {"single", "double"}),
         .about = "number format of the detail's state", .advanced = true},
        {.name = "spanning", .field = &o.spanning,
         .about = "a piece longer than this share of the base spans it: the limiter then works vertex by vertex", .range = {0, huge_number}, .advanced = true},
        {.name = "material", .field = in_code(o.material), .about = "where nothing is painted"},
        {.name = "use_axes", .field = in_code(o.use_axes), .about = "a material for each axis"},
        {.name = "materials", .field = in_code(o.axes), .about = "of the axes"},
        {.name = "frequency_factor", .field = in_code(o.frequency_factor),
         .about = "per detail vertex"},
        {.name = "damping_factor", .field = in_code(o.damping_factor),
         .about = "per detail vertex"},
        {.name = "has_moving_points", .field = in_code(o.has_moving_points),
         .about = "places may be moved"},
    };
}

Options describe(ManipulationOptions& o) {
    return {
        {.group = "handles", .name = "passes", .field = &o.passes,
         .about = "rounds of shell and body per step with handles", .range = {1, 100},
         .advanced = true},
        {.name = "base", .field = in_code(o.base), .about = "how the body follows"},
        {.name = "coupling", .field = in_code(o.coupling), .about = "for comparison only"},
    };
}

Options describe(ShellOptions& o) {
    return {
        {.group = "shell", .name = "untangle", .field = &o.untangle,
         .about = "correct tetrahedra that invert in a frame"},
        {.name = "surface_axis", .field = &o.axis,
         .about = "with axes: first direction on the surface"},
        {.name = "surface_axes", .field = in_code(o.axes), .about = "the same per triangle"},
        {.name = "equilibrium", .field = in_code(o.equilibrium), .about = "has its own"},
        {.name = "vibration", .field = in_code(o.vibration), .about = "has its own"},
        {.name = "manipulation", .field = in_code(o.manipulation), .about = "has its own"},
    };
}
// clang-format on

}  // namespace cutis
