#include <iostream>

#include "console.h"
#include "demos.h"
#include "report.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace {

struct DemoFlags {
    std::string name = default_demo;
    std::string output;
    int threads = 0;
    bool json = false;
    bool list = false;
};

int show_list(bool json) {
    if (!json) {
        std::vector<std::vector<std::string>> rows;
        for (const Demo& demo : demos()) {
            const std::vector<std::string> files = data_files(demo);
            rows.push_back({demo.name, demo.page.caption + (files.empty() ? "" : " (reads " + files[0] + ")")});
        }
        std::cout << table_text(rows);
        return exit_good;
    }
    Json list = Json::array();
    for (const Demo& demo : demos()) {
        list.push_back({{"name", demo.name},
                        {"about", demo.page.caption},
                        {"figure", demo.page.figure},
                        {"scene", demo.text},
                        {"data", data_files(demo)},
                        {"stills", demo.page.stills}});
    }
    std::cout << json_text(list);
    return exit_good;
}

int run_demo(const DemoFlags& flags) {
    if (flags.list) {
        return show_list(flags.json);
    }
    const Demo& demo = find_demo(flags.name);
    RunOptions options;
    options.folder = flags.output.empty() ? "out/" + flags.name : flags.output;
    options.name = demo.name;
    options.threads = flags.threads;
    options.json = flags.json;
    options.use_report_file = true;
    const int code = run_bake(demo_scene(demo), options);
    if (code == exit_good) {
        const auto file = [&](const std::string& name) { return (options.folder / name).string(); };
        (flags.json ? std::cerr : std::cout)
            << "Open " << file(demo.name + ".html") << " in a browser, or " << file(demo.name + ".glb")
            << " in any glTF viewer; the numbers are in " << file("report.json") << '\n';
    }
    return code;
}

}  // namespace

void add_demo(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<DemoFlags>();
    CLI::App* verb = program.add_subcommand("demo", "bake a built-in scene and say what to open");
    verb->add_option("NAME", flags->name, "name of the demo")->capture_default_str();
    verb->add_option("-o,--output", flags->output, "folder to write into (default out/NAME)");
    verb->add_option("--threads", flags->threads, "0: all")->check(CLI::Range(0, 1024));
    verb->add_flag("--json", flags->json, "one JSON report on stdout, the rest on stderr");
    verb->add_flag("--list", flags->list, "list the demos; with --json machine-readable");
    verb->callback([flags, &action] { action = [flags] { return run_demo(*flags); }; });
}

}  // namespace cutis::app
