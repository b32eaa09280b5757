#include <numeric>
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"

#include "io/write_support.h"

namespace cutis {
namespace {

using test::Bake;
using test::formula_body;
using test::ScratchFolder;
using test::seamed_square;

Body waving_square() {
    const ArtMesh mesh = seamed_square(8);
    const MatrixX3d rest = mesh.positions;
    return formula_body(mesh, [rest](double time) {
        MatrixX3d positions = rest;
        positions.col(2) = 0.1 * (rest.col(0).array() * 5.0 + 3.0 * time).sin();
        return positions;
    });
}

double box_diagonal(const MatrixX3d& points) {
    return (points.colwise().maxCoeff() - points.colwise().minCoeff()).norm();
}

void expect_cache_holds_frames(const PointCache& cache, const Bake& bake) {
    ASSERT_EQ(cache.frame_count(), bake.frame_count);
    ASSERT_EQ(cache.vertex_count, bake.body->mesh().positions.rows());
    EXPECT_NEAR(cache.rate, bake.fps, 1e-4);
    size_t i = 0;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        for (Eigen::Index k = 0; k < frame.body().positions.size(); ++k) {
            ASSERT_EQ(cache.samples[i++], float(frame.body().positions.data()[k])) << "frame " << f;
        }
    }
}

TEST(RoundTrip, caches_come_back_bit_for_bit) {
    const Body body = waving_square();
    ScratchFolder folder;
    const Bake bake{&body, 9};
    bake.run(*make_sink(folder / "a.pc2"));
    bake.run(*make_sink(folder / "a.mdd"));
    expect_cache_holds_frames(read_pc2(folder / "a.pc2", bake.fps), bake);
    expect_cache_holds_frames(read_mdd(folder / "a.mdd"), bake);
}

TEST(RoundTrip, an_obj_sequence_comes_back_with_seams_polygons_and_parts) {
    const Body body = waving_square();
    ScratchFolder folder;
    const Bake bake{&body, 4};
    bake.run(*make_sink(folder / "a.obj"));
    const ObjSequence back = read_obj_sequence(folder / "a.*.obj", bake.fps);
    expect_cache_holds_frames(back.cache, bake);
    const ArtMesh& mesh = body.mesh();
    EXPECT_EQ(back.mesh.triangles, mesh.triangles);
    EXPECT_EQ(back.mesh.uv_triangles, mesh.uv_triangles);
    EXPECT_EQ(back.mesh.polygon_sizes, mesh.polygon_sizes);
    EXPECT_LT((back.mesh.uv - mesh.uv).cwiseAbs().maxCoeff(), 1e-7);
    ASSERT_EQ(back.mesh.parts.size(), 2U);
    EXPECT_EQ(back.mesh.parts[0].name, "left_half");
    EXPECT_EQ(back.mesh.parts[0].material, "red");
    EXPECT_EQ(back.mesh.parts[1].first_triangle, mesh.parts[1].first_triangle);
}

/// Reads a written GLB as a body and compares every frame; vertices are matched through `art_of`.
void expect_glb_plays(const std::filesystem::path& path, const Bake& bake, const std::vector<int>& art_of, double limit,
                      const std::string& mesh = "") {
    BodyOptions options;
    options.mesh = mesh;
    const Body back = make_body(std::make_shared<Character>(read_gltf(path)), options);
    ASSERT_EQ(back.mesh().positions.rows(), Eigen::Index(art_of.size()));
    // A clip baked as a whole keeps the file's own keys, the last of which may lie between frames.
    EXPECT_GT(back.duration(), (bake.frame_count - 1) / bake.fps - 1e-6);
    EXPECT_LT(back.duration(), bake.frame_count / bake.fps);
    MatrixX3d played;
    for (int f = 0; f < bake.frame_count; ++f) {
        const Frame frame = bake.frame(f);
        back.positions(f / bake.fps, TimeSampling::exact, Workers(1), played);
        double largest = 0.0;
        for (size_t v = 0; v < art_of.size(); ++v) {
            largest = std::max(largest, (played.row(Eigen::Index(v)) - frame.body().positions.row(art_of[v])).norm());
        }
        EXPECT_LT(largest, limit) << "frame " << f;
    }
}

TEST(RoundTrip, baked_morph_targets_play_the_same_motion) {
    const Body body = waving_square();
    ScratchFolder folder;
    const Bake bake{&body, 13, 5};
    const OutputFile file = bake.run(*make_sink(folder / "a.glb")).at(0);
    std::vector<int> art_of;
    for (const MeshPart& part : body.mesh().parts) {
        std::set<int> used;
        for (int f = part.first_triangle; f < part.first_triangle + part.triangle_count; ++f) {
            used.insert({body.mesh().triangles(f, 0), body.mesh().triangles(f, 1), body.mesh().triangles(f, 2)});
        }
        art_of.insert(art_of.end(), used.begin(), used.end());
    }
    expect_glb_plays(folder / "a.glb", bake, art_of, file.numbers.at("max_error_m") * 1.01 + 1e-7);
}

void expect_character_survives(const std::filesystem::path& source, const std::string& mesh, Skinning skinning,
                               bool keeps_skin) {
    BodyOptions options;
    options.mesh = mesh;
    options.skinning = skinning;
    const Body body = make_body(std::make_shared<Character>(read_gltf(source)), options);
    ScratchFolder folder;
    Bake bake{&body, 12};
    bake.fps = 10.0;
    const OutputFile file = bake.run(*make_sink(folder / "a.glb")).at(0);
    EXPECT_EQ(file.numbers.at("skin_kept"), keeps_skin ? 1.0 : 0.0);
    std::vector<int> same(size_t(body.mesh().positions.rows()));
    std::iota(same.begin(), same.end(), 0);
    const double size = box_diagonal(body.mesh().positions);
    expect_glb_plays(folder / "a.glb", bake, same, (keeps_skin ? 1e-5 : 1.1e-4) * size, mesh);
}

TEST(RoundTrip, a_skinned_character_keeps_skin_and_vertex_order) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    expect_character_survives(data_path, "tights", Skinning::linear_blend, true);
}

TEST(RoundTrip, a_character_under_scaled_nodes_keeps_its_skin) {
    CUTIS_NEED_DATA("quaternius/Trex.glb");
    expect_character_survives(data_path, "", Skinning::linear_blend, true);
}

TEST(RoundTrip, dual_quaternion_skinning_is_baked) {
    CUTIS_NEED_DATA("khronos-gltf/CesiumMan.glb");
    expect_character_survives(data_path, "", Skinning::dual_quaternion, false);
}

}  // namespace
}  // namespace cutis
