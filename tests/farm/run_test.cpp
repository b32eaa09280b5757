#include "cutis/farm/run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <thread>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/farm/engines.h"
#include "support/data.h"

namespace cutis::farm {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

const char* const slide_scene = R"([body]
actor = "torus"
clip = "bulge"
[[layer]]
kind = "slide"
[output]
formats = ["pc2"]
last_frame = 9
)";
const char* const still_scene = R"([body]
actor = "cylinder"
[output]
formats = ["pc2"]
last_frame = 9
)";

void write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
}

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

PlanReport plan_of(const ScratchFolder& scratch, const std::string& scene, int chunk = 0) {
    write(scratch / "a.toml", scene);
    PlanOptions options;
    options.sources = {scratch / "a.toml"};
    options.chunk = chunk;
    options.actors = load_actor;
    options.version = "test";
    return make_plan(scratch / "plan", options);
}

/// Bakes ask for their actor first: there a test does to them what happens to bakes.
RunControls controls(const std::function<void(const std::string&)>& meanwhile = {}) {
    RunControls out;
    out.version = "test";
    out.threads = 1;
    out.actors = [meanwhile](const std::string& name) {
        if (meanwhile) {
            meanwhile(name);
        }
        return load_actor(name);
    };
    return out;
}

int count_lines(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

TEST(FarmPlan, a_shot_with_memory_is_a_chain_and_one_without_is_parts_and_a_join) {
    const ScratchFolder scratch;
    EXPECT_EQ(plan_of(scratch, slide_scene, 4).tasks, 3);
    {
        const Plan plan(scratch / "plan");
        ASSERT_EQ(plan.size(), 3);
        const Task last = plan.task(2);
        EXPECT_EQ(last.kind, TaskKind::chain);
        EXPECT_TRUE(last.is_last());
        EXPECT_FALSE(plan.task(1).is_last());
        EXPECT_EQ(last.first_frame, 9);
        EXPECT_EQ(last.last_frame, 9);
        EXPECT_EQ(plan.needs(2, last).first, 1);
        EXPECT_EQ(plan.needs(0, plan.task(0)).first, 0);
        EXPECT_EQ(plan.shot(last).name, "a");
        EXPECT_EQ(plan.tasks()[1].hash, plan.task(1).hash);
        EXPECT_NE(plan.task(0).hash, plan.task(1).hash);
        EXPECT_THROW(plan.task(3), InvalidInput);
    }
    EXPECT_EQ(plan_of(scratch, still_scene, 4).tasks, 4);
    const Plan plan(scratch / "plan");
    EXPECT_EQ(plan.task(0).kind, TaskKind::part);
    EXPECT_EQ(plan.task(3).kind, TaskKind::join);
    EXPECT_EQ(plan.needs(3, plan.task(3)), (std::pair<std::int64_t, std::int64_t>{0, 3}));
    EXPECT_EQ(plan.needs(1, plan.task(1)), (std::pair<std::int64_t, std::int64_t>{1, 1}));
}

TEST(FarmPlan, what_a_task_reads_decides_what_stays_done) {
    const ScratchFolder scratch;
    EXPECT_EQ(plan_of(scratch, slide_scene, 3).done, 0);
    EXPECT_EQ(run_task(Plan(scratch / "plan"), 2, controls()).kind, Result::Kind::done);
    const PlanReport again = plan_of(scratch, slide_scene, 3);
    EXPECT_EQ(again.done, 3);
    EXPECT_EQ(again.seconds, 0.0);
    std::string other = slide_scene;
    other.replace(other.find("\"pc2\""), 5, "\"mdd\"");
    EXPECT_EQ(plan_of(scratch, other, 3).done, 2) << "what is written at the end is no part of the frames before it";
}

TEST(FarmRun, a_join_and_a_chain_give_what_one_task_gives) {
    for (const char* scene : {slide_scene, still_scene}) {
        const ScratchFolder scratch;
        plan_of(scratch, scene);
        std::string whole;
        {
            const Plan plan(scratch / "plan");
            ASSERT_EQ(run_task(plan, 0, controls()).kind, Result::Kind::done);
            whole = read(result_folder(plan, plan.task(0)) / "a.pc2");
        }
        plan_of(scratch, scene, 4);
        const Plan plan(scratch / "plan");
        const std::int64_t last = plan.size() - 1;
        EXPECT_EQ(run_task(plan, last, controls()).kind, Result::Kind::done) << "does what it waits for, too";
        EXPECT_EQ(run_task(plan, last, controls()).kind, Result::Kind::was_done);
        EXPECT_TRUE(read(result_folder(plan, plan.task(last)) / "a.pc2") == whole);
        EXPECT_GT(whole.size(), 1000u);
        const Status status = status_of(plan, plan.tasks(), 3);
        EXPECT_EQ(status.done, plan.size());
        EXPECT_EQ(status.waiting + status.blocked, 0);
        EXPECT_EQ(status.seconds_left, 0.0);
        EXPECT_GT(status.seconds_spent, 0.0);
        EXPECT_EQ(report_number(result_folder(plan, plan.task(0)), "frames"), 4.0);
    }
}

TEST(FarmRun, a_bake_that_hangs_is_ended_and_tried_again_as_often_as_it_may) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene, 5);
    const Plan plan(scratch / "plan");
    RunControls hangs = controls([](const std::string&) { std::this_thread::sleep_for(std::chrono::seconds(60)); });
    hangs.hang = 0.5;
    hangs.tries = 2;
    const Result first = run_task(plan, 0, hangs);
    EXPECT_EQ(first.kind, Result::Kind::later) << first.message;
    EXPECT_NE(first.message.find("without a new frame"), std::string::npos) << first.message;
    EXPECT_EQ(run_task(plan, 0, hangs).kind, Result::Kind::failed);
    const Status status = status_of(plan, plan.tasks(), 2);
    ASSERT_EQ(status.failed.size(), 1u);
    EXPECT_EQ(status.failed[0].second.kind, "hung");
    EXPECT_EQ(status.failed[0].second.node, node_name());
    EXPECT_EQ(status.blocked, 1);
    EXPECT_EQ(status_of(plan, plan.tasks(), 3).failed.size(), 0u) << "a third try is left";
    EXPECT_EQ(run_task(plan, 1, hangs).kind, Result::Kind::failed) << "what it waits for failed";
    EXPECT_EQ(retry(plan, -1), 1);
    EXPECT_EQ(run_task(plan, 1, controls()).kind, Result::Kind::done);
}

TEST(FarmRun, a_bake_that_crashes_or_cannot_work_is_told_apart) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene);
    const Plan plan(scratch / "plan");
    const Result crash = run_task(plan, 0, controls([](const std::string&) {
                                      std::puts("about to crash");
                                      std::fflush(stdout);
                                      raise(SIGKILL);
                                  }));
    EXPECT_EQ(crash.kind, Result::Kind::later);
    EXPECT_NE(crash.message.find("killed by signal 9"), std::string::npos) << crash.message;
    const Result bad = run_task(plan, 0, controls([](const std::string&) { throw InvalidInput("not such an actor"); }));
    EXPECT_EQ(bad.kind, Result::Kind::failed) << "would fail again everywhere";
    const Status status = status_of(plan, plan.tasks(), 3);
    ASSERT_EQ(status.failed.size(), 1u);
    EXPECT_EQ(run_task(plan, 0, controls()).kind, Result::Kind::failed) << "until somebody says retry";
}

TEST(FarmRun, a_full_disk_is_waited_for) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene);
    const Plan plan(scratch / "plan");
    std::string said;
    RunControls full = controls([&](const std::string&) {
        if (!fs::exists(scratch / "room")) {
            throw IoError("a.pc2: cannot be written (No space left on device)");
        }
    });
    full.say = [&](const std::string& line) {
        said += line + "\n";
        write(scratch / "room", "");
    };
    EXPECT_EQ(run_task(plan, 0, full).kind, Result::Kind::done);
    EXPECT_EQ(count_lines(said), 1) << said;
    EXPECT_NE(said.find("trying again in 1 s"), std::string::npos) << said;
    EXPECT_TRUE(status_of(plan, plan.tasks(), 1).failed.empty());
}

TEST(FarmRun, a_disk_that_stays_full_is_left_to_a_later_try) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene);
    const Plan plan(scratch / "plan");
    RunControls full = controls([](const std::string&) { throw IoError("a.pc2: (No space left on device)"); });
    full.patience = 0.01;
    EXPECT_EQ(run_task(plan, 0, full).kind, Result::Kind::later);
    EXPECT_TRUE(status_of(plan, plan.tasks(), 1).failed.empty()) << "no fault of the task";
    EXPECT_EQ(run_task(plan, 0, controls()).kind, Result::Kind::done);
}

TEST(FarmRun, a_signal_keeps_a_checkpoint_and_the_next_try_goes_on_from_it) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene, 8);
    const Plan plan(scratch / "plan");
    const auto begin = std::chrono::steady_clock::now();
    RunControls stopped = controls();
    stopped.checkpoint = 0.01;  // after every frame
    int asked = 0;
    stopped.stopped = [&] { return ++asked > 4 ? SIGTERM : 0; };
    EXPECT_EQ(run_task(plan, 0, stopped).kind, Result::Kind::stopped);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
    EXPECT_EQ(status_of(plan, plan.tasks(), 3).running.size(), 0u) << "the task is free";
    ASSERT_EQ(run_task(plan, 0, controls()).kind, Result::Kind::done);
    const fs::path done = result_folder(plan, plan.task(0));
    EXPECT_NE(read(done / "log").find("continues after frame"), std::string::npos) << read(done / "log");
    EXPECT_LT(report_number(done, "frames"), 8.0);
    ASSERT_EQ(run_task(plan, 1, controls()).kind, Result::Kind::done);
    const std::string chunks = read(result_folder(plan, plan.task(1)) / "a.pc2");
    plan_of(scratch, slide_scene);
    const Plan whole(scratch / "plan");
    ASSERT_EQ(run_task(whole, 0, controls()).kind, Result::Kind::done);
    EXPECT_TRUE(read(result_folder(whole, whole.task(0)) / "a.pc2") == chunks);
}

volatile std::sig_atomic_t alarms = 0;

TEST(FarmRun, a_signal_that_comes_while_it_waits_for_its_bake_ends_a_worker) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene);
    const Plan plan(scratch / "plan");
    struct sigaction action = {};
    action.sa_handler = [](int) { alarms = 1; };  // interrupts what waits
    sigaction(SIGALRM, &action, nullptr);
    RunControls waiting = controls([](const std::string&) { std::this_thread::sleep_for(std::chrono::seconds(30)); });
    waiting.stopped = [] { return alarms != 0 ? SIGTERM : 0; };
    const auto begin = std::chrono::steady_clock::now();
    ualarm(300'000, 0);
    EXPECT_EQ(run_task(plan, 0, waiting).kind, Result::Kind::stopped);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    EXPECT_EQ(run_task(plan, 0, controls()).kind, Result::Kind::done);
}

TEST(FarmRun, a_task_that_another_worker_has_is_left_to_it) {
    const ScratchFolder scratch;
    plan_of(scratch, slide_scene);
    const Plan plan(scratch / "plan");
    RunControls impatient = controls();
    impatient.waits = false;
    Result inner;
    // The bake's own process looks: its parent lives and has the task.
    run_task(plan, 0, controls([&](const std::string&) {
                 inner = run_task(plan, 0, impatient);
                 if (inner.kind != Result::Kind::later) {
                     throw InvalidInput("taken twice");
                 }
             }));
    EXPECT_EQ(status_of(plan, plan.tasks(), 3).done, 1);
}

TEST(FarmSlurm, a_dry_run_says_arrays_dependencies_memory_and_time) {
    const ScratchFolder scratch;
    write(scratch / "b.toml", still_scene);
    write(scratch / "a.toml", slide_scene);
    PlanOptions planning;
    planning.sources = {scratch / "a.toml", scratch / "b.toml"};
    planning.chunk = 3;
    planning.actors = load_actor;
    planning.version = "test";
    make_plan(scratch / "plan", planning);
    SlurmOptions options;
    options.program = "/usr/bin/cutis-farm";
    options.is_dry = true;
    options.at_once = 7;
    options.flags = {"--comment=it's"};
    const Plan plan(scratch / "plan");
    const std::vector<std::string> lines = submit_slurm(plan, options);
    ASSERT_EQ(lines.size(), 5u);  // three steps of the chain, parts, joins
    EXPECT_EQ(lines[0].find("--dependency"), std::string::npos) << lines[0];
    EXPECT_NE(lines[1].find("--dependency=afterany:JOB"), std::string::npos) << lines[1];
    EXPECT_EQ(lines[3].find("--dependency"), std::string::npos) << lines[3];
    EXPECT_NE(lines[3].find("--array=0-2%7"), std::string::npos) << lines[3];
    EXPECT_NE(lines[4].find("--dependency=afterany:JOB"), std::string::npos) << lines[4];
    const Task task = plan.task(0);
    EXPECT_NE(lines[0].find(concat("--mem=", static_cast<int>(std::ceil(1.5 * task.megabytes + 200.0)), "M --time=6 ")),
              std::string::npos)
        << lines[0];
    EXPECT_NE(lines[0].find("'--comment=it'\\''s'"), std::string::npos) << lines[0];
    EXPECT_NE(lines[0].find("'/usr/bin/cutis-farm' run "), std::string::npos) << lines[0];
    EXPECT_FALSE(fs::exists(scratch / "plan/submit"));
}

}  // namespace
}  // namespace cutis::farm
