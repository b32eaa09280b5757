// What a stranger's character meets first: its size, masks by pictures, memory, layers in proportion.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "cutis/actors/actors.h"
#include "cutis/anatomy/anatomy.h"
#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/scene_read.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/layer_stack.h"
#include "io/picture/picture.h"
#include "support/data.h"
#include "support/shapes.h"

namespace cutis {
namespace {

ArtMesh tower() {
    const test::Shape shape = test::open_cylinder(12, 20, 1.0, 23.0);  // along z
    ArtMesh mesh;
    mesh.positions = shape.positions;
    mesh.positions.col(1).swap(mesh.positions.col(2));
    mesh.triangles = shape.triangles;
    mesh.parts = {
        {"tower", "", 0, static_cast<int>(shape.triangles.rows()), 0, static_cast<int>(mesh.positions.rows())}};
    return mesh;
}

double height_of(const BodyOptions& options) {
    const Body body = make_body(tower(), {}, options);
    return body.mesh().positions.col(1).maxCoeff() - body.mesh().positions.col(1).minCoeff();
}

TEST(size_of_a_body, is_what_the_scene_says_in_metres_or_by_the_unit_of_the_file) {
    BodyOptions options;
    EXPECT_DOUBLE_EQ(height_of(options), 23.0);
    options.unit = LengthUnit::centimetre;
    EXPECT_DOUBLE_EQ(height_of(options), 0.23);
    options.unit = LengthUnit::inch;
    EXPECT_DOUBLE_EQ(height_of(options), 23.0 * 0.0254);
    options.size = 1.8;
    EXPECT_THROW(height_of(options), InvalidInput);
    options.unit = LengthUnit::as_scale;
    EXPECT_NEAR(height_of(options), 1.8, 1e-12);
    options.scale = 2.0;
    EXPECT_THROW(height_of(options), InvalidInput);
    const Scene scene = parse_scene("[body]\nactor = \"arm\"\nunit = \"mm\"\nsize = 0\n", "shot.toml");
    EXPECT_EQ(scene.body.options.unit, LengthUnit::millimetre);
}

TEST(size_of_a_body, holds_for_what_moves_and_for_its_joints) {
    BodyOptions options;
    const auto arm = std::make_shared<const Character>(load_actor("arm"));
    const Body plain = make_body(arm, options);
    MatrixX3d before, after;
    plain.positions(0.0, TimeSampling::exact, Workers(1), before);
    options.size = 3.0 * (before.col(1).maxCoeff() - before.col(1).minCoeff());
    const Body larger = make_body(arm, options);
    for (const double time : {0.0, 0.3}) {
        plain.positions(time, TimeSampling::exact, Workers(1), before);
        larger.positions(time, TimeSampling::exact, Workers(1), after);
        EXPECT_LT((after - 3.0 * before).cwiseAbs().maxCoeff(), 1e-9);
    }
    EXPECT_LT((larger.rig()->centre[1] - 3.0 * plain.rig()->centre[1]).norm(), 1e-9);
}

TEST(masks_by_pictures, take_the_channel_at_each_vertex) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "texture_masks";
    std::filesystem::create_directories(folder);
    Picture picture{8, 8, {}};  // green rises to the right, red is full in the upper half
    for (int y = 0; y < 8; ++y) {
        for (int x = 0; x < 8; ++x) {
            for (const int value : {y < 4 ? 255 : 0, x < 4 ? 0 : 255, 0, 255}) {
                picture.rgba.push_back(static_cast<unsigned char>(value));
            }
        }
    }
    const std::vector<unsigned char> bytes = write_png(picture);
    std::ofstream(folder / "mask.png", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    std::ofstream(folder / "sheet.obj") << "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                                           "vt 0.25 0.25\nvt 0.75 0.25\nvt 0.75 0.75\nvt 0.25 0.75\n"
                                           "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n";
    const auto load = [&](const std::string& pins) {
        std::ofstream(folder / "shot.toml")
            << "[body]\nmesh = \"sheet.obj\"\n[[layer]]\nkind = \"slide\"\npins = " << pins;
        const Scene scene = read_scene(folder / "shot.toml");
        return std::make_pair(scene, load_body(scene));
    };
    const auto [scene, body] = load("[\"texture:mask.png\", { all = [\"all\"], except = \"texture:mask.png#g\" }]");
    EXPECT_EQ(body.mesh().painted.at("texture:mask.png"), Eigen::Vector4d(0, 0, 1, 1));
    EXPECT_EQ(body.mesh().painted.at("texture:mask.png#g"), Eigen::Vector4d(0, 1, 1, 0));
    const std::vector<std::filesystem::path> inputs = scene_inputs(scene);
    EXPECT_NE(std::find(inputs.begin(), inputs.end(), folder / "mask.png"), inputs.end());
    EXPECT_THROW(load("\"texture:mask.png#x\""), InvalidInput);
    EXPECT_THROW(load("\"texture:absent.png\""), IoError);
    EXPECT_THROW(load("\"texture:base\""), InvalidInput);  // no material has a picture
    std::filesystem::remove_all(folder);
}

TEST(memory_of_a_bake, is_estimated_first_and_refused_above_the_budget) {
    const Scene scene =
        parse_scene("[body]\nactor = \"arm\"\n[[layer]]\nkind = \"fold\"\n[output]\nlast_frame = 2\n", "shot.toml");
    const Body body = load_body(scene, {}, load_actor);
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    controls.memory = 1e6;
    try {
        bake(body, scene, {}, controls);
        FAIL() << "a megabyte was enough";
    } catch (const InvalidInput& refused) {
        EXPECT_NE(std::string(refused.what()).find("what helps: "), std::string::npos) << refused.what();
        EXPECT_NE(std::string(refused.what()).find("most_vertices"), std::string::npos) << refused.what();
    }
    controls.memory = 1e12;
    EXPECT_GT(bake(body, scene, {}, controls).estimated_bytes, 1e7);
}

// What a bake will take is said before it, beside what it will do.
TEST(a_suggestion, tells_layers_frames_time_and_memory) {
    const Suggestion found = suggest_scene("actor:hand", {}, {}, load_actor);
    EXPECT_FALSE(found.layers.empty());
    EXPECT_GT(found.frames, 1);
    EXPECT_GT(found.cost.seconds, 0.1);
    EXPECT_GT(found.cost.megabytes, 60.0);
    const Scene scene = parse_scene(found.scene, "suggested");
    ASSERT_EQ(found.layers.size(), scene.layers.size());
    for (size_t i = 0; i < scene.layers.size(); ++i) {
        EXPECT_EQ(found.layers[i], scene.layers[i].kind);
    }
    SuggestOptions plain;
    plain.layers = {"none"};
    const Suggestion none = suggest_scene("actor:hand", {}, plain, load_actor);
    EXPECT_TRUE(none.layers.empty());
    EXPECT_LT(none.cost.seconds, found.cost.seconds);
    EXPECT_LT(none.cost.megabytes, found.cost.megabytes);
}

// Scaling by powers of two changes no digit of a number: a layer with a length of its own would show. Other factors
// round differently, within a millionth. An arm of 0.6 m becomes one of half a millimetre, and of 23 km.
TEST(layers_of_a_body, slow_give_the_same_at_any_size) {
    for (const char* kind : {"curve", "fold", "slide", "shell"}) {
        MatrixX3d first;
        for (const double scale : {1.0, 1.0 / 1024.0, 1024.0, 1e-3, 1e3, 36000.0}) {
            const std::string detail = std::string(kind) == "shell" ? "detail = \"scale\"\n" : "";
            const Scene scene = parse_scene(concat("[body]\nactor = \"arm\"\nscale = ", number_text(scale),
                                                   "\n[[layer]]\nkind = \"", kind, "\"\n", detail),
                                            "shot.toml");
            const Body body = load_body(scene, {}, load_actor);
            const Workers workers(2);
            LayerStack stack(body, StackOptions(), workers);
            stack.add(kind, scene.layers[0].plan->prepare(stack.ground(), {}));
            Frame frame = stack.info().empty_frame();
            for (int number = 1; number <= 6; ++number) {
                stack.advance(number, frame);
            }
            const MeshFrame& shown = frame.meshes.back();
            MatrixX3d positions =
                frame.meshes.size() > 1 && shown.positions.rows() > 0 ? shown.positions : frame.body().positions;
            positions /= scale;
            if (scale == 1.0) {
                first = positions;
                continue;
            }
            ASSERT_EQ(positions.rows(), first.rows()) << kind << " " << scale;
            EXPECT_LT((positions - first).cwiseAbs().maxCoeff(), 1e-6 * first.cwiseAbs().maxCoeff())
                << kind << " " << scale;
        }
    }
}

TEST(a_suggestion, moves_vertices_where_wrinkles_have_no_uvs_for_maps) {
    SuggestOptions wrinkles;
    wrinkles.layers = {"wrinkle"};
    EXPECT_EQ(suggest_scene("actor:hand", {}, wrinkles, load_actor).scene.find("displace"), std::string::npos);
    const test::ScratchFolder folder;
    const ArtMesh mesh = tower();
    std::ofstream file(folder / "bare.obj");
    for (const auto& v : mesh.positions.rowwise()) {
        file << "v " << v[0] << " " << v[1] << " " << v[2] << "\n";
    }
    for (const auto& t : mesh.triangles.rowwise()) {
        file << "f " << t[0] + 1 << " " << t[1] + 1 << " " << t[2] + 1 << "\n";
    }
    file.close();
    const Suggestion found = suggest_scene((folder / "bare.obj").string(), {}, wrinkles);
    EXPECT_NE(found.scene.find("displace = true"), std::string::npos) << found.scene;
    EXPECT_EQ(parse_scene(found.scene, "suggested").layers.size(), 1U);
}

// What wrinkles give is channels: heights (metres), phases, directions, shares of length taken up.
TEST(layers_of_a_body, slow_wrinkle_the_same_at_any_size) {
    std::vector<std::vector<double>> first;
    for (const double scale : {1.0, 1e-3, 1e3}) {
        const Scene scene = parse_scene(concat("[body]\nactor = \"arm\"\nscale = ", number_text(scale),
                                               "\n[[layer]]\nkind = \"wrinkle\"\nwhere = \"all\"\n"),
                                        "shot.toml");
        const Body body = load_body(scene, {}, load_actor);
        const Workers workers(2);
        LayerStack stack(body, StackOptions(), workers);
        stack.add("wrinkle", scene.layers[0].plan->prepare(stack.ground(), {}));
        Frame frame = stack.info().empty_frame();
        for (int number = 1; number <= 30; ++number) {
            stack.advance(number, frame);
        }
        std::vector<std::vector<double>> channels = frame.body().channels;
        const std::vector<ChannelInfo>& infos = stack.info().meshes.front().channels;
        double highest = 0.0;
        for (size_t c = 0; c < channels.size(); ++c) {
            for (double& value : channels[c]) {
                value /= infos[c].unit == "m" ? scale : 1.0;
                highest = std::max(highest, infos[c].unit == "m" ? std::abs(value) : 0.0);
            }
        }
        EXPECT_GT(highest, 1e-5) << "nothing wrinkles";
        if (first.empty()) {
            first = channels;
            continue;
        }
        for (size_t c = 0; c < channels.size(); ++c) {
            ASSERT_EQ(channels[c].size(), first[c].size());
            double largest = 1e-12;
            double worst = 0.0;
            for (size_t i = 0; i < channels[c].size(); ++i) {
                largest = std::max(largest, std::abs(first[c][i]));
                worst = std::max(worst, std::abs(channels[c][i] - first[c][i]));
            }
            EXPECT_LT(worst, 1e-6 * largest) << infos[c].name << " " << scale;
        }
    }
}

TEST(a_cache_without_a_skeleton, slow_has_the_parts_that_its_motion_shows) {
    CUTIS_NEED_DATA("horse-gallop/horse-gallop-01.obj");
    const std::string pattern = (data_path.parent_path() / "horse-gallop-*.obj").string();
    Scene scene;
    scene.body.mesh_file = pattern;
    const Body body = load_body(scene);
    const Anatomy found = find_anatomy(body);
    int legs = 0;
    for (const SoftPart& part : found.parts) {
        legs += part.kind == PartKind::leg || part.kind == PartKind::arm ? 1 : 0;
    }
    EXPECT_TRUE(found.has_joints);
    EXPECT_GE(legs, 4);
    const Suggestion suggested = suggest_scene(pattern, {}, {});
    EXPECT_NE(suggested.scene.find("kind = \"curve\""), std::string::npos) << suggested.scene;
}

}  // namespace
}  // namespace cutis
