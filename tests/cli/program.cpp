#include "cli/program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace cutis::test {

namespace fs = std::filesystem;

Running::Running(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {CUTIS_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, (scratch_ / "out").c_str(), flags, 0600);
    posix_spawn_file_actions_addopen(&files, 2, (scratch_ / "err").c_str(), flags, 0600);
    const int failed = posix_spawn(&pid_, CUTIS_PROGRAM, &files, nullptr, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) {
        ADD_FAILURE() << "cannot start " << CUTIS_PROGRAM;
        has_ended_ = true;
    }
}

Running::~Running() {
    if (!has_ended_) {
        kill(pid_, SIGKILL);
        waitpid(pid_, &status_, 0);
    }
}

bool Running::has_ended() {
    if (!has_ended_) {
        has_ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    }
    return has_ended_;
}

Outcome Running::wait() {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::minutes(15);
    while (!has_ended()) {
        if (Clock::now() > deadline) {
            ADD_FAILURE() << "the program hangs";
            kill(pid_, SIGKILL);
            waitpid(pid_, &status_, 0);
            has_ended_ = true;
            break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    Outcome outcome;
    if (WIFEXITED(status_)) {
        outcome.code = WEXITSTATUS(status_);
    } else {
        outcome.signal = WTERMSIG(status_);
    }
    outcome.out = read_text(scratch_ / "out");
    outcome.err = read_text(scratch_ / "err");
    return outcome;
}

Outcome run(const std::vector<std::string>& arguments) {
    return Running(arguments).wait();
}

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string cylinder_scene(const std::string& more, const std::string& formats) {
    return "[body]\nactor = \"cylinder\"\nclip = \"twist\"\n" + more + "\n[output]\nformats = [" + formats + "]\n";
}

}  // namespace cutis::test
