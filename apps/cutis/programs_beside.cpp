#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "cutis/core/error.h"
#include "cutis/io/character_read.h"
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

/// Starts cutis-fbx and waits for it.
std::vector<std::string> convert_fbx(const std::filesystem::path& fbx, const std::filesystem::path& glb) {
    const std::string program = program_beside("cutis-fbx").string();
    if (access(program.c_str(), X_OK) != 0) {
        throw InvalidInput(
            concat(fbx.string(), ": FBX needs the program ", program, ", which is missing; `make fbx` builds it"));
    }
    int pipe_ends[2];
    if (pipe(pipe_ends) != 0) {
        throw IoError(concat(program, ": cannot be started"));
    }
    const pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDOUT_FILENO);
        dup2(pipe_ends[1], STDERR_FILENO);
        close(pipe_ends[0]);
        close(pipe_ends[1]);
        execl(program.c_str(), program.c_str(), fbx.c_str(), glb.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    close(pipe_ends[1]);
    std::string said;
    char bytes[4096];
    for (ssize_t got = 0; child > 0 && (got = read(pipe_ends[0], bytes, sizeof(bytes))) != 0;) {
        if (got > 0) {
            said.append(bytes, static_cast<size_t>(got));
        } else if (errno != EINTR) {
            break;
        }
    }
    close(pipe_ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::vector<std::string> lines;
    std::istringstream text(said);
    for (std::string line; std::getline(text, line);) {
        lines.push_back(line);
    }
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        throw InvalidInput(lines.empty() ? concat(fbx.string(), ": expected FBX that can be read, ", program,
                                                  " ended without a message")
                                         : lines.back());
    }
    return lines;
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
    set_fbx_converter(convert_fbx);
    add("farm", "many shots on many machines: plan, run, status, retry, collect, submit", "cutis-farm", false, "build");
    add("live", "a live scene in the browser: drag, pull, tune", "cutis-live", false, "live");
    add("verify", "run the cases that prove each layer correct", "cutis-proofs", true, "build");
    add("bench", "measure each layer against a baseline", "cutis-proofs", true, "build");
}

}  // namespace cutis::app
