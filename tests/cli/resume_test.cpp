#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <random>
#include <thread>

#include "cli/program.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;
using namespace test;

// Enough frames to be stopped somewhere in the middle.
std::string long_scene() {
    return cylinder_scene("fps = 2400", R"("pc2", "npz")");
}

TEST(Resumed, a_bake_killed_at_any_moment_ends_with_the_bytes_of_an_uninterrupted_one) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", long_scene());
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / "whole"}).code, 0);
    const auto whole = std::chrono::steady_clock::now() - begin;
    const std::vector<std::string> command = {
        "bake", scratch / "shot.toml", "-o", scratch / "out", "--checkpoint", "100", "--resume"};
    int kills = 0;
    int tries = 0;
    for (const int signal : {SIGTERM, SIGKILL, SIGINT, SIGKILL}) {
        Running bake(command);
        std::this_thread::sleep_for(whole * ++tries / 5);  // as long as this machine takes
        kill(bake.pid(), signal);
        const Outcome outcome = bake.wait();
        if (outcome.code == 0) {  // it was faster this time
            fs::remove_all(scratch / "out");
            continue;
        }
        if (signal != SIGKILL) {
            EXPECT_EQ(outcome.code, 128 + signal);
            EXPECT_FALSE(fs::exists(scratch / "out/shot.pc2"));
        } else if (fs::exists(scratch / "out/shot.pc2")) {  // between one file's appearing and the next one's
            EXPECT_TRUE(read_text(scratch / "out/shot.pc2") == read_text(scratch / "whole/shot.pc2"));
        }
        ++kills;
    }
    EXPECT_GE(kills, 1);
    ASSERT_EQ(run(command).code, 0);
    for (const char* name : {"shot.pc2", "shot.npz"}) {
        EXPECT_TRUE(read_text(scratch / ("whole/" + std::string(name))) ==
                    read_text(scratch / ("out/" + std::string(name))))
            << name;
    }
    EXPECT_FALSE(fs::exists(scratch / "out/.shot.checkpoint"));
}

// Every layer has a state of its own to lose.
constexpr const char* all_layers_scene = R"([body]
actor = "arm"
clip = "bend"
time_scale = 4.0
[[layer]]
kind = "curve"
to = ["hand"]
free_tip = false
[[layer]]
kind = "fold"
width = 0.03
edges_per_fold = 4
[[layer]]
kind = "slide"
step = 0.004
[[layer]]
kind = "shell"
detail = "spike"
height = 0.01
[output]
formats = ["pc2", "usda"]
last_frame = 60
)";

TEST(Resumed, slow_after_twenty_kills_at_random_moments_all_four_layers_have_lost_nothing) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", all_layers_scene);
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_EQ(run({"bake", scratch / "shot.toml", "-o", scratch / "whole"}).code, 0);
    const auto whole = std::chrono::steady_clock::now() - begin;
    const std::vector<std::string> names = names_in(scratch / "whole");
    ASSERT_GE(names.size(), 3u);  // body and detail
    const std::vector<std::string> command = {
        "bake", scratch / "shot.toml", "-o", scratch / "out", "--checkpoint", "3", "--resume"};
    const auto expect_whole_files = [&] {
        for (const std::string& name : names) {
            if (fs::exists(scratch / ("out/" + name))) {
                EXPECT_TRUE(read_text(scratch / ("whole/" + name)) == read_text(scratch / ("out/" + name))) << name;
            }
        }
    };
    std::mt19937 random(20);
    std::uniform_real_distribution<double> part(0.03, 0.7);  // of the time this machine takes
    std::uniform_int_distribution<int> which(0, 2);
    const int signals[] = {SIGKILL, SIGTERM, SIGINT};
    int kills = 0;
    for (int tries = 0; kills < 20 && tries < 200; ++tries) {
        Running bake(command);
        std::this_thread::sleep_for(part(random) * whole);
        if (bake.has_ended()) {
            EXPECT_EQ(bake.wait().code, 0);
            expect_whole_files();
            fs::remove_all(scratch / "out");
            continue;
        }
        kill(bake.pid(), signals[which(random)]);
        bake.wait();
        ++kills;
        expect_whole_files();
    }
    EXPECT_EQ(kills, 20);
    ASSERT_EQ(run(command).code, 0);
    EXPECT_EQ(names_in(scratch / "out"), names);
    expect_whole_files();
}

class Checkpoint : public testing::Test {
protected:
    // Leaves a checkpoint behind, as a stopped bake does.
    void SetUp() override {
        write_text(scratch_ / "shot.toml", long_scene());
        Running bake({"bake", scratch_ / "shot.toml", "-o", scratch_ / "out", "--checkpoint", "50"});
        while (!bake.has_ended() && !fs::exists(folder() / "state")) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        kill(bake.pid(), SIGTERM);
        const Outcome outcome = bake.wait();
        ASSERT_EQ(outcome.code, 128 + SIGTERM);
        EXPECT_TRUE(contains(outcome.err, "--resume")) << outcome.err;
    }
    fs::path folder() const { return scratch_ / "out/.shot.checkpoint"; }
    Outcome resume() const { return run({"bake", scratch_ / "shot.toml", "-o", scratch_ / "out", "--resume"}); }
    ScratchFolder scratch_;
};

TEST_F(Checkpoint, of_a_scene_that_changed_is_refused_with_the_reason) {
    std::string scene = long_scene();
    scene.replace(scene.find("fps = 2400"), 10, "fps = 2500");
    write_text(scratch_ / "shot.toml", scene);
    const Outcome outcome = resume();
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "[body] changed since the checkpoint")) << outcome.err;
    write_text(scratch_ / "shot.toml", long_scene());
    EXPECT_EQ(resume().code, 0);
}

TEST_F(Checkpoint, that_is_damaged_is_refused_and_left_alone) {
    const std::string state = read_text(folder() / "state");
    const std::string frames = read_text(folder() / "frames");
    std::string broken = state;
    broken[broken.size() / 2] ^= 4;
    for (const std::string& bytes : {broken, state.substr(0, state.size() / 2), std::string()}) {
        write_text(folder() / "state", bytes);
        const Outcome outcome = resume();
        EXPECT_EQ(outcome.code, 2);
        EXPECT_TRUE(contains(outcome.err, "damaged")) << outcome.err;
        EXPECT_EQ(read_text(folder() / "state"), bytes);
    }
    write_text(folder() / "state", state);
    broken = frames;
    broken[broken.size() / 3] ^= 1;
    for (const std::string& bytes : {broken, frames.substr(0, frames.size() / 2)}) {
        write_text(folder() / "frames", bytes);
        const Outcome outcome = resume();
        EXPECT_EQ(outcome.code, 2);
        EXPECT_TRUE(contains(outcome.err, "damaged")) << outcome.err;
        EXPECT_FALSE(fs::exists(scratch_ / "out/shot.pc2"));
    }
}

TEST(Resumed, with_a_changed_file_of_a_sequence_is_refused_by_its_name) {
    const ScratchFolder scratch;
    const auto write_frames = [&](const char* height) {
        for (const char* number : {"1", "2"}) {
            write_text(scratch / ("a" + std::string(number) + ".obj"),
                       "v 0 0 " + std::string(number) + "\nv 1 0 0\nv 0 " + height + " 0\nf 1 2 3\n");
        }
    };
    write_frames("1");
    write_text(scratch / "shot.toml",
               "[body]\nmesh = \"a1.obj\"\ncache = \"a*.obj\"\ncache_rate = 1\nfps = 90000\n"
               "[output]\nformats = [\"pc2\"]\n");
    Running bake({"bake", scratch / "shot.toml", "-o", scratch / "out", "--checkpoint", "50"});
    while (!bake.has_ended() && !fs::exists(scratch / "out/.shot.checkpoint/state")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(bake.pid(), SIGTERM);
    ASSERT_EQ(bake.wait().code, 128 + SIGTERM);
    write_frames("2");
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--resume"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "a1.obj changed since")) << outcome.err;
}

TEST(Resumed, without_a_checkpoint_begins_at_the_beginning_and_says_so) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", R"("pc2")"));
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out", "--resume"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.out, "No checkpoint")) << outcome.out;
    EXPECT_EQ(names_in(scratch / "out"), std::vector<std::string>{"shot.pc2"});
}

}  // namespace
}  // namespace cutis
