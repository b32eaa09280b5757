#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>

#include "cli/program.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

const char* const chain_scene = R"([body]
actor = "torus"
clip = "bulge"
[[layer]]
kind = "slide"
[output]
formats = ["pc2"]
last_frame = 12
)";

nlohmann::json farm(const std::vector<std::string>& words, int code = 0) {
    std::vector<std::string> all = {"farm"};
    all.insert(all.end(), words.begin(), words.end());
    all.emplace_back("--json");
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return outcome.out.empty() ? nlohmann::json() : nlohmann::json::parse(outcome.out);
}

Outcome plain_run(const fs::path& plan, const std::string& task) {
    return run({"farm", "run", plan, "--task", task});
}

TEST(FarmCli, a_shot_in_chunks_and_a_wedge_are_what_one_bake_gives) {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "shots");
    write_text(scratch / "shots/a.toml", chain_scene);
    write_text(scratch / "shots/b.toml", std::string(chain_scene) +
                                             "[output.html]\ntimes = false\n[wedge]\n"
                                             "slide.stickiness = [0.2, 0.8]\n");
    write_text(scratch / "shots/c.toml", cylinder_scene("", R"("npz")") + "first_frame = 2\nlast_frame = 12\n");
    const auto planned = farm({"plan", scratch / "shots", "-o", scratch / "plan", "--chunk", "5"});
    EXPECT_EQ(planned["tasks"], 3 + 2 * 3 + 4);  // a chain, two chains, three parts and a join
    EXPECT_EQ(planned["shots"], 4);
    const auto status = farm({"submit", scratch / "plan"});
    EXPECT_EQ(status["complete"], true);
    farm({"collect", scratch / "plan", "-o", scratch / "results"});
    for (const char* name : {"a", "b", "c"}) {
        const std::string scene = scratch / ("shots/" + std::string(name) + ".toml");
        ASSERT_EQ(run({"bake", scene, "-o", scratch / ("one/" + std::string(name))}).code, 0);
    }
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(scratch / "one")) {
        if (entry.is_regular_file()) {
            const fs::path other = scratch / "results" / fs::relative(entry.path(), scratch / "one");
            EXPECT_TRUE(read_text(entry.path()) == read_text(other)) << other;
            ++files;
        }
    }
    EXPECT_EQ(files, 1 + 2 * 2 + 1 + 1);  // caches, pages, a contact sheet
    const std::string index = read_text(scratch / "results/index.html");
    EXPECT_TRUE(contains(index, "b/w2/thumbnail.png") && contains(index, "stickiness 0.8"));
    EXPECT_EQ(read_text(scratch / "results/a/thumbnail.png").substr(1, 3), "PNG");
    EXPECT_TRUE(names_in(scratch / "plan/work").empty() || names_in(scratch / "plan/claims").size() <= 256);
}

TEST(FarmCli, planning_again_leaves_only_what_changed) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    const std::string wedge = std::string(chain_scene) + "[wedge]\nslide.damping = ";
    write_text(scratch / "b.toml", wedge + "[1.0, 2.0]\n");
    const std::vector<std::string> plan = {
        "plan", scratch / "a.toml", scratch / "b.toml", "-o", scratch / "plan", "--chunk", "6"};
    EXPECT_EQ(farm(plan)["done"], 0);
    EXPECT_EQ(farm({"submit", scratch / "plan"})["complete"], true);
    EXPECT_EQ(farm(plan)["done"], 6);
    write_text(scratch / "b.toml", "# a comment\n" + wedge + "[1.0, 3.0, 2.0]\n");
    auto again = farm(plan);
    EXPECT_EQ(again["tasks"], 8);
    EXPECT_EQ(again["done"], 6) << "values that were there stay done";
    // What is written at the end is no part of the frames before it.
    std::string text = chain_scene;
    write_text(scratch / "a.toml", text.replace(text.find("\"pc2\""), 5, "\"mdd\""));
    again = farm(plan);
    EXPECT_EQ(again["done"], 5) << "only the last chunk writes";
    EXPECT_EQ(farm({"submit", scratch / "plan"})["complete"], true);
    farm({"collect", scratch / "plan"});
    ASSERT_EQ(run({"bake", scratch / "a.toml", "-o", scratch / "one"}).code, 0);
    EXPECT_TRUE(read_text(scratch / "one/a.mdd") == read_text(scratch / "plan/results/a/a.mdd"));
}

TEST(FarmCli, a_task_is_done_once_and_does_what_it_waits_for) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan", "--chunk", "4"});
    Outcome last = plain_run(scratch / "plan", "2");
    EXPECT_EQ(last.code, 0) << last.err;
    EXPECT_EQ(farm({"status", scratch / "plan"})["complete"], true);
    last = plain_run(scratch / "plan", "0-2");
    EXPECT_EQ(last.code, 0);
    EXPECT_TRUE(contains(last.out, "done before")) << last.out;
}

TEST(FarmCli, a_chunk_whose_worker_died_before_it_could_say_so_is_taken_as_it_is) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan", "--chunk", "6"});
    ASSERT_EQ(plain_run(scratch / "plan", "0").code, 0);
    for (const auto& entry : fs::recursive_directory_iterator(scratch / "plan/done")) {
        if (entry.path().filename() == "report") {
            const fs::path done = entry.path().parent_path();
            const fs::path work = scratch / "plan/work" / done.parent_path().filename();
            fs::remove(entry.path());
            fs::create_directories(work);
            fs::rename(done, work / (done.filename().string() + ".dead-1-0"));
            break;
        }
    }
    ASSERT_EQ(farm({"status", scratch / "plan"})["done"], 0);
    const Outcome outcome = plain_run(scratch / "plan", "1");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    farm({"collect", scratch / "plan"});
    ASSERT_EQ(run({"bake", scratch / "a.toml", "-o", scratch / "one"}).code, 0);
    EXPECT_TRUE(read_text(scratch / "one/a.pc2") == read_text(scratch / "plan/results/a/a.pc2"));
}

TEST(FarmCli, two_workers_on_one_task_give_one_result) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    Running one({"farm", "run", scratch / "plan", "--task", "0"});
    Running two({"farm", "run", scratch / "plan", "--task", "0"});
    const Outcome first = one.wait();
    const Outcome second = two.wait();
    EXPECT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_TRUE(contains(first.out + second.out, "done by another worker") ||
                contains(first.out + second.out, "done before"))
        << first.out << second.out;
    EXPECT_EQ(farm({"status", scratch / "plan"})["done"], 1);
}

TEST(FarmCli, a_scene_that_changed_under_a_plan_is_refused) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    write_text(scratch / "a.toml", std::string(chain_scene) + "first_frame = 2\n");
    const Outcome outcome = plain_run(scratch / "plan", "0");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "a.toml") && contains(outcome.err, "changed since the plan was made"))
        << outcome.err;
    const auto status = farm({"status", scratch / "plan"});
    EXPECT_EQ(status["failed"], 1);
    EXPECT_TRUE(contains(status["failures"][0]["message"], "farm plan"));
    write_text(scratch / "a.toml", chain_scene);
    EXPECT_EQ(plain_run(scratch / "plan", "0").code, 1) << "left alone until somebody looked at it";
    EXPECT_EQ(farm({"retry", scratch / "plan"})["retried"], 1);
    EXPECT_EQ(plain_run(scratch / "plan", "0").code, 0);
}

TEST(FarmCli, a_character_that_changed_or_is_missing_is_named_with_the_node) {
    const ScratchFolder scratch;
    ASSERT_EQ(run({"convert", "actor:cylinder", scratch / "hero.glb"}).code, 0);
    write_text(scratch / "a.toml", "[body]\nfile = \"hero.glb\"\n[output]\nformats = [\"pc2\"]\nlast_frame = 3\n");
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    fs::rename(scratch / "hero.glb", scratch / "away.glb");
    Outcome outcome = plain_run(scratch / "plan", "0");
    EXPECT_EQ(outcome.code, 75) << "another machine may have it";
    EXPECT_TRUE(contains(outcome.err, "hero.glb: no such file on this node") && contains(outcome.err, "mount"))
        << outcome.err;
    fs::rename(scratch / "away.glb", scratch / "hero.glb");
    std::string bytes = read_text(scratch / "hero.glb");
    write_text(scratch / "hero.glb", bytes + "    ");
    outcome = plain_run(scratch / "plan", "0");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "hero.glb changed since the plan was made")) << outcome.err;
}

TEST(FarmCli, bad_plans_and_sources_are_refused_and_nothing_is_written) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    write_text(scratch / "bad.toml", std::string(chain_scene) + "[wedge]\nslide.stickiness = [0.5, 7.0, 0.6]\n");
    Outcome outcome = run({"farm", "plan", scratch / "a.toml", scratch / "bad.toml", "-o", scratch / "plan"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "bad.toml") && contains(outcome.err, "stickiness")) << outcome.err;
    EXPECT_FALSE(fs::exists(scratch / "plan"));
    outcome = run({"farm", "plan", scratch / "none*.toml", "-o", scratch / "plan"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "no file fits")) << outcome.err;
    outcome = run({"farm", "plan", scratch / "a.toml", "-o", scratch.path()});
    EXPECT_EQ(outcome.code, 2) << "a folder with something else in it";
    farm({"plan", scratch / "*.toml", "-o", scratch / "other"}, 2);
    fs::remove(scratch / "bad.toml");
    farm({"plan", scratch / "*.toml", "-o", scratch / "plan"});
    EXPECT_EQ(plain_run(scratch / "plan", "1").code, 2);
    EXPECT_EQ(plain_run(scratch / "plan", "0x").code, 2);
    EXPECT_EQ(plain_run(scratch / "nothing", "0").code, 2);
    outcome = run({"farm", "submit", scratch / "plan", "--partition=film"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "--partition=film")) << outcome.err;
    std::string header = read_text(scratch / "plan/plan");
    write_text(scratch / "plan/plan", header.replace(header.find("plan 1"), 6, "plan 9"));
    for (const char* verb : {"status", "submit", "collect", "retry"}) {
        outcome = run({"farm", verb, scratch / "plan"});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_TRUE(contains(outcome.err, "expected a plan of version 1")) << outcome.err;
    }
    outcome = run({"farm", "plan", scratch / "a.toml", "-o", scratch / "plan"});
    EXPECT_EQ(outcome.code, 2) << "what another version made is not overwritten";
}

TEST(FarmCli, a_scene_that_changes_between_two_chunks_is_refused_and_planned_again) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    const std::vector<std::string> plan = {"plan", scratch / "a.toml", "-o", scratch / "plan", "--chunk", "6"};
    farm(plan);
    ASSERT_EQ(plain_run(scratch / "plan", "0").code, 0);
    std::string text = chain_scene;
    write_text(scratch / "a.toml", text.replace(text.find("\"slide\""), 7, "\"slide\"\nstickiness = 0.3"));
    EXPECT_EQ(farm({"submit", scratch / "plan"}, 1)["failed"], 1);
    const auto again = farm(plan);
    EXPECT_EQ(again["done"], 0);
    EXPECT_EQ(farm({"submit", scratch / "plan"})["complete"], true);
    farm({"collect", scratch / "plan"});
    ASSERT_EQ(run({"bake", scratch / "a.toml", "-o", scratch / "one"}).code, 0);
    EXPECT_TRUE(read_text(scratch / "one/a.pc2") == read_text(scratch / "plan/results/a/a.pc2"));
}

TEST(FarmCli, a_folder_without_permission_is_named_with_the_node_and_what_to_do) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    // The programs that are started from here on: root, too, asks for permission.
    prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
    prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
    const auto expect_said = [&](const Outcome& outcome, const std::string& path) {
        EXPECT_EQ(outcome.code, 1) << outcome.out;
        char node[256] = {};
        gethostname(node, sizeof(node) - 1);
        EXPECT_TRUE(contains(outcome.err, std::string(node) + ": ") && contains(outcome.err, path) &&
                    contains(outcome.err, "Permission denied") && contains(outcome.err, "let user "))
            << outcome.err;
    };
    fs::permissions(scratch / "plan", fs::perms::owner_write, fs::perm_options::remove);
    expect_said(plain_run(scratch / "plan", "0"), scratch / "plan");
    expect_said(run({"farm", "plan", scratch / "a.toml", "-o", scratch / "plan/new"}), scratch / "plan/new");
    expect_said(run({"farm", "submit", scratch / "plan", "--tries", "1"}), scratch / "plan");
    EXPECT_EQ(names_in(scratch / "plan").size(), 4u) << "nothing half-written";
    fs::permissions(scratch / "plan", fs::perms::owner_write, fs::perm_options::add);
    // Results that cannot be looked at are not taken for none.
    ASSERT_EQ(plain_run(scratch / "plan", "0").code, 0);
    fs::permissions(scratch / "plan/done", fs::perms::none);
    expect_said(run({"farm", "status", scratch / "plan"}), scratch / "plan/done");
    fs::permissions(scratch / "plan/done", fs::perms::owner_all);
    fs::create_directory(scratch / "shut");
    fs::permissions(scratch / "shut", fs::perms::owner_read | fs::perms::owner_exec);
    expect_said(run({"farm", "collect", scratch / "plan", "-o", scratch / "shut/results"}), scratch / "shut/results");
}

TEST(FarmCli, a_scene_that_this_node_may_not_read_may_go_elsewhere) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
    prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
    fs::permissions(scratch / "a.toml", fs::perms::none);
    const Outcome outcome = plain_run(scratch / "plan", "0");
    EXPECT_EQ(outcome.code, 75);
    EXPECT_TRUE(contains(outcome.err, "a.toml") && contains(outcome.err, "Permission denied")) << outcome.err;
    fs::permissions(scratch / "a.toml", fs::perms::owner_read);
    EXPECT_EQ(plain_run(scratch / "plan", "0").code, 0);
}

TEST(FarmCli, slurm_that_is_not_there_is_said) {
    const ScratchFolder scratch;
    write_text(scratch / "a.toml", chain_scene);
    farm({"plan", scratch / "a.toml", "-o", scratch / "plan"});
    const auto expect_said = [&] {
        const Outcome outcome = run({"farm", "submit", scratch / "plan", "--engine", "slurm"});
        EXPECT_EQ(outcome.code, 2);
        EXPECT_TRUE(contains(outcome.err, "Slurm") && contains(outcome.err, "--engine local")) << outcome.err;
        EXPECT_FALSE(fs::exists(scratch / "plan/submit"));
    };
    // Not installed: a folder of programs without its own.
    fs::create_directory(scratch / "bin");
    fs::create_symlink("/usr/bin/timeout", scratch / "bin/timeout");
    const std::string path = std::getenv("PATH");
    setenv("PATH", (scratch / "bin").c_str(), 1);
    expect_said();
    setenv("PATH", path.c_str(), 1);
    setenv("SLURM_CONF", (scratch / "no.conf").c_str(), 1);
    expect_said();
    const Outcome dry =
        run({"farm", "submit", scratch / "plan", "--engine", "slurm", "--dry-run", "--partition=film", "--qos=low"});
    unsetenv("SLURM_CONF");
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_TRUE(contains(dry.out, "--requeue") && contains(dry.out, "--partition=film") &&
                contains(dry.out, "--qos=low") && contains(dry.out, "--mem=") && contains(dry.out, "--signal=B:TERM@"))
        << dry.out;
}

TEST(FarmCli, a_training_set_has_a_skeleton_and_points_for_every_clip) {
    const ScratchFolder scratch;
    ASSERT_EQ(run({"convert", "actor:cylinder", scratch / "hero.glb"}).code, 0);
    const auto planned =
        farm({"plan", scratch / "hero.glb", "--clips", "own", "--layers", "none", "-o", scratch / "plan"});
    EXPECT_GE(planned["tasks"], 1);
    EXPECT_EQ(farm({"submit", scratch / "plan"})["complete"], true);
    farm({"collect", scratch / "plan", "-o", scratch / "set"});
    const auto list = nlohmann::json::parse(read_text(scratch / "set/training.json"));
    ASSERT_EQ(list["clips"].size(), planned["tasks"].get<size_t>());
    for (const auto& clip : list["clips"]) {
        EXPECT_EQ(read_text(scratch / "set" / clip["skeleton"].get<std::string>()).substr(0, 4), "glTF");
        EXPECT_TRUE(fs::exists(scratch / "set" / clip["points"][0].get<std::string>()));
        EXPECT_GT(clip["frames"], 1);
    }
    EXPECT_EQ(run({"farm", "plan", scratch / "hero.glb", "--clips", scratch / "none", "-o", scratch / "p2"}).code, 2);
}

TEST(FarmCli, clips_of_a_folder_are_put_onto_the_character) {
    const ScratchFolder scratch;
    fs::copy_file(CUTIS_EXAMPLES "/../actors/arm.glb", scratch / "hero.glb");
    fs::create_directories(scratch / "mocap/day1");
    const std::string turn =
        "HIERARCHY\nROOT upper_arm\n{\n OFFSET 0 0 0\n CHANNELS 3 Zrotation Yrotation Xrotation\n JOINT forearm_1\n {\n"
        "  OFFSET 0 0.4 0\n  CHANNELS 3 Zrotation Yrotation Xrotation\n  End Site\n  {\n   OFFSET 0 0.4 0\n  }\n }\n}\n"
        "MOTION\nFrames: 3\nFrame Time: 0.1\n0 0 0 0 0 0\n0 0 0 10 0 0\n0 0 0 ";
    write_text(scratch / "mocap/day1/turn.bvh", turn + "20 0 0\n");
    write_text(scratch / "mocap/more.bvh", turn + "40 0 0\n");
    fs::copy_file(scratch / "hero.glb", scratch / "mocap/other.glb");
    write_text(scratch / "mocap/notes.txt", "not a clip\n");
    const std::vector<std::string> plan = {
        "plan", scratch / "hero.glb", "--clips", scratch / "mocap", "--layers", "none", "-o", scratch / "plan"};
    const auto planned = farm(plan);
    EXPECT_EQ(planned["tasks"], 4);
    EXPECT_EQ(farm({"submit", scratch / "plan"})["complete"], true);
    farm({"collect", scratch / "plan", "-o", scratch / "set"});
    const auto list = nlohmann::json::parse(read_text(scratch / "set/training.json"));
    ASSERT_EQ(list["clips"].size(), 4u);
    EXPECT_EQ(list["clips"][0]["name"], "day1/turn");
    EXPECT_EQ(list["clips"][0]["frames"], 7);
    EXPECT_EQ(list["clips"][2]["name"], "other/bend");
    // Its own motion, read from another file, is nearly its own motion: joints turn, other channels are not taken over.
    write_text(scratch / "own.toml", "[body]\nfile = \"hero.glb\"\nclip = \"bend\"\n[output]\nformats = [\"pc2\"]\n");
    ASSERT_EQ(run({"bake", scratch / "own.toml", "-o", scratch / "one"}).code, 0);
    const std::string own = read_text(scratch / "one/own.pc2");
    const std::string moved = read_text(scratch / "set/other/bend/bend.pc2");
    ASSERT_EQ(own.size(), moved.size());
    const auto number = [](const std::string& text, size_t at) {
        float value = 0.0F;
        std::memcpy(&value, text.data() + at, 4);
        return static_cast<double>(value);
    };
    const size_t frame = (own.size() - 32) / 108;  // 3.6 s
    double apart = 0.0;
    double moves = 0.0;
    for (size_t at = 32; at + 4 <= own.size(); at += 4) {
        apart = std::max(apart, std::abs(number(own, at) - number(moved, at)));
        moves = std::max(moves, std::abs(number(own, at) - number(own, 32 + (at - 32) % frame)));
    }
    EXPECT_LT(apart, 0.15 * moves);
    EXPECT_GT(moves, 0.2);
    EXPECT_FALSE(read_text(scratch / "set/day1/turn/turn.pc2") == read_text(scratch / "set/more/more.pc2"));
    // A clip that changes is the only one to be done again.
    write_text(scratch / "mocap/more.bvh", turn + "30 0 0\n");
    EXPECT_EQ(farm(plan)["done"], 3);
}

}  // namespace
}  // namespace cutis::test
