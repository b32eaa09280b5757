#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/farm/engines.h"
#include "farm/files.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return out + "'";
}

/// What a command says; its errors with it.
std::string output_of(const std::string& command, int& code) {
    std::string text;
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) {
        code = -1;
        return text;
    }
    char buffer[1024];
    while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) {
        text += buffer;
    }
    const int status = pclose(pipe);
    code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
}

/// Indices below this one: Slurm's MaxArraySize.
int largest_array(bool is_dry) {
    constexpr int slurms_default = 1001;
    if (is_dry) {
        return slurms_default;  // what would be submitted can be said anywhere
    }
    int code = 1;
    const char* chosen = std::getenv("SLURM_CONF");
    // Without its file scontrol asks the network for a minute.
    const bool has_file = chosen == nullptr || access(chosen, R_OK) == 0;
    const std::string text = has_file ? output_of("timeout 30 scontrol show config", code)
                                      : concat("SLURM_CONF names ", chosen, ", which cannot be read");
    const size_t at = text.find("MaxArraySize");
    if (code != 0 || at == std::string::npos) {
        throw InvalidInput(concat(node_name(), ": Slurm does not answer (", text.substr(0, text.find('\n')),
                                  "); install its client (slurm-wlm) and /etc/slurm/slurm.conf on this machine, or use "
                                  "--engine local"));
    }
    return std::max(2, std::atoi(text.c_str() + text.find('=', at) + 1));
}

/// Tasks that one array runs, element by element.
struct Wave {
    std::vector<std::int64_t> tasks;
    double seconds = 0.0;  // of the dearest
    double megabytes = 0.0;
    std::string after;  // --dependency
};

class SlurmEngine {
public:
    SlurmEngine(const Plan& plan, const SlurmOptions& options) : plan_(plan), options_(options) {
        for (const std::string& name : names_in_folder(plan.folder() / "submit")) {
            count_ = std::max(count_, std::atoi(name.c_str()));
        }
        folder_ = plan.folder() / "submit" / std::to_string(count_ + 1);
    }

    std::vector<std::string> run() {
        const std::vector<Task> tasks = plan_.tasks();
        const std::vector<Standing> standing = standings(plan_, tasks, options_.tries);
        // What is left of each shot with memory, one task after the other; parts and joins.
        std::vector<std::pair<std::int64_t, std::int64_t>> chains;
        Wave wholes;
        Wave parts;
        Wave joins;
        for (size_t i = 0; i < tasks.size(); ++i) {
            const auto number = static_cast<std::int64_t>(i);
            const bool is_open = standing[i] == Standing::waiting || standing[i] == Standing::running;
            if (!is_open) {
                continue;
            }
            if (tasks[i].kind == TaskKind::whole) {
                add(tasks, number, wholes);
            } else if (tasks[i].kind == TaskKind::part) {
                add(tasks, number, parts);
            } else if (tasks[i].kind == TaskKind::join) {
                add(tasks, number, joins);
            } else if (!chains.empty() && chains.back().second == number && tasks[i].chunk > 0) {
                ++chains.back().second;
            } else {
                chains.emplace_back(number, number + 1);
            }
        }
        const auto limit = static_cast<size_t>(largest_array(options_.is_dry) - 1);
        submit_chains(tasks, chains, limit);
        bundle_ = bundle_for(std::max({wholes.tasks.size(), parts.tasks.size(), joins.tasks.size()}), limit);
        if (!wholes.tasks.empty()) {
            submit(wholes, "shots");
        }
        const std::string all_parts = parts.tasks.empty() ? "" : submit(parts, "parts");
        if (!joins.tasks.empty()) {
            joins.after = all_parts.empty() ? "" : "afterany:" + all_parts;
            submit(joins, "joins");
        }
        return lines_;
    }

private:
    /// Tasks of an element, where the largest array has so many tasks.
    size_t bundle_for(size_t tasks, size_t limit) const {
        const size_t least = std::max<size_t>(1, (tasks + limit - 1) / limit);
        const size_t bundle = options_.bundle > 0 ? static_cast<size_t>(options_.bundle) : least;
        require(bundle >= least, "--bundle ", bundle, ": Slurm allows ", limit,
                " elements in an array, expected at least ", least);
        return bundle;
    }

    // Chains of about the same length go together, a few dozen at a time: an array of their first chunks, one of their
    // second after it, and so on. `afterany`, since a task knows itself whether the one before it is done. (`aftercorr`
    // would need no groups, but Slurm 22.05 cancels what depends on jobs that have ended and were forgotten:
    // MinJobAge.)
    void submit_chains(const std::vector<Task>& tasks, std::vector<std::pair<std::int64_t, std::int64_t>>& chains,
                       size_t limit) {
        std::stable_sort(chains.begin(), chains.end(),
                         [](const auto& a, const auto& b) { return a.second - a.first > b.second - b.first; });
        constexpr size_t fewest = 32;
        constexpr size_t most_groups = 64;
        const size_t group = std::max(fewest, (chains.size() + most_groups - 1) / most_groups);
        bundle_ = bundle_for(std::min(group, chains.size()), limit);
        for (size_t first = 0; first < chains.size(); first += group) {
            const size_t last = std::min(chains.size(), first + group);
            std::string before;
            for (std::int64_t level = 0; level < chains[first].second - chains[first].first; ++level) {
                Wave wave;
                for (size_t i = first; i < last; ++i) {
                    if (chains[i].first + level < chains[i].second) {
                        add(tasks, chains[i].first + level, wave);
                    }
                }
                wave.after = before.empty() ? "" : "afterany:" + before;
                before = submit(wave, concat("chains", first / group + 1, "-", level + 1));
            }
        }
    }

    static void add(const std::vector<Task>& tasks, std::int64_t number, Wave& wave) {
        const Task& task = tasks[static_cast<size_t>(number)];
        wave.tasks.push_back(number);
        wave.seconds = std::max(wave.seconds, task.seconds);
        wave.megabytes = std::max(wave.megabytes, task.megabytes);
    }

    std::string script(const std::string& list) const {
        std::string words;
        for (const std::string& flag : options_.run_flags) {
            words += " " + quoted(flag);
        }
        // The signal before the time limit reaches this shell: it hands it on, and the task keeps a checkpoint. What
        // may go better elsewhere or later (75, or a signal) is put back into the queue, a few times.
        return concat("#!/bin/sh\n", quoted(options_.program.string()), " run ", quoted(plan_.folder().string()),
                      " --list ", quoted(list), " --index \"$SLURM_ARRAY_TASK_ID\" --bundle ", bundle_, " --threads ",
                      options_.threads, " --tries ", options_.tries, words,
                      " &\nchild=$!\ntrap 'kill -TERM $child' TERM USR1\nwait $child\ncode=$?\n"
                      "# wait ends at once when a signal comes; the task needs a moment for its checkpoint\n"
                      "while kill -0 $child 2>/dev/null; do wait $child; code=$?; done\n"
                      "if [ $code -eq 75 ] && [ \"${SLURM_RESTART_COUNT:-0}\" -lt ",
                      options_.tries,
                      " ] || [ $code -ge 128 ]; then\n    # a controller that is being started again does not answer\n"
                      "    for pause in 5 20 60; do scontrol requeue \"$SLURM_JOB_ID\" && sleep 60; sleep $pause; "
                      "done\nfi\nexit $code\n");
    }

    std::string submit(const Wave& wave, const std::string& name) {
        const size_t elements = (wave.tasks.size() + bundle_ - 1) / bundle_;
        const double bundled = static_cast<double>(bundle_) * wave.seconds;
        // Thrice the estimate and a few minutes: a machine may be slower, and the time limit costs a queue's patience
        // only.
        const int minutes =
            static_cast<int>(std::ceil(options_.minutes > 0.0 ? options_.minutes : 5.0 + 3.0 * bundled / 60.0));
        const int megabytes = static_cast<int>(std::ceil(1.5 * wave.megabytes + 200.0));
        std::string command = concat(
            "sbatch --parsable --requeue --open-mode=append "
            "--signal=B:TERM@45 --nodes=1 --ntasks=1 --cpus-per-task=",
            options_.threads, " --mem=", megabytes, "M --time=", minutes, " --job-name=", quoted("cutis-" + name),
            " --array=0-", elements - 1, options_.at_once > 0 ? concat("%", options_.at_once) : std::string());
        if (!wave.after.empty()) {
            command += " --dependency=" + wave.after;
        }
        command += " --output=" + quoted((folder_ / (name + "-%a.log")).string());
        for (const std::string& flag : options_.flags) {
            command += " " + quoted(flag);
        }
        const fs::path list = folder_ / (name + ".tasks");
        const fs::path file = folder_ / (name + ".sh");
        command += " " + quoted(file.string());
        if (options_.is_dry) {
            lines_.push_back(command + "\n" + script(list.string()));
            return "JOB";
        }
        // Lines of one length, found by their number; the hash tells whether the plan was made anew since.
        std::string text;
        for (const std::int64_t number : wave.tasks) {
            char line[40];
            std::snprintf(line, sizeof(line), "%12lld %016llx\n", static_cast<long long>(number),
                          static_cast<unsigned long long>(plan_.task(number).hash));
            text += line;
        }
        make_folder(folder_);
        publish(list, text);
        publish(file, script(list.string()));
        int code = 0;
        std::string answer = output_of(command, code);
        answer.erase(answer.find_last_not_of(" \n") + 1);
        if (code != 0) {
            std::string before;
            for (const std::string& line : lines_) {
                before += "\n" + line;
            }
            if (before.empty()) {
                std::error_code ignored;
                fs::remove_all(folder_, ignored);
            }
            throw InvalidInput(
                concat(node_name(), ": sbatch refused: ", answer,
                       before.empty() ? "; nothing was submitted" : "; submitted before that:" + before));
        }
        const std::string job = answer.substr(0, answer.find(';'));
        lines_.push_back(concat("job ", job, ": ", wave.tasks.size(), " tasks (", name, "), ", megabytes, " MB and ",
                                minutes, " min each", bundle_ > 1 ? concat(", ", bundle_, " at a time") : std::string(),
                                wave.after.empty() ? "" : ", " + wave.after));
        return job;
    }

    const Plan& plan_;
    const SlurmOptions& options_;
    fs::path folder_;
    int count_ = 0;
    size_t bundle_ = 1;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> submit_slurm(const Plan& plan, const SlurmOptions& options) {
    return SlurmEngine(plan, options).run();
}

}  // namespace cutis::farm
