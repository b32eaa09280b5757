#include "cutis/stack/shell_layer.h"

#include "shell/pieces.h"

namespace cutis {

// One entry is one option.
// clang-format off
Options describe(ShellLayerOptions& o) {
    std::vector<std::string> pieces;
    for (const DetailInfo& detail : list_details()) {
        pieces.push_back(detail.name);
    }
    constexpr double much = 1e6;
    Options all = {
        {.group = "detail", .name = "name", .field = &o.name,
         .about = "name of the detail mesh; empty: that of the piece"},
        {.name = "detail", .field = &o.detail, .about = "built-in piece", .choices = pieces},
        {.name = "mesh", .field = &o.mesh,
         .about = "OBJ file to use instead: a piece, or a mesh around the body", .is_file = true},
        {.name = "mesh_up", .field = &o.mesh_up,
         .about = "axis of the file that points out of the surface (pieces)",
         .choices = {"x", "y", "z"}},
        {.name = "place", .field = choice(o.place, {"scatter", "tiles", "around"}),
         .about = "scattered copies, tiles over the UV charts, or a mesh around the body as it is"},
        {.name = "outside", .field = choice(o.outside, {"refuse", "nearest"}),
         .about = "what happens to vertices of a mesh around the body that lie outside the shell"},
        {.name = "anchor", .field = choice(o.anchor, {"surface", "skin"}),
         .about = "detail stays with the body's surface, or rides on the skin that a slide layer "
                  "below moves over it"},
        {.name = "rigid", .field = &o.rigid,
         .about = "scatter: copies keep their shape; GLB and USD then hold one piece and its "
                  "places"},
        {.name = "bend", .field = &o.bend,
         .about = "scatter: share of the shell's bending that copies take on, hair all of it; a stiff "
                  "piece that bends may cut through itself", .range = {0, 1}},
        {.name = "lift", .field = &o.lift, .about = "factor on the piece's heights",
         .range = {0, 100}, .soft = {0, 3}},
        {.group = "shell", .name = "height", .field = &o.height, .about = "of the shell",
         .unit = "of the diagonal", .range = {1e-5, 0.5}, .soft = {0.001, 0.1}},
        {.name = "clip_aware", .field = &o.clip_aware,
         .about = "lower the shell where the clip would turn it over"},
        {.name = "stiffness", .field = &o.stiffness, .about = "stiffness of the shell, relative",
         .range = {1e-6, much}, .soft = {0.1, 10}},
    };
    all = join(std::move(all), without(describe(o.offset), {"height"}));
    all = join(std::move(all), describe(o.shell.equilibrium));
    all = join(std::move(all), describe(o.shell));
    all = join(std::move(all), {
        {.group = "scatter", .name = "size", .field = &o.size,
         .about = "scatter: side of a piece", .unit = "of the diagonal", .range = {1e-5, 1},
         .soft = {0.005, 0.2}}});
    all = join(std::move(all), without(describe(o.scatter), {"size", "lift"}));
    all = join(std::move(all), without(describe(o.tiles), {"lift"}));
    all = join(
        std::move(all),
        {
        {.group = "vibration", .name = "frequency", .field = &o.frequency,
         .about = "frequency of the vibration", .unit = "Hz", .range = {0.01, 1000}, .soft = {0.5, 30},
         .change = Change::live},
        {.name = "damping", .field = &o.damping, .about = "ratio to critical damping",
         .range = {0, 100}, .soft = {0, 1}, .change = Change::live},
        {.name = "paper_omega", .field = &o.paper_omega,
         .about = "the paper's omega instead of frequency", .range = {0, 4, true},
         .advanced = true, .automatic = "frequency counts"},
        {.name = "paper_zeta", .field = &o.paper_zeta,
         .about = "the paper's zeta, with paper_omega", .range = {0, 0.999}, .advanced = true},
        {.name = "paper_fps", .field = &o.paper_fps,
         .about = "frame rate that paper_omega and paper_zeta refer to", .unit = "Hz", .range = {1, 1000},
         .advanced = true},
        {.name = "axes", .field = &o.axes,
         .about = "frequency and damping along, across and out of the surface: six numbers; "
                  "empty: the same in all directions", .range = {0, much}, .advanced = true},
        {.name = "substeps", .field = &o.substeps, .about = "steps inside a frame",
         .range = {1, 100}, .change = Change::live, .advanced = true},
        {.name = "cut", .field = choice(o.cut, {"carry", "rest"}),
         .about = "after a jump of the body, vibration continues or stops", .change = Change::live},
        });
    all = join(std::move(all), describe(o.shell.vibration));
    all = join(std::move(all),
               {
        {.group = "handles", .name = "handle", .field = tables(o.handles),
         .about = "hands that grab the detail, each a table with at, grab, release and moves",
         .was = {"handles"}},
        {.name = "offset_stiffness", .field = &o.offset_stiffness,
         .about = "stiffness of handles in the shell; 1 is a soft pull", .range = {0, 1e9},
         .soft = {0.1, 100}, .change = Change::live},
        {.name = "base_stiffness", .field = &o.base_stiffness,
         .about = "stiffness of handles' pull on the body; 0 leaves it alone", .range = {0, 1e9},
         .soft = {0, 100}, .change = Change::live},
        {.name = "reach", .field = &o.reach, .about = "how far a pull on the body reaches",
         .unit = "of the diagonal", .range = {1e-4, 100}, .soft = {0.01, 1}},
        {.name = "pinned", .field = &o.pinned,
         .about = "regions of the body that handles cannot move"},
        {.name = "leave_rigid", .field = &o.leaves_rigid,
         .about = "scatter: nothing grows on eyes, teeth, horns and hair, as the body's anatomy finds them"},
               });
    return join(std::move(all), describe(o.shell.manipulation));
}
// clang-format on

}  // namespace cutis
