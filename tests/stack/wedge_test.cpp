#include "cutis/stack/wedge.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"

namespace cutis {
namespace {

SceneValue number(double value) {
    SceneValue out;
    out.kind = SceneValue::Kind::number;
    out.number = value;
    return out;
}

SceneValue text(const std::string& word) {
    SceneValue out;
    out.text = word;
    return out;
}

Scene scene_with(const std::vector<Wedge>& wedges) {
    Scene scene;
    scene.file = "shot.toml";
    scene.body.actor = "torus";
    scene.wedges = wedges;
    return scene;
}

TEST(Wedges, stand_for_all_combinations_the_last_turning_fastest) {
    const std::vector<WedgeScene> all = wedge_scenes(
        scene_with({{"body.skinning", {text("linear-blend"), text("dual-quaternion")}, 1, 1},
                    {"output.tolerance", {number(1e-3), number(1e-4), number(1e-5)}, 2, 1}}));
    ASSERT_EQ(all.size(), 6u);
    EXPECT_EQ(all[0].label, "skinning linear-blend, tolerance 0.001");
    EXPECT_EQ(all[1].label, "skinning linear-blend, tolerance 0.0001");
    EXPECT_EQ(all[5].scene.body.options.skinning, Skinning::dual_quaternion);
    EXPECT_EQ(all[5].scene.output.tolerance, 1e-5);
    EXPECT_TRUE(all[5].scene.wedges.empty());
}

TEST(Wedges, a_scene_without_them_is_itself) {
    const std::vector<WedgeScene> all = wedge_scenes(scene_with({}));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].label, "");
}

TEST(Wedges,
     keys_that_are_not_there_values_out_of_range_and_too_many_are_refused_with_their_place) {
    const auto refusal = [](const Wedge& wedge) {
        try {
            wedge_scenes(scene_with({wedge}));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(refusal({"body.skining", {text("x")}, 7, 1}).find("did you mean 'skinning'"),
              std::string::npos);
    EXPECT_NE(refusal({"slide.stickiness", {number(1)}, 7, 1}).find("shot.toml:7:1"),
              std::string::npos);
    EXPECT_NE(refusal({"layer.1.x", {number(1)}, 7, 1}).find("layer.N.KEY"), std::string::npos);
    EXPECT_NE(refusal({"output.tolerance", {number(-1)}, 7, 1}).find("tolerance"),
              std::string::npos);
    EXPECT_NE(refusal({"body.fps", std::vector<SceneValue>(1001, number(24)), 7, 1})
                  .find("at most 1000 combinations"),
              std::string::npos);
}

}  // namespace
}  // namespace cutis
