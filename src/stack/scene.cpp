#include "cutis/stack/scene.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr double max_recorded_steps = 1e6;

}  // namespace

// One entry is one option.
// clang-format off
Options describe_body(Scene& scene) {
    BodyScene& body = scene.body;
    const Options source = {
        {.group = "source", .name = "file", .field = &body.file, .about = "glTF, GLB, VRM or FBX character",
         .change = Change::start},
        {.name = "actor", .field = &body.actor,
         .about = "built-in character; `cutis inspect actor:` lists them", .change = Change::start},
        {.name = "cache", .field = &body.cache,
         .about = "moves an OBJ mesh: PC2, MDD, or OBJ files with one * in the name",
         .change = Change::start},
        {.name = "cache_rate", .field = &body.cache_rate,
         .about = "samples per second of PC2 and OBJ files; 0 takes fps (MDD: its own times)",
         .unit = "1/s", .range = {0, 1e5}, .change = Change::start},
        {.name = "motion", .field = &body.motion,
         .about = "motion for the skeleton of file, by joint names: a BVH file, or a clip of another glTF, VRM or FBX file", .change = Change::start},
        {.name = "clips", .field = &body.clips,
         .about = "several clips of file, each baked by itself into one output clip; [\"*\"]: all of them",
         .change = Change::start},
        {.name = "rest", .field = &body.rest,
         .about = "OBJ with a separate rest pose, same vertices", .change = Change::start},
        {.name = "mesh_file", .field = in_code(body.mesh_file),
         .about = "`mesh` where it is a file"},
    };
    const Options frames = {
        {.group = "time", .name = "fps", .field = &scene.fps, .about = "frames per second",
         .unit = "1/s", .range = {1e-3, 1e5}, .soft = {12, 120}, .change = Change::start},
        {.name = "between_keys", .field = choice(body.sampling, {"exact", "smooth"}),
         .about = "positions between keys: as the file says, or with continuous velocity",
         .change = Change::start},
        {.name = "pre_roll", .field = &scene.pre_roll,
         .about = "the body holds still before frame 1, for layers with memory", .unit = "s",
         .range = {0, 1e4}, .soft = {0, 5}, .change = Change::start},
        {.group = "surface", .name = "repair", .field = &body.repair,
         .about = "weld and clean the surface layers work on; false refuses instead",
         .change = Change::start},
        {.name = "leave_out", .field = &body.leave_out,
         .about = "leave out, with a note, a layer that refuses this body; false: it stops the bake, unless it was left at its defaults",
         .change = Change::start},
        {.name = "weld_distance", .field = &body.weld_distance,
         .about = "repair: vertices this close are one, of the box diagonal; 0: exact matches",
         .range = {0, 1e-3}, .change = Change::start},
        {.name = "cut_distance", .field = &body.cut_distance,
         .about = "a body that moves further than this share of its box diagonal between frames has been cut: layers restart", .range = {1e-3, 1e9}, .change = Change::start,
         .advanced = true},
    };
    return join(join(source, describe(body.options)), frames);
}

Options describe(DecalScene& o) {
    return {
        {.name = "image", .field = &o.image, .about = "PNG or JPEG file, or the drawing compass", .change = Change::start},
        {.name = "at", .field = &o.at, .about = "x y z near the skin, in the rest pose; give this, uv or joint", .unit = "m",
         .change = Change::start},
        {.name = "uv", .field = &o.uv, .about = "place on the character's own texture, v up", .change = Change::start},
        {.name = "joint", .field = &o.joint, .about = "name of a joint: on the skin near it", .change = Change::start},
        {.name = "facing", .field = &o.facing,
         .about = "with joint: on which side of it, as a direction in the rest pose; 0 0 0: where the skin is nearest",
         .change = Change::start},
        {.name = "size", .field = &o.size, .about = "width on the skin", .unit = "m", .range = {0, 1e6, true},
         .soft = {0.01, 1}, .change = Change::start},
        {.name = "turn", .field = &o.turn, .about = "anticlockwise from upright", .unit = "degrees",
         .range = {-360, 360}, .change = Change::start},
        {.name = "opacity", .field = &o.opacity, .about = "0: invisible", .range = {0, 1}, .change = Change::start},
        {.name = "blend", .field = choice(o.blend, {"over", "multiply"}),
         .about = "over: the picture's own colours; multiply: ink that darkens the skin, white is clear",
         .change = Change::start},
        {.name = "line", .field = in_code(o.line), .about = "in the scene file"},
        {.name = "column", .field = in_code(o.column), .about = "in the scene file"},
    };
}

Options describe_output(Scene& scene) {
    return {
        {.name = "formats", .field = &scene.output.formats, .about = "one or more files to write",
         .change = Change::start},
        {.name = "first_frame", .field = &scene.first_frame,
         .about = "first frame written; frame 1 is the first pose", .range = {1, 1e7},
         .change = Change::start},
        {.name = "last_frame", .field = &scene.last_frame,
         .about = "last frame written; 0: the end of the clip", .range = {0, 1e7},
         .change = Change::start},
        {.name = "format_options", .field = in_code(scene.output.format_options),
         .about = "tables of the formats, see describe(SinkOptions&)"},
        {.name = "tolerance", .field = MovedField{"tolerance in [output.glb]"}},
        {.name = "page_tolerance", .field = MovedField{"tolerance in [output.html]"}},
        {.name = "page_times", .field = MovedField{"times in [output.html]"}},
    };
}

Options describe(RecordingScene& recording) {
    return {
        {.name = "steps", .field = &recording.steps, .about = "number of steps; 0: nothing is recorded",
         .range = {0, max_recorded_steps}, .change = Change::start},
        {.name = "commands", .field = &recording.commands,
         .about = "the commands, JSON as in docs/live.md, each with the step after which it came",
         .change = Change::start},
    };
}
// clang-format on

void check_scene(const Scene& scene) {
    const BodyScene& body = scene.body;
    const std::string at = scene_place(scene.file, 0, 0);
    std::vector<std::string> sources;
    if (!body.file.empty()) {
        sources.emplace_back("file");
    }
    if (!body.actor.empty()) {
        sources.emplace_back("actor");
    }
    if (!body.mesh_file.empty()) {
        sources.emplace_back("mesh");
    }
    require(!sources.empty(), at + "[body] expected one of file, actor, or mesh; found none");
    if (sources.size() > 1) {
        throw InvalidInput(at + "[body] expected one source; found " + word_list(sources));
    }
    const auto only_with = [&](const std::string& value, const char* key, bool allowed, const char* partner) {
        if (!value.empty() && !allowed) {
            throw InvalidInput(
                concat(at, "[body] ", key, " goes with ", partner, "; found it beside ", sources.front()));
        }
    };
    only_with(body.cache, "cache", !body.mesh_file.empty(), "an OBJ mesh");
    only_with(body.motion, "motion", body.mesh_file.empty(), "file or actor");
    only_with(body.clips.empty() ? "" : "clips", "clips", body.mesh_file.empty() && body.motion.empty(),
              "file or actor without motion");
    require(body.clips.empty() || body.options.clip.empty(), at + "[body] expected clip or clips; found both");
    only_with(body.options.clip, "clip", body.mesh_file.empty(), "file or actor");
    require(body.motion.empty() || body.options.clip.empty() || !body.motion.ends_with(".bvh"),
            at + "[body] expected clip or motion (both: only where motion is a file with clips); found both");
    for (const DecalScene& decal : scene.decals) {
        const std::string where = scene_place(scene.file, decal.line, decal.column) + "[[decal]] ";
        require(!decal.image.empty(), where, "image: expected the name of a picture, found none");
        const int places = (decal.at.empty() ? 0 : 1) + (decal.uv.empty() ? 0 : 1) + (decal.joint.empty() ? 0 : 1);
        require(places == 1, where, "expected one of at, uv and joint, found ", places == 0 ? "none" : "several");
        require(decal.at.empty() || decal.at.size() == 3, where, "at: expected 3 numbers, found ", decal.at.size());
        require(decal.uv.empty() || decal.uv.size() == 2, where, "uv: expected 2 numbers, found ", decal.uv.size());
    }
    require(!scene.output.formats.empty(), at + "[output] formats: expected at least one format, found an empty list");
    for (const std::string& format : scene.output.formats) {
        require(std::count(scene.output.formats.begin(), scene.output.formats.end(), format) <= 1, at,
                "[output] formats: expected each once, found \"", format, "\" twice");
    }
    require(scene.recording.steps == 0 || (scene.wedges.empty() && body.clips.empty()), at,
            "[recording] expected neither [wedge] nor clips beside it");
    require(scene.last_frame == 0 || scene.last_frame >= scene.first_frame, at,
            "[output] expected first_frame <= last_frame; found ", scene.first_frame, " and ", scene.last_frame);
}

}  // namespace cutis
