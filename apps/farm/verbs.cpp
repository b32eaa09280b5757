#include <unistd.h>

#include <charconv>
#include <iostream>
#include <thread>

#include "apps/cutis/console.h"
#include "apps/cutis/report.h"
#include "apps/cutis/suggest.h"
#include "collect.h"
#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/farm/engines.h"
#include "farm.h"

namespace cutis::app {

namespace fs = std::filesystem;

namespace {

struct FarmFlags {
    std::string plan;
    bool json = false;
    // plan
    farm::PlanOptions planning;
    // run
    std::string task;
    std::string list;
    std::int64_t index = -1;
    int bundle = 1;
    bool no_wait = false;
    farm::RunControls run;
    // status
    bool watch = false;
    int workers = 0;
    // submit
    std::string engine = "local";
    int jobs = 0;
    bool dry_run = false;
    farm::SlurmOptions slurm;
    // collect
    std::string output;
};

fs::path own_program() {
    std::error_code unknown;
    const fs::path self = fs::read_symlink("/proc/self/exe", unknown);
    return unknown ? fs::path("cutis-farm") : self;
}

std::string duration(double seconds) {
    char text[32];
    if (seconds < 0.0) {
        return "not known";
    }
    if (seconds < 100.0) {
        std::snprintf(text, sizeof(text), "%.0f s", seconds);
    } else if (seconds < 6000.0) {
        std::snprintf(text, sizeof(text), "%.0f min", seconds / 60.0);
    } else {
        std::snprintf(text, sizeof(text), "%.1f h", seconds / 3600.0);
    }
    return text;
}

int farm_plan(FarmFlags& flags) {
    flags.planning.actors = load_actor;
    flags.planning.version = CUTIS_VERSION;
    const farm::PlanReport report = make_plan(flags.output, flags.planning);
    if (flags.json) {
        std::cout << json_text({{"plan", flags.output},
                                {"tasks", report.tasks},
                                {"shots", report.shots},
                                {"done", report.done},
                                {"estimated_seconds", report.seconds},
                                {"largest_task_mb", report.largest_mb}});
    } else {
        std::cout << report.tasks << " tasks of " << report.shots << " shots in " << flags.output;
        if (report.done > 0) {
            std::cout << ", " << report.done << " of them done before and unchanged";
        }
        std::cout << ";\nabout " << duration(report.seconds) << " of one processor to do, "
                  << short_number(report.largest_mb) << " MB for the largest\n";
    }
    return exit_good;
}

// "7" or "7-9".
std::pair<std::int64_t, std::int64_t> task_range(const std::string& text) {
    const size_t dash = text.find('-');
    std::int64_t ends[2] = {-1, -1};
    const std::string words[2] = {text.substr(0, dash), dash == std::string::npos ? text : text.substr(dash + 1)};
    for (int i = 0; i < 2; ++i) {
        const auto [end, error] = std::from_chars(words[i].data(), words[i].data() + words[i].size(), ends[i]);
        require(error == std::errc() && end == words[i].data() + words[i].size() && ends[i] >= ends[0] && ends[i] >= 0,
                "--task: expected N or A-B, counted from 0, found \"", text, "\"");
    }
    return {ends[0], ends[1]};
}

// Lines of a submission's list: task and hash, all of one length.
std::vector<std::int64_t> listed_tasks(const farm::Plan& plan, const FarmFlags& flags) {
    constexpr std::streamoff line_bytes = 30;
    std::FILE* file = std::fopen(flags.list.c_str(), "rb");
    if (file == nullptr) {
        throw InvalidInput(concat(farm::node_name(), ": ", flags.list, ": no such list of tasks on this node"));
    }
    std::vector<std::int64_t> tasks;
    std::fseek(file, static_cast<long>(flags.index * flags.bundle * line_bytes), SEEK_SET);
    long long number = 0;
    unsigned long long hash = 0;
    bool is_same = true;
    for (int i = 0; i < flags.bundle && std::fscanf(file, "%lld %llx", &number, &hash) == 2; ++i) {
        is_same = is_same && number < plan.size() && plan.task(number).hash == hash;
        tasks.push_back(number);
    }
    std::fclose(file);
    require(is_same, plan.folder().string(),
            ": the plan has been remade since this was submitted; `cutis farm submit` submits what is left");
    require(!tasks.empty(), flags.list, ": expected an index of one of its lines, found ", flags.index);
    return tasks;
}

const char* result_word(farm::Result::Kind kind) {
    switch (kind) {
        case farm::Result::Kind::done:
            return "done";
        case farm::Result::Kind::was_done:
            return "done before";
        case farm::Result::Kind::failed:
            return "failed";
        case farm::Result::Kind::later:
            return "later";
        case farm::Result::Kind::stopped:
            break;
    }
    return "stopped";
}

int farm_run(FarmFlags& flags) {
    const farm::Plan plan(flags.plan);
    require(flags.task.empty() != flags.list.empty() && flags.list.empty() == (flags.index < 0),
            "farm run: expected --task N, or --list FILE with --index N");
    std::vector<std::int64_t> tasks;
    if (!flags.list.empty()) {
        tasks = listed_tasks(plan, flags);
    } else {
        const auto [first, last] = task_range(flags.task);
        plan.task(last);  // refuses what is not there
        for (std::int64_t number = first; number <= last; ++number) {
            tasks.push_back(number);
        }
    }
    catch_signals();
    flags.run.version = CUTIS_VERSION;
    flags.run.actors = load_actor;
    flags.run.waits = !flags.no_wait;
    flags.run.stopped = caught_signal;
    flags.run.say = [](const std::string& line) { std::cerr << line << std::endl; };
    size_t failed = 0;
    bool is_later = false;
    Json list = Json::array();
    for (const std::int64_t number : tasks) {
        const farm::Result result = run_task(plan, number, flags.run);
        const bool is_good = result.kind == farm::Result::Kind::done || result.kind == farm::Result::Kind::was_done;
        failed += result.kind == farm::Result::Kind::failed ? 1 : 0;
        is_later = is_later || result.kind == farm::Result::Kind::later;
        if (flags.json) {
            list.push_back({{"task", number}, {"result", result_word(result.kind)}, {"message", result.message}});
        } else {
            (is_good ? std::cout : std::cerr) << result.message << std::endl;
        }
        if (result.kind == farm::Result::Kind::stopped) {
            return exit_signal + caught_signal();
        }
    }
    if (flags.json) {
        std::cout << json_text({{"tasks", list}});
    }
    if (is_later) {
        return exit_later;
    }
    // In a bundle one that fails must not hold back the shots beside it; `status` tells of it.
    return failed == (flags.list.empty() ? std::min<size_t>(1, failed) : tasks.size()) && failed > 0 ? exit_failure
                                                                                                     : exit_good;
}

Json status_json(const farm::Plan& plan, const farm::Status& status) {
    Json failed = Json::array();
    for (const auto& [number, failure] : status.failed) {
        failed.push_back({{"task", number},
                          {"shot", plan.shot(plan.task(number)).folder},
                          {"kind", failure.kind},
                          {"node", failure.node},
                          {"message", failure.message},
                          {"log", failure.log}});
    }
    Json running = Json::array();
    for (const farm::Worker& worker : status.running) {
        running.push_back({{"task", worker.task}, {"node", worker.node}, {"silent_seconds", worker.seconds_silent}});
    }
    return {{"plan", plan.folder().string()},
            {"tasks", status.tasks},
            {"done", status.done},
            {"running", status.running.size()},
            {"waiting", status.waiting},
            {"failed", status.failed.size()},
            {"blocked", status.blocked},
            {"complete", status.done == status.tasks},
            {"seconds_left", status.seconds_left},
            {"seconds_spent", status.seconds_spent},
            {"seconds_by_estimate", status.ratio},
            {"workers", running},
            {"failures", failed}};
}

std::string status_text(const farm::Plan& plan, const farm::Status& status) {
    std::string text =
        table_text({{"tasks", "done", "running", "waiting", "failed", "blocked", "time left"},
                    {std::to_string(status.tasks), std::to_string(status.done), std::to_string(status.running.size()),
                     std::to_string(status.waiting), std::to_string(status.failed.size()),
                     std::to_string(status.blocked), duration(status.seconds_left)}});
    std::vector<std::vector<std::string>> rows;
    for (const farm::Worker& worker : status.running) {
        rows.push_back({"task " + std::to_string(worker.task), worker.node,
                        "last sign of life " + duration(worker.seconds_silent) + " ago"});
    }
    constexpr size_t most = 20;
    if (rows.size() > most) {
        rows.resize(most);
        rows.push_back({"..."});
    }
    text += table_text(rows);
    for (size_t i = 0; i < status.failed.size() && i < most; ++i) {
        const auto& [number, failure] = status.failed[i];
        text += "\ntask " + std::to_string(number) + " (" + plan.shot(plan.task(number)).folder + ") failed on " +
                failure.node + ": " + failure.message + "\n" + failure.log;
    }
    if (status.failed.size() > most) {
        text += "... and " + std::to_string(status.failed.size() - most) + " more\n";
    }
    if (!status.failed.empty()) {
        text += "`cutis farm retry` lets them run again\n";
    }
    return text;
}

int farm_status(const FarmFlags& flags) {
    const farm::Plan plan(flags.plan);
    const std::vector<farm::Task> tasks = plan.tasks();
    if (!flags.watch) {
        const farm::Status status = status_of(plan, tasks, flags.run.tries, flags.workers);
        std::cout << (flags.json ? json_text(status_json(plan, status)) : status_text(plan, status));
        return exit_good;
    }
    catch_signals();
    const bool is_terminal = isatty(STDOUT_FILENO) != 0;
    while (true) {
        const farm::Status status = status_of(plan, tasks, flags.run.tries, flags.workers);
        const double share =
            status.tasks > 0 ? static_cast<double>(status.done) / static_cast<double>(status.tasks) : 1.0;
        constexpr int width = 30;
        const auto filled = static_cast<size_t>(width * share);
        const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
        char line[200];
        if (is_terminal) {
            std::snprintf(line, sizeof(line), "\r[%s] %3.0f%% %lld/%lld, %zu running, %zu failed, %s left \033[K",
                          bar.c_str(), 100.0 * share, static_cast<long long>(status.done),
                          static_cast<long long>(status.tasks), status.running.size(), status.failed.size(),
                          duration(status.seconds_left).c_str());
        } else {
            std::snprintf(line, sizeof(line), "Progress: %.0f%% task %lld/%lld, %zu running, %zu failed, %s left\n",
                          100.0 * share, static_cast<long long>(status.done), static_cast<long long>(status.tasks),
                          status.running.size(), status.failed.size(), duration(status.seconds_left).c_str());
        }
        std::cout << line << std::flush;
        const bool is_over = status.waiting == 0 && status.running.empty();
        if (is_over || caught_signal() != 0) {
            std::cout << (is_terminal ? "\n" : "") << (is_over ? status_text(plan, status) : "");
            return caught_signal() != 0 ? exit_signal + caught_signal() : exit_good;
        }
        for (int i = 0; i < 20 && caught_signal() == 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }
}

int submit_to_local(const farm::Plan& plan, const FarmFlags& flags, const std::vector<std::string>& extra) {
    require(extra.empty(), "farm submit: ", extra.empty() ? "" : extra.front(),
            ": the engine local has no such flag (with --engine slurm it goes to sbatch)");
    catch_signals();
    farm::LocalOptions options;
    options.program = own_program();
    options.jobs = flags.jobs;
    options.tries = flags.run.tries;
    options.stopped = caught_signal;
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const int threads = flags.run.threads > 0 ? flags.run.threads
                        : flags.jobs > 0      ? std::max(1, static_cast<int>(processors) / flags.jobs)
                                              : 1;
    for (const auto& [name, value] : {std::pair<const char*, double>{"--patience", flags.run.patience},
                                      {"--hang", flags.run.hang},
                                      {"--stale", flags.run.stale},
                                      {"--checkpoint", flags.run.checkpoint},
                                      {"--threads", threads}}) {
        options.flags.insert(options.flags.end(), {name, short_number(value)});
    }
    ProgressDisplay display(
        flags.json ? stderr : stdout, [] { std::_Exit(exit_signal + caught_signal()); }, true);
    const ProgressCallback show = display.callback();
    options.progress = show;
    const farm::LocalReport report = submit_local(plan, options);
    if (report.signal != 0) {
        std::cerr << "cutis: stopped by signal " << report.signal << "; `cutis farm submit` continues\n";
        return exit_signal + report.signal;
    }
    const farm::Status status = status_of(plan, plan.tasks(), flags.run.tries);
    std::cout << (flags.json ? json_text(status_json(plan, status)) : status_text(plan, status));
    return status.done == status.tasks ? exit_good : exit_failure;
}

int farm_submit(FarmFlags& flags, const std::vector<std::string>& extra) {
    const farm::Plan plan(flags.plan);
    if (flags.engine == "local") {
        return submit_to_local(plan, flags, extra);
    }
    flags.slurm.program = own_program();
    flags.slurm.flags.insert(flags.slurm.flags.end(), extra.begin(), extra.end());
    flags.slurm.tries = flags.run.tries;
    flags.slurm.threads = std::max(1, flags.run.threads);
    flags.slurm.is_dry = flags.dry_run;
    flags.slurm.at_once = flags.jobs;
    flags.slurm.run_flags = {
        "--patience", short_number(flags.run.patience), "--hang",       short_number(flags.run.hang),
        "--stale",    short_number(flags.run.stale),    "--checkpoint", short_number(flags.run.checkpoint)};
    const std::vector<std::string> lines = submit_slurm(plan, flags.slurm);
    if (flags.json) {
        std::cout << json_text({{"jobs", lines}});
        return exit_good;
    }
    for (const std::string& line : lines) {
        std::cout << line << "\n";
    }
    if (lines.empty()) {
        std::cout << "Nothing left to submit\n";
    } else if (!flags.dry_run) {
        std::cout << "`cutis farm status " << flags.plan << " --watch` follows them\n";
    }
    return exit_good;
}

int farm_retry(const FarmFlags& flags) {
    const farm::Plan plan(flags.plan);
    std::int64_t count = 0;
    if (flags.task.empty()) {
        count = retry(plan, -1);
    } else {
        const auto [first, last] = task_range(flags.task);
        for (std::int64_t number = first; number <= last; ++number) {
            count += retry(plan, number);
        }
    }
    if (flags.json) {
        std::cout << json_text({{"retried", count}});
    } else {
        std::cout << count << (count == 1 ? " task" : " tasks") << " may run again: `cutis farm submit`\n";
    }
    return exit_good;
}

int farm_collect(const FarmFlags& flags) {
    const farm::Plan plan(flags.plan);
    const fs::path folder = flags.output.empty() ? plan.folder() / "results" : fs::path(flags.output);
    const Collected report = collect(plan, folder, flags.run.tries);
    if (flags.json) {
        std::cout << json_text(
            {{"index", report.index}, {"shots", report.shots}, {"missing", report.missing}, {"files", report.files}});
    } else {
        std::cout << report.shots - report.missing << " of " << report.shots << " shots, " << report.files
                  << " files; open " << report.index << " in a browser\n";
    }
    return report.missing == 0 ? exit_good : exit_failure;
}

void add_run_flags(CLI::App& verb, FarmFlags& flags) {
    verb.add_option("--threads", flags.run.threads, "threads per task; 0: all, or shared with tasks running beside it")
        ->check(CLI::Range(0, 1024));
    verb.add_option("--tries", flags.run.tries, "tries before a task counts as failed")->check(CLI::Range(1, 100));
    verb.add_option("--patience", flags.run.patience, "seconds to wait for room on a full disk");
    verb.add_option("--hang", flags.run.hang,
                    "seconds without a new frame after which a task is ended; 0: by its estimate");
    verb.add_option("--stale", flags.run.stale, "seconds without a sign of life after which a worker counts as dead")
        ->check(CLI::Range(1.0, 1e6));
    verb.add_option("--checkpoint", flags.run.checkpoint, "seconds between checkpoints")->check(CLI::Range(0.01, 1e6));
}

}  // namespace

void add_farm_verbs(CLI::App& program, Action& action) {
    const auto flags = std::make_shared<FarmFlags>();
    const auto add = [&](const std::string& name, const std::string& about, bool has_plan) {
        CLI::App* verb = program.add_subcommand(name, about);
        if (has_plan) {
            verb->add_option("PLAN", flags->plan, "folder of a plan")->required();
        }
        verb->add_flag("--json", flags->json, "one JSON object on stdout");
        return verb;
    };
    CLI::App* plan = add("plan", "make a list of tasks; when run again, only what changed is left to do", false);
    plan->add_option("SOURCE", flags->planning.sources, "scenes, characters, folders of them, or patterns")->required();
    plan->add_option("-o,--output", flags->output, "folder of the plan, on a disk that all machines see")->required();
    plan->add_option("--chunk", flags->planning.chunk,
                     "frames per chunk; 0: long shots are cut into quarters of an hour")
        ->check(CLI::Range(0, 10'000'000));
    plan->add_option("--clips", flags->planning.clips,
                     "training set: a task for each clip of the BVH and GLB files in this folder, or of the character "
                     "itself (\"own\")");
    plan->add_option("--format", flags->planning.formats, "instead of the scenes' formats, comma-separated")
        ->delimiter(',');
    add_suggest_flags(*plan, flags->planning.suggest);
    plan->callback([flags, &action] { action = [flags] { return farm_plan(*flags); }; });

    CLI::App* run = add("run", "run one task here and now; safe to call twice, on any machine", true);
    run->add_option("--task", flags->task, "number of the task, counted from 0, or a range A-B");
    run->add_option("--list", flags->list, "file with the tasks of a submission");
    run->add_option("--index", flags->index, "place in that list, from 0");
    run->add_option("--bundle", flags->bundle, "tasks per bundle; --index then counts bundles")
        ->check(CLI::Range(1, 1'000'000));
    run->add_flag("--no-wait", flags->no_wait, "exit with 75 if another worker has the task");
    add_run_flags(*run, *flags);
    run->callback([flags, &action] { action = [flags] { return farm_run(*flags); }; });

    CLI::App* submit = add("submit", "submit everything that is left to an engine", true);
    submit->add_option("--engine", flags->engine, "local (processes on this machine) or slurm")
        ->check(CLI::IsMember({"local", "slurm"}))
        ->capture_default_str();
    submit->add_option("-j,--jobs", flags->jobs, "tasks at a time; 0: local: one per processor, slurm: any number")
        ->check(CLI::Range(0, 100'000));
    submit
        ->add_option("--bundle", flags->slurm.bundle,
                     "slurm: tasks per array element; 0: as few as MaxArraySize allows")
        ->check(CLI::Range(0, 1'000'000));
    submit->add_option("--minutes", flags->slurm.minutes, "slurm: time limit; 0: from the estimate");
    submit->add_flag("--dry-run", flags->dry_run, "slurm: print what would be submitted");
    add_run_flags(*submit, *flags);
    submit->allow_extras();
    submit->footer(
        "With --engine slurm every other flag goes to sbatch: --partition=film --account=show --qos=low ...");
    submit->callback([flags, submit, &action] {
        const std::vector<std::string> extra = submit->remaining();
        action = [flags, extra] { return farm_submit(*flags, extra); };
    });

    CLI::App* status = add("status", "progress of a plan; failed tasks with the last lines of their logs", true);
    status->add_flag("--watch", flags->watch, "keep watching until nothing is left to do");
    status->add_option("--workers", flags->workers,
                       "number of workers for estimating the time left; 0: those now at work");
    status->add_option("--tries", flags->run.tries, "as given to submit")->check(CLI::Range(1, 100));
    status->callback([flags, &action] { action = [flags] { return farm_status(*flags); }; });

    CLI::App* again = add("retry", "let failed tasks run again", true);
    again->add_option("--task", flags->task, "only this one, or A-B");
    again->callback([flags, &action] { action = [flags] { return farm_retry(*flags); }; });

    CLI::App* gather =
        add("collect", "collect results under their own names, with an index page and contact sheets", true);
    gather->add_option("-o,--output", flags->output, "folder to write into (default PLAN/results)");
    gather->add_option("--tries", flags->run.tries, "as given to submit")->check(CLI::Range(1, 100));
    gather->callback([flags, &action] { action = [flags] { return farm_collect(*flags); }; });
}

}  // namespace cutis::app
