#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cutis/farm/plan.h"

namespace cutis::farm {

/// State of a task.
enum class Standing { waiting, running, done, failed, blocked };

/// Why a try of a task failed.
struct Failure {
    std::string kind;  ///< input: the same everywhere; place: this machine or disk; crash; hung
    std::string node;
    std::string message;
    std::string log;  ///< last lines
    bool is_final() const { return kind == "input"; }
};

/// What a worker lends to a task.
struct RunControls {
    std::string version;
    ActorLoader actors;
    int threads = 0;               ///< 0: what the machine has
    double patience = 600.0;       ///< seconds to wait for room on a full disk
    double hang = 0.0;             ///< seconds without a frame after which a task is ended; 0: from its estimate
    double stale = 60.0;           ///< seconds without a sign of life after which a worker counts as dead
    double checkpoint = 60.0;      ///< seconds between checkpoints
    int tries = 3;                 ///< before a task is left alone until `retry`
    bool waits = true;             ///< for another worker that has the task; false: Result::Kind::later
    std::function<int()> stopped;  ///< number of the signal that asks for an end, 0: none
    std::function<void(const std::string&)> say;  ///< a line for people
};

struct Result {
    enum class Kind { done, was_done, failed, later, stopped };
    Kind kind = Kind::done;
    std::string message;
};

/// Does one task, and those before it in its shot that are not done: at most once in the result, however often and
/// wherever it is called.
/// \throw InvalidInput, IoError  the plan itself cannot be used
Result run_task(const Plan& plan, std::int64_t number, const RunControls& controls);

/// A worker at work.
struct Worker {
    std::int64_t task = 0;
    std::string node;
    double seconds_silent = 0.0;
};

/// State of a plan.
struct Status {
    std::int64_t tasks = 0;
    std::int64_t done = 0;
    std::int64_t waiting = 0;
    std::int64_t blocked = 0;  ///< behind one that failed
    std::vector<Worker> running;
    std::vector<std::pair<std::int64_t, Failure>> failed;
    double seconds_left = -1.0;  ///< with as many workers as now; below 0: not known
    double seconds_spent = 0.0;  ///< of all workers
    double ratio = 1.0;          ///< measured by estimated seconds, of a sample
};

/// \param workers  for the time left; 0: those at work
Status status_of(const Plan& plan, const std::vector<Task>& tasks, int tries, int workers = 0);
/// State of each task, for engines.
std::vector<Standing> standings(const Plan& plan, const std::vector<Task>& tasks, int tries);

/// Forgets failures, of one task or (below 0) of all. \return tasks that may run again
std::int64_t retry(const Plan& plan, std::int64_t number);

/// Where the results of a task are once it is done.
std::filesystem::path result_folder(const Plan& plan, const Task& task);
/// A number of a done task's report, e.g. "seconds"; below 0: not there.
double report_number(const std::filesystem::path& result_folder, const std::string& name);

/// Name of this machine.
std::string node_name();

/// A file under a temporary name, then renamed: whole or not at all, even where several machines write.
/// \throw IoError
void publish(const std::filesystem::path& path, const std::string& text);

}  // namespace cutis::farm
