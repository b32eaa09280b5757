#include "shell/prism_shell.h"

#include <map>

#include "cutis/core/error.h"

#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

PrismShell slab(const test::Shape& shape, double thickness) {
    MatrixX3d offset = shape.positions;
    offset.col(2).array() += thickness;
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    return {topology, shape.positions, offset};
}

TEST(PrismShellTest, neighbouring_prisms_agree_on_the_diagonal_of_the_side_they_share) {
    const test::Shape grid = test::planar_grid(6, 5, 0.2);
    const PrismShell shell = slab(grid, 0.3);
    std::map<std::array<int, 3>, int> uses;
    for (int tet = 0; tet < shell.tet_count(); ++tet) {
        const std::array<int, 4>& c = shell.corners(tet);
        for (size_t skip = 0; skip < 4; ++skip) {
            std::array<int, 3> face{};
            for (size_t k = 0, n = 0; k < 4; ++k) {
                if (k != skip) {
                    face[n++] = c[k];
                }
            }
            std::sort(face.begin(), face.end());
            ++uses[face];
        }
    }
    int outer = 0;
    for (const auto& [face, count] : uses) {
        EXPECT_LE(count, 2);
        outer += count == 1 ? 1 : 0;
    }
    // Top and bottom show each triangle once, each boundary edge a quad of two triangles.
    EXPECT_EQ(outer, 2 * shell.topology().triangle_count() + 2 * (2 * 6 + 2 * 5));
}

TEST(PrismShellTest, volumes_of_the_tetrahedra_add_up_to_the_slab) {
    const PrismShell shell = slab(test::planar_grid(7, 4, 0.2), 0.3);
    double sum = 0.0;
    for (int tet = 0; tet < shell.tet_count(); ++tet) {
        EXPECT_GT(shell.rest_volume(tet), 0.0);
        sum += shell.rest_volume(tet);
    }
    EXPECT_NEAR(sum, 0.3, 1e-14);  // unit square times thickness
}

TEST(PrismShellTest, a_place_needs_no_search_and_is_linear_in_height_over_a_point) {
    const PrismShell shell = slab(test::planar_grid(3, 3, 0.2), 0.25);
    test::Random random(3);
    for (int i = 0; i < 2000; ++i) {
        ShellPoint point;
        point.triangle = random.below(shell.topology().triangle_count());
        const double a = random.uniform(0.0, 1.0);
        const double b = random.uniform(0.0, 1.0 - a);
        point.barycentric = Vector3d(a, b, 1.0 - a - b);
        point.height = random.uniform(0.0, 1.0);
        const TetPoint at = shell.place(point);
        EXPECT_GE(at.weights.minCoeff(), -1e-15);
        EXPECT_NEAR(at.weights.sum(), 1.0, 1e-15);
        const Vector3d on_base =
            position_at(shell.base(), shell.topology().triangles(), SurfacePoint{point.triangle, point.barycentric});
        // Over a flat slab the three tetrahedra together are the prism itself.
        EXPECT_LT(
            (position_at(shell, shell.base(), shell.offset(), point) - on_base - Vector3d(0, 0, 0.25 * point.height))
                .norm(),
            1e-15);
    }
}

TEST(PrismShellTest, a_prism_that_is_turned_over_is_refused_by_name) {
    const test::Shape grid = test::planar_grid(2, 2);
    MatrixX3d offset = grid.positions;
    offset.col(2).array() -= 0.1;
    const Topology topology(grid.triangles, 9);
    test::expect_error<InvalidInput>([&] { PrismShell(topology, grid.positions, offset); }, {"triangle 0 is inverted"});
}

TEST(PrismShellTest, vertices_without_height_leave_out_the_flat_tetrahedra_alone) {
    const test::Shape grid = test::planar_grid(2, 2);
    MatrixX3d offset = grid.positions;
    offset.col(2).array() += 0.1;
    offset.row(4) = grid.positions.row(4);
    const PrismShell shell(Topology(grid.triangles, 9), grid.positions, offset);
    double sum = 0.0;
    int flat = 0;
    for (int tet = 0; tet < shell.tet_count(); ++tet) {
        flat += shell.is_flat(tet) ? 1 : 0;
        sum += shell.rest_volume(tet);
    }
    EXPECT_EQ(flat, static_cast<int>(shell.topology().triangles_around(4).size()));
    EXPECT_GT(sum, 0.0);
    const ShellQuality quality = measure_shell(shell, shell.base(), shell.offset());
    EXPECT_EQ(quality.inverted, 0);
    EXPECT_NEAR(quality.volume_ratio, 1.0, 1e-15);
}

}  // namespace
}  // namespace cutis
