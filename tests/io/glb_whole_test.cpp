// A character's own document comes back from a bake; only what a layer changed is changed.
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/point_cache_read.h"
#include "io/two_meshes.h"

namespace cutis {
namespace {

using test::Bake;
using test::body_of;
using test::GlbBuilder;
using test::GlbFile;
using test::moved_shirt;
using test::ScratchFolder;
using test::two_meshes;

TEST(GlbWhole, without_a_layer_the_document_is_the_one_that_came) {
    const GlbBuilder builder = two_meshes();
    const Body body = body_of(builder);
    ScratchFolder folder;
    Bake bake{&body, 11};
    bake.fps = 10.0;
    EXPECT_EQ(bake.run(*make_sink(folder / "a.glb")).at(0).numbers.at("skin_kept"), 1);
    nlohmann::json json = GlbFile(folder / "a.glb").json;
    for (const char* key :
         {"nodes", "meshes", "skins", "cameras", "animations", "accessors", "scenes", "extensions", "extensionsUsed"}) {
        EXPECT_EQ(json[key], builder.json[key]) << key;
    }
}

TEST(GlbWhole, only_the_mesh_that_a_layer_moved_gets_targets_and_it_plays_its_frames) {
    const GlbBuilder builder = two_meshes();
    const Body body = body_of(builder);
    ScratchFolder folder;
    const Bake bake = moved_shirt(body, 11);
    const OutputFile file = bake.run(*make_sink(folder / "a.glb")).at(0);
    const nlohmann::json json = GlbFile(folder / "a.glb").json;
    EXPECT_EQ(json["nodes"], builder.json["nodes"]);
    EXPECT_EQ(json["skins"], builder.json["skins"]);
    EXPECT_EQ(json["meshes"][1], builder.json["meshes"][1]);
    EXPECT_EQ(json["extensions"], builder.json["extensions"]);
    const size_t added = size_t(file.numbers.at("morph_targets"));
    ASSERT_GT(added, 0U);
    const auto& shirt = json["meshes"][0];
    EXPECT_EQ(shirt["primitives"][0]["targets"].size(), 1 + added);
    EXPECT_EQ(shirt["primitives"][0]["targets"][0], builder.json["meshes"][0]["primitives"][0]["targets"][0]);
    EXPECT_EQ(shirt["extras"]["targetNames"].size(), 1 + added);
    EXPECT_EQ(shirt["extras"]["targetNames"][0], "smile");
    EXPECT_EQ(shirt["primitives"][0]["attributes"], builder.json["meshes"][0]["primitives"][0]["attributes"]);
    // The file's own keys of the baked clip stay; the other clip has a weight more for each new target.
    EXPECT_EQ(json["animations"][0]["channels"][0], builder.json["animations"][0]["channels"][0]);
    EXPECT_EQ(json["animations"][0]["extras"]["cutis"]["fps"], 10.0);
    const auto& smile = json["animations"][1];
    const auto& sampler = smile["samplers"][smile["channels"][0]["sampler"].get<size_t>()];
    EXPECT_EQ(json["accessors"][sampler["output"].get<size_t>()]["count"], 2 * (1 + added));

    // Read again it moves as the frames did, and the other clip as it always did.
    const Body back = make_body(std::make_shared<Character>(read_gltf(folder / "a.glb")), BodyOptions{});
    MatrixX3d played;
    for (int f = 0; f < 11; ++f) {
        back.positions(f / 10.0, TimeSampling::exact, Workers(1), played);
        EXPECT_LT((played - bake.frame(f).body().positions).rowwise().norm().maxCoeff(),
                  file.numbers.at("max_error_m") + 1e-6);
    }
    BodyOptions other;
    other.clip = "smile";
    make_body(std::make_shared<Character>(read_gltf(folder / "a.glb")), other)
        .positions(1.0, TimeSampling::exact, Workers(1), played);
    MatrixX3d expected;
    make_body(std::make_shared<Character>(read_gltf(builder.glb(), "two.glb")), other)
        .positions(1.0, TimeSampling::exact, Workers(1), expected);
    EXPECT_LT((played - expected).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(played(0, 2), 0.5, 1e-6);
}

TEST(GlbWhole, a_part_of_the_clip_in_other_units_is_keyed_anew_from_zero_in_metres) {
    const GlbBuilder builder = two_meshes();
    const Body body = body_of(builder, 0.01);
    ScratchFolder folder;
    Bake bake = moved_shirt(body, 5);
    bake.first_frame = 3;
    const OutputFile file = bake.run(*make_sink(folder / "a.glb")).at(0);
    const nlohmann::json json = GlbFile(folder / "a.glb").json;
    EXPECT_EQ(json["nodes"][0]["name"], "triangle");
    EXPECT_EQ(json["animations"][0]["name"], "bend");
    EXPECT_EQ(json["animations"][0]["extras"]["cutis"]["first_frame"], 3);
    const Body back = make_body(std::make_shared<Character>(read_gltf(folder / "a.glb")), BodyOptions{});
    EXPECT_NEAR(back.duration(), 0.4, 1e-6);
    MatrixX3d played;
    for (int f = 0; f < 5; ++f) {
        back.positions(f / 10.0, TimeSampling::exact, Workers(1), played);
        EXPECT_LT((played - bake.frame(f).body().positions).rowwise().norm().maxCoeff(),
                  file.numbers.at("max_error_m") + 1e-7);
    }
}

TEST(GlbWhole, one_frame_stands_as_it_is_without_a_clip_playing) {
    GlbBuilder builder = two_meshes();
    builder.json.erase("animations");
    builder.json["nodes"][0].erase("skin");
    builder.json["nodes"][3].erase("skin");
    const Body body = body_of(builder);
    ScratchFolder folder;
    const Bake bake = moved_shirt(body, 1);
    bake.run(*make_sink(folder / "a.glb"));
    const Body back = make_body(std::make_shared<Character>(read_gltf(folder / "a.glb")), BodyOptions{});
    MatrixX3d shown;
    back.positions(0.0, TimeSampling::exact, Workers(1), shown);
    EXPECT_LT((shown - bake.frame(0).body().positions).rowwise().norm().maxCoeff(), 1e-4);
}

TEST(GlbWhole, a_skin_that_is_not_wanted_leaves_the_node_to_carry_the_mesh) {
    const GlbBuilder builder = two_meshes();
    const Body body = body_of(builder);
    ScratchFolder folder;
    SinkOptions options;
    options.glb.keep_skin = false;
    const Bake bake = moved_shirt(body, 11);
    const OutputFile file = bake.run(*make_sink(folder / "a.glb", options)).at(0);
    const nlohmann::json json = GlbFile(folder / "a.glb").json;
    EXPECT_FALSE(json["nodes"][0].contains("skin"));
    EXPECT_FALSE(json["meshes"][0]["primitives"][0]["attributes"].contains("JOINTS_0"));
    const Body back = make_body(std::make_shared<Character>(read_gltf(folder / "a.glb")), BodyOptions{});
    MatrixX3d played;
    for (int f = 0; f < 11; ++f) {
        back.positions(f / 10.0, TimeSampling::exact, Workers(1), played);
        EXPECT_LT((played - bake.frame(f).body().positions).rowwise().norm().maxCoeff(),
                  file.numbers.at("max_error_m") + 1e-6);
    }
}

TEST(GlbWhole, weights_that_are_no_numbers_do_not_come_back) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    builder.primitive()["attributes"]["WEIGHTS_0"] =
        builder.add_accessor(GlbBuilder::f32, "VEC4", {1, 0, 0, 0, NAN, 0, 0, 0, 0.25, 0.75, 0, 0});
    const Body body = body_of(builder);
    ScratchFolder folder;
    Bake{&body, 3}.run(*make_sink(folder / "a.glb"));
    const GlbFile glb(folder / "a.glb");
    for (const double weight : glb.floats(glb.primitive(0)["attributes"]["WEIGHTS_0"])) {
        EXPECT_TRUE(std::isfinite(weight));
    }
}

TEST(GlbWhole, caches_and_usd_have_every_mesh_by_its_name) {
    GlbBuilder builder = two_meshes();
    builder.json["materials"] = {
        {{"name", "Wool"}, {"pbrMetallicRoughness", {{"baseColorFactor", {0.5, 0.25, 1, 1}}}}}};
    builder.json["meshes"][1]["primitives"][0]["material"] = 0;
    const Body body = body_of(builder);
    ScratchFolder folder;
    const Bake bake = moved_shirt(body, 4);
    bake.run(*make_sink(folder / "a.pc2"));
    bake.run(*make_sink(folder / "a.mdd"));
    bake.run(*make_sink(folder / "a.usda"));
    int first = 0;
    for (const char* name : {"triangle", "hat"}) {
        const std::string start = concat("a.", name);
        const PointCache pc2 = read_pc2(folder / (start + ".pc2"), 10.0);
        const PointCache mdd = read_mdd(folder / (start + ".mdd"));
        ASSERT_EQ(pc2.vertex_count, 3);
        EXPECT_EQ(pc2.samples, mdd.samples);
        for (int f = 0; f < 4; ++f) {
            const Frame frame = bake.frame(f);
            for (int k = 0; k < 9; ++k) {
                EXPECT_EQ(pc2.samples[size_t(9 * f + k)], float(frame.body().positions(first + k / 3, k % 3)));
            }
        }
        first += 3;
    }
    std::ifstream stream(folder / "a.usda");
    const std::string usda((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    for (const char* text : {"def Mesh \"triangle\"", "def Mesh \"hat\"", "rel material:binding = </a/materials/Wool>",
                             "color3f inputs:diffuseColor = (0.5, 0.25, 1)", "float inputs:metallic = 1"}) {
        EXPECT_NE(usda.find(text), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace cutis
