#include <filesystem>

#include "cutis/io/character_read.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/inspect.h"
#include "cutis/stack/scene.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace fs = std::filesystem;

namespace {

struct ConvertFlags {
    std::string input;
    std::string output;
    std::string mesh;
    std::string clip;
    std::string cache;
    std::string motion;
    std::string skinning = "linear-blend";
    std::string up = "y";
    std::string frames;
    double fps = 30.0;
    double scale = 1.0;
    int threads = 0;
    int bones = 0;
    bool json = false;
};

Scene scene_of(const ConvertFlags& flags) {
    Scene scene;
    BodyScene& body = scene.body;
    const std::string extension = extension_of(flags.input);
    constexpr std::string_view actor = "actor:";
    if (flags.input.rfind(actor, 0) == 0) {
        body.actor = flags.input.substr(actor.size());
    } else if (is_character_ending(extension)) {
        body.file = flags.input;
    } else if (extension == "obj") {
        body.mesh_file = flags.input;
    } else {
        throw InvalidInput(concat(flags.input,
                                  ": expected .glb, .gltf, .obj or actor:NAME (a cache goes with its "
                                  "mesh: convert MESH.obj OUT --cache CACHE)"));
    }
    body.options.mesh = flags.mesh;
    body.options.clip = flags.clip;
    body.cache = flags.cache;
    body.motion = flags.motion;
    body.options.scale = flags.scale;
    body.options.up_axis = flags.up.front();
    body.options.skinning = flags.skinning == "dual-quaternion" ? Skinning::dual_quaternion : Skinning::linear_blend;
    scene.fps = flags.fps;
    set_frames(flags.frames, scene);
    check_scene(scene);
    return scene;
}

int run_convert(const ConvertFlags& flags) {
    const fs::path output(flags.output);
    const std::string format = extension_of(output);
    const std::vector<std::string>& formats = known_formats();
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
        throw InvalidInput(concat(flags.output, ": expected a name that ends in one of ", word_list(formats),
                                  ", found \"", format, "\""));
    }
    std::error_code error;
    require(!fs::is_directory(output, error), flags.output, ": expected a file name, found a folder");
    require(flags.bones == 0 || format == "glb", flags.output,
            ": expected a name that ends in glb with --bones, found \"", format, "\"");
    Scene scene = scene_of(flags);
    scene.output.formats = {format};
    RunOptions options;
    options.folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    options.name = output.stem().string();
    options.threads = flags.threads;
    options.json = flags.json;
    options.bones = flags.bones;
    options.single_obj = format == "obj" ? output : fs::path();
    return run_bake(scene, options);
}

}  // namespace

void add_convert(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<ConvertFlags>();
    CLI::App* verb = program.add_subcommand("convert", "convert one format into another, by extension");
    verb->add_option("IN", flags->input, ".glb, .gltf, .obj or actor:NAME")->required();
    verb->add_option("OUT", flags->output,
                     ".glb .usda .obj (a sequence where there are several frames) .pc2 .mdd .npz .html")
        ->required();
    verb->add_option("--mesh", flags->mesh, "name of the mesh; default: all");
    verb->add_option("--clip", flags->clip, "name of the clip; default: the first");
    verb->add_option("--cache", flags->cache, "PC2, MDD or OBJ files with one * that move IN");
    verb->add_option("--motion", flags->motion, "BVH motion for the skeleton of IN");
    verb->add_option("--skinning", flags->skinning, "how joints move vertices")
        ->check(CLI::IsMember({"linear-blend", "dual-quaternion"}))
        ->capture_default_str();
    verb->add_option("--fps", flags->fps, "frames per second")->check(CLI::Range(1e-3, 1e5))->capture_default_str();
    verb->add_option("--frames", flags->frames, "A-B, both included; A- to the end; A alone");
    verb->add_option("--scale", flags->scale, "metres per unit of the file")
        ->check(CLI::Range(1e-9, 1e9))
        ->capture_default_str();
    verb->add_option("--up", flags->up, "axis that points up in IN")
        ->check(CLI::IsMember({"y", "z"}))
        ->capture_default_str();
    verb->add_option("--bones", flags->bones,
                     "write a GLB whose body is a skin of this many rigid bones, found from the frames")
        ->check(CLI::Range(1, 256));
    verb->add_option("--threads", flags->threads, "0: all")->check(CLI::Range(0, 1024));
    verb->add_flag("--json", flags->json, "one JSON report on stdout, the rest on stderr");
    verb->callback([flags, &action] { action = [flags] { return run_convert(*flags); }; });
}

}  // namespace cutis::app
