#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cutis/core/error.h"
#include "verbs.h"

namespace cutis::app {

namespace {

/// Beside this program, wherever it was started from.
std::filesystem::path proofs_program() {
    std::error_code unknown;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    return unknown ? std::filesystem::path("cutis-proofs") : self.parent_path() / "cutis-proofs";
}

int run_proofs(std::vector<std::string> words) {
    const std::string program = proofs_program().string();
    words.insert(words.begin(), program);
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execvp(program.c_str(), arguments.data());
    throw InvalidInput(concat("verify and bench need the program ", program,
                              ", which is missing; `make build` builds it"));
}

}  // namespace

void add_proofs(CLI::App& program, Action& action) {
    const auto add = [&](const std::string& name, const std::string& about) {
        CLI::App* verb = program.add_subcommand(name, about);
        verb->set_help_flag();
        verb->prefix_command();
        verb->callback([verb, name, &action] {
            std::vector<std::string> words = {name};
            for (const std::string& word : verb->remaining()) {
                words.push_back(word);
            }
            action = [words] { return run_proofs(words); };
        });
    };
    add("verify", "compute the cases that prove each layer right");
    add("bench", "measure each layer beside a baseline");
}

}  // namespace cutis::app
