#include <iostream>

#include "cutis/stack/actors.h"
#include "cutis/stack/settings.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace {

struct Demo {
    const char* name;
    const char* about;
    Scene (*scene)();
};

Scene tube_scene() {
    Scene scene;
    scene.body.actor = "tube";
    scene.body.options.skinning = Skinning::dual_quaternion;
    scene.output.formats = {"glb", "usda", "pc2", "obj"};
    return scene;
}

constexpr Demo demos[] = {
    {"tube", "a tube on three joints that bends and twists, dual quaternion skinning", tube_scene}};

struct Flags {
    std::string name = demos[0].name;
    std::string output;
    int threads = 0;
    bool json = false;
    bool list = false;
};

int run(const Flags& flags) {
    if (flags.list) {
        for (const Demo& demo : demos) {
            std::cout << demo.name << "  " << demo.about << '\n';
        }
        return exit_good;
    }
    std::vector<std::string> names;
    for (const Demo& demo : demos) {
        names.emplace_back(demo.name);
        if (flags.name != demo.name) {
            continue;
        }
        RunOptions options;
        options.folder = flags.output.empty() ? "out/" + flags.name : flags.output;
        options.name = demo.name;
        options.threads = flags.threads;
        options.json = flags.json;
        options.use_report_file = true;
        const int code = run_bake(demo.scene(), options);
        if (code == exit_good) {
            (flags.json ? std::cerr : std::cout)
                << "Look at " << (options.folder / (options.name + ".glb")).string()
                << " in any glTF viewer; the numbers are in "
                << (options.folder / "report.json").string() << '\n';
        }
        return code;
    }
    throw InvalidInput(
        say("demo: expected one of ", word_list(names), "; found \"", flags.name, "\""));
}

}  // namespace

void add_demo(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("demo", "bake a built-in scene and say where to look");
    verb->add_option("NAME", flags->name, "which demo")->capture_default_str();
    verb->add_option("-o,--output", flags->output, "folder to write into (default out/NAME)");
    verb->add_option("--threads", flags->threads, "0: all")->check(CLI::Range(0, 1024));
    verb->add_flag("--json", flags->json, "one JSON report on stdout, the rest on stderr");
    verb->add_flag("--list", flags->list, "say which demos there are");
    verb->callback([flags, &action] { action = [flags] { return run(*flags); }; });
}

}  // namespace cutis::app
