#include <gtest/gtest.h>

#include <cmath>

#include "mesh/edge_paths.h"
#include "mesh/ray_triangle.h"
#include "support/shapes.h"

namespace cutis {
namespace {

constexpr int cells = 6;

struct Grid {
    test::Shape shape = test::planar_grid(cells, cells);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};

    int vertex_at(double x, double y) const {
        int nearest = 0;
        (shape.positions.rowwise() - Eigen::RowVector3d(x, y, 0.0)).rowwise().squaredNorm().minCoeff(&nearest);
        return nearest;
    }
};

TEST(EdgePaths, a_straight_row_of_edges_is_as_long_as_it_looks_and_named_vertex_by_vertex) {
    const Grid grid;
    const int corner = grid.vertex_at(0.0, 0.0);
    const int far = grid.vertex_at(1.0, 0.0);
    const EdgePaths paths = edge_paths(grid.shape.positions, grid.topology, {corner});
    EXPECT_NEAR(paths.distance[far], 1.0, 1e-14);
    const std::vector<int> path = paths.path_to(far);
    ASSERT_EQ(path.size(), static_cast<size_t>(cells) + 1);
    EXPECT_EQ(path.front(), corner);
    EXPECT_EQ(path.back(), far);
    for (const int v : path) {
        EXPECT_EQ(grid.shape.positions(v, 1), 0.0);
    }
}

TEST(EdgePaths, of_several_sources_the_nearest_counts_and_reach_ends_the_search) {
    const Grid grid;
    const int left = grid.vertex_at(0.0, 0.0);
    const int right = grid.vertex_at(1.0, 0.0);
    const double cell = 1.0 / cells;
    const EdgePaths paths = edge_paths(grid.shape.positions, grid.topology, {left, right}, 1.5 * cell);
    EXPECT_NEAR(paths.distance[grid.vertex_at(cell, 0.0)], cell, 1e-14);
    EXPECT_NEAR(paths.distance[grid.vertex_at(1.0 - cell, 0.0)], cell, 1e-14);
    EXPECT_TRUE(std::isinf(paths.distance[grid.vertex_at(0.5, 0.0)]));
    EXPECT_EQ(paths.from[left], -1);
}

TEST(EdgePaths, a_wall_that_may_not_be_entered_is_walked_around) {
    const Grid grid;
    // A column of vertices, but for the top one, is closed: the way leads over the top and back.
    const auto may_enter = [&](int v) {
        return grid.shape.positions(v, 0) != 0.5 || grid.shape.positions(v, 1) > 0.99;
    };
    const int to = grid.vertex_at(1.0, 0.0);
    const EdgePaths paths = edge_paths(grid.shape.positions, grid.topology, {grid.vertex_at(0.0, 0.0)},
                                       std::numeric_limits<double>::infinity(), may_enter);
    // Two diagonals of a half grid, one unit high: no way is shorter.
    EXPECT_GT(paths.distance[to], 2.0 * std::hypot(0.5, 1.0) - 1e-12);
    for (const int v : paths.path_to(to)) {
        EXPECT_TRUE(may_enter(v));
    }
}

TEST(RayTriangle, a_hit_has_the_distance_and_the_weights_of_its_place) {
    const Vector3d a(0, 0, 1), b(2, 0, 1), c(0, 2, 1);
    const Vector3d place = 0.5 * a + 0.3 * b + 0.2 * c;
    const auto hit = hit_triangle(place - Vector3d(0, 0, 3), Vector3d(0, 0, 2), a, b, c);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(hit->distance, 1.5, 1e-15);
    EXPECT_NEAR(hit->u, 0.3, 1e-15);
    EXPECT_NEAR(hit->v, 0.2, 1e-15);
    EXPECT_TRUE(hit_triangle(place + Vector3d(0, 0, 3), Vector3d(0, 0, -2), a, b, c));
}

TEST(RayTriangle, beside_behind_and_along_the_triangle_nothing_is_hit) {
    const Vector3d a(0, 0, 1), b(2, 0, 1), c(0, 2, 1);
    const Vector3d up(0, 0, 1);
    EXPECT_FALSE(hit_triangle(Vector3d(1.2, 1.2, 0), up, a, b, c));
    EXPECT_FALSE(hit_triangle(Vector3d(-0.1, 0.5, 0), up, a, b, c));
    EXPECT_FALSE(hit_triangle(Vector3d(0.5, -0.1, 0), up, a, b, c));
    EXPECT_FALSE(hit_triangle(Vector3d(0.5, 0.5, 2), up, a, b, c));
    EXPECT_FALSE(hit_triangle(Vector3d(-1, 0.5, 1), Vector3d(1, 0, 0), a, b, c));
}

}  // namespace
}  // namespace cutis
