#include "mesh/subdivide.h"

#include <gtest/gtest.h>

#include <numbers>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::Shape;

MatrixX3d applied(const Stencils& stencils, const MatrixX3d& base) {
    MatrixX3d out(stencils.count(), 3);
    stencils.apply(base, Workers(1), out);
    return out;
}

TEST(Subdivide, no_level_is_the_mesh_itself) {
    const Shape cube = test::cube();
    const LoopSubdivision same(topology_of(cube), 0);
    EXPECT_EQ(same.topology().triangles(), cube.triangles);
    EXPECT_EQ(applied(same.stencils(), cube.positions), cube.positions);
}

TEST(Subdivide, weights_are_affine_and_convex) {
    const LoopSubdivision loop(topology_of(test::joined(test::cube(), test::planar_grid(3, 2))), 3);
    const Stencils& s = loop.stencils();
    for (int r = 0; r < s.count(); ++r) {
        double sum = 0.0;
        for (int i = s.offsets[r]; i < s.offsets[static_cast<size_t>(r) + 1]; ++i) {
            EXPECT_GT(s.weights[i], 0.0);
            sum += s.weights[i];
        }
        EXPECT_NEAR(sum, 1.0, 1e-14);
    }
}

TEST(Subdivide, a_regular_plane_stays_the_same_plane_with_the_same_parameters) {
    // Loop reproduces linear functions on a regular (valence 6) lattice: points stay on the
    // lattice refined; checked away from the boundary on a sheared grid with one diagonal.
    const int n = 8;
    Shape lattice = test::planar_grid(n, n);
    for (int j = 0, f = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i, f += 2) {
            const int a = j * (n + 1) + i;
            lattice.triangles.row(f) << a, a + 1, a + n + 2;
            lattice.triangles.row(f + 1) << a, a + n + 2, a + n + 1;
        }
    }
    const LoopSubdivision loop(topology_of(lattice), 2);
    const MatrixX3d fine = applied(loop.stencils(), lattice.positions);
    for (int f = 0; f < loop.topology().triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const SurfacePoint linear = loop.point_in_parent(f, k);
            EXPECT_EQ(linear.triangle, f / 16);
            const Vector3d expected = position_at(lattice.positions, lattice.triangles, linear);
            const Vector3d found = fine.row(loop.topology().triangles()(f, k));
            const bool is_deep = expected.head<2>().minCoeff() > 0.26 && expected.head<2>().maxCoeff() < 0.74;
            EXPECT_LT((found - expected).norm(), is_deep ? 1e-15 : 0.03);
        }
    }
}

TEST(Subdivide, children_tile_their_parents) {
    const Shape torus = test::torus_grid(7, 5);
    const LoopSubdivision loop(topology_of(torus), 2);
    EXPECT_EQ(loop.topology().triangle_count(), 16 * 70);
    // Placed linearly in its parent, every child has a sixteenth of its area and the same normal.
    const Topology base = topology_of(torus);
    const VectorXd areas = triangle_areas(torus.positions, base);
    const MatrixX3d normals = triangle_normals(torus.positions, base);
    for (int f = 0; f < loop.topology().triangle_count(); ++f) {
        Vector3d p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = position_at(torus.positions, torus.triangles, loop.point_in_parent(f, k));
        }
        const Vector3d n = 0.5 * (p[1] - p[0]).cross(p[2] - p[0]);
        const int parent = f / 16;
        EXPECT_LT((n - normals.row(parent).transpose() * areas[parent] / 16).norm(), 1e-16);
    }
}

TEST(Subdivide, a_boundary_is_a_cubic_b_spline_of_the_boundary_alone) {
    // Moving interior vertices does not move the refined boundary; one level is (1 6 1)/8, (1 1)/2.
    Shape tube = test::open_cylinder(8, 3);
    const LoopSubdivision loop(topology_of(tube), 1);
    const MatrixX3d fine = applied(loop.stencils(), tube.positions);
    for (int i = 0; i < 8; ++i) {
        const Eigen::RowVector3d expected =
            0.75 * tube.positions.row(i) + 0.125 * (tube.positions.row((i + 1) % 8) + tube.positions.row((i + 7) % 8));
        EXPECT_LT((fine.row(i) - expected).norm(), 1e-16);
    }
    tube.positions.middleRows(8, 16).array() += 5.0;
    const MatrixX3d other = applied(loop.stencils(), tube.positions);
    for (const std::vector<int>& rim : loop.topology().boundary_loops()) {
        EXPECT_EQ(rim.size(), 16u);
        for (const int v : rim) {
            EXPECT_EQ(other.row(v), fine.row(v));
        }
    }
}

TEST(Subdivide, corners_of_a_sheet_stay) {
    const Shape sheet = test::planar_grid(1, 1);  // corners 1 and 2 belong to one triangle
    const LoopSubdivision loop(topology_of(sheet), 3);
    EXPECT_EQ(applied(loop.stencils(), sheet.positions).row(1), sheet.positions.row(1));
}

TEST(Subdivide, any_number_of_columns_gives_the_same_as_each_alone) {
    const Shape sphere = test::icosphere(1);
    const LoopSubdivision loop(topology_of(sphere), 2);
    const Stencils& s = loop.stencils();
    const Workers workers(1);
    for (const int width : {1, 2, 3, 4, 5, 7}) {
        RowMatrixXd base(sphere.positions.rows(), width);
        for (int c = 0; c < width; ++c) {
            base.col(c) = sphere.positions.col(c % 3) * (c + 1);
        }
        RowMatrixXd out(s.count(), width);
        s.apply(base, workers, out);
        for (int c = 0; c < width; ++c) {
            VectorXd alone(s.count());
            s.apply_to_scalars(VectorXd(base.col(c)), workers, alone);
            EXPECT_EQ(alone, out.col(c));
        }
    }
    const MatrixX2d uv = sphere.positions.leftCols<2>();
    MatrixX2d fine_uv(s.count(), 2);
    s.apply(uv, workers, fine_uv);
    EXPECT_EQ(fine_uv, (applied(s, sphere.positions).leftCols<2>()));
}

TEST(Subdivide, one_and_three_threads_give_the_same_bits) {
    const Shape torus = test::torus_grid(30, 20);
    const LoopSubdivision loop(topology_of(torus), 2);
    MatrixX3d three(loop.stencils().count(), 3);
    loop.stencils().apply(torus.positions, Workers(3), three);
    EXPECT_EQ(three, applied(loop.stencils(), torus.positions));
}

TEST(Subdivide, two_levels_are_one_level_twice_and_rows_can_be_picked) {
    const Shape tube = test::open_cylinder(9, 3);
    const LoopSubdivision first(topology_of(tube), 1);
    const LoopSubdivision second(first.topology(), 1);
    const LoopSubdivision both(topology_of(tube), 2);
    EXPECT_EQ(both.topology().triangles(), second.topology().triangles());
    const MatrixX3d direct = applied(both.stencils(), tube.positions);
    const MatrixX3d steps = applied(second.stencils(), applied(first.stencils(), tube.positions));
    EXPECT_LT((direct - steps).cwiseAbs().maxCoeff(), 1e-15);
    const Stencils joint = composed(first.stencils(), second.stencils());
    EXPECT_EQ(applied(joint, tube.positions), direct);
    const MatrixX3d few = applied(selected(both.stencils(), {100, 3, 57}), tube.positions);
    EXPECT_EQ(few.row(0), direct.row(100));
    EXPECT_EQ(few.row(2), direct.row(57));
    EXPECT_THROW(selected(joint, {-1}), InvalidInput);
    EXPECT_THROW(composed(first.stencils(), first.stencils()), InvalidInput);
}

// Rows of few vertices are those of all, bit for bit: what is not asked for changes no sum.
TEST(Subdivide, rows_of_some_vertices_are_those_of_all) {
    const LoopSubdivision loop(topology_of(test::open_cylinder(9, 3)), 3);
    std::vector<int> some;
    for (int v = 2; v < loop.topology().vertex_count(); v += 7) {
        some.push_back(v);
    }
    const Stencils expected = selected(loop.stencils(), some);
    const Stencils found = loop.stencils(some);
    EXPECT_EQ(found.base_count, expected.base_count);
    EXPECT_EQ(found.offsets, expected.offsets);
    EXPECT_EQ(found.indices, expected.indices);
    EXPECT_EQ(found.weights, expected.weights);
    EXPECT_EQ(loop.stencils({}).count(), 0);
    EXPECT_THROW(loop.stencils({1, 1}), InvalidInput);
    EXPECT_THROW(loop.stencils({-1}), InvalidInput);
    EXPECT_THROW(loop.stencils({loop.topology().vertex_count()}), InvalidInput);
}

TEST(Subdivide, rigid_motion_and_scale_carry_over) {
    const Shape shape = test::joined(test::double_cone(9), test::bent_tube(8, 4, 0.1, 0.5, 1.0));
    const LoopSubdivision loop(topology_of(shape), 2);
    const Eigen::Matrix3d rotation = test::some_rotation();
    const MatrixX3d fine = applied(loop.stencils(), shape.positions);
    const MatrixX3d other = applied(loop.stencils(), test::moved(shape, rotation, Vector3d(1, 2, 3), 100.0).positions);
    const MatrixX3d expected = (100.0 * fine * rotation.transpose()).rowwise() + Eigen::RowVector3d(1, 2, 3);
    EXPECT_LT((other - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Subdivide, what_cannot_be_done_is_refused) {
    const Topology cube = topology_of(test::cube());
    EXPECT_THROW(LoopSubdivision(cube, -1), InvalidInput);
    EXPECT_THROW(LoopSubdivision(cube, 9), InvalidInput);
    EXPECT_THROW(LoopSubdivision(topology_of(test::torus_grid(200, 150)), 8), InvalidInput);
    const LoopSubdivision loop(cube, 1);
    MatrixX3d wrong(5, 3);
    EXPECT_THROW(loop.stencils().apply(test::cube().positions, Workers(1), wrong), InvalidInput);
    MatrixX3d out(loop.stencils().count(), 3);
    EXPECT_THROW(loop.stencils().apply(wrong, Workers(1), out), InvalidInput);
    EXPECT_THROW(loop.point_in_parent(48, 0), InvalidInput);
}

}  // namespace
}  // namespace cutis
