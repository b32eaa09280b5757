#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/data.h"

namespace cutis::test {

/// How a run of the program ended.
struct Outcome {
    int code = -1;   ///< exit code, -1 when killed by a signal
    int signal = 0;  ///< that killed it
    std::string out;
    std::string err;
};

/// The program with arguments, running beside the test; stdout and stderr go to files.
class Running {
public:
    explicit Running(const std::vector<std::string>& arguments);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    pid_t pid() const { return pid_; }
    bool has_ended();
    /// Waits; a run longer than a quarter of an hour is killed and fails the test.
    Outcome wait();

private:
    ScratchFolder scratch_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool has_ended_ = false;
};

Outcome run(const std::vector<std::string>& arguments);

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);

/// Names in a folder, hidden ones too, sorted; empty where there is no folder.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// A scene that bakes the built-in cylinder that twists; `more` goes into its [body] table.
std::string cylinder_scene(const std::string& more, const std::string& formats);

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace cutis::test
