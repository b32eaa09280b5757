#include "suggest.h"

#include "cutis/io/character_read.h"

#include <algorithm>
#include <cctype>
#include <iostream>

#include "console.h"
#include "cutis/actors/actors.h"
#include "cutis/io/files.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace fs = std::filesystem;

void add_suggest_flags(CLI::App& verb, SuggestOptions& options) {
    verb.add_option("--layers", options.layers,
                    "for a character: curve, fold, slide, wrinkle, shell, or none; comma-separated")
        ->delimiter(',');
    verb.add_option("--preset", options.preset, "for a character: human, quadruped, creature, cloth or face");
    verb.add_option("--clip", options.clip, "for a character: this clip instead of the one that shows most");
    verb.add_option("--budget", options.budget,
                    "for a character: most vertices of the mesh that folds refine; default: 4 for each of its "
                    "triangles, 16000 to 60000")
        ->check(CLI::Range(100, 4000000));
}

bool is_character(const std::string& path) {
    if (path.starts_with("actor:")) {
        return true;
    }
    std::string extension = fs::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension == ".obj" || (!extension.empty() && is_character_ending(extension.substr(1)));
}

std::string suggestion_text(const Suggestion& suggestion) {
    std::string text;
    for (const std::string& sentence : suggestion.words) {
        text += sentence + "\n";
    }
    for (const std::string& doubt : suggestion.doubts) {
        text += "In doubt: " + doubt + ".\n";
    }
    return text;
}

void add_suggest(CLI::App& program, Action& action) {
    struct Flags {
        std::string character;
        std::string output;
        SuggestOptions options;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("suggest", "look at a character and write the scene that `bake CHARACTER` would use");
    verb->add_option("CHARACTER", flags->character, ".glb .gltf .obj, or actor:NAME")->required();
    verb->add_option("-o,--output", flags->output, "scene file to write; default: stdout");
    add_suggest_flags(*verb, flags->options);
    verb->callback([flags, &action] {
        action = [flags] {
            const fs::path target = flags->output;
            const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path();
            const Suggestion found = reading<Suggestion>(
                [&] { return suggest_scene(flags->character, folder, flags->options, load_actor); });
            if (flags->output.empty()) {
                std::cout << found.scene;
            } else {
                AtomicFile file(target);
                file.write(found.scene);
                file.commit();
                std::cout << suggestion_text(found) << "The scene is in " << target.string() << ".\n";
            }
            return exit_good;
        };
    });
}

}  // namespace cutis::app
