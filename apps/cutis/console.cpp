#include "console.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace cutis::app {

namespace {

volatile std::sig_atomic_t signal_number = 0;
volatile std::sig_atomic_t signal_count = 0;

void remember_signal(int number) {
    signal_number = number;
    signal_count = signal_count + 1;
}

// Bytes that begin a character; enough to align UTF-8 names.
size_t width_of(const std::string& text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_number(const std::string& text) {
    return text.find_first_of("0123456789") != std::string::npos &&
           text.find_first_not_of("0123456789.+-e") == std::string::npos;
}

}  // namespace

void catch_signals() {
    struct sigaction action = {};
    action.sa_handler = remember_signal;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(number, &action, nullptr);
    }
}

int caught_signal() {
    return signal_number;
}

ProgressDisplay::ProgressDisplay(std::FILE* stream, std::function<void()> give_up, bool is_patient)
    : stream_(stream),
      is_terminal_(isatty(fileno(stream)) != 0),
      give_up_(std::move(give_up)),
      is_patient_(is_patient),
      watcher_([this] { watch(); }) {}

ProgressDisplay::~ProgressDisplay() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    end_.notify_all();
    watcher_.join();
}

ProgressCallback ProgressDisplay::callback() {
    return [this](const Progress& progress) { return show(progress); };
}

// Layers look up only between frames. What lasts is named here, and ended if it must be.
void ProgressDisplay::watch() {
    constexpr auto glance = std::chrono::milliseconds(100);
    constexpr int patience = 50;  // glances: five seconds
    int glances_since_signal = 0;
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, glance, [this] { return is_over_; })) {
        glances_since_signal += signal_number != 0 ? 1 : 0;
        if (signal_count > 1 || (glances_since_signal > patience && !is_patient_)) {
            give_up_();
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        if (!stage_.empty() && seconds - stage_begin_ >= 1.0) {
            show_stage(seconds);
        }
    }
}

void ProgressDisplay::show_stage(double seconds) {
    if (is_terminal_) {
        std::fprintf(stream_, "\r%s, %.0f s \033[K", stage_.c_str(), seconds - stage_begin_);
    } else if (!was_stage_named_) {
        std::fprintf(stream_, "Progress: %d%% %s\n", std::max(0, last_percent_), stage_.c_str());
    }
    was_stage_named_ = true;
    std::fflush(stream_);
}

bool ProgressDisplay::show(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (progress.begins) {
        stage_ = progress.stage;
        stage_begin_ = seconds;
        was_stage_named_ = false;
        return signal_number == 0;
    }
    stage_.clear();
    const int percent = static_cast<int>(100.0 * progress.done / std::max(1, progress.total));
    const bool is_last = progress.done >= progress.total;
    if (is_terminal_) {
        if (is_last || seconds - last_shown_ >= 0.1) {
            show_bar(progress, percent, seconds);
            last_shown_ = seconds;
        }
    } else if (is_last ||
               (seconds >= 1.0 && percent > last_percent_ && (last_percent_ < 0 || seconds - last_shown_ >= 0.5))) {
        std::fprintf(stream_, "Progress: %d%% %.*s %d/%d\n", percent, static_cast<int>(progress.stage.size()),
                     progress.stage.data(), progress.done, progress.total);
        std::fflush(stream_);
        last_shown_ = seconds;
        last_percent_ = percent;
    }
    return signal_number == 0;
}

void ProgressDisplay::show_bar(const Progress& progress, int percent, double seconds) {
    constexpr int width = 30;
    const int filled = width * percent / 100;
    const std::string bar =
        std::string(static_cast<size_t>(filled), '#') + std::string(static_cast<size_t>(width - filled), '.');
    const double rate = progress.done / std::max(seconds, 1e-9);
    std::fprintf(stream_, "\r[%s] %3d%% %.*s %d/%d, %.1f/s, %.0f s left \033[K", bar.c_str(), percent,
                 static_cast<int>(progress.stage.size()), progress.stage.data(), progress.done, progress.total, rate,
                 (progress.total - progress.done) / rate);
    if (progress.done >= progress.total || signal_number != 0) {
        std::fputc('\n', stream_);
    }
    std::fflush(stream_);
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
    std::vector<size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (size_t c = 0; c < row.size(); ++c) {
            widths[c] = std::max(widths[c], width_of(row[c]));
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (size_t c = 0; c < row.size(); ++c) {
            const std::string space(widths[c] - width_of(row[c]), ' ');
            line += (c == 0 ? "" : "  ") + (is_number(row[c]) ? space + row[c] : row[c] + space);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string short_number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

}  // namespace cutis::app
