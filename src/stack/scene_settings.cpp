#include <algorithm>

#include "cutis/core/error.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/settings.h"

namespace cutis {

SettingsTable body_settings(Scene& scene) {
    BodyScene& body = scene.body;
    BodyOptions& options = body.options;
    ClockOptions& clock = options.clock;
    const ChoiceTarget skinning = {static_cast<int>(options.skinning), [&options](int i) {
                                       options.skinning = static_cast<Skinning>(i);
                                   }};
    const ChoiceTarget up = {options.up_axis == 'z' ? 1 : 0,
                             [&options](int i) { options.up_axis = i == 1 ? 'z' : 'y'; }};
    const ChoiceTarget loop = {static_cast<int>(clock.loop),
                               [&clock](int i) { clock.loop = static_cast<LoopMode>(i); }};
    const ChoiceTarget sampling = {static_cast<int>(body.sampling), [&body](int i) {
                                       body.sampling = static_cast<TimeSampling>(i);
                                   }};
    return {
        "[body]",
        "Where the body comes from: one of file, actor, or mesh without them. Paths are relative "
        "to this file.",
        {
            {"file", &body.file, "glTF or GLB character"},
            {"actor", &body.actor, "built-in character; `cutis inspect actor:` lists them"},
            {"mesh", &options.mesh,
             "with file or actor: name of the mesh, empty takes all; alone: an OBJ file"},
            {"cache", &body.cache,
             "moves an OBJ mesh: PC2, MDD, or OBJ files with one * in the name"},
            {"cache_rate", &body.cache_rate,
             "samples a second of PC2 and OBJ files; 0 takes fps (MDD: its own times)", "1/s", 0.0,
             1e5},
            {"motion", &body.motion, "BVH motion for the skeleton of file, by joint names"},
            {"rest", &body.rest, "OBJ with a separate rest pose, same vertices"},
            {"clip", &options.clip, "name of the clip; empty takes the first"},
            {.key = "skinning",
             .target = skinning,
             .about = "how joints move vertices",
             .choices = {"linear-blend", "dual-quaternion"}},
            {"scale", &options.scale, "metres per unit of the file", "m", 1e-9, 1e9},
            {.key = "up",
             .target = up,
             .about = "axis that points up in the file",
             .choices = {"y", "z"}},
            {"fps", &scene.fps, "frames a second", "1/s", 1e-3, 1e5},
            {"time_scale", &clock.time_scale, "2 plays twice as fast", "", 0.01, 100.0},
            {.key = "loop",
             .target = loop,
             .about = "after the last key: hold it, or start again",
             .choices = {"hold", "loop"}},
            {"seam_tolerance", &clock.seam_tolerance,
             "loop: gap that counts as closed, of the box diagonal", "", 0.0, 1.0},
            {"jump_limit", &clock.jump_limit,
             "loop: gap beyond which the seam is a cut, of the box diagonal", "", 0.0, 1e3},
            {.key = "between_keys",
             .target = sampling,
             .about = "positions between keys: as the file says, or with continuous velocity",
             .choices = {"exact", "smooth"}},
            {"pre_roll", &scene.pre_roll,
             "the body holds still before frame 1, for layers with memory", "s", 0.0, 1e4},
            {"repair", &body.repair,
             "weld and clean the surface layers work on; false refuses instead"},
            {"weld_distance", &body.weld_distance,
             "repair: vertices this close are one, of the box diagonal; 0: exact matches", "", 0.0,
             1e-3},
            {"cut_distance", &body.cut_distance,
             "a body that moves further (of its box diagonal) from frame to frame makes a cut: "
             "layers start anew",
             "", 1e-3, 1e9},
        }};
}

SettingsTable output_settings(Scene& scene) {
    OutputScene& output = scene.output;
    return {"[output]",
            "What is written, into the folder given with -o.",
            {
                {.key = "formats",
                 .target = &output.formats,
                 .about = "one or more",
                 .choices = {"glb", "usda", "obj", "pc2", "mdd", "npz", "html"}},
                {"tolerance", &output.tolerance,
                 "glb: largest error of morph targets, of the box diagonal", "", 1e-7, 0.1},
                {"page_tolerance", &output.page_tolerance,
                 "html: largest error of a vertex, of the box diagonal", "", 1e-7, 0.1},
                {"page_times", &output.page_times,
                 "html: show what each frame took; false: the same bytes every time"},
                {"first_frame", &scene.first_frame,
                 "first frame written; frame 1 is the first pose", "", 1, 1e7},
                {"last_frame", &scene.last_frame, "last frame written; 0: to the end of the clip",
                 "", 0, 1e7},
            }};
}

SettingsTable page_settings(Scene& scene) {
    PageScene& page = scene.page;
    return {
        "[page]",
        "How the page (format html) begins.",
        {
            {"about", &page.about, "one line beside the title"},
            {"figure", &page.figure, "figure of a paper that the shot stands beside"},
            {.key = "paint",
             .target = &page.paint,
             .about = "shown first",
             .choices = {"skin", "checker", "grid", "tattoo", "bumps", "clay"}},
            {"camera", &page.camera, "x y z from the body to the camera; empty: from the front"},
            {"focus", &page.focus, "x y z radius of what fills the picture; empty: the whole clip",
             "m"},
            {"follow", &page.follow, "the camera travels with the body"},
            {"stills", &page.stills, "moments of the clip worth a picture", "", 0.0, 1.0},
        }};
}

std::string annotated_defaults() {
    Scene scene;
    std::string text =
        "# A cutis scene with every key at its default. An empty text means: not given.\n"
        "# Bake it with: cutis bake SCENE.toml -o OUT\n\n";
    text += settings_text(body_settings(scene)) + "\n";
    text += "# Layers, in this order; repeat [[layer]] for each.\n";
    if (layer_kinds().empty()) {
        text += "# This build has no layers: a bake gives back the body.\n";
    }
    for (const LayerKind& kind : layer_kinds()) {
        // As comments, so that the sample as it stands bakes the plain body.
        const std::string table = settings_text(
            {"[[layer]]\nkind = \"" + kind.kind + "\"", kind.about, kind.plan()->settings()});
        size_t begin = 0;
        while (begin < table.size()) {
            const size_t end = table.find('\n', begin);
            text += "# " + table.substr(begin, end - begin) + "\n";
            begin = end + 1;
        }
    }
    return text + "\n" + settings_text(output_settings(scene)) + "\n" +
           settings_text(page_settings(scene));
}

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
    if (sources.empty()) {
        throw InvalidInput(at + "[body] expected one of file, actor, or mesh; found none");
    }
    if (sources.size() > 1) {
        throw InvalidInput(at + "[body] expected one source; found " + word_list(sources));
    }
    const auto only_with = [&](const std::string& value, const char* key, bool allowed,
                               const char* partner) {
        if (!value.empty() && !allowed) {
            throw InvalidInput(say(at, "[body] ", key, " goes with ", partner, "; found it beside ",
                                   sources.front()));
        }
    };
    only_with(body.cache, "cache", !body.mesh_file.empty(), "an OBJ mesh");
    only_with(body.motion, "motion", body.mesh_file.empty(), "file or actor");
    only_with(body.options.clip, "clip", body.mesh_file.empty(), "file or actor");
    if (!body.motion.empty() && !body.options.clip.empty()) {
        throw InvalidInput(at + "[body] expected clip or motion; found both");
    }
    const auto has_size = [&](const std::vector<double>& list, const char* key, size_t size) {
        if (!list.empty() && list.size() != size) {
            throw InvalidInput(
                say(at, "[page] ", key, ": expected ", size, " numbers, found ", list.size()));
        }
    };
    has_size(scene.page.camera, "camera", 3);
    has_size(scene.page.focus, "focus", 4);
    if (scene.output.formats.empty()) {
        throw InvalidInput(at +
                           "[output] formats: expected at least one format, found an empty list");
    }
    for (const std::string& format : scene.output.formats) {
        if (std::count(scene.output.formats.begin(), scene.output.formats.end(), format) > 1) {
            throw InvalidInput(
                say(at, "[output] formats: expected each once, found \"", format, "\" twice"));
        }
    }
    if (scene.last_frame != 0 && scene.last_frame < scene.first_frame) {
        throw InvalidInput(say(at, "[output] expected first_frame <= last_frame; found ",
                               scene.first_frame, " and ", scene.last_frame));
    }
}

}  // namespace cutis
