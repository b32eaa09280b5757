#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "cutis/core/error.h"
#include "farm/files.h"
#include "farm/state.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

/// Names in the folders of a plan, by hash.
struct Scan {
    std::unordered_set<std::uint64_t> done;
    std::unordered_set<std::uint64_t> claimed;
    std::unordered_map<std::uint64_t, int> failures;

    explicit Scan(const Plan& plan) {
        const auto each = [&](const char* folder, const std::function<void(std::uint64_t, bool)>& take) {
            for_each_sharded(plan.folder() / folder, [&](const std::string& name) {
                std::uint64_t hash = 0;
                if (from_hex(std::string_view(name).substr(0, 16), hash) && !name.ends_with(".new")) {
                    take(hash, name.size() == 16);
                }
            });
        };
        each("done", [&](std::uint64_t hash, bool) { done.insert(hash); });
        each("claims", [&](std::uint64_t hash, bool is_claim) {
            if (is_claim) {
                claimed.insert(hash);
            }
        });
        each("failed", [&](std::uint64_t hash, bool) { ++failures[hash]; });
    }
};

std::vector<Standing> standings_from(const Scan& scan, const Plan& plan, const std::vector<Task>& tasks, int tries) {
    const State state(plan.folder());
    std::vector<Standing> all(tasks.size(), Standing::waiting);
    for (size_t i = 0; i < tasks.size(); ++i) {
        const std::uint64_t hash = tasks[i].hash;
        if (scan.done.count(hash) > 0) {
            all[i] = Standing::done;
            continue;
        }
        if (const auto failed = scan.failures.find(hash); failed != scan.failures.end()) {
            const std::vector<Failure> failures = state.failures(hash);
            if (failed->second >= tries ||
                std::any_of(failures.begin(), failures.end(), [](const Failure& f) { return f.is_final(); })) {
                all[i] = Standing::failed;
                continue;
            }
        }
        const auto number = static_cast<std::int64_t>(i);
        const auto [first, last] = plan.needs(number, tasks[i]);
        for (std::int64_t before = first; before < last; ++before) {
            const Standing standing = all[static_cast<size_t>(before)];
            if (standing == Standing::failed || standing == Standing::blocked) {
                all[i] = Standing::blocked;
            }
        }
        if (all[i] == Standing::waiting && scan.claimed.count(hash) > 0) {
            all[i] = Standing::running;
        }
    }
    return all;
}

}  // namespace

std::vector<Standing> standings(const Plan& plan, const std::vector<Task>& tasks, int tries) {
    return standings_from(Scan(plan), plan, tasks, tries);
}

Status status_of(const Plan& plan, const std::vector<Task>& tasks, int tries, int workers) {
    const Scan scan(plan);
    const std::vector<Standing> all = standings_from(scan, plan, tasks, tries);
    const State state(plan.folder());
    Status status;
    status.tasks = static_cast<std::int64_t>(tasks.size());
    double left = 0.0;
    std::vector<size_t> done;
    for (size_t i = 0; i < tasks.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        switch (all[i]) {
            case Standing::done:
                ++status.done;
                done.push_back(i);
                break;
            case Standing::failed: {
                const std::vector<Failure> failures = state.failures(tasks[i].hash);
                status.failed.emplace_back(number, failures.empty() ? Failure{} : failures.back());
                break;
            }
            case Standing::blocked:
                ++status.blocked;
                break;
            case Standing::running: {
                const fs::path claim = shard(plan.folder() / "claims", tasks[i].hash) / hex(tasks[i].hash);
                status.running.push_back({number, line_of(small_text(claim), "node"), age_on_server(claim)});
                left += tasks[i].seconds;
                break;
            }
            case Standing::waiting:
                ++status.waiting;
                left += tasks[i].seconds;
                break;
        }
    }
    // A few done tasks tell how right the estimate is.
    double measured = 0.0;
    double estimated = 0.0;
    constexpr size_t sample = 100;
    const size_t step = std::max<size_t>(1, done.size() / sample);
    size_t looked = 0;
    for (size_t i = 0; i < done.size(); i += step) {
        const double seconds = report_number(result_folder(plan, tasks[done[i]]), "seconds");
        if (seconds >= 0.0) {
            measured += seconds;
            estimated += tasks[done[i]].seconds;
            ++looked;
        }
    }
    if (looked > 0 && estimated > 0.0) {
        status.ratio = measured / estimated;
        status.seconds_spent = measured / static_cast<double>(looked) * static_cast<double>(done.size());
    }
    const size_t at_work = workers > 0 ? static_cast<size_t>(workers) : status.running.size();
    if (at_work > 0 || left == 0.0) {
        status.seconds_left = left * status.ratio / static_cast<double>(std::max<size_t>(1, at_work));
    }
    return status;
}

std::int64_t retry(const Plan& plan, std::int64_t number) {
    std::unordered_set<std::uint64_t> wanted;
    if (number >= 0) {
        wanted.insert(plan.task(number).hash);
    } else {
        for (const Task& task : plan.tasks()) {
            wanted.insert(task.hash);
        }
    }
    std::unordered_set<std::uint64_t> freed;
    const fs::path failed = plan.folder() / "failed";
    for (const std::string& one : names_in_folder(failed)) {
        for (const std::string& name : names_in_folder(failed / one)) {
            std::uint64_t hash = 0;
            if (from_hex(std::string_view(name).substr(0, 16), hash) && wanted.count(hash) > 0 &&
                unlink((failed / one / name).c_str()) == 0) {
                freed.insert(hash);
            }
        }
    }
    return static_cast<std::int64_t>(freed.size());
}

fs::path result_folder(const Plan& plan, const Task& task) {
    return State(plan.folder()).done_folder(task.hash);
}

double report_number(const fs::path& result_folder, const std::string& name) {
    const std::string text = line_of(small_text(result_folder / "report"), name);
    return text.empty() ? -1.0 : std::atof(text.c_str());
}

}  // namespace cutis::farm
