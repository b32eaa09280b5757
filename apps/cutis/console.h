#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cutis/core/progress.h"

namespace cutis::app {

/// From now on SIGINT, SIGTERM and SIGHUP ask for a clean end instead of killing: after the frame
/// under way, or at once where a second signal comes.
void catch_signals();
/// Number of the signal that arrived, 0: none.
int caught_signal();

/// Shows how far a bake has come: a bar on a terminal, else flushed `Progress: 42% frame 51/120`
/// lines, none before a second has passed, at most one per percent, and always the last one. A
/// stage without frames (preparing a layer) is named once it has lasted a second.
class ProgressDisplay {
public:
    /// \param give_up  called from another thread when a second signal came, or a first one was not
    ///                 heeded for five seconds; ends the program
    /// \param is_patient  only a second signal counts: the frame under way ends in a checkpoint
    ProgressDisplay(std::FILE* stream, std::function<void()> give_up, bool is_patient);
    ~ProgressDisplay();
    ProgressDisplay(const ProgressDisplay&) = delete;
    ProgressDisplay& operator=(const ProgressDisplay&) = delete;
    /// Also says stop once a signal has arrived.
    ProgressCallback callback();

private:
    using Clock = std::chrono::steady_clock;
    bool show(const Progress& progress);
    void show_bar(const Progress& progress, int percent, double seconds);
    void show_stage(double seconds);
    void watch();

    std::FILE* stream_;
    bool is_terminal_;
    Clock::time_point begin_ = Clock::now();
    double last_shown_ = 0.0;
    int last_percent_ = -1;
    std::string stage_;         // one of unknown length that is under way; empty: none
    double stage_begin_ = 0.0;  // seconds after begin_
    bool was_stage_named_ = false;

    std::function<void()> give_up_;
    bool is_patient_;
    std::mutex mutex_;
    std::condition_variable end_;
    bool is_over_ = false;
    std::thread watcher_;
};

/// Columns padded to their widest entry; numbers (cells of digits) to the right.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

/// A number with a few digits, for people.
std::string short_number(double value);

}  // namespace cutis::app
