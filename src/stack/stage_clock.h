#pragma once

#include <chrono>

namespace cutis {

/// Writes down the seconds from its making to stop(), or to the end of its scope.
class StageClock {
public:
    explicit StageClock(double& seconds) : seconds_(seconds) {}
    ~StageClock() { stop(); }
    void stop() {
        if (is_running_) {
            seconds_ = std::chrono::duration<double>(Clock::now() - begin_).count();
            is_running_ = false;
        }
    }
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    bool is_running_ = true;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace cutis
