#include "cutis/mesh/geometry.h"

#include <gtest/gtest.h>

#include <numbers>

#include "cutis/core/error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::Shape;
constexpr double pi = std::numbers::pi;

double largest_normal_error_on_sphere(int level, NormalWeight weight) {
    const Shape sphere = test::icosphere(level);
    const MatrixX3d normals = vertex_normals(sphere.positions, topology_of(sphere), weight);
    return (normals - sphere.positions).rowwise().norm().maxCoeff();
}

TEST(Geometry, areas_and_normals_of_a_cube_are_exact) {
    const Shape cube = test::cube();
    const Topology topology = topology_of(cube);
    EXPECT_EQ(triangle_areas(cube.positions, topology), VectorXd::Constant(12, 2.0));
    const MatrixX3d normals = triangle_normals(cube.positions, topology);
    for (int f = 0; f < 12; ++f) {
        const Vector3d centre = (cube.positions.row(cube.triangles(f, 0)) + cube.positions.row(cube.triangles(f, 1)) +
                                 cube.positions.row(cube.triangles(f, 2))) /
                                3.0;
        EXPECT_GT(normals.row(f).dot(centre), 0.9);  // outward
        EXPECT_EQ(normals.row(f).cwiseAbs().maxCoeff(), 1.0);
    }
    EXPECT_NEAR(part_areas(cube.positions, topology)[0], 24.0, 1e-14);
    EXPECT_EQ(bounding_box_diagonal(cube.positions), std::sqrt(12.0));
    // 12 edges of length 2 and 6 diagonals of length 2 sqrt 2.
    EXPECT_NEAR(mean_edge_length(cube.positions, topology), (24 + 12 * std::sqrt(2.0)) / 18, 1e-15);
}

TEST(Geometry, angle_weighted_normals_of_a_cube_do_not_see_how_its_faces_are_cut) {
    const Shape cube = test::cube();
    const MatrixX3d normals = vertex_normals(cube.positions, topology_of(cube));
    EXPECT_LT((normals - cube.positions / std::sqrt(3.0)).cwiseAbs().maxCoeff(), 1e-15);
    // Area weights do: some corner has an odd number of triangles per face.
    const MatrixX3d by_area = vertex_normals(cube.positions, topology_of(cube), NormalWeight::area);
    EXPECT_GT((by_area - cube.positions / std::sqrt(3.0)).cwiseAbs().maxCoeff(), 0.1);
}

TEST(Geometry, sphere_area_converges_with_second_order) {
    double previous = 0.0;
    for (const int level : {2, 3, 4}) {
        const Shape sphere = test::icosphere(level);
        const double error = 4 * pi - part_areas(sphere.positions, topology_of(sphere))[0];
        EXPECT_GT(error, 0.0);  // inscribed
        if (previous > 0.0) {
            EXPECT_NEAR(std::log2(previous / error), 2.0, 0.05);
        }
        previous = error;
    }
}

TEST(Geometry, vertex_normals_of_a_sphere_converge) {
    for (const NormalWeight weight : {NormalWeight::area, NormalWeight::angle}) {
        const double coarse = largest_normal_error_on_sphere(3, weight);
        const double fine = largest_normal_error_on_sphere(4, weight);
        EXPECT_LT(coarse, 0.02);
        EXPECT_LT(fine, 0.6 * coarse);
    }
}

TEST(Geometry, vertex_areas_sum_to_the_surface) {
    const Shape tube = test::bent_tube(12, 9, 0.1, 0.4, 1.0);
    const Topology topology = topology_of(tube);
    const VectorXd areas = triangle_areas(tube.positions, topology);
    VectorXd vertex_areas;
    fill_vertex_areas(areas, topology, Workers(1), vertex_areas);
    EXPECT_NEAR(vertex_areas.sum(), areas.sum(), 1e-14);
    EXPECT_GT(vertex_areas.minCoeff(), 0.0);
}

TEST(Geometry, a_bent_tube_faces_outward) {
    const Shape tube = test::bent_tube(16, 20, 0.1, 0.5, 1.5);
    const MatrixX3d normals = vertex_normals(tube.positions, topology_of(tube));
    // Straight part: axis is the x axis.
    for (Eigen::Index v = 0; v < 16 * 8; ++v) {
        const Vector3d out(0, tube.positions(v, 1), tube.positions(v, 2));
        EXPECT_GT(normals.row(v).dot(out) / 0.1, 0.95);
    }
}

TEST(Geometry, parts_have_their_own_areas) {
    const Shape both = test::joined(test::planar_grid(3, 3), test::cube());
    const std::vector<double> areas = part_areas(both.positions, topology_of(both));
    ASSERT_EQ(areas.size(), 2u);
    EXPECT_NEAR(areas[0], 1.0, 1e-14);
    EXPECT_NEAR(areas[1], 24.0, 1e-13);
}

TEST(Geometry, a_collapsed_triangle_has_a_zero_normal_and_spoils_no_vertex) {
    Shape grid = test::planar_grid(4, 4);
    grid.positions.row(12) = grid.positions.row(7);  // two vertices in one place
    const Topology topology = topology_of(grid);
    const MatrixX3d faces = triangle_normals(grid.positions, topology);
    int collapsed = 0;
    for (Eigen::Index f = 0; f < faces.rows(); ++f) {
        EXPECT_TRUE(faces.row(f).isZero() || std::abs(faces.row(f).norm() - 1.0) < 1e-15);
        collapsed += faces.row(f).isZero() ? 1 : 0;
    }
    EXPECT_EQ(collapsed, 2);
    for (const NormalWeight weight : {NormalWeight::area, NormalWeight::angle}) {
        const MatrixX3d normals = vertex_normals(grid.positions, topology, weight);
        EXPECT_TRUE(normals.allFinite());
        EXPECT_TRUE((normals.rowwise().norm().array() - 1.0).abs().maxCoeff() < 1e-14);
    }
    // Everything in one point: no direction anywhere, and no NaN.
    grid.positions.setConstant(3.0);
    EXPECT_TRUE(vertex_normals(grid.positions, topology).isZero());
    EXPECT_TRUE(triangle_normals(grid.positions, topology).isZero());
}

TEST(Geometry, a_folded_over_vertex_takes_the_normal_of_its_largest_triangle) {
    // Two triangles back to back over the edge 0-1, the second slightly smaller.
    Shape flap;
    flap.positions.resize(4, 3);
    flap.positions << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1 - 1e-13, 0;
    flap.triangles.resize(2, 3);
    flap.triangles << 0, 1, 2, 1, 0, 3;
    const MatrixX3d normals = vertex_normals(flap.positions, topology_of(flap), NormalWeight::area);
    EXPECT_EQ(normals.row(0), Eigen::RowVector3d(0, 0, 1));
    EXPECT_TRUE(normals.allFinite());
}

TEST(Geometry, rigid_motion_scale_and_axis_swap_carry_over) {
    const Shape torus = test::torus_grid(12, 9, 0.35, 0.14, 0.3);
    const Topology topology = topology_of(torus);
    const Eigen::Matrix3d rotation = test::some_rotation();
    const Shape other = test::moved(torus, rotation, Vector3d(3, -2, 5), 100.0);
    const MatrixX3d normals = vertex_normals(torus.positions, topology);
    const MatrixX3d other_normals = vertex_normals(other.positions, topology);
    EXPECT_LT((other_normals - normals * rotation.transpose()).cwiseAbs().maxCoeff(), 1e-12);
    const VectorXd areas = triangle_areas(torus.positions, topology);
    const VectorXd other_areas = triangle_areas(other.positions, topology);
    EXPECT_LT((other_areas / 1e4 - areas).cwiseAbs().maxCoeff(), 1e-14);
    const MatrixX3d swapped = vertex_normals(test::axes_swapped(torus).positions, topology);
    EXPECT_LT((swapped.col(0) - normals.col(1)).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Geometry, one_and_three_threads_give_the_same_bits) {
    const Shape torus = test::torus_grid(150, 90, 0.35, 0.14, 0.3);
    const Topology topology = topology_of(torus);
    const Workers one(1);
    const Workers three(3);
    MatrixX3d n1;
    MatrixX3d n3;
    VectorXd a1;
    VectorXd a3;
    fill_triangle_normals(torus.positions, topology, one, n1, a1);
    fill_triangle_normals(torus.positions, topology, three, n3, a3);
    EXPECT_EQ(n1, n3);
    EXPECT_EQ(a1, a3);
    fill_vertex_normals(torus.positions, topology, NormalWeight::angle, one, n1);
    fill_vertex_normals(torus.positions, topology, NormalWeight::angle, three, n3);
    EXPECT_EQ(n1, n3);
}

TEST(Geometry, a_wrong_number_of_positions_is_refused) {
    const Shape cube = test::cube();
    const Topology topology = topology_of(cube);
    EXPECT_THROW(vertex_normals(cube.positions.topRows(7), topology), InvalidInput);
    EXPECT_THROW(mean_edge_length(cube.positions.topRows(7), topology), InvalidInput);
}

}  // namespace
}  // namespace cutis
