// What a GLB gets small by: numbers of few bits, EXT_meshopt_compression, one file for several clips.
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "io/gltf/write_packed.h"
#include "io/write_support.h"
#include "support/expect_error.h"
#include "support/glb_builder.h"

namespace cutis {
namespace {

using test::Bake;
using test::GlbBuilder;
using test::GlbFile;
using test::ScratchFolder;

/// A skinned strip of many vertices with two clips that bend it.
GlbBuilder strip(int columns) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    nlohmann::json& json = builder.json;
    std::vector<double> positions, joints, weights;
    std::vector<double> indices;
    for (int c = 0; c < columns; ++c) {
        for (int row = 0; row < 2; ++row) {
            positions.insert(positions.end(), {c / double(columns), double(row), 0.1 * row * c / columns});
            joints.insert(joints.end(), {0, 1, 0, 0});
            weights.insert(weights.end(), {0.75, 0.25, 0, 0});
        }
        if (c > 0) {
            const double a = 2 * c - 2;
            indices.insert(indices.end(), {a, a + 2, a + 1, a + 1, a + 2, a + 3});
        }
    }
    const int position = builder.add_accessor(GlbBuilder::f32, "VEC3", positions);
    json["accessors"][size_t(position)]["min"] = {0, 0, 0};
    json["accessors"][size_t(position)]["max"] = {1, 1, 0.1};
    builder.primitive() = {{"attributes",
                            {{"POSITION", position},
                             {"JOINTS_0", builder.add_accessor(GlbBuilder::u8, "VEC4", joints)},
                             {"WEIGHTS_0", builder.add_accessor(GlbBuilder::f32, "VEC4", weights)}}},
                           {"indices", builder.add_accessor(GlbBuilder::u16, "SCALAR", indices)}};
    nlohmann::json second = json["animations"][0];
    json["animations"][0]["name"] = "one";
    second["name"] = "two";
    json["animations"].push_back(second);
    return builder;
}

Body body_of(const GlbBuilder& builder, const std::string& clip = "one") {
    BodyOptions options;
    options.clip = clip;
    return make_body(std::make_shared<Character>(read_gltf(builder.glb(), "strip.glb")), options);
}

Bake waving(const Body& body, double speed) {
    Bake bake{&body, 11};
    bake.fps = 10.0;
    bake.shape_changed = true;
    bake.change = [speed](Frame& frame) {
        MatrixX3d& positions = frame.body().positions;
        for (Eigen::Index v = 0; v < positions.rows(); ++v) {
            positions(v, 2) += 0.05 * std::sin(speed * frame.time + 0.01 * static_cast<double>(v));
        }
    };
    return bake;
}

/// Largest distance between what a file plays and the frames of a bake.
double error_of(const std::filesystem::path& path, const std::string& clip, const Bake& bake) {
    BodyOptions options;
    options.clip = clip;
    const Body played = make_body(std::make_shared<Character>(read_gltf(path)), options);
    double largest = 0.0;
    MatrixX3d there;
    for (int f = 0; f < bake.frame_count; ++f) {
        Frame frame = bake.frame(f);
        played.positions(frame.time, TimeSampling::exact, Workers(1), there);
        largest = std::max(largest, (there - frame.body().positions).rowwise().norm().maxCoeff());
    }
    return largest;
}

TEST(GlbPacked, a_compressed_file_holds_the_numbers_of_the_plain_one_in_a_third_of_its_bytes) {
    const GlbBuilder builder = strip(400);
    const Body body = body_of(builder);
    ScratchFolder folder;
    SinkOptions none;
    none.glb.compression = GlbCompression::none;
    const Bake bake = waving(body, 5.0);
    const OutputFile plain = bake.run(*make_sink(folder / "plain.glb", none)).at(0);
    const OutputFile packed = bake.run(*make_sink(folder / "packed.glb")).at(0);
    EXPECT_EQ(plain.numbers, packed.numbers);
    const Character a = read_gltf(folder / "plain.glb");
    const Character b = read_gltf(folder / "packed.glb");
    ASSERT_EQ(a.meshes[0].morphs.size(), b.meshes[0].morphs.size());
    ASSERT_GT(a.meshes[0].morphs.size(), 0U);
    for (size_t t = 0; t < a.meshes[0].morphs.size(); ++t) {
        EXPECT_EQ(a.meshes[0].morphs[t].offsets, b.meshes[0].morphs[t].offsets);
    }
    EXPECT_EQ(a.meshes[0].mesh.positions, b.meshes[0].mesh.positions);
    EXPECT_EQ(a.meshes[0].weights.weights, b.meshes[0].weights.weights);
    for (size_t c = 0; c < a.clips.size(); ++c) {
        for (size_t k = 0; k < a.clips[c].channels.size(); ++k) {
            EXPECT_EQ(a.clips[c].channels[k].values, b.clips[c].channels[k].values);
        }
    }
    const nlohmann::json json = GlbFile(folder / "packed.glb").json;
    if (json.contains("extensionsRequired")) {  // the program may be built without
        EXPECT_LT(3 * packed.bytes, plain.bytes);
        EXPECT_EQ(json["extensionsRequired"], nlohmann::json({"EXT_meshopt_compression"}));
    }
}

TEST(GlbPacked, the_stated_error_is_what_the_compressed_file_plays) {
    const GlbBuilder builder = strip(60);
    const Body body = body_of(builder);
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        ScratchFolder folder;
        SinkOptions options;
        options.glb.tolerance = tolerance;
        const Bake bake = waving(body, 5.0);
        const auto numbers = bake.run(*make_sink(folder / "a.glb", options)).at(0).numbers;
        const double error = error_of(folder / "a.glb", "one", bake);
        EXPECT_LT(numbers.at("max_error_m"), numbers.at("tolerance_m"));
        // float32 of the pose beside the error that is stated in the mesh's own space, times its largest stretch
        EXPECT_LE(error, numbers.at("max_error_m") + 1e-6) << tolerance;
    }
}

TEST(GlbPacked, several_clips_share_one_file_and_each_plays_its_own_frames) {
    const GlbBuilder builder = strip(60);
    const Body one = body_of(builder, "one");
    const Body two = body_of(builder, "two");
    ScratchFolder folder;
    SinkOptions options;
    options.glb_clips = gather_glb_clips(folder / "all.glb", 2);
    const Bake first = waving(one, 5.0);
    const Bake second = waving(two, 9.0);
    EXPECT_TRUE(first.run(*make_sink(folder / "all.one.glb", options)).empty());
    const std::vector<OutputFile> files = second.run(*make_sink(folder / "all.two.glb", options));
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].path, (folder / "all.glb").string());
    EXPECT_FALSE(std::filesystem::exists(folder / "all.one.glb"));
    const double tolerance = files[0].numbers.at("tolerance_m");
    EXPECT_LT(error_of(folder / "all.glb", "one", first), tolerance + 1e-6);
    EXPECT_LT(error_of(folder / "all.glb", "two", second), tolerance + 1e-6);
    EXPECT_GT(error_of(folder / "all.glb", "two", first), 10.0 * tolerance);
}

TEST(GlbPacked, numbers_fit_a_step_where_they_are_whole_multiples_of_24_bits) {
    const std::vector<float> values = {0.25F, -1.5F, 3.0F};
    EXPECT_TRUE(fits_exponent(values, -2));
    EXPECT_FALSE(fits_exponent(values, -1));
    EXPECT_TRUE(fits_exponent(std::vector<float>{8388607.0F}, 0));
    EXPECT_FALSE(fits_exponent(std::vector<float>{8388608.0F}, 0));
}

TEST(GlbPacked, offsets_of_few_vertices_stand_alone_and_play_the_frames) {
    const Body body = body_of(strip(400));
    Bake bake{&body, 11};
    bake.fps = 10.0;
    bake.shape_changed = true;
    bake.change = [](Frame& frame) {  // 50 of 800 vertices
        frame.body().positions.middleRows(100, 50).col(2).array() += 0.1 * std::sin(4.0 * frame.time);
    };
    ScratchFolder folder;
    for (const GlbCompression compression : {GlbCompression::none, GlbCompression::automatic}) {
        SinkOptions options;
        options.glb.compression = compression;
        const OutputFile file = bake.run(*make_sink(folder / "a.glb", options)).at(0);
        const GlbFile glb(folder / "a.glb");
        int sparse = 0;
        for (const auto& target : glb.primitive(0)["targets"]) {
            const auto& accessor = glb.json["accessors"][target["POSITION"].get<size_t>()];
            sparse += accessor.contains("sparse") ? 1 : 0;
            EXPECT_LE(accessor["sparse"].value("count", 0), 50);
        }
        ASSERT_GT(sparse, 0);
        EXPECT_EQ(sparse, glb.target_count());
        BodyOptions one;
        one.clip = "one";
        const Body again = make_body(std::make_shared<Character>(read_gltf(read_file(folder / "a.glb"), "a.glb")), one);
        for (int f = 0; f < bake.frame_count; ++f) {
            const Frame frame = bake.frame(f);
            MatrixX3d played;
            again.positions(frame.time, TimeSampling::exact, Workers(1), played);
            EXPECT_LT((played - frame.body().positions).rowwise().norm().maxCoeff(),
                      file.numbers.at("max_error_m") + 1e-6);
        }
        EXPECT_LT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
    }
}

}  // namespace
}  // namespace cutis
