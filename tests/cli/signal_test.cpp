#include <gtest/gtest.h>
#include <csignal>
#include <regex>
#include <sstream>
#include <thread>

#include "cli/program.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

// Thousands of frames: far longer than the test waits before it sends the signal.
std::string long_scene() {
    return cylinder_scene("fps = 20000", R"("glb", "usda", "obj", "pc2", "mdd", "npz")");
}

class Interrupted : public ::testing::TestWithParam<int> {};

TEST_P(Interrupted, a_bake_ends_cleanly_with_nothing_half_written) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", long_scene());
    fs::create_directory(scratch / "out");
    write_text(scratch / "out/shot.pc2", "old");
    Running bake({"bake", scratch / "shot.toml", "-o", scratch / "out"});
    // Once something stands beside the old file, writing has begun.
    while (!bake.has_ended() && names_in(scratch / "out").size() < 2) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ASSERT_FALSE(bake.has_ended()) << "the scene is too short for this test";
    kill(bake.pid(), GetParam());
    const Outcome outcome = bake.wait();
    EXPECT_EQ(outcome.code, 128 + GetParam());
    EXPECT_TRUE(contains(outcome.err, "nothing was written")) << outcome.err;
    EXPECT_EQ(names_in(scratch / "out"), std::vector<std::string>{"shot.pc2"});
    EXPECT_EQ(read_text(scratch / "out/shot.pc2"), "old");
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST(Interruption, a_folder_made_for_a_stopped_bake_goes_away_again) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", long_scene());
    Running bake({"bake", scratch / "shot.toml", "-o", scratch / "out"});
    while (!bake.has_ended() && names_in(scratch / "out").empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(bake.pid(), SIGTERM);
    EXPECT_EQ(bake.wait().code, 128 + SIGTERM);
    EXPECT_FALSE(fs::exists(scratch / "out"));
}

TEST(Interruption, a_second_signal_ends_a_bake_in_the_middle_of_a_long_frame) {
    const ScratchFolder scratch;
    // A frame of a hundred thousand steps: minutes.
    write_text(scratch / "shot.toml",
               cylinder_scene("fps = 1", R"("usda", "pc2")") + "[[layer]]\nkind = \"slide\"\nstep = 1e-5\n");
    Running bake({"bake", scratch / "shot.toml", "-o", scratch / "out"});
    while (!bake.has_ended() && names_in(scratch / "out").empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::seconds(2));  // the first frame, which only settles
    kill(bake.pid(), SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_FALSE(bake.has_ended()) << "one signal waits for the frame";
    kill(bake.pid(), SIGTERM);
    const Outcome outcome = bake.wait();
    EXPECT_EQ(outcome.code, 128 + SIGTERM);
    EXPECT_TRUE(contains(outcome.err, "within a frame or file")) << outcome.err;
    EXPECT_FALSE(fs::exists(scratch / "out"));
}

TEST(Interruption, slow_a_checkpoint_waits_for_a_frame_of_more_than_five_seconds) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml",
               cylinder_scene("fps = 1", R"("pc2")") + "[[layer]]\nkind = \"slide\"\nstep = 2e-5\n");
    Running bake({"bake", scratch / "shot.toml", "-o", scratch / "out", "--checkpoint", "100"});
    while (!bake.has_ended() && names_in(scratch / "out").empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
    kill(bake.pid(), SIGTERM);
    const Outcome outcome = bake.wait();
    EXPECT_EQ(outcome.code, 128 + SIGTERM);
    EXPECT_TRUE(contains(outcome.err, "a checkpoint was written")) << outcome.err;
}

TEST(Interruption, progress_lines_rise_and_have_the_agreed_form) {
    const ScratchFolder scratch;
    // A triangle that stands still, so often that baking it takes longer than the second of
    // silence.
    write_text(scratch / "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(scratch / "shot.toml",
               "[body]\nmesh = \"a.obj\"\n[output]\nformats = [\"usda\"]\nlast_frame = 500000\n");
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::regex form("Progress: ([0-9]+)% frame ([0-9]+)/500000");
    int lines = 0;
    int last = -1;
    std::istringstream text(outcome.out);
    for (std::string line; std::getline(text, line);) {
        std::smatch found;
        if (!contains(line, "Progress") || contains(line, "% writing")) {
            continue;
        }
        ASSERT_TRUE(std::regex_match(line, found, form)) << line;
        const int percent = std::stoi(found[1]);
        EXPECT_GT(percent, last);
        EXPECT_EQ(percent, std::stoi(found[2]) / 5000);
        last = percent;
        ++lines;
    }
    EXPECT_EQ(last, 100);
    EXPECT_LE(lines, 101);
}

}  // namespace
}  // namespace cutis::test
