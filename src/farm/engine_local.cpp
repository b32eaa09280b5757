#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <map>
#include <thread>

#include "cutis/core/error.h"
#include "cutis/farm/engines.h"
#include "farm/state.h"

extern char** environ;

namespace cutis::farm {

namespace {

using LocalClock = std::chrono::steady_clock;

/// Processes of `farm run`, a few at a time, each with one task.
class LocalEngine {
public:
    LocalEngine(const Plan& plan, const LocalOptions& options)
        : plan_(plan), options_(options), state_(plan.folder()), tasks_(plan.tasks()) {
        jobs_ = options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        standing_ = standings(plan, tasks_, options.tries);
        for (size_t i = 0; i < tasks_.size(); ++i) {
            report_.done += standing_[i] == Standing::done ? 1 : 0;
            parts_left_[tasks_[i].shot] += tasks_[i].kind == TaskKind::part && standing_[i] != Standing::done ? 1 : 0;
            if (standing_[i] == Standing::running) {
                standing_[i] = Standing::waiting;  // by others, or by a dead worker: `run` knows
            }
        }
    }

    LocalReport run() {
        while (true) {
            const int signal = options_.stopped ? options_.stopped() : 0;
            if (signal != 0 && report_.signal == 0) {
                report_.signal = signal;
                for (const auto& [process, number] : running_) {
                    kill(process, SIGTERM);
                }
            }
            while (report_.signal == 0 && static_cast<int>(running_.size()) < jobs_) {
                const std::int64_t number = next();
                if (number < 0) {
                    break;
                }
                start(number);
            }
            if (running_.empty() && (later_.empty() || report_.signal != 0)) {
                break;
            }
            wait_for_one();
        }
        report_.failed = static_cast<std::int64_t>(
            std::count_if(standing_.begin(), standing_.end(), [](Standing s) { return s == Standing::failed; }));
        for (size_t i = 0; i < tasks_.size(); ++i) {
            report_.failed +=
                standing_[i] == Standing::waiting && report_.signal == 0 ? 1 : 0;  // behind one that failed
        }
        return report_;
    }

private:
    bool is_ready(std::int64_t number) const {
        const auto [first, last] = plan_.needs(number, tasks_[static_cast<size_t>(number)]);
        for (std::int64_t before = first; before < last; ++before) {
            if (standing_[static_cast<size_t>(before)] != Standing::done) {
                return false;
            }
        }
        return standing_[static_cast<size_t>(number)] == Standing::waiting;
    }

    std::int64_t next() {
        if (!ready_.empty()) {
            const std::int64_t number = ready_.front();
            ready_.pop_front();
            return number;
        }
        if (!later_.empty() && later_.front().second <= LocalClock::now()) {
            const std::int64_t number = later_.front().first;
            later_.pop_front();
            return number;
        }
        for (; cursor_ < static_cast<std::int64_t>(tasks_.size()); ++cursor_) {
            if (is_ready(cursor_)) {
                return cursor_++;
            }
        }
        return -1;
    }

    void start(std::int64_t number) {
        std::vector<std::string> words = {options_.program.string(),
                                          "run",
                                          plan_.folder().string(),
                                          "--task",
                                          std::to_string(number),
                                          "--no-wait",
                                          "--tries",
                                          std::to_string(options_.tries)};
        words.insert(words.end(), options_.flags.begin(), options_.flags.end());
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        posix_spawn_file_actions_t quiet;
        posix_spawn_file_actions_init(&quiet);
        posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", 1, 0);
        pid_t process = 0;
        const int error = posix_spawn(&process, words[0].c_str(), &quiet, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&quiet);
        if (error != 0) {
            throw IoError(concat(words[0], ": cannot be started (", std::strerror(error), ")"));
        }
        standing_[static_cast<size_t>(number)] = Standing::running;
        running_[process] = number;
    }

    void wait_for_one() {
        int status = 0;
        const pid_t process = waitpid(-1, &status, WNOHANG);
        const auto found = running_.find(process);
        if (process <= 0 || found == running_.end()) {
            usleep(5'000);
            return;
        }
        const std::int64_t number = found->second;
        running_.erase(found);
        Standing& standing = standing_[static_cast<size_t>(number)];
        standing = Standing::waiting;
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code == 0 || state_.is_done(tasks_[static_cast<size_t>(number)].hash)) {
            standing = Standing::done;
            ++report_.done;
            if (options_.progress) {
                options_.progress({"task", static_cast<int>(report_.done), static_cast<int>(tasks_.size())});
            }
            add_next(number);
        } else if (report_.signal == 0 && (code == temporary || code < 0)) {
            // Another worker has it, the disk was full, or somebody killed the process.
            constexpr int most = 10;
            if (code < 0 && ++killed_[number] > most) {
                standing = Standing::failed;
                return;
            }
            later_.emplace_back(number, LocalClock::now() + std::chrono::milliseconds(code < 0 ? 0 : 1000));
        } else if (report_.signal == 0) {
            standing = Standing::failed;
        }
    }

    // What waited for a task that is done: the next chunk of a chain, or the join when all parts are there.
    void add_next(std::int64_t number) {
        const Task& task = tasks_[static_cast<size_t>(number)];
        std::int64_t behind = number + 1;
        if (task.is_last() || (task.kind == TaskKind::part && --parts_left_[task.shot] > 0)) {
            return;
        }
        if (task.kind == TaskKind::part) {
            behind = number - task.chunk + task.chunks - 1;
        }
        if (behind < cursor_ && is_ready(behind)) {
            ready_.push_back(behind);
        }
    }

    static constexpr int temporary = 75;  // EX_TEMPFAIL of sysexits.h, as `farm run` says it

    const Plan& plan_;
    const LocalOptions& options_;
    State state_;
    std::vector<Task> tasks_;
    std::vector<Standing> standing_;
    int jobs_ = 1;
    std::int64_t cursor_ = 0;
    std::deque<std::int64_t> ready_;
    std::deque<std::pair<std::int64_t, LocalClock::time_point>> later_;
    std::map<pid_t, std::int64_t> running_;
    std::map<std::int64_t, int> killed_;
    std::map<std::int64_t, std::int64_t> parts_left_;  // by shot
    LocalReport report_;
};

}  // namespace

LocalReport submit_local(const Plan& plan, const LocalOptions& options) {
    return LocalEngine(plan, options).run();
}

}  // namespace cutis::farm
