#include "cli/program.h"

#include <gtest/gtest.h>
#include "cutis/core/error.h"
#include "cutis/io/point_cache_read.h"
#include "cutis/io/scene_read.h"

namespace cutis::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> gltf_files() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(data_folder())) {
        const std::string extension = entry.path().extension().string();
        if (extension == ".glb" || extension == ".gltf") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

TEST(Identity, every_character_of_the_data_folder_leaves_a_bake_without_layers_as_it_came) {
    CUTIS_NEED_DATA("khronos-gltf");
    const ScratchFolder scratch;
    const Workers workers(1);
    int seen = 0;
    for (const fs::path& file : gltf_files()) {
        Scene scene;
        scene.body.file = file.string();
        const Body body = load_body(scene);
        // Frame 4 at 7 frames per second lies between keys of nearly every clip.
        const Outcome outcome = run({"convert", file, scratch / "o.pc2", "--fps", "7", "--frames", "1-4"});
        ASSERT_EQ(outcome.code, 0) << file << outcome.err;
        const PointCache cache = read_pc2(scratch / "o.pc2");
        ASSERT_EQ(cache.frame_count(), 4) << file;
        MatrixX3d expected;
        size_t at = 0;
        for (int frame = 0; frame < 4; ++frame) {
            body.positions(frame / 7.0, TimeSampling::exact, workers, expected);
            ASSERT_EQ(expected.rows(), cache.vertex_count) << file;
            // The linker gives each program either copy of Eigen's inline products, which differ by a rounding of
            // doubles: the floats are the same but where they are nothing but such roundings.
            const double rounding = 1e-14 * expected.cwiseAbs().maxCoeff();
            for (Eigen::Index i = 0; i < expected.size(); ++i) {
                const double found = cache.samples[at++];
                ASSERT_TRUE(found == static_cast<float>(expected.data()[i] - rounding) ||
                            found == static_cast<float>(expected.data()[i] + rounding) ||
                            std::abs(found - expected.data()[i]) <= rounding)
                    << file << " frame " << frame + 1 << " number " << i << ": " << found << " for "
                    << expected.data()[i];
            }
        }
        ++seen;
    }
    EXPECT_GE(seen, 40);
}

TEST(Identity, every_character_of_the_data_folder_is_inspected_with_its_meshes_and_joints) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    for (const fs::path& file : gltf_files()) {
        const Outcome outcome = run({"inspect", file, "--json"});
        ASSERT_EQ(outcome.code, 0) << file << outcome.err;
        EXPECT_FALSE(nlohmann::json::parse(outcome.out).at("meshes").empty()) << file;
    }
    // Counts of the data folder's own README.
    const auto dancer = nlohmann::json::parse(run({"inspect", data_path, "--json"}).out);
    EXPECT_EQ(dancer.at("joints").size(), 31u);
    ASSERT_EQ(dancer.at("meshes").size(), 3u);
    EXPECT_EQ(dancer.at("meshes").at(0).at("name"), "body");
    EXPECT_EQ(dancer.at("meshes").at(0).at("welded_vertices"), 13380);
    EXPECT_EQ(dancer.at("meshes").at(0).at("triangles"), 26756);
    EXPECT_EQ(dancer.at("meshes").at(0).at("closed"), true);
    EXPECT_EQ(dancer.at("clips").at(0).at("keys"), 300);
    const auto horse = nlohmann::json::parse(run({"inspect", data_folder() / "quaternius/Horse.glb", "--json"}).out);
    EXPECT_EQ(horse.at("meshes").at(0).at("vertices"), 4400);
    EXPECT_EQ(horse.at("meshes").at(0).at("welded_vertices"), 1093);
    EXPECT_EQ(horse.at("meshes").at(0).at("closed"), true);
    EXPECT_EQ(horse.at("clips").size(), 13u);
}

TEST(Identity, a_missing_clip_or_mesh_of_a_real_file_lists_what_there_is) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    const ScratchFolder scratch;
    const Outcome clip = run({"convert", data_path, scratch / "o.pc2", "--clip", "waltz"});
    EXPECT_EQ(clip.code, 2);
    EXPECT_TRUE(contains(clip.err, "cmu_05_04")) << clip.err;
    const Outcome mesh = run({"convert", data_path, scratch / "o.pc2", "--mesh", "hat"});
    EXPECT_EQ(mesh.code, 2);
    EXPECT_TRUE(contains(mesh.err, "tights") && contains(mesh.err, "female_sportsuit01")) << mesh.err;
}

}  // namespace
}  // namespace cutis::test
