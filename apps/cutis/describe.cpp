#include <iostream>

#include "cutis/io/scene_describe.h"
#include "verbs.h"

namespace cutis::app {

namespace {

struct DescribeFlags {
    std::string section;
    bool json = false;
    bool markdown = false;
};

int run_describe(const DescribeFlags& flags) {
    const SceneDescription description;
    if (flags.json) {
        std::cout << description.schema();
        return exit_good;
    }
    for (const SceneDescription::Section& section : description.sections()) {
        if (!flags.section.empty() && &section != &description.section(flags.section)) {
            continue;
        }
        if (flags.markdown) {
            std::cout << options_markdown(section.options);
        } else {
            std::cout << "# " << section.about << '\n'
                      << options_sample(section.options, section.header, section.path) << '\n';
        }
    }
    return exit_good;
}

}  // namespace

void add_describe(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<DescribeFlags>();
    CLI::App* verb = program.add_subcommand("describe", "all keys of a scene, with their defaults");
    verb->add_option("SECTION", flags->section, "body, a kind of layer, or output; default: all");
    CLI::Option* json = verb->add_flag("--json", flags->json, "everything as a JSON Schema, for programs");
    verb->add_flag("--markdown", flags->markdown, "tables as in the documentation")->excludes(json);
    verb->callback([flags, &action] { action = [flags] { return run_describe(*flags); }; });
}

}  // namespace cutis::app
