#include "cutis/mesh/mesh_map.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "mesh/adaptive_loop.h"
#include "support/shapes.h"

namespace cutis {
namespace {

TEST(MeshMap, copies_take_the_values_of_their_vertex_and_nothing_where_there_is_none) {
    const MeshMap map = MeshMap::copies({2, -1, 0, 2}, 3);
    EXPECT_EQ(map.from_count(), 3);
    EXPECT_EQ(map.to_count(), 4);
    EXPECT_EQ(map.source(3), 2);
    MatrixX3d in(3, 3);
    in << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    MatrixX3d out;
    map.values(in, Workers(1), out);
    MatrixX3d expected(4, 3);
    expected << 7, 8, 9, 0, 0, 0, 1, 2, 3, 7, 8, 9;
    EXPECT_EQ(out, expected);
    std::vector<double> pairs;
    map.values({1, 2, 3, 4, 5, 6}, 2, Workers(1), pairs);
    EXPECT_EQ(pairs, (std::vector<double>{5, 6, 0, 0, 1, 2, 5, 6}));
    VectorXd numbers;
    map.values(Vector3d(1, 2, 3), Workers(1), numbers);
    EXPECT_EQ(numbers, Eigen::Vector4d(3, 0, 1, 3));
}

TEST(MeshMap, refuses_what_does_not_fit) {
    EXPECT_THROW(MeshMap::copies({0, 3}, 3), InvalidInput);
    const MeshMap map = MeshMap::copies({0, 1}, 3);
    MatrixX3d out;
    EXPECT_THROW(map.values(MatrixX3d::Zero(2, 3), Workers(1), out), InvalidInput);
}

// Finer on one half: triangles of several sizes, some cut in two.
struct Refined {
    test::Shape shape = test::torus_grid(8, 6);
    Topology base{shape.triangles, 48};
    AdaptiveLoop loop{base, 0, wanted(), 2};
    MeshMap map = MeshMap::finer(loop.stencils(), loop.topology().triangles(), loop.corner_points(),
                                 [this](const SurfacePoint& point) { return loop.locate(point); });

    static std::vector<unsigned char> wanted() {
        std::vector<unsigned char> levels(96, 0);
        std::fill_n(levels.begin(), 30, static_cast<unsigned char>(2));
        return levels;
    }
};

TEST(MeshMap, a_vertex_of_the_finer_mesh_goes_down_and_up_to_itself) {
    const Refined refined;
    for (int v = 0; v < refined.loop.topology().vertex_count(); ++v) {
        const SurfacePoint up = refined.map.up(refined.map.down(v));
        int nearest = 0;
        EXPECT_NEAR(up.barycentric.maxCoeff(&nearest), 1.0, 1e-12);
        EXPECT_EQ(refined.loop.topology().triangles()(up.triangle, nearest), v);
    }
}

TEST(MeshMap, values_of_a_refinement_are_its_stencils_for_any_threads) {
    const Refined refined;
    MatrixX3d one;
    refined.map.values(refined.shape.positions, Workers(1), one);
    MatrixX3d expected(refined.loop.stencils().count(), 3);
    refined.loop.stencils().apply(refined.shape.positions, Workers(1), expected);
    EXPECT_EQ(one, expected);
    MatrixX3d two;
    refined.map.values(refined.shape.positions, Workers(2), two);
    EXPECT_EQ(one, two);
}

}  // namespace
}  // namespace cutis
