#include "cutis/core/error.h"
#include "cutis/io/formats.h"

namespace cutis {

namespace {

constexpr Range error_range = {1e-7, 0.1};

}  // namespace

// One entry is one option.
// clang-format off
Options describe(GlbOptions& o) {
    return {
        {.name = "tolerance", .field = &o.tolerance,
         .about = "largest error of a vertex in morph targets, as a share of the box diagonal",
         .range = error_range, .change = Change::start},
        {.name = "uv_tolerance", .field = &o.uv_tolerance,
         .about = "largest error of a UV, of the picture", .range = error_range,
         .change = Change::start},
        {.name = "keep_skin", .field = &o.keep_skin,
         .about = "write skeleton and skin where they still describe the shape",
         .change = Change::start},
        {.name = "compression", .field = choice(o.compression, {"automatic", "meshopt", "none"}),
         .about = "EXT_meshopt_compression, which three.js, Babylon and game engines read; none: for tools that do not, "
                  "such as Blender up to 5.0; automatic: meshopt where a layer changed something",
         .change = Change::start},
        {.name = "bones", .field = &o.bones,
         .about = "write the body as a skin of so many rigid bones, for players without morph targets; 0: its own skin, "
                  "or morph targets",
         .range = {0, 256}, .change = Change::start},
    };
}

Options describe(UsdaOptions& o) {
    return {
        {.name = "style", .field = choice(o.style, {"automatic", "skeleton", "points"}),
         .about = "skeleton: joints and blend shapes (UsdSkel), which Blender and other tools can edit; points: all of them in every "
                  "frame, several times the size; automatic: skeleton where a character file has nodes and tolerance is above 0",
         .change = Change::start},
        {.name = "tolerance", .field = &o.tolerance,
         .about = "largest error of a vertex, as a share of the box diagonal: fewer decimals; 0: float32 as it is", .range = {0, 0.1},
         .change = Change::start},
        {.name = "channels", .field = &o.use_channels,
         .about = "the layers' channels as primvars, and where skin slides its material as Pref; three times the size",
         .change = Change::start},
        {.name = "normals", .field = &o.use_normals,
         .about = "of the body: in every frame (twice the size), with a skeleton those of the rest pose, which it turns; without "
                  "them renderers show the seams of UVs",
         .change = Change::start},
    };
}

Options describe(NpzOptions& o) {
    return {
        {.name = "float32", .field = &o.use_float32, .about = "single precision: half the size",
         .change = Change::start}};
}

Options describe(PageOptions& o) {
    return {
        {.name = "title", .field = &o.title, .about = "title of the page; empty: the file's name",
         .change = Change::start},
        {.name = "caption", .field = &o.caption, .about = "one line beside the title",
         .change = Change::start},
        {.name = "tolerance", .field = &o.tolerance,
         .about = "largest error of a vertex, of the box diagonal", .range = error_range,
         .change = Change::start},
        {.name = "uv_tolerance", .field = &o.uv_tolerance,
         .about = "largest error of a UV, of the picture", .range = error_range,
         .change = Change::start},
        {.name = "times", .field = &o.use_times,
         .about = "show what each frame took; false: the same bytes every time",
         .change = Change::start},
        {.name = "paint", .field = &o.paint, .about = "what the skin shows first; automatic: skin where "
                  "the character has pictures, else checker",
         .change = Change::start,
         .choices = {"automatic", "skin", "checker", "grid", "tattoo", "bumps", "clay"}},
        {.name = "heat", .field = &o.heat,
         .about = "channel shown first as a heat map; empty: none", .change = Change::start},
        {.name = "channels", .field = &o.use_channels,
         .about = "heat maps and strokes of the layers' channels; false: a smaller page", .change = Change::start},
        {.name = "classes", .field = &o.use_classes,
         .about = "offer as paints what is skin, cloth, hair and rigid, and numbered islands", .change = Change::start},
        {.name = "follow", .field = &o.follow, .about = "the camera travels with the body",
         .change = Change::start},
        {.name = "camera", .field = &o.camera,
         .about = "x y z from the body to the camera; empty: from the front", .change = Change::start},
        {.name = "focus", .field = &o.focus,
         .about = "x y z radius of what fills the picture; empty: the whole clip", .unit = "m",
         .change = Change::start},
        {.name = "figure", .field = &o.figure,
         .about = "figure of a paper that the shot stands beside, for the caption",
         .change = Change::start},
        {.name = "stills", .field = &o.stills, .about = "moments of the clip worth a picture",
         .range = {0, 1}, .change = Change::start},
    };
}

Options describe(SinkOptions& o) {
    return {
        {.name = "glb", .field = table(o.glb), .about = "format glb: binary glTF",
         .change = Change::start},
        {.name = "usda", .field = table(o.usda), .about = "format usda: Universal Scene Description as text",
         .change = Change::start},
        {.name = "npz", .field = table(o.npz), .about = "format npz: arrays for NumPy",
         .change = Change::start},
        {.name = "html", .field = table(o.html),
         .about = "format html: a page that plays the bake in a browser", .change = Change::start},
        {.name = "frames", .field = in_code(o.frames), .about = "shared by the outputs of a bake"},
        {.name = "glb_clips", .field = in_code(o.glb_clips), .about = "shared by the bakes of several clips"},
    };
}
// clang-format on

SinkOptions sink_options(const Scene& scene, SinkOptions options) {
    read_options(scene.output.format_options, describe(options), "[output]", scene.file);
    return options;
}

}  // namespace cutis
