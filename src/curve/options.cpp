#include "cutis/core/options.h"

#include "curve/flesh.h"
#include "curve/layout_limits.h"

namespace cutis {

// One entry is one option.
// clang-format off
Options describe(PartNames& o) {
    return {
        {.group = "part", .name = "from", .field = &o.from,
         .about = "joint: the part is everything below it"},
        {.name = "to", .field = &o.to,
         .about = "joints: everything below them is cut off; ends of the tube"},
        {.name = "without", .field = &o.without,
         .about = "joints: everything below them is left out, as a hole"},
        {.name = "extra_joints", .field = &o.extra,
         .about = "joints that belong to `from` although they hang elsewhere in the skeleton (feet)"},
        {.name = "group", .field = &o.group, .about = "group of triangles, instead of joints"},
        {.name = "attribute", .field = &o.attribute,
         .about = "painted attribute, instead of joints"},
        {.name = "level", .field = &o.level,
         .about = "level of weight or paint at which the part ends; 0: automatic", .range = {0, 1},
         .advanced = true},
        {.name = "field", .field = in_code(o.field), .about = "the same, per surface vertex"},
    };
}

Options describe(CurveLayout& o) {
    return {
        {.group = "layout", .name = "curves", .field = &o.curves,
         .about = "number of curves from end to end; 0: one per vertex around", .range = {0, most_curves}},
        {.name = "nodes", .field = &o.nodes,
         .about = "nodes along each curve; 0: one per vertex along", .range = {0, most_nodes}},
        {.name = "direction", .field = choice(o.direction, {"along", "around"}),
         .about = "curves run from end to end, or as closed rings"},
        {.name = "even_spacing", .field = &o.even_spacing,
         .about = "nodes at equal mean arc length", .advanced = true},
        {.name = "edge_loops", .field = &o.edge_loops,
         .about = "curves follow the edge loops of a quad mesh (OBJ)", .advanced = true},
        {.name = "start_vertices", .field = &o.start_vertices,
         .about = "vertices of the file through which curves run; empty: evenly spaced around",
         .range = {0, 2147483647}, .advanced = true},
        {.name = "transfer", .field = choice(o.transfer, {"bilinear", "bicubic", "centre"}),
         .about = "how vertices between curves move; centre is the paper's rule", .advanced = true},
        {.name = "polygon_edges", .field = in_code(o.polygon_edges),
         .about = "edges of the quad mesh"},
    };
}

Options describe(CurveOptions& o) {
    return {
        {.group = "motion", .name = "dynamics",
         .field = choice(o.dynamics, {"exact", "paper", "still", "smoothstep", "spline"}),
         .about = "exact modes, the paper's scheme or none; smoothstep and spline are for examples in time"},
        {.name = "frequency", .field = &o.frequency_hz,
         .about = "frequency of the first mode; flesh 4 to 6", .unit = "Hz", .range = {0.2, 60},
         .soft = {1, 15}},
        {.name = "damping", .field = &o.damping, .about = "ratio of every mode; flesh 0.2 to 0.4",
         .range = {0, 1}},
        {.name = "inertia", .field = &o.inertia_gain,
         .about = "how much the body's acceleration drives the flesh", .range = {0, 10},
         .soft = {0, 2}},
        {.name = "limit", .field = &o.limit, .about = "largest swing, approached smoothly",
         .unit = "m", .range = {0, 1e6, true},
         .automatic = "a third of the part's radius, at most a tenth of its length; a sixth of a tail's length"},
        {.name = "free_tip", .field = &o.free_tip,
         .about = "a closed far end (tail, tip) swings freely"},
        {.name = "highest_frequency", .field = &o.highest_frequency_hz,
         .about = "faster modes follow at once", .unit = "Hz", .range = {1, 1e9}, .advanced = true},
        {.name = "rate", .field = &o.rate_hz,
         .about = "times per second at which the body drives the flesh", .unit = "Hz",
         .range = {10, 2000}, .advanced = true},
        {.name = "contact_steps", .field = in_code(o.contact_steps), .about = "steps to a period of a contact"},
        {.name = "softness_of_nodes", .field = in_code(o.softness),
         .about = "share of the swing, per node row"},
    };
}

Options describe(FleshCollider& o) {
    return {
        {.name = "shape", .field = choice(o.shape, {"sphere", "capsule", "plane"}),
         .about = "sphere, capsule, or all that lies behind a plane"},
        {.name = "node", .field = &o.node,
         .about = "node of the file that carries it; empty: it stands still in the world"},
        {.name = "at", .field = &o.at,
         .about = "centre, first end, or a point of the plane; with a node: from its place at the clip's start", .unit = "m"},
        {.name = "to", .field = &o.to, .about = "other end of a capsule, measured like `at`", .unit = "m"},
        {.name = "normal", .field = &o.normal, .about = "of a plane: points to the side where flesh may be"},
        {.name = "radius", .field = &o.radius, .about = "of a sphere or capsule", .unit = "m", .range = {0, 1e6}},
    };
}

Options describe(FleshOptions& o) {
    return {
        {.group = "shape", .name = "baseline",
         .field = choice(o.baseline, {"body", "linear-blend", "dual-quaternion", "rigid"}),
         .about = "what deformation is measured against"},
        {.name = "follow", .field = &o.follow,
         .about = "what the body has beyond the baseline is a target; false: examples replace it"},
        {.name = "joint_hold", .field = &o.joint_hold,
         .about = "how much less flesh swings at knees and elbows, where bone lies close",
         .range = {0, 1}},
        {.name = "pose_joints", .field = &o.pose_joints,
         .about = "examples belong to the rotations of these joints at that time; empty: to the time itself"},
        {.name = "extrapolate", .field = &o.extrapolate,
         .about = "two examples in time: past the second the force keeps rising"},
        {.name = "paths", .field = choice(o.paths, {"turning", "straight"}),
         .about = "between examples in time, rings turn with the limb, or nodes move in straight lines (as in the paper: twists swell)",
         .advanced = true},
        {.name = "fade", .field = &o.fade,
         .about = "distance from its cuts, in radii of the part, over which examples fade in; 0: they end at the cut",
         .range = {0, 20}, .soft = {0, 4}},
        {.name = "skirt", .field = &o.skirt,
         .about = "distance beyond its cuts, in radii of the part, over which its swing dies away; 0: it ends at the cut",
         .range = {0, 20}, .soft = {0, 3}},
        {.name = "keep_volume", .field = &o.keep_volume,
         .about = "flesh widens where its swing shortens it, and narrows where it stretches; not with examples"},
        {.name = "curve", .field = in_code(o.curve), .about = "see describe(CurveOptions&)"},
        {.name = "examples", .field = in_code(o.examples), .about = "shapes to reach"},
        {.name = "forces", .field = in_code(o.forces), .about = "forces given by hand"},
        {.name = "period", .field = in_code(o.period), .about = "after which the body repeats; 0: never"},
        {.name = "meets", .field = in_code(o.meets), .about = "there is something to collide with"},
        {.name = "paper_frames", .field = in_code(o.paper_frames),
         .about = "frame rate of the paper's scheme"},
    };
}
// clang-format on

}  // namespace cutis
