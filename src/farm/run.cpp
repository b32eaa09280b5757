#include "cutis/farm/run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>

#include "cutis/core/error.h"
#include "farm/files.h"
#include "farm/state.h"
#include "farm/work.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_from(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One try of a task in a process of its own: what it does to itself, or what others do to it, is seen from outside.
struct Try {
    WorkEnd end = WorkEnd::failed;
    std::string words;  // of the report, or the reason
    double seconds = 0.0;
    double processor_seconds = 0.0;
    double megabytes = 0.0;
    bool hung = false;
    int signal = 0;
};

[[noreturn]] void be_child(const Work& work, const RunControls& controls, int answer, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would take the result
    if (getppid() != parent) {
        _exit(static_cast<int>(WorkEnd::stopped));
    }
    const int log = open((work.folder / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
        close(log);
    }
    WorkEnd end = WorkEnd::failed;
    std::string words;
    try {
        bool was_stopped = false;
        words = bake_task(work, controls, was_stopped);
        end = was_stopped ? WorkEnd::stopped : WorkEnd::done;
    } catch (const InvalidInput& error) {
        end = WorkEnd::input;
        words = error.what();
    } catch (const IoError& error) {
        end = WorkEnd::place;
        words = error.what();
    } catch (const std::bad_alloc&) {
        end = WorkEnd::place;
        words = "not enough memory";
    } catch (const std::exception& error) {
        end = WorkEnd::input;
        words = error.what();  // a solve: the same everywhere
    }
    std::fflush(stdout);
    for (size_t done = 0; done < words.size();) {
        const ssize_t put = write(answer, words.data() + done, words.size() - done);
        if (put <= 0) {
            break;
        }
        done += static_cast<size_t>(put);
    }
    _exit(static_cast<int>(end));
}

Try try_task(const Work& work, const RunControls& controls, const State& state) {
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) {
        throw IoError(concat(node_name(), ": no pipe (", std::strerror(errno), ")"));
    }
    const Clock::time_point begin = Clock::now();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
        close(answer[0]);
        be_child(work, controls, answer[1], parent);
    }
    close(answer[1]);
    if (child < 0) {
        close(answer[0]);
        throw IoError(concat(node_name(), ": no process (", std::strerror(errno), ")"));
    }
    Try out;
    const double hang = controls.hang > 0.0 ? controls.hang : std::max(1800.0, 20.0 * work.task.seconds);
    std::int64_t seen = -1;
    Clock::time_point last_step = begin;
    Clock::time_point last_touch = begin;
    bool was_told = false;
    while (true) {
        pollfd waiting = {answer[0], POLLIN, 0};
        const int ready = poll(&waiting, 1, 200);
        if (ready > 0) {
            char buffer[4096];
            const ssize_t got = read(answer[0], buffer, sizeof(buffer));
            if (got == 0 || (got < 0 && errno != EINTR)) {
                break;  // at the end errno says nothing: it may be that of a signal before
            }
            out.words.append(buffer, static_cast<size_t>(std::max<ssize_t>(0, got)));
            continue;
        }
        if (controls.stopped && controls.stopped() != 0 && !was_told) {
            kill(child, SIGTERM);
            was_told = true;
        }
        if (*work.steps != seen) {
            seen = *work.steps;
            last_step = Clock::now();
        }
        if (seconds_from(last_step) > hang) {
            out.hung = true;
            kill(child, SIGKILL);
        }
        if (seconds_from(last_touch) > std::min(10.0, controls.stale / 4.0)) {
            state.touch_claim(work.task.hash);
            last_touch = Clock::now();
        }
    }
    close(answer[0]);
    int status = 0;
    rusage used = {};
    while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
    }
    out.seconds = seconds_from(begin);
    out.processor_seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                            1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    out.megabytes = static_cast<double>(used.ru_maxrss) / 1024.0;
    out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    out.end = WIFEXITED(status) ? static_cast<WorkEnd>(WEXITSTATUS(status)) : WorkEnd::failed;
    if (was_told && out.end != WorkEnd::done) {
        out.end = WorkEnd::stopped;
    }
    return out;
}

// Last lines of a task's log.
std::string log_tail(const fs::path& folder) {
    const std::string text = small_text(folder / "log");
    size_t at = text.size();
    for (int lines = 0; lines < 20 && at > 0; ++lines) {
        at = text.rfind('\n', at - 1);
        if (at == std::string::npos) {
            return text;
        }
    }
    return text.substr(at == text.size() ? at : at + 1);
}

/// Waiting may help: a disk that is full, a server that is away.
bool may_pass(const std::string& reason) {
    for (const int code : {ENOSPC, EDQUOT, EIO, ESTALE, ETIMEDOUT}) {
        if (reason.find(std::strerror(code)) != std::string::npos) {
            return true;
        }
    }
    return false;
}

class Runner {
public:
    Runner(const Plan& plan, const RunControls& controls) : plan_(plan), controls_(controls), state_(plan.folder()) {}

    Result run(std::int64_t number) {
        const Task task = plan_.task(number);
        const auto begin = Clock::now();
        double pause = 1.0;
        while (true) {
            std::string reason;
            try {
                Result result = run_once(number, task);
                if (result.kind != Result::Kind::later || !may_pass(result.message)) {
                    return result;
                }
                reason = result.message;
            } catch (const IoError& error) {
                reason = error.what();
                state_.release(task.hash);
                if (!may_pass(reason)) {
                    throw;
                }
            }
            if (seconds_from(begin) > controls_.patience) {
                return {Result::Kind::later,
                        concat("task ", number, ": ", reason, "; waited ", controls_.patience, " s for room")};
            }
            say(concat("task ", number, ": ", reason, "; trying again in ", pause, " s"));
            if (!sleep_for(pause)) {
                return stopped();
            }
            pause = std::min(10.0, 2.0 * pause);
        }
    }

private:
    void say(const std::string& line) const {
        if (controls_.say) {
            controls_.say(line);
        }
    }
    bool is_stopped() const { return controls_.stopped && controls_.stopped() != 0; }
    static Result stopped() { return {Result::Kind::stopped, "stopped by a signal"}; }

    /// \return false: a signal came
    bool sleep_for(double seconds) const {
        const auto begin = Clock::now();
        while (seconds_from(begin) < seconds) {
            if (is_stopped()) {
                return false;
            }
            usleep(50'000);
        }
        return true;
    }

    Result run_once(std::int64_t number, const Task& task) {
        if (state_.is_done(task.hash)) {
            return {Result::Kind::was_done, concat("task ", number, ": done before")};
        }
        // Chunks before this one, should nobody have done them: any engine will do, also one without dependencies.
        const auto [first, last] = plan_.needs(number, task);
        for (std::int64_t before = first; before < last; ++before) {
            if (!state_.is_surely_done(plan_.task(before).hash)) {
                Result result = run(before);
                if (result.kind != Result::Kind::done && result.kind != Result::Kind::was_done) {
                    result.message = concat("task ", number, " waits for task ", before, ": ", result.message);
                    return result;
                }
            }
        }
        while (true) {
            if (state_.is_done(task.hash)) {
                return {Result::Kind::was_done, concat("task ", number, ": done by another worker")};
            }
            if (const auto failure = last_word(task)) {
                return {Result::Kind::failed, concat("task ", number, ": ", failure->message)};
            }
            if (is_stopped()) {
                return stopped();
            }
            if (state_.claim(task.hash, controls_.stale)) {
                break;
            }
            if (!controls_.waits) {
                return {Result::Kind::later, concat("task ", number, ": another worker has it")};
            }
            if (!sleep_for(1.0)) {
                return stopped();
            }
        }
        // Between the look and the claim it may have been done.
        Result result = state_.is_surely_done(task.hash)
                            ? Result{Result::Kind::was_done, concat("task ", number, ": done by another worker")}
                            : work(number, task);
        state_.release(task.hash);
        return result;
    }

    std::optional<Failure> last_word(const Task& task) const {
        const std::vector<Failure> failures = state_.failures(task.hash);
        for (const Failure& failure : failures) {
            if (failure.is_final() || static_cast<int>(failures.size()) >= controls_.tries) {
                return failure;
            }
        }
        return std::nullopt;
    }

    Result work(std::int64_t number, const Task& task) {
        void* shared =
            mmap(nullptr, sizeof(std::atomic<std::int64_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            throw IoError(concat(node_name(), ": not enough memory"));
        }
        const std::unique_ptr<void, void (*)(void*)> unmap(
            shared, [](void* memory) { munmap(memory, sizeof(std::atomic<std::int64_t>)); });
        Work work{&plan_, number, task, state_.make_work_folder(task.hash), new (shared) std::atomic<std::int64_t>(0)};
        const Try tried = try_task(work, controls_, state_);
        std::error_code ignored;
        if (tried.end == WorkEnd::stopped) {
            if (!fs::exists(work.folder / "state", ignored)) {
                fs::remove_all(work.folder, ignored);
            }
            return stopped();
        }
        if (tried.end == WorkEnd::done) {
            publish(work.folder / "report",
                    concat("cutis farm task\nworker: ", own_token(), "\nnode: ", node_name(), "\ntask: ", number,
                           "\nseconds: ", tried.seconds, "\nprocessor seconds: ", tried.processor_seconds,
                           "\nmegabytes: ", tried.megabytes, "\nestimated seconds: ", task.seconds,
                           "\nestimated megabytes: ", task.megabytes, "\n", tried.words));
            const bool is_first = state_.commit(work.folder, task.hash);
            state_.clean(task.hash);
            return {is_first ? Result::Kind::done : Result::Kind::was_done,
                    is_first ? concat("task ", number, ": done in ", tried.seconds, " s")
                             : concat("task ", number, ": another worker was first")};
        }
        Failure failure;
        failure.node = node_name();
        failure.message = tried.words;
        failure.log = log_tail(work.folder);
        failure.kind = tried.end == WorkEnd::input ? "input" : "place";
        if (tried.hung) {
            failure.kind = "hung";
            failure.message = concat(node_name(), ": ended after ", tried.seconds, " s without a new frame");
        } else if (tried.signal != 0 || tried.end == WorkEnd::failed) {
            failure.kind = "crash";
            failure.message = concat(node_name(), ": killed by signal ", tried.signal, " (", strsignal(tried.signal),
                                     tried.signal == SIGKILL ? "; out of memory?)" : ")");
        } else if (failure.message.rfind(node_name() + ": ", 0) != 0 && failure.kind == "place") {
            failure.message = concat(node_name(), ": ", failure.message);
        }
        if (!fs::exists(work.folder / "state", ignored)) {
            fs::remove_all(work.folder, ignored);
        }
        if (state_.is_surely_done(task.hash)) {
            return {Result::Kind::was_done, concat("task ", number, ": done by another worker")};
        }
        if (failure.kind == "place" && may_pass(failure.message)) {
            return {Result::Kind::later, failure.message};
        }
        state_.fail(task.hash, failure);
        const bool is_last = last_word(task).has_value();
        return {is_last ? Result::Kind::failed : Result::Kind::later,
                concat("task ", number, ": ", failure.message, is_last ? "" : "; may be tried again")};
    }

    const Plan& plan_;
    const RunControls& controls_;
    State state_;
};

}  // namespace

Result run_task(const Plan& plan, std::int64_t number, const RunControls& controls) {
    return Runner(plan, controls).run(number);
}

}  // namespace cutis::farm
