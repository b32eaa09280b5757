// VRM's spring bones: kept in the file, and starting values for flesh.
#include "io/scene/spring_bones.h"

#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "io/write_support.h"
#include "support/glb_builder.h"

namespace cutis {
namespace {

using test::GlbBuilder;

/// A chain of two bones, 0.2 m long each, below everything else.
GlbBuilder with_chain() {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    nlohmann::json& nodes = builder.json["nodes"];
    const size_t first = nodes.size();
    nodes.push_back({{"name", "braid"}, {"children", {first + 1}}});
    nodes.push_back({{"name", "braid 2"}, {"translation", {0, -0.2, 0}}, {"children", {first + 2}}});
    nodes.push_back({{"name", "braid end"}, {"translation", {0, -0.2, 0}}});
    builder.json["scenes"][0]["nodes"].push_back(first);
    return builder;
}

Body body_of(const GlbBuilder& builder) {
    return make_body(std::make_shared<Character>(read_gltf(builder.glb(), "a.vrm")), BodyOptions{});
}

// A bone as VRM players move it, 60 times a second: how often a small turn swings, and how fast it dies away.
double swings_a_second(double stiffness, double length) {
    double angle = 0.01;
    double before = 0.01;
    int crossings = 0;
    const int steps = 6000;
    for (int i = 0; i < steps; ++i) {
        // position += (position - before) + stiffness / 60 along the rest direction, at constant length
        const double x = std::sin(angle) * length;
        const double y = std::cos(angle) * length;
        const double past = std::sin(before) * length;
        const double past_y = std::cos(before) * length;
        const double next = std::atan2(2.0 * x - past, 2.0 * y - past_y + stiffness / 60.0);
        crossings += (next < 0.0) != (angle < 0.0) ? 1 : 0;
        before = angle;
        angle = next;
    }
    return crossings / 2.0 / (steps / 60.0);
}

TEST(SpringBones, vrm_1_chains_and_colliders_are_found_with_the_frequency_a_player_shows) {
    GlbBuilder builder = with_chain();
    const int first = static_cast<int>(builder.json["nodes"].size()) - 3;
    const auto joint = [](int node) { return nlohmann::json{{"node", node}, {"stiffness", 0.02}, {"dragForce", 0.1}}; };
    builder.json["extensionsUsed"] = {"VRMC_springBone"};
    builder.json["extensions"]["VRMC_springBone"] = {
        {"specVersion", "1.0"},
        {"colliders", {{{"node", first}, {"shape", {{"sphere", {{"offset", {0, 0.1, 0}}, {"radius", 0.05}}}}}}}},
        {"springs", {{{"name", "hair"}, {"joints", {joint(first), joint(first + 1), joint(first + 2)}}}}}};
    const Body body = body_of(builder);
    const SpringBones found = find_spring_bones(body);
    EXPECT_EQ(found.version, "1.0");
    EXPECT_EQ(found.chains, 1);
    EXPECT_EQ(found.joints, 2);
    EXPECT_NEAR(found.frequency_hz, swings_a_second(0.02, 0.2), 0.02 * found.frequency_hz);
    ASSERT_EQ(found.colliders.size(), 1U);
    EXPECT_EQ(found.colliders[0].node, "braid");
    EXPECT_DOUBLE_EQ(found.colliders[0].radius, 0.05);
    EXPECT_NEAR((found.colliders[0].at - Vector3d(0, 0.1, 0)).norm(), 0.0, 1e-12);
    EXPECT_NE(spring_bone_lines(found).find("[[layer.collider]]"), std::string::npos);
    // They come back from a bake as they were.
    test::ScratchFolder folder;
    test::Bake{&body, 3}.run(*make_sink(folder / "a.glb"));
    EXPECT_EQ(test::GlbFile(folder / "a.glb").json["extensions"], builder.json["extensions"]);
}

TEST(SpringBones, vrm_0_groups_take_all_bones_below_and_damping_is_the_loss_of_speed) {
    GlbBuilder builder = with_chain();
    const int first = static_cast<int>(builder.json["nodes"].size()) - 3;
    builder.json["extensions"]["VRM"]["secondaryAnimation"] = {
        {"boneGroups", {{{"stiffiness", 0.5}, {"dragForce", 0.2}, {"bones", {first}}}}},
        {"colliderGroups",
         {{{"node", first}, {"colliders", {{{"offset", {{"x", 0}, {"y", 0}, {"z", 0.3}}}, {"radius", 0.1}}}}}}}};
    const SpringBones found = find_spring_bones(body_of(builder));
    EXPECT_EQ(found.version, "0.x");
    EXPECT_EQ(found.joints, 2);
    const double omega = 2.0 * 3.14159265358979 * found.frequency_hz;
    EXPECT_NEAR(std::exp(-2.0 * found.damping * omega / 60.0), 0.8, 1e-9);  // speed left after a step
    ASSERT_EQ(found.colliders.size(), 1U);
    EXPECT_NEAR(found.colliders[0].at.z(), -0.3, 1e-12);
}

TEST(SpringBones, broken_numbers_are_not_taken) {
    GlbBuilder builder = with_chain();
    builder.json["extensions"]["VRMC_springBone"] = {
        {"springs", {{{"joints", {{{"node", 99}}, {{"node", -1}}, {{"stiffness", "much"}}}}}, 7}},
        {"colliders", {{{"node", 1000}}, "x"}}};
    const SpringBones found = find_spring_bones(body_of(builder));
    EXPECT_EQ(found.joints, 0);
    EXPECT_TRUE(found.colliders.empty());
}

}  // namespace
}  // namespace cutis
