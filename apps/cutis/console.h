#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "cutis/core/progress.h"

namespace cutis::app {

/// From now on SIGINT, SIGTERM and SIGHUP ask for a clean end instead of killing.
void catch_signals();
/// Number of the signal that arrived, 0: none.
int caught_signal();

/// Shows how far a bake has come: a bar on a terminal, else flushed `Progress: 42% frame 51/120`
/// lines, none before a second has passed, at most one per percent, and always the last one.
class ProgressShow {
public:
    explicit ProgressShow(std::FILE* stream);
    /// Also says stop once a signal has arrived.
    ProgressCallback callback();

private:
    using Clock = std::chrono::steady_clock;
    bool show(const Progress& progress);
    void show_bar(const Progress& progress, int percent, double seconds);

    std::FILE* stream_;
    bool is_terminal_;
    Clock::time_point begin_ = Clock::now();
    double last_shown_ = 0.0;
    int last_percent_ = -1;
};

/// Columns padded to their widest entry; numbers (cells of digits) to the right.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// A number with a few digits, for people.
std::string short_number(double value);

}  // namespace cutis::app
