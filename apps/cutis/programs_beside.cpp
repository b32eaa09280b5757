#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cutis/core/error.h"
#include "verbs.h"

namespace cutis::app {

namespace {

/// Beside this program, wherever it was started from.
std::filesystem::path program_beside(const std::string& name) {
    std::error_code unknown;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
    return unknown ? std::filesystem::path(name) : self.parent_path() / name;
}

int become(const std::string& verb, const std::string& name, const std::string& target,
           std::vector<std::string> words) {
    const std::string program = program_beside(name).string();
    words.insert(words.begin(), program);
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    execvp(program.c_str(), arguments.data());
    throw InvalidInput(
        concat("cutis ", verb, " needs the program ", program, ", which is missing; `make ", target, "` builds it"));
}

}  // namespace

void add_programs_beside(CLI::App& program, Action& action) {
    const auto add = [&](const std::string& name, const std::string& about, const std::string& other, bool says_verb,
                         const std::string& target) {
        CLI::App* verb = program.add_subcommand(name, about);
        verb->set_help_flag();
        verb->prefix_command();
        verb->callback([verb, name, other, says_verb, target, &action] {
            std::vector<std::string> words = verb->remaining();
            if (says_verb) {
                words.insert(words.begin(), name);
            }
            action = [name, other, target, words] { return become(name, other, target, words); };
        });
    };
    add("farm", "many shots on many machines: plan, run, status, retry, collect, submit", "cutis-farm", false, "build");
    add("live", "a living scene in the browser: drag, pull, tune", "cutis-live", false, "live");
    add("verify", "compute the cases that prove each layer right", "cutis-proofs", true, "build");
    add("bench", "measure each layer beside a baseline", "cutis-proofs", true, "build");
}

}  // namespace cutis::app
