#include <gtest/gtest.h>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/program.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

std::string lower_extension(const fs::path& path) {
    std::string text = path.extension().string();
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Positions as the text says them, read without the library.
std::vector<float> obj_positions(const fs::path& path) {
    std::vector<float> numbers;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("v ", 0) == 0) {
            std::istringstream words(line.substr(2));
            double x = 0.0;
            for (int k = 0; k < 3 && words >> x; ++k) {
                numbers.push_back(static_cast<float>(x));
            }
        }
    }
    return numbers;
}

TEST(Convert, a_still_obj_keeps_every_position_and_face_in_every_format) {
    const ScratchFolder scratch;
    write_text(scratch / "quad.obj",
               "v 0.1 -0 0.3\nv 1.1 0 0.3\nv 1.1 1 0.3\nv 0.1 1 0.333333\nvt 0 0\nvt 1 0\nvt 1 1\n"
               "vt 0 1\nf 1/1 2/2 3/3 4/4\n");
    ASSERT_EQ(run({"convert", scratch / "quad.obj", scratch / "again.obj"}).code, 0);
    EXPECT_TRUE(fs::exists(scratch / "again.obj"));
    EXPECT_EQ(obj_positions(scratch / "again.obj"), obj_positions(scratch / "quad.obj"));
    const ArtMesh before = read_obj(scratch / "quad.obj");
    const ArtMesh after = read_obj(scratch / "again.obj");
    EXPECT_EQ(after.polygon_sizes, std::vector<int>{4});
    EXPECT_EQ(after.triangles, before.triangles);
    EXPECT_EQ(after.uv, before.uv);
    for (const char* name : {"o.glb", "o.usda", "o.pc2", "o.mdd", "o.npz"}) {
        EXPECT_EQ(run({"convert", scratch / "quad.obj", scratch / name}).code, 0) << name;
        EXPECT_TRUE(fs::exists(scratch / name)) << name;
    }
}

TEST(Convert, bones_make_a_skinned_glb_and_no_other_format) {
    const ScratchFolder scratch;
    const auto made = run({"convert", "actor:arm", scratch / "o.glb", "--frames", "1-8", "--bones", "4", "--json"});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.out.find("\"e_rms\""), std::string::npos);
    EXPECT_EQ(run({"convert", "actor:arm", scratch / "o.pc2", "--bones", "4"}).code, 2);
    EXPECT_EQ(run({"convert", "actor:arm", scratch / "p.glb", "--bones", "257"}).code, 2);
}

TEST(Convert, scale_and_up_axis_turn_positions_into_metres_y_up) {
    const ScratchFolder scratch;
    write_text(scratch / "a.obj", "v 1 2 3\nv 2 2 3\nv 1 3 3\nf 1 2 3\n");
    ASSERT_EQ(run({"convert", scratch / "a.obj", scratch / "b.obj", "--scale", "100", "--up", "z"}).code, 0);
    // (x, y, z) with Z up is (x, z, -y) with Y up.
    EXPECT_EQ(obj_positions(scratch / "b.obj"), (std::vector<float>{100, 300, -200, 200, 300, -200, 100, 300, -300}));
}

TEST(Convert, caches_and_sequences_turn_into_each_other_bit_for_bit) {
    const ScratchFolder scratch;
    write_text(scratch / "t.toml", cylinder_scene("fps = 4", R"("obj", "pc2", "mdd")"));
    ASSERT_EQ(run({"bake", scratch / "t.toml", "-o", scratch / "a"}).code, 0);
    const std::string mesh = scratch / "a/t.0001.obj";
    const std::vector<float> samples = read_pc2(scratch / "a/t.pc2").samples;
    ASSERT_EQ(run({"convert", mesh, scratch / "b.mdd", "--cache", scratch / "a/t.pc2", "--fps", "4"}).code, 0);
    EXPECT_EQ(read_mdd(scratch / "b.mdd").samples, samples);
    ASSERT_EQ(run({"convert", mesh, scratch / "c.pc2", "--cache", scratch / "a/t.mdd", "--fps", "4"}).code, 0);
    EXPECT_EQ(read_pc2(scratch / "c.pc2").samples, samples);
    ASSERT_EQ(run({"convert", scratch / "a/t.*.obj", scratch / "d.pc2", "--fps", "4"}).code, 0);
    EXPECT_EQ(read_pc2(scratch / "d.pc2").samples, samples);
}

TEST(Convert, a_glb_of_the_program_comes_back_within_its_tolerance) {
    const ScratchFolder scratch;
    write_text(scratch / "t.toml", cylinder_scene("fps = 4", R"("glb", "pc2")"));
    ASSERT_EQ(run({"bake", scratch / "t.toml", "-o", scratch / "a"}).code, 0);
    ASSERT_EQ(run({"convert", scratch / "a/t.glb", scratch / "b.pc2", "--fps", "4"}).code, 0);
    const PointCache direct = read_pc2(scratch / "a/t.pc2");
    const PointCache round = read_pc2(scratch / "b.pc2");
    ASSERT_EQ(round.frame_count(), direct.frame_count());
    // GLB has a vertex more for each UV of a seam: pairs are found in the first frame.
    ASSERT_GE(round.vertex_count, direct.vertex_count);
    float worst = 0.0F;
    for (int r = 0; r < round.vertex_count; ++r) {
        const auto distance = [&](int frame, int d) {
            float largest = 0.0F;
            for (int c = 0; c < 3; ++c) {
                const int at_round = (frame * round.vertex_count + r) * 3 + c;
                const int at_direct = (frame * direct.vertex_count + d) * 3 + c;
                largest = std::max(largest, std::abs(round.samples[at_round] - direct.samples[at_direct]));
            }
            return largest;
        };
        int pair = 0;
        for (int d = 1; d < direct.vertex_count; ++d) {
            pair = distance(0, d) < distance(0, pair) ? d : pair;
        }
        for (int frame = 0; frame < direct.frame_count(); ++frame) {
            worst = std::max(worst, distance(frame, pair));
        }
    }
    // Box diagonal of the cylinder: 1 m long, 0.5 m wide; tolerance 1e-4 of it.
    EXPECT_LT(worst, 1e-4 * std::sqrt(1.0 + 2 * 0.5 * 0.5));
}

TEST(Convert, every_obj_of_the_data_folder_comes_back_unchanged) {
    CUTIS_NEED_DATA("classic");
    const ScratchFolder scratch;
    int seen = 0;
    for (const auto& entry : fs::recursive_directory_iterator(data_folder())) {
        const std::string name = entry.path().filename().string();
        // Of the long sequences a few frames say as much as all.
        const bool is_spare = (contains(name, "horse-gallop") || contains(name, "bone_")) && !contains(name, "01") &&
                              !contains(name, "reference") && !contains(name, "000");
        if (lower_extension(entry.path()) != ".obj" || is_spare) {
            continue;
        }
        const Outcome outcome = run({"convert", entry.path(), scratch / "o.pc2"});
        ASSERT_EQ(outcome.code, 0) << entry.path() << outcome.err;
        EXPECT_EQ(read_pc2(scratch / "o.pc2").samples, obj_positions(entry.path())) << entry.path();
        ++seen;
    }
    EXPECT_GE(seen, 15);
}

}  // namespace
}  // namespace cutis::test
