#include <iostream>

#include "cutis/io/scene_describe.h"
#include "cutis/io/scene_read.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace {

struct BakeFlags {
    std::string scene;
    std::string output;
    std::string frames;
    std::vector<std::string> formats;
    int threads = 0;
    bool json = false;
    bool print_defaults = false;
    int checkpoint = 0;
    bool resume = false;
};

int run_bake(const BakeFlags& flags) {
    if (flags.print_defaults) {
        std::cout << SceneDescription().sample();
        return exit_good;
    }
    require(!flags.scene.empty() && !flags.output.empty(),
            "bake: expected SCENE.toml and -o OUT (or --print-defaults)");
    Scene scene = reading<Scene>([&] { return read_scene(flags.scene); });
    set_frames(flags.frames, scene);
    if (!flags.formats.empty()) {
        scene.output.formats = flags.formats;
    }
    RunOptions options;
    options.folder = flags.output;
    options.name = output_name(flags.scene);
    options.threads = flags.threads;
    options.json = flags.json;
    options.checkpoint_every = flags.checkpoint;
    options.resume = flags.resume;
    return scene.wedges.empty() ? run_bake(scene, options) : run_wedges(scene, options);
}

}  // namespace

void add_bake(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<BakeFlags>();
    CLI::App* verb = program.add_subcommand("bake", "run a scene and write its frames");
    verb->add_option("SCENE", flags->scene, "scene file (TOML)");
    verb->add_option("-o,--output", flags->output, "folder to write into, made where missing");
    verb->add_option("--frames", flags->frames, "A-B, both included; A- to the end; A alone");
    verb->add_option("--format", flags->formats, "instead of the scene's formats, comma-separated")
        ->delimiter(',');
    verb->add_option("--threads", flags->threads, "0: all; the result is the same for any number")
        ->check(CLI::Range(0, 1024));
    verb->add_option("--checkpoint", flags->checkpoint,
                     "write a checkpoint every N frames, and when stopped by a signal")
        ->check(CLI::Range(1, max_frames));
    verb->add_flag("--resume", flags->resume,
                   "resume from the checkpoint of a stopped bake, bit for bit");
    verb->add_flag("--json", flags->json, "one JSON report on stdout, the rest on stderr");
    verb->add_flag("--print-defaults", flags->print_defaults,
                   "print a scene with every key, its default and meaning");
    verb->callback([flags, &action] { action = [flags] { return run_bake(*flags); }; });
}

}  // namespace cutis::app
