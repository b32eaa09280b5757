#include <iostream>

#include "cutis/actors/actors.h"
#include "cutis/io/files.h"
#include "cutis/io/scene_describe.h"
#include "cutis/io/scene_read.h"
#include "run.h"
#include "suggest.h"
#include "verbs.h"

namespace cutis::app {

namespace {

struct BakeFlags {
    std::string scene;
    std::string output;
    std::string frames;
    std::vector<std::string> formats;
    std::vector<std::string> clips;
    std::string memory;
    int threads = 0;
    bool json = false;
    bool print_defaults = false;
    int checkpoint = 0;
    bool resume = false;
    SuggestOptions suggest;
};

/// The scene for a character; what was found is said first, and the scene is kept beside the result.
Scene suggested(const BakeFlags& flags) {
    const Suggestion found =
        reading<Suggestion>([&] { return suggest_scene(flags.scene, flags.output, flags.suggest, load_actor); });
    (flags.json ? std::cerr : std::cout) << suggestion_text(found);
    std::filesystem::create_directories(flags.output);
    const std::filesystem::path path = std::filesystem::path(flags.output) / (output_name(flags.scene) + ".toml");
    AtomicFile file(path);
    file.write(found.scene);
    file.commit();
    return reading<Scene>([&] { return read_scene(path); });
}

int run_bake(const BakeFlags& flags) {
    if (flags.print_defaults) {
        std::cout << SceneDescription().sample();
        return exit_good;
    }
    require(!flags.scene.empty() && !flags.output.empty(),
            "bake: expected SCENE.toml or CHARACTER.glb, and -o OUT (or --print-defaults)");
    Scene scene =
        is_character(flags.scene) ? suggested(flags) : reading<Scene>([&] { return read_scene(flags.scene); });
    set_frames(flags.frames, scene);
    if (!flags.formats.empty()) {
        scene.output.formats = flags.formats;
    }
    if (!flags.clips.empty()) {
        scene.body.clips = flags.clips == std::vector<std::string>{"all"} ? std::vector<std::string>{"*"} : flags.clips;
        scene.body.options.clip.clear();
        scene.last_frame = flags.frames.empty() && is_character(flags.scene) ? 0 : scene.last_frame;
    }
    RunOptions options;
    options.folder = flags.output;
    options.name = output_name(flags.scene);
    options.threads = flags.threads;
    options.json = flags.json;
    options.memory = parse_memory(flags.memory);
    options.checkpoint_every = flags.checkpoint;
    options.resume = flags.resume;
    return scene.wedges.empty() ? run_bake(scene, options) : run_wedges(scene, options);
}

}  // namespace

void add_bake(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<BakeFlags>();
    CLI::App* verb =
        program.add_subcommand("bake", "run a scene, or a character with the layers that fit it, and write its frames");
    verb->add_option(
        "SCENE", flags->scene,
        "scene file (TOML), or a character (.glb .gltf .obj, actor:NAME), which gets the scene that `suggest` writes");
    add_suggest_flags(*verb, flags->suggest);
    verb->add_option("-o,--output", flags->output, "folder to write into, created if missing");
    verb->add_option("--frames", flags->frames, "A-B, both included; A- to the end; A alone");
    verb->add_option("--format", flags->formats, "instead of the scene's formats, comma-separated")->delimiter(',');
    verb->add_option("--clips", flags->clips,
                     "several clips in one bake, comma-separated, or all: one output clip each")
        ->delimiter(',');
    verb->add_option("--threads", flags->threads, "number of threads; 0: all; the result is the same for any number")
        ->check(CLI::Range(0, 1024));
    verb->add_option(
        "--memory", flags->memory,
        "refuse a bake estimated to need more than this, such as 4G; default: half of the machine's memory");
    verb->add_option("--checkpoint", flags->checkpoint,
                     "write a checkpoint every N frames, and when stopped by a signal")
        ->check(CLI::Range(1, max_frames));
    verb->add_flag("--resume", flags->resume, "resume from the checkpoint of a stopped bake, bit for bit");
    verb->add_flag("--json", flags->json, "one JSON report on stdout, the rest on stderr");
    verb->add_flag("--print-defaults", flags->print_defaults, "print a scene with every key, its default and meaning");
    verb->callback([flags, &action] { action = [flags] { return run_bake(*flags); }; });
}

}  // namespace cutis::app
