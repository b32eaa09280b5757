#include <gtest/gtest.h>
#include <cstring>
#include <random>

#include "cli/program.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

// A refusal: exit code 2, one sentence on stderr that names the file, nothing on stdout.
void expect_refused(const Outcome& outcome, const std::string& what, const std::string& part = "") {
    EXPECT_EQ(outcome.signal, 0) << what;
    EXPECT_EQ(outcome.code, 2) << what << outcome.err;
    EXPECT_EQ(outcome.err.rfind("cutis: ", 0), 0u) << what << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << what << ": " << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << what;
}

// One good file of every kind the program reads.
struct GoodFiles {
    ScratchFolder scratch;

    GoodFiles() {
        write_text(scratch / "t.toml", cylinder_scene("fps = 2", R"("glb", "obj", "pc2", "mdd")"));
        EXPECT_EQ(run({"bake", scratch / "t.toml", "-o", scratch.path()}).code, 0);
        fs::rename(scratch / "t.0001.obj", scratch / "t.obj");
        write_text(scratch / "t.bvh",
                   "HIERARCHY\nROOT carrier\n{\n  OFFSET 0 0 0\n  CHANNELS 3 Zrotation Yrotation "
                   "Xrotation\n  JOINT twist_0\n  {\n    OFFSET 0 0.4 0\n    CHANNELS 3 Zrotation "
                   "Yrotation Xrotation\n    End Site\n    {\n      OFFSET 0 0.4 0\n    }\n  }\n}\n"
                   "MOTION\nFrames: 3\nFrame Time: 0.1\n0 0 0 0 0 0\n0 0 0 10 0 0\n0 0 0 20 0 "
                   "0\n");
    }
};

TEST(BadInput, an_actor_is_inspected_like_a_file_and_an_unknown_one_is_refused) {
    const auto json = nlohmann::json::parse(run({"inspect", "actor:creature", "--json"}).out);
    EXPECT_EQ(json.at("meshes").size(), 2u);
    const Outcome outcome = run({"inspect", "actor:unicorn"});
    EXPECT_NE(outcome.code, 0);
    EXPECT_TRUE(contains(outcome.err, "creature")) << outcome.err;
}

TEST(BadInput, good_files_of_every_kind_are_inspected) {
    const GoodFiles good;
    for (const char* kind : {"glb", "obj", "pc2", "mdd", "bvh", "toml"}) {
        const Outcome outcome = run({"inspect", good.scratch / ("t." + std::string(kind)), "--json"});
        ASSERT_EQ(outcome.code, 0) << kind << outcome.err;
        const auto json = nlohmann::json::parse(outcome.out);
        EXPECT_TRUE(json.at("kind").is_string());
        EXPECT_EQ(run({"inspect", good.scratch / ("t." + std::string(kind))}).code, 0);
    }
    const auto json = nlohmann::json::parse(run({"inspect", good.scratch / "t.obj", "--json"}).out);
    const auto& mesh = json.at("meshes").at(0);
    EXPECT_EQ(mesh.at("vertices"), 22 * 30);
    EXPECT_EQ(mesh.at("welded_vertices"), 22 * 30);
    EXPECT_EQ(mesh.at("closed"), false);
    EXPECT_EQ(mesh.at("state"), "usable");
    const auto bvh = nlohmann::json::parse(run({"inspect", good.scratch / "t.bvh", "--json"}).out);
    EXPECT_EQ(bvh.at("clips").at(0).at("keys"), 3);
    EXPECT_NEAR(bvh.at("clips").at(0).at("end").get<double>(), 0.2, 1e-12);
}

TEST(BadInput, truncated_binary_files_are_refused_at_every_length) {
    const GoodFiles good;
    for (const std::string kind : {"glb", "pc2", "mdd"}) {
        const std::string whole = read_text(good.scratch / ("t." + kind));
        ASSERT_GT(whole.size(), 100u);
        const fs::path cut = good.scratch / ("cut." + kind);
        for (const size_t size :
             {size_t{0}, size_t{1}, size_t{4}, size_t{11}, size_t{12}, size_t{19}, size_t{20}, size_t{31}, size_t{32},
              size_t{40}, whole.size() / 3, whole.size() / 2, whole.size() - 4, whole.size() - 1}) {
            write_text(cut, whole.substr(0, size));
            expect_refused(run({"inspect", cut}), kind + " of " + std::to_string(size) + " bytes", "cut." + kind);
        }
    }
}

TEST(BadInput, truncated_text_files_are_refused_or_still_whole_sentences) {
    const GoodFiles good;
    for (const std::string kind : {"obj", "bvh", "toml"}) {
        const std::string whole = read_text(good.scratch / ("t." + kind));
        const fs::path cut = good.scratch / ("cut." + kind);
        for (int tenth = 0; tenth < 10; ++tenth) {
            write_text(cut, whole.substr(0, whole.size() * static_cast<size_t>(tenth) / 10));
            const Outcome outcome = run({"inspect", cut});
            EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << kind << " at " << tenth << "/10";
            EXPECT_EQ(outcome.code == 2, contains(outcome.err, "cut." + kind)) << outcome.err;
        }
        write_text(cut, "");
        expect_refused(run({"inspect", cut}), "empty " + kind);
    }
}

TEST(BadInput, random_bytes_are_refused_by_every_reader) {
    const ScratchFolder scratch;
    std::mt19937 random(7);
    for (const std::string kind : {"glb", "gltf", "obj", "pc2", "mdd", "bvh", "toml"}) {
        for (const size_t size : {size_t{3}, size_t{64}, size_t{5000}}) {
            std::string bytes(size, '\0');
            for (char& byte : bytes) {
                byte = static_cast<char>(random());
            }
            write_text(scratch / ("noise." + kind), bytes);
            expect_refused(run({"inspect", scratch / ("noise." + kind)}), kind, "noise." + kind);
        }
    }
}

TEST(BadInput, good_headers_before_noise_are_refused) {
    const GoodFiles good;
    std::mt19937 random(11);
    for (const std::string kind : {"glb", "pc2", "mdd"}) {
        const std::string whole = read_text(good.scratch / ("t." + kind));
        for (int trial = 0; trial < 12; ++trial) {
            std::string bytes = whole;
            for (int flip = 0; flip < 8; ++flip) {
                bytes[random() % std::min<size_t>(bytes.size(), 3000)] = static_cast<char>(random());
            }
            write_text(good.scratch / ("bent." + kind), bytes);
            const Outcome outcome = run({"inspect", good.scratch / ("bent." + kind)});
            EXPECT_EQ(outcome.signal, 0) << kind << trial;
            EXPECT_TRUE(outcome.code == 0 || outcome.code == 2) << kind << trial << outcome.err;
        }
    }
}

TEST(BadInput, gigantic_declared_sizes_are_refused_without_taking_memory) {
    const ScratchFolder scratch;
    std::string pc2("POINTCACHE2\0", 12);
    const std::int32_t version = 1;
    const std::int32_t many = 2000000000;
    const float one = 1.0F;
    const auto put = [](std::string& text, const auto& value) {
        text.append(reinterpret_cast<const char*>(&value), sizeof value);
    };
    put(pc2, version);
    put(pc2, many);
    put(pc2, one);
    put(pc2, one);
    put(pc2, many);
    write_text(scratch / "big.pc2", pc2);
    expect_refused(run({"inspect", scratch / "big.pc2"}), "pc2", "big.pc2");
    write_text(scratch / "big.mdd", std::string("\x77\x00\x00\x00\x77\x00\x00\x00", 8));
    expect_refused(run({"inspect", scratch / "big.mdd"}), "mdd", "big.mdd");
    write_text(scratch / "big.bvh",
               "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n}\n"
               "MOTION\nFrames: 2000000000\nFrame Time: 0.1\n0 0 0\n");
    expect_refused(run({"inspect", scratch / "big.bvh"}), "bvh", "big.bvh");
    write_text(scratch / "big.gltf",
               R"({"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"count":2000000000,
               "type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
               "nodes":[{"mesh":0}],"scenes":[{"nodes":[0]}]})");
    expect_refused(run({"inspect", scratch / "big.gltf"}), "gltf", "big.gltf");
}

// A glTF of one triangle whose nodes, buffer path and numbers the test chooses.
std::string triangle_gltf(const std::string& nodes, const std::string& uri) {
    return R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":")" + uri +
           R"("}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,)"
           R"("componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}],)"
           R"("meshes":[{"name":"tri","primitives":[{"attributes":{"POSITION":0}}]}],"nodes":)" +
           nodes + R"(,"scenes":[{"nodes":[0]}],"scene":0})";
}

std::string triangle_bytes(float first) {
    const float numbers[9] = {first, 0, 0, 1, 0, 0, 0, 1, 0};
    return {reinterpret_cast<const char*>(numbers), sizeof numbers};
}

TEST(BadInput, cyclic_nodes_and_paths_that_escape_are_refused) {
    const ScratchFolder scratch;
    fs::create_directory(scratch / "in");
    write_text(scratch / "secret.bin", triangle_bytes(0.0F));
    write_text(scratch / "in/a.bin", triangle_bytes(0.0F));
    write_text(scratch / "in/nan.bin", triangle_bytes(std::nanf("")));
    const auto inspect = [&](const std::string& gltf) {
        write_text(scratch / "in/a.gltf", gltf);
        return run({"inspect", scratch / "in/a.gltf"});
    };
    EXPECT_EQ(inspect(triangle_gltf(R"([{"mesh":0}])", "a.bin")).code, 0);
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0,"children":[1]},{"children":[0]}])", "a.bin")), "cycle",
                   "nodes");
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0,"children":[0]}])", "a.bin")), "own child", "nodes");
    EXPECT_EQ(inspect(triangle_gltf(R"([{"mesh":0}])", "nan.bin")).code, 0);  // mended: damage_test says how
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0}])", "../secret.bin")), "escape", "../secret.bin");
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0}])", "%2e%2e/secret.bin")), "escape");
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0}])", (scratch / "secret.bin").string())), "absolute");
    fs::create_symlink(scratch / "secret.bin", scratch / "in/link.bin");
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0}])", "link.bin")), "link");
    expect_refused(inspect(triangle_gltf(R"([{"mesh":0}])", "none.bin")), "missing buffer", "none.bin");
    expect_refused(inspect(std::string(100000, '[')), "deep JSON", "a.gltf");
}

TEST(BadInput, a_cache_of_another_mesh_is_refused_with_both_counts) {
    const GoodFiles good;
    write_text(good.scratch / "tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for (const std::string kind : {"pc2", "mdd"}) {
        write_text(good.scratch / "shot.toml", "[body]\nmesh = \"tri.obj\"\ncache = \"t." + kind + "\"\n");
        const Outcome outcome = run({"bake", good.scratch / "shot.toml", "-o", good.scratch / "out"});
        expect_refused(outcome, kind, "found 660");
        EXPECT_FALSE(fs::exists(good.scratch / "out"));
    }
    write_text(good.scratch / "s1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(good.scratch / "s2.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
    expect_refused(run({"convert", good.scratch / "s*.obj", good.scratch / "out.pc2"}), "sequence", "s2.obj");
}

TEST(BadInput, a_rest_pose_or_motion_that_does_not_fit_is_refused) {
    const GoodFiles good;
    write_text(good.scratch / "tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    write_text(good.scratch / "shot.toml", "[body]\nmesh = \"t.obj\"\nrest = \"tri.obj\"\n");
    expect_refused(run({"bake", good.scratch / "shot.toml", "-o", good.scratch / "out"}), "rest",
                   "expected 660 vertices");
    std::string bvh = read_text(good.scratch / "t.bvh");
    bvh.replace(bvh.find("carrier"), 7, "hip_a");
    bvh.replace(bvh.find("twist_0"), 7, "knee_a");
    write_text(good.scratch / "other.bvh", bvh);
    write_text(good.scratch / "shot.toml", "[body]\nactor = \"cylinder\"\nmotion = \"other.bvh\"\n");
    expect_refused(run({"bake", good.scratch / "shot.toml", "-o", good.scratch / "out"}), "motion", "hip_a");
    write_text(good.scratch / "shot.toml", "[body]\nactor = \"cylinder\"\nmotion = \"t.bvh\"\n");
    EXPECT_EQ(run({"bake", good.scratch / "shot.toml", "-o", good.scratch / "out"}).code, 0);
}

TEST(BadInput, a_number_that_is_not_finite_is_refused_wherever_it_stands) {
    const GoodFiles good;
    write_text(good.scratch / "nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    expect_refused(run({"inspect", good.scratch / "nan.obj"}), "obj", "nan.obj");
    std::string pc2 = read_text(good.scratch / "t.pc2");
    const float bad = std::nanf("");
    std::memcpy(pc2.data() + 32 + 12 * 5, &bad, sizeof bad);
    write_text(good.scratch / "nan.pc2", pc2);
    expect_refused(run({"inspect", good.scratch / "nan.pc2"}), "pc2", "5");
}

TEST(BadInput, a_missing_clip_or_mesh_is_refused_with_what_there_is) {
    const GoodFiles good;
    expect_refused(run({"convert", good.scratch / "t.glb", good.scratch / "o.pc2", "--clip", "jig"}), "clip", "jig");
    const Outcome mesh = run({"convert", good.scratch / "t.glb", good.scratch / "o.pc2", "--mesh", "hat"});
    expect_refused(mesh, "mesh", "hat");
    EXPECT_TRUE(contains(mesh.err, "cylinder")) << mesh.err;
    EXPECT_FALSE(fs::exists(good.scratch / "o.pc2"));
}

}  // namespace
}  // namespace cutis::test
