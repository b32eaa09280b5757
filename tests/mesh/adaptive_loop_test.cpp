#include "mesh/adaptive_loop.h"

#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using namespace test;

std::vector<unsigned char> random_levels(size_t count, int levels, unsigned seed) {
    Random random(seed);
    std::vector<unsigned char> wanted(count);
    for (unsigned char& level : wanted) {
        // Mostly coarse, here and there as fine as can be: the hardest case for balancing.
        level = static_cast<unsigned char>(random.uniform(0, 1) < 0.9 ? 0 : levels);
    }
    return wanted;
}

void expect_part_of_uniform(const Shape& shape, int coarse_level, int levels, unsigned seed) {
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    const size_t count = static_cast<size_t>(base.triangle_count()) << (2 * coarse_level);
    const std::vector<unsigned char> wanted = random_levels(count, levels, seed);
    const AdaptiveLoop adaptive(base, coarse_level, wanted, levels);
    const LoopSubdivision uniform(base, levels);

    // Topology refuses T-junction meshes only where they repeat edges; a crack would open the
    // boundary or change the Euler number.
    EXPECT_EQ(euler_number(adaptive.topology()), euler_number(base));
    EXPECT_EQ(adaptive.topology().boundary_loops().size(), base.boundary_loops().size());
    EXPECT_LT(adaptive.topology().vertex_count(), uniform.topology().vertex_count());

    const Workers workers(1);
    MatrixX3d fine(adaptive.topology().vertex_count(), 3);
    adaptive.stencils().apply(shape.positions, workers, fine);
    MatrixX3d finest(uniform.topology().vertex_count(), 3);
    uniform.stencils().apply(shape.positions, workers, finest);
    for (int v = 0; v < shape.positions.rows(); ++v) {
        EXPECT_EQ((fine.row(v) - finest.row(v)).norm(), 0.0) << "vertex " << v;
    }
    // Wanted levels are reached: the triangle at the middle of a wish is that small in parameters.
    for (size_t f = 0; f < count; ++f) {
        SurfacePoint place;
        place.triangle = static_cast<int>(f) >> (2 * coarse_level);
        if (coarse_level == 0) {
            place.barycentric = Vector3d::Constant(1.0 / 3.0);
            const SurfacePoint found = adaptive.locate(place);
            const size_t row = 3 * static_cast<size_t>(found.triangle);
            const double size =
                (adaptive.corner_points()[row].barycentric - adaptive.corner_points()[row + 1].barycentric)
                    .lpNorm<Eigen::Infinity>();
            EXPECT_LE(size, std::pow(0.5, wanted[f]) + 1e-12);
        }
    }
}

TEST(AdaptiveLoop, has_no_cracks_and_shares_positions_with_the_uniform_mesh_on_a_closed_surface) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        expect_part_of_uniform(icosphere(2), 0, 3, seed);
        expect_part_of_uniform(torus_grid(12, 9, 0.35, 0.14, 0.2), 1, 4, seed);
    }
}

TEST(AdaptiveLoop, has_no_cracks_on_a_surface_with_boundaries) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        expect_part_of_uniform(planar_grid(6, 5, 0.2), 0, 4, seed);
        expect_part_of_uniform(open_cylinder(10, 7), 0, 3, seed);
    }
}

TEST(AdaptiveLoop, wishing_the_finest_level_everywhere_gives_the_uniform_mesh) {
    const Shape shape = icosphere(1);
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    const std::vector<unsigned char> wanted(static_cast<size_t>(base.triangle_count()), 2);
    const AdaptiveLoop adaptive(base, 0, wanted, 2);
    const LoopSubdivision uniform(base, 2);
    EXPECT_EQ(adaptive.topology().vertex_count(), uniform.topology().vertex_count());
    EXPECT_EQ(adaptive.topology().triangles(), uniform.topology().triangles());
    EXPECT_EQ(adaptive.stencils().weights, uniform.stencils().weights);
}

TEST(AdaptiveLoop, wishing_nothing_keeps_the_triangles) {
    const Shape shape = planar_grid(4, 4);
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    const AdaptiveLoop adaptive(base, 0, std::vector<unsigned char>(static_cast<size_t>(base.triangle_count()), 0), 3);
    EXPECT_EQ(adaptive.topology().triangles(), base.triangles());
}

TEST(AdaptiveLoop, a_located_point_has_the_same_parameters) {
    const Shape shape = icosphere(1);
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    const AdaptiveLoop adaptive(base, 0, random_levels(static_cast<size_t>(base.triangle_count()), 4, 9), 4);
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        SurfacePoint point;
        point.triangle = random.below(base.triangle_count());
        point.barycentric = Vector3d(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
        point.barycentric /= point.barycentric.sum();
        const SurfacePoint found = adaptive.locate(point);
        Vector3d back = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            const SurfacePoint& corner = adaptive.corner_points()[3 * found.triangle + k];
            ASSERT_EQ(corner.triangle, point.triangle);
            ASSERT_GE(found.barycentric[k], -1e-12);
            back += found.barycentric[k] * corner.barycentric;
        }
        EXPECT_LT((back - point.barycentric).norm(), 1e-13);
    }
}

TEST(AdaptiveLoop, renumbered_vertices_carry_their_positions_along) {
    const Shape shape = icosphere(1);
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    AdaptiveLoop adaptive(base, 0, random_levels(static_cast<size_t>(base.triangle_count()), 3, 4), 3);
    const int count = adaptive.topology().vertex_count();
    const Workers workers(1);
    MatrixX3d before(count, 3);
    adaptive.stencils().apply(shape.positions, workers, before);
    const MatrixX3i triangles = adaptive.topology().triangles();
    std::vector<int> order;
    for (int v = 0; v < count; ++v) {
        order.push_back((v * 7 + 3) % count);
    }
    ASSERT_NE(count % 7, 0);
    adaptive.renumber(order);
    MatrixX3d after(count, 3);
    adaptive.stencils().apply(shape.positions, workers, after);
    for (int f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(after.row(adaptive.topology().triangles()(f, k)), before.row(triangles(f, k)));
        }
    }
    order[0] = order[1];
    expect_error<InvalidInput>([&] { adaptive.renumber(order); }, {"once"});
}

TEST(AdaptiveLoop, wishes_that_do_not_fit_are_refused_with_their_place) {
    const Shape shape = planar_grid(2, 2);
    const Topology base(shape.triangles, static_cast<int>(shape.positions.rows()));
    expect_error<InvalidInput>([&] { AdaptiveLoop(base, 0, {1, 2}, 2); }, {"8", "2"});
    std::vector<unsigned char> wanted(8, 0);
    wanted[5] = 4;
    expect_error<InvalidInput>([&] { AdaptiveLoop(base, 0, wanted, 3); }, {"triangle 5", "0 to 3", "4"});
}

}  // namespace
}  // namespace cutis
