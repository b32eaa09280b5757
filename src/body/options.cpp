#include "cutis/core/options.h"

#include "cutis/body/body.h"

namespace cutis {

// One entry is one option.
// clang-format off
Options describe(ClockOptions& o) {
    return {
        {.group = "time", .name = "time_scale", .field = &o.time_scale,
         .about = "2 plays twice as fast", .range = {0.01, 100}, .soft = {0.1, 4},
         .change = Change::start},
        {.name = "loop", .field = choice(o.loop, {"hold", "loop"}),
         .about = "after the last key: hold it, or start again", .change = Change::start},
        {.name = "seam_tolerance", .field = &o.seam_tolerance,
         .about = "loop: gap that counts as closed, of the box diagonal", .range = {0, 1},
         .change = Change::start, .advanced = true},
        {.name = "jump_limit", .field = &o.jump_limit,
         .about = "loop: gap beyond which the seam is a cut, of the box diagonal",
         .range = {0, 1e6}, .change = Change::start, .advanced = true},
    };
}

Options describe(BodyOptions& o) {
    return join(
        {
        {.group = "source", .name = "mesh", .field = &o.mesh,
         .about = "with file or actor: name of the mesh, empty takes all; alone: an OBJ file",
         .change = Change::start},
        {.name = "clip", .field = &o.clip, .about = "name of the clip; empty takes the first",
         .change = Change::start},
        {.name = "skinning", .field = choice(o.skinning, {"linear-blend", "dual-quaternion"}),
         .about = "how joints move vertices", .change = Change::start},
        {.name = "scale", .field = &o.scale, .about = "metres per unit of the file", .unit = "m",
         .range = {1e-9, 1e9}, .change = Change::start},
        {.name = "unit", .field = choice(o.unit, {"scale", "m", "cm", "mm", "inch", "foot"}),
         .about = "unit of the file, in place of scale", .change = Change::start},
        {.name = "size", .field = &o.size,
         .about = "height of the character in its first pose, in place of scale; 0: what scale or unit give", .unit = "m",
         .range = {0, 1e9}, .soft = {0, 20}, .change = Change::start},
        {.name = "up", .field = choice(o.up_axis, {"y", "z"}, {'y', 'z'}),
         .about = "axis that points up in the file", .change = Change::start},
        {.name = "skin", .field = &o.skin,
         .about = "materials or meshes that are skin, whatever they look like", .change = Change::start},
        {.name = "cloth", .field = &o.cloth, .about = "the same for cloth", .change = Change::start},
        {.name = "hair", .field = &o.hair, .about = "the same for hair, which follows the body",
         .change = Change::start},
        {.name = "rigid", .field = &o.rigid, .about = "the same for what keeps its shape: eyes, horns, buckles",
         .change = Change::start},
        {.name = "build", .field = &o.build,
         .about = "kind of body, whatever it looks like; empty: detected", .change = Change::start,
         .choices = {"", "human", "biped", "quadruped", "insect", "swimmer", "tube", "other"}},
        },
        describe(o.clock));
}
// clang-format on

}  // namespace cutis
