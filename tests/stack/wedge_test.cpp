#include "cutis/stack/wedge.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/stack/bake.h"
#include "stack/test_body.h"
#include "support/shapes.h"

namespace cutis {
namespace {

Value number(double value) {
    Value out;
    out.kind = Value::Kind::number;
    out.number = value;
    return out;
}

Value text(const std::string& word) {
    Value out;
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
    const std::vector<WedgeScene> all =
        wedge_scenes(scene_with({{"body.skinning", {text("linear-blend"), text("dual-quaternion")}, 1, 1},
                                 {"output.glb.tolerance", {number(1e-3), number(1e-4), number(1e-5)}, 2, 1}}));
    ASSERT_EQ(all.size(), 6u);
    EXPECT_EQ(all[0].label, "skinning linear-blend, tolerance 0.001");
    EXPECT_EQ(all[1].label, "skinning linear-blend, tolerance 0.0001");
    EXPECT_EQ(all[5].scene.body.options.skinning, Skinning::dual_quaternion);
    EXPECT_EQ(sink_options(all[5].scene).glb.tolerance, 1e-5);
    EXPECT_EQ(sink_options(all[4].scene).glb.tolerance, 1e-4);
    EXPECT_TRUE(all[5].scene.wedges.empty());
}

TEST(Wedges, a_scene_without_them_is_itself) {
    const std::vector<WedgeScene> all = wedge_scenes(scene_with({}));
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0].label, "");
}

TEST(Wedges, keys_that_are_not_there_values_out_of_range_and_too_many_are_refused_with_their_place) {
    const auto refusal = [](const Wedge& wedge) {
        try {
            wedge_scenes(scene_with({wedge}));
        } catch (const InvalidInput& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_NE(refusal({"body.skining", {text("x")}, 7, 1}).find("did you mean 'skinning'"), std::string::npos);
    EXPECT_NE(refusal({"slide.stickiness", {number(1)}, 7, 1}).find("shot.toml:7:1"), std::string::npos);
    EXPECT_NE(refusal({"layer.1.x", {number(1)}, 7, 1}).find("layer.N.KEY"), std::string::npos);
    EXPECT_NE(refusal({"output.tolerance", {number(-1)}, 7, 1}).find("tolerance in [output.glb]"), std::string::npos);
    EXPECT_NE(refusal({"body.fps", std::vector<Value>(1001, number(24)), 7, 1}).find("at most 1000 combinations"),
              std::string::npos);
}

/// A layer that only this test knows.
class HumPlan : public LayerPlan {
public:
    Options options() override { return {{.name = "tone", .field = &tone_, .about = "how high", .range = {0, 1}}}; }
    std::unique_ptr<Layer> prepare(const LayerInput& /*ground*/, const LayerMeshes& /*meshes*/) const override {
        return nullptr;
    }

private:
    double tone_ = 0.5;
};

TEST(Wedges, plan_layers_with_the_kinds_of_the_caller) {
    const std::vector<LayerKind> kinds = {{"hum", "", [] { return std::make_unique<HumPlan>(); }}};
    Scene scene = scene_with({{"hum.tone", {number(0.1), number(0.9)}, 1, 1}});
    scene.layers.push_back({"hum", {}, 1, 1});
    const std::vector<WedgeScene> all = wedge_scenes(scene, kinds);
    ASSERT_EQ(all.size(), 2u);
    // The plan a wedge made is the one that is baked: its options hold the value.
    const Options options = all[1].scene.layers[0].plan->options();
    EXPECT_EQ(*std::get<double*>(options[0].field.any()), 0.9);
    EXPECT_EQ(*std::get<double*>(all[0].scene.layers[0].plan->options()[0].field.any()), 0.1);
    scene.wedges[0].values = {number(7.0)};
    EXPECT_THROW(wedge_scenes(scene, kinds), InvalidInput);
}

/// A square of cells, as a piece of detail.
std::shared_ptr<const ArtMesh> square(int cells) {
    auto mesh = std::make_shared<ArtMesh>();
    const int side = cells + 1;
    mesh->positions.resize(side * side, 3);
    mesh->triangles.resize(2 * cells * cells, 3);
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            mesh->positions.row(y * side + x) << x, y, (x + y) % 2;
        }
    }
    for (int y = 0; y < cells; ++y) {
        for (int x = 0; x < cells; ++x) {
            const int a = y * side + x;
            mesh->triangles.row(2 * (y * cells + x)) << a, a + 1, a + side;
            mesh->triangles.row(2 * (y * cells + x) + 1) << a + 1, a + side + 1, a + side;
        }
    }
    mesh->parts = {{"square", "", 0, 2 * cells * cells, 0, side * side}};
    return mesh;
}

TEST(Wedges, over_a_mesh_bake_each_of_them) {
    const std::vector<Value> names = {text("a.obj"), text("b.obj")};
    Scene scene = scene_with({{"shell.mesh", names, 1, 1}});
    scene.last_frame = 1;
    LayerScene shell = {"shell", {{"mesh", names[0]}, {"size", number(0.2)}}, 1, 1};
    shell.meshes = {{"a.obj", square(1)}, {"b.obj", square(2)}};
    scene.layers.push_back(shell);
    const test::Shape torus = test::torus_grid(24, 16);
    Body::Source source;
    source.mesh.positions = torus.positions;
    source.mesh.triangles = torus.triangles;
    source.motion = std::make_shared<test::SlidingMotion>(torus.positions, 1.0);
    const Body body(std::move(source), {});
    const Workers workers(1);
    std::vector<double> vertices_of_piece;
    for (const WedgeScene& one : wedge_scenes(scene)) {
        BakeControls controls;
        controls.workers = &workers;
        const BakeReport report = bake(body, one.scene, {}, controls);
        const auto& numbers = report.layers.at(0).numbers;
        vertices_of_piece.push_back(numbers.at("detail vertices") / numbers.at("detail pieces"));
    }
    EXPECT_EQ(vertices_of_piece, (std::vector<double>{4.0, 9.0}));
}

}  // namespace
}  // namespace cutis
