#include "cutis/actors/actors.h"
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"
#include "io/details_support.h"

namespace cutis::test {
namespace {

/// Largest distance between what a mesh of a GLB plays and positions that a frame gives.
double played_error(const std::filesystem::path& path, const std::string& mesh, const Bake& bake,
                    const std::function<const MatrixX3d&(const Frame&)>& truth) {
    BodyOptions options;
    options.mesh = mesh;
    const Body back = make_body(std::make_shared<Character>(read_gltf(path)), options);
    MatrixX3d played;
    double largest = 0.0;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        back.positions(f / bake.fps, TimeSampling::exact, Workers(1), played);
        if (played.rows() != truth(frame).rows()) {
            ADD_FAILURE() << played.rows() << " vertices, expected " << truth(frame).rows();
            return std::nan("");
        }
        largest = std::max(largest, (played - truth(frame)).rowwise().norm().maxCoeff());
    }
    return largest;
}

const MatrixX3d& of_body(const Frame& frame) {
    return frame.body().positions;
}
const MatrixX3d& of_detail(const Frame& frame) {
    return frame.meshes[1].positions;
}

std::vector<OutputFile> write(const Bake& bake, const std::string& format, const ScratchFolder& folder,
                              const std::string& name = "a") {
    SinkOptions options;
    options.usda = {0.0, true};  // all of it, in float32
    return bake.run(*make_sink(format, folder.path(), name, options));
}

/// A skin without anything that linear blending cannot say.
Body twisting_cylinder() {
    BodyOptions options;
    options.clip = "twist";
    return make_body(std::make_shared<Character>(load_actor("cylinder")), options);
}

TEST(GlbDetails, a_detail_is_a_mesh_of_its_own_that_plays_its_own_motion) {
    const Body body = waving_body(6);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 24);
    const OutputFile file = write(bake, "glb", folder).at(0);
    // Two modes each, and one target more of constant weight.
    EXPECT_EQ(file.numbers.at("morph_targets"), 3.0);
    EXPECT_EQ(file.numbers.at("detail_morph_targets"), 3.0);
    EXPECT_LT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
    EXPECT_LE(played_error(folder / "a.glb", "scales", bake, of_detail), file.numbers.at("max_error_m") + 1e-7);

    const GlbFile glb(folder / "a.glb");
    ASSERT_EQ(glb.json["meshes"].size(), 2U);
    EXPECT_EQ(glb.json["meshes"][1]["name"], "scales");
    ASSERT_EQ(glb.json["nodes"].size(), 2U);
    EXPECT_EQ(glb.json["nodes"][1]["name"], "scales");
    EXPECT_EQ(glb.json["scenes"][0]["nodes"], nlohmann::json({0, 1}));
    ASSERT_EQ(glb.json["animations"].size(), 1U);
    const auto& channels = glb.json["animations"][0]["channels"];
    ASSERT_EQ(channels.size(), 2U);
    EXPECT_EQ(channels[1]["target"], nlohmann::json({{"node", 1}, {"path", "weights"}}));
    // Both are keyed at the same times.
    const auto& samplers = glb.json["animations"][0]["samplers"];
    EXPECT_EQ(samplers[0]["input"], samplers[1]["input"]);
    EXPECT_NE(samplers[0]["output"], samplers[1]["output"]);
}

TEST(GlbDetails, the_largest_error_is_that_of_the_worst_mesh) {
    // Nothing but the tents moves, and a loose tolerance (0.85 of it is for modes, the rest for rounding) leaves their
    // smaller mode out.
    const ArtMesh mesh = seamed_square(4);
    const MatrixX3d rest = mesh.positions;
    const Body body = formula_body(mesh, [rest](double) { return rest; });
    const ScratchFolder folder;
    const Bake bake = with_details(body, 30);
    SinkOptions options;
    options.glb.tolerance = 0.015 / 0.85 / std::sqrt(2.0);
    const OutputFile file = bake.run(*make_sink("glb", folder.path(), "a", options)).at(0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 0.0);
    EXPECT_LE(file.numbers.at("detail_morph_targets"), 2.0);
    EXPECT_GT(file.numbers.at("max_error_m"), 1e-3);
    EXPECT_NEAR(played_error(folder / "a.glb", "scales", bake, of_detail), file.numbers.at("max_error_m"), 1e-7);
}

TEST(GlbDetails, the_body_keeps_its_skin_beside_a_detail) {
    const Body body = twisting_cylinder();
    const ScratchFolder folder;
    const Bake bake = with_details(body, 10);
    const OutputFile file = write(bake, "glb", folder).at(0);
    EXPECT_EQ(file.numbers.at("skin_kept"), 1.0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 0.0);
    EXPECT_GT(file.numbers.at("detail_morph_targets"), 1.0);
    const GlbFile glb(folder / "a.glb");
    ASSERT_EQ(glb.json["animations"].size(), 1U);
    EXPECT_TRUE(glb.json["nodes"][0].contains("skin"));
    EXPECT_LT(played_error(folder / "a.glb", "scales", bake, of_detail), file.numbers.at("tolerance_m"));

    // Without the detail the body's part of the file is the same.
    const Bake alone{&body, 10};
    write(alone, "glb", folder, "b");
    const GlbFile other(folder / "b.glb");
    EXPECT_EQ(glb.json["skins"], other.json["skins"]);
    EXPECT_EQ(glb.json["meshes"][0]["primitives"].size(), other.json["meshes"][0]["primitives"].size());
    EXPECT_EQ(glb.json["animations"][0]["channels"].size(), other.json["animations"][0]["channels"].size() + 1);
}

TEST(GlbDetails, a_skin_is_never_kept_for_a_finer_mesh) {
    const Body body = twisting_cylinder();
    const ArtMesh finer = seamed_square(4);
    Bake bake{&body, 6};
    bake.mesh = &finer;
    bake.change = [&finer](Frame& frame) { frame.body().positions = finer.positions * (1.0 + 0.1 * frame.number); };
    const ScratchFolder folder;
    const OutputFile file = write(bake, "glb", folder).at(0);
    EXPECT_EQ(file.numbers.at("skin_kept"), 0.0);
    EXPECT_EQ(file.numbers.at("morph_targets"), 1.0);
    EXPECT_FALSE(GlbFile(folder / "a.glb").json.contains("skins"));
}

void expect_cache_moves(const PointCache& cache, const Bake& bake,
                        const std::function<const MatrixX3d&(const Frame&)>& truth) {
    ASSERT_EQ(cache.frame_count(), bake.frame_count);
    size_t i = 0;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        const MatrixX3d& positions = truth(frame);
        ASSERT_EQ(cache.vertex_count, positions.rows());
        for (Eigen::Index k = 0; k < positions.size(); ++k) {
            ASSERT_EQ(cache.samples[i++], float(positions.data()[k])) << "frame " << f;
        }
    }
}

void expect_same_mesh(const ArtMesh& back, const ArtMesh& mesh) {
    EXPECT_EQ(back.triangles, mesh.triangles);
    EXPECT_EQ(back.uv_triangles, mesh.uv_triangles);
    EXPECT_LT((back.positions - mesh.positions).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((back.uv - mesh.uv).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(CacheDetails, a_detail_gets_a_cache_and_the_mesh_it_moves) {
    const Body body = waving_body(4);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 5);
    EXPECT_EQ(write(bake, "pc2", folder).size(), 3U);
    EXPECT_EQ(write(bake, "mdd", folder).size(), 3U);
    EXPECT_EQ(files_in(folder.path()),
              (std::set<std::string>{"a.pc2", "a.scales.pc2", "a.mdd", "a.scales.mdd", "a.scales.rest.obj"}));
    expect_cache_moves(read_pc2(folder / "a.pc2", bake.fps), bake, of_body);
    expect_cache_moves(read_pc2(folder / "a.scales.pc2", bake.fps), bake, of_detail);
    expect_cache_moves(read_mdd(folder / "a.mdd"), bake, of_body);
    expect_cache_moves(read_mdd(folder / "a.scales.mdd"), bake, of_detail);
    expect_same_mesh(read_obj(folder / "a.scales.rest.obj"), *bake.details[0].art);
}

TEST(CacheDetails, a_body_on_a_finer_mesh_brings_that_mesh) {
    const Body body = waving_body(4);
    const ArtMesh finer = seamed_square(8);
    for (const std::string format : {"pc2", "mdd"}) {
        const ScratchFolder folder;
        Bake bake{&body, 3};
        bake.mesh = &finer;
        bake.change = [&finer](Frame& frame) { frame.body().positions = finer.positions * 2.0; };
        EXPECT_EQ(write(bake, format, folder).size(), 2U);
        EXPECT_EQ(files_in(folder.path()), (std::set<std::string>{"a." + format, "a.rest.obj"}));
        const ArtMesh back = read_obj(folder / "a.rest.obj");
        expect_same_mesh(back, finer);
        EXPECT_EQ(back.polygon_sizes, finer.polygon_sizes);
        expect_cache_moves(format == "pc2" ? read_pc2(folder / "a.pc2", bake.fps) : read_mdd(folder / "a.mdd"), bake,
                           of_body);
    }
}

TEST(CacheDetails, two_formats_that_bring_the_same_mesh_may_be_open_at_once) {
    const Body body = waving_body(4);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 2);
    const auto pc2 = make_sink("pc2", folder.path(), "a");
    const auto mdd = make_sink("mdd", folder.path(), "a");
    for (FrameSink* sink : {pc2.get(), mdd.get()}) {
        sink->begin(bake.info());
    }
    for (int f = 0; f < 2; ++f) {
        pc2->write(bake.frame(f));
        mdd->write(bake.frame(f));
    }
    pc2->finish();
    mdd->finish();
    EXPECT_EQ(files_in(folder.path()).size(), 5U);
    expect_same_mesh(read_obj(folder / "a.scales.rest.obj"), *bake.details[0].art);
}

TEST(ObjDetails, a_detail_is_a_further_object_of_every_frame) {
    const Body body = waving_body(4);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 4);
    EXPECT_EQ(write(bake, "obj", folder).size(), 4U);
    const ObjSequence back = read_obj_sequence(folder / "a.*.obj", bake.fps);
    const ArtMesh& first = body.mesh();
    const ArtMesh& second = *bake.details[0].art;
    ASSERT_EQ(back.mesh.positions.rows(), 25 + 30);
    ASSERT_EQ(back.mesh.triangles.rows(), 32 + 24);
    EXPECT_EQ(MatrixX3i(back.mesh.triangles.topRows(32)), first.triangles);
    EXPECT_EQ(MatrixX3i(back.mesh.triangles.bottomRows(24).array() - 25), second.triangles);
    EXPECT_EQ(MatrixX3i(back.mesh.uv_triangles.bottomRows(24).array() - 30), second.uv_triangles);
    // The groups and materials of the body end where the detail begins.
    ASSERT_EQ(back.mesh.parts.size(), 3U);
    EXPECT_EQ(back.mesh.parts[2].name, "tent");
    EXPECT_EQ(back.mesh.parts[2].material, "scales");
    EXPECT_NE(text_of(folder / "a.0001.obj").find("\no scales\n"), std::string::npos);
    size_t i = 0;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        for (const MatrixX3d* points : {&frame.body().positions, &of_detail(frame)}) {
            for (Eigen::Index k = 0; k < points->size(); ++k) {
                ASSERT_EQ(back.cache.samples[i++], float(points->data()[k]));
            }
        }
    }
}

/// Numbers of a time sample inside a mesh of a USDA file.
std::vector<float> sample_of(const std::string& text, const std::string& attribute, int frame) {
    const size_t samples = text.find(attribute + ".timeSamples = {");
    EXPECT_NE(samples, std::string::npos) << attribute;
    const std::string key = " " + std::to_string(frame) + ": [";
    const size_t begin = text.find(key, samples) + key.size();
    std::string list = text.substr(begin, text.find(']', begin) - begin);
    for (char& c : list) {
        c = std::strchr("(),", c) != nullptr ? ' ' : c;
    }
    std::istringstream words(list);
    std::vector<float> numbers;
    for (std::string word; words >> word;) {
        numbers.push_back(std::stof(word));
    }
    return numbers;
}

std::vector<float> floats_of(const double* values, size_t count) {
    return {values, values + count};
}

TEST(UsdaDetails, a_detail_is_a_mesh_under_the_same_root_with_samples_of_its_own) {
    const Body body = waving_body(4);
    const ScratchFolder folder;
    const Bake bake = with_details(body, 5);
    EXPECT_EQ(write(bake, "usda", folder).size(), 1U);
    const std::string text = text_of(folder / "a.usda");
    const size_t begin = text.find("    def Mesh \"scales\"\n");
    ASSERT_NE(begin, std::string::npos);
    EXPECT_LT(text.find("    def Mesh \"square\"\n"), begin);
    EXPECT_EQ(text.find("def Xform"), text.rfind("def Xform"));
    const std::string mesh = text.substr(begin);
    for (const char* line :
         {"point3f[] primvars:Pref = [", "texCoord2f[] primvars:st = [", "point3f[] points = [", "float3[] extent = [",
          "float[] primvars:height = [", "string unit = \"m\"", "def GeomSubset \"tent\""}) {
        EXPECT_NE(mesh.find(line), std::string::npos) << line;
    }
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        const MeshFrame& detail = frame.meshes[1];
        EXPECT_EQ(sample_of(text, "points", f + 1), floats_of(frame.body().positions.data(), 75));
        EXPECT_EQ(sample_of(mesh, "points", f + 1), floats_of(detail.positions.data(), 90));
        EXPECT_EQ(sample_of(mesh, "primvars:height", f + 1), floats_of(detail.channels[0].data(), 30));
        const MatrixX3d low = detail.positions.colwise().minCoeff();
        const std::vector<float> extent = sample_of(mesh, "extent", f + 1);
        EXPECT_EQ(std::vector<float>(extent.begin(), extent.begin() + 3), floats_of(low.data(), 3));
    }
    EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

}  // namespace
}  // namespace cutis::test
