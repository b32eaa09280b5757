#include "cli/program.h"

#include <gtest/gtest.h>

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

TEST(WedgeBake, writes_every_combination_and_a_sheet_and_does_not_depend_on_threads) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", R"("pc2")") +
                                          "[wedge]\nbody.skinning = [\"linear-blend\", \"dual-quaternion\"]\n"
                                          "\"body.time_scale\" = [1.0, 2.0]\n");
    for (const char* threads : {"1", "2"}) {
        const fs::path out = scratch / ("out" + std::string(threads));
        const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", out, "--threads", threads, "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const auto json = nlohmann::json::parse(outcome.out);
        ASSERT_EQ(json["wedges"].size(), 4u);
        EXPECT_EQ(json["wedges"][3]["wedge"], "skinning dual-quaternion, time_scale 2");
        EXPECT_EQ(names_in(out), (std::vector<std::string>{"shot.wedges.html", "w1", "w2", "w3", "w4"}));
    }
    for (const char* wedge : {"w1", "w2", "w3", "w4"}) {
        EXPECT_TRUE(read_text(scratch / ("out1/" + std::string(wedge) + "/shot.pc2")) ==
                    read_text(scratch / ("out2/" + std::string(wedge) + "/shot.pc2")));
    }
    EXPECT_TRUE(read_text(scratch / "out1/w1/shot.pc2") != read_text(scratch / "out1/w3/shot.pc2"));
    const std::string sheet = read_text(scratch / "out1/shot.wedges.html");
    EXPECT_TRUE(contains(sheet, "w4/shot.html"));
}

TEST(WedgeBake, with_a_bad_value_writes_nothing) {
    const ScratchFolder scratch;
    write_text(scratch / "shot.toml", cylinder_scene("", R"("pc2")") + "[wedge]\nbody.skinning = [\"linear\"]\n");
    const Outcome outcome = run({"bake", scratch / "shot.toml", "-o", scratch / "out"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(contains(outcome.err, "linear-blend")) << outcome.err;
    EXPECT_FALSE(fs::exists(scratch / "out"));
}

}  // namespace
}  // namespace cutis::test
