#include "shell/placement.h"

#include <Eigen/Geometry>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "shell/pieces.h"
#include "shell/shell.h"
#include "shell/skin_rider.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::expect_error;

PrismShell shell_of(const test::Shape& shape, double height) {
    SafeOffsetOptions options;
    options.height = height;
    return make_shell(Topology(shape.triangles, static_cast<int>(shape.positions.rows())), shape.positions, options,
                      Workers(1));
}

TEST(PlacementTest, a_mesh_around_the_base_comes_back_where_it_was) {
    const PrismShell shell = shell_of(test::torus_grid(30, 20), 0.05);
    ArtMesh mesh;
    test::Random random(5);
    mesh.positions.resize(300, 3);
    for (int v = 0; v < 300; ++v) {
        ShellPoint point;
        point.triangle = random.below(shell.topology().triangle_count());
        const double a = random.uniform(0.0, 1.0), b = random.uniform(0.0, 1.0 - a);
        point.barycentric = Vector3d(a, b, 1.0 - a - b);
        point.height = random.uniform(0.0, 1.0);
        mesh.positions.row(v) = position_at(shell, shell.base(), shell.offset(), point).transpose();
    }
    mesh.triangles.resize(100, 3);
    for (int f = 0; f < 100; ++f) {
        mesh.triangles.row(f) << 3 * f, 3 * f + 1, 3 * f + 2;
    }
    const PlacedDetail placed = place_mesh(shell, mesh);
    EXPECT_EQ(placed.outside, 0);
    EXPECT_EQ(placed.piece_count, 100);
    for (int v = 0; v < 300; ++v) {
        EXPECT_LT(
            (position_at(shell, shell.base(), shell.offset(), placed.points[v]) - mesh.positions.row(v).transpose())
                .norm(),
            1e-12);
    }
}

TEST(PlacementTest, detail_outside_the_shell_is_refused_or_moved_and_counted) {
    const PrismShell shell = shell_of(test::planar_grid(4, 4), 0.1);
    ArtMesh mesh;
    mesh.name = "box";
    mesh.positions.resize(3, 3);
    mesh.positions << 0.5, 0.5, 0.05, 0.4, 0.6, 0.3, 0.6, 0.6, -0.2;
    mesh.triangles.resize(1, 3);
    mesh.triangles << 0, 1, 2;
    expect_error<InvalidInput>([&] { place_mesh(shell, mesh); }, {"2 of 3", "vertex 1", "0.2 m"});
    const PlacedDetail placed = place_mesh(shell, mesh, OutsideDetail::nearest);
    EXPECT_EQ(placed.outside, 2);
    EXPECT_EQ(placed.points[1].height, 1.0);
    EXPECT_EQ(placed.points[2].height, 0.0);
    mesh.positions(2, 0) = std::nan("");
    expect_error<InvalidInput>([&] { place_mesh(shell, mesh, OutsideDetail::nearest); }, {"position 2 is not finite"});
}

TEST(PlacementTest, vertices_without_triangles_ride_along_as_pieces_of_their_own) {
    MatrixX3i triangles(1, 3);
    triangles << 1, 2, 4;
    std::vector<int> piece;
    EXPECT_EQ(find_pieces(triangles, 5, piece), 3);
    EXPECT_EQ(piece, (std::vector<int>{0, 1, 1, 2, 1}));
}

TEST(PlacementTest, tiles_meet_at_their_borders_and_are_cut_at_the_chart) {
    const test::Shape grid = test::planar_grid(6, 6, 0.15);
    const PrismShell shell = shell_of(grid, 0.1);
    const MatrixX2d uv = grid.positions.leftCols<2>();
    TileOptions options;
    options.tiles_u = 4.0;
    options.tiles_v = 4.0;
    const ArtMesh straps = make_detail("straps");
    const PlacedDetail placed = tile_detail(shell, uv, grid.triangles, straps, options);
    EXPECT_EQ(placed.cut_triangles, 0);
    EXPECT_EQ(placed.triangles.rows(), 16 * straps.triangles.rows());
    // Two straps each way and tile, welded from end to end.
    EXPECT_EQ(placed.piece_count, 16);
    for (size_t v = 0; v < placed.points.size(); ++v) {
        const Vector3d at = position_at(shell, shell.base(), shell.offset(), placed.points[v]);
        EXPECT_GE(at.z(), -1e-12);
        EXPECT_LE(at.z(), 0.1 + 1e-12);
    }
    options.tiles_u = 3.5;
    EXPECT_GT(tile_detail(shell, uv, grid.triangles, straps, options).cut_triangles, 0);
    expect_error<InvalidInput>([&] { tile_detail(shell, MatrixX2d(), MatrixX3i(), straps, options); }, {"needs UVs"});
}

TEST(PlacementTest, tiles_are_trimmed_at_a_seam_and_leave_no_gap) {
    const test::Shape grid = test::planar_grid(6, 6, 0.15);
    const PrismShell shell = shell_of(grid, 0.1);
    // Two charts with a gap between them: the right half of the grid stands 0.3 to the right.
    const int half = static_cast<int>(grid.triangles.rows()) / 2;
    MatrixX2d uv(2 * grid.positions.rows(), 2);
    uv << grid.positions.leftCols<2>(), grid.positions.leftCols<2>();
    uv.bottomRows(grid.positions.rows()).col(0).array() += 0.3;
    MatrixX3i uv_triangles = grid.triangles;
    const double middle = 0.5 * (grid.positions.col(0).minCoeff() + grid.positions.col(0).maxCoeff());
    int right = 0;
    for (Eigen::Index f = 0; f < grid.triangles.rows(); ++f) {
        double centre = 0.0;
        for (int k = 0; k < 3; ++k) {
            centre += grid.positions(grid.triangles(f, k), 0) / 3.0;
        }
        if (centre > middle) {
            uv_triangles.row(f).array() += static_cast<int>(grid.positions.rows());
            ++right;
        }
    }
    ASSERT_EQ(right, half);
    TileOptions options;
    options.tiles_u = 3.7;  // no tile ends at the seam
    options.tiles_v = 4.0;
    const ArtMesh sheet = [] {  // covers its tile
        ArtMesh tile;
        tile.name = "sheet";
        tile.positions.resize(4, 3);
        tile.positions << 0, 0, 0.5, 1, 0, 0.5, 1, 1, 0.5, 0, 1, 0.5;
        tile.triangles.resize(2, 3);
        tile.triangles << 0, 1, 2, 0, 2, 3;
        return tile;
    }();
    for (const double turn : {0.0, 90.0}) {
        options.turn = turn;
        const PlacedDetail placed = tile_detail(shell, uv, uv_triangles, sheet, options);
        double area = 0.0;
        for (Eigen::Index f = 0; f < placed.triangles.rows(); ++f) {
            const auto at = [&](int k) {
                return position_at(shell, shell.base(), shell.offset(), placed.points[placed.triangles(f, k)]);
            };
            const Vector3d normal = (at(1) - at(0)).cross(at(2) - at(0));
            EXPECT_GE(normal.z(), 0.0) << "inverted, triangle " << f;
            area += 0.5 * normal.norm();
        }
        const double whole =
            (grid.positions.colwise().maxCoeff() - grid.positions.colwise().minCoeff()).head<2>().prod();
        EXPECT_NEAR(area, whole, 0.03 * whole) << "turn " << turn;
    }
}

// A ball projected onto a plane: one chart that lies over itself and has no seam at all.
TEST(PlacementTest, tiles_on_a_chart_without_seams_end_at_its_outline) {
    const test::Shape ball = test::icosphere(3);
    const PrismShell shell = shell_of(ball, 0.05);
    const MatrixX2d uv = ball.positions.leftCols<2>();
    TileOptions options;
    options.tiles_u = 2.3;
    options.tiles_v = 2.3;
    const PlacedDetail placed = tile_detail(shell, uv, ball.triangles, make_detail("bricks"), options);
    EXPECT_GT(placed.triangles.rows(), 0);
    for (const ShellPoint& point : placed.points) {
        ASSERT_GE(point.triangle, 0);
        ASSERT_LT(point.triangle, ball.triangles.rows());
        EXPECT_NEAR(point.barycentric.sum(), 1.0, 1e-12);
        const Vector3d at = position_at(shell, shell.base(), shell.offset(), point);
        EXPECT_NEAR(at.norm(), 1.0, 0.07);
    }
    // No piece is drawn from one side of the ball to the other.
    for (Eigen::Index f = 0; f < placed.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto at = [&](int corner) {
                return position_at(shell, shell.base(), shell.offset(), placed.points[placed.triangles(f, corner)]);
            };
            EXPECT_LT((at(k) - at((k + 1) % 3)).head<2>().norm(), 1.0 / 2.3);
        }
    }
}

TEST(PlacementTest, scattered_pieces_keep_their_distance_and_head_along_the_axis) {
    const PrismShell shell = shell_of(test::icosphere(3), 0.05);
    ScatterOptions options;
    options.size = 0.15;
    options.axis = Vector3d(0, -1, 0);
    options.smoothing = 0;
    const PlacedDetail placed = scatter_detail(shell, make_detail("spike"), options, Workers(1));
    // Random close packing of disks of diameter 0.15 covers about half of the sphere.
    const double disks = 4.0 * M_PI / (M_PI * 0.075 * 0.075);
    EXPECT_GT(placed.piece_count, 0.4 * disks);
    EXPECT_LT(placed.piece_count, 0.7 * disks);
    const MatrixX3i& triangles = shell.topology().triangles();
    for (size_t a = 0; a < placed.anchors.size(); ++a) {
        const Vector3d at = position_at(shell.base(), triangles, placed.anchors[a].point);
        for (size_t b = 0; b < a; ++b) {
            EXPECT_GE((at - position_at(shell.base(), triangles, placed.anchors[b].point)).norm(), 0.15);
        }
        if (std::abs(at.y()) < 0.8) {
            EXPECT_LT(placed.anchors[a].heading.y(), 0.0);
        }
    }
    EXPECT_EQ(placed.stopped_walks, 0);
    const PlacedDetail again = scatter_detail(shell, make_detail("spike"), options, Workers(2));
    EXPECT_EQ(again.anchors.size(), placed.anchors.size());
    options.density = VectorXd(VectorXd::Zero(shell.vertex_count()));
    expect_error<InvalidInput>([&] { scatter_detail(shell, make_detail("spike"), options, Workers(1)); },
                               {"no piece found a place"});
    options.density = 1.0;
    options.size = 1e-6;
    expect_error<InvalidInput>([&] { scatter_detail(shell, make_detail("spike"), options, Workers(1)); },
                               {"most_pieces"});
}

TEST(PlacementTest, a_walked_piece_keeps_its_size_on_a_flat_base) {
    const test::Shape grid = test::planar_grid(12, 12, 0.2);
    const PrismShell shell = shell_of(grid, 0.05);
    const ArtMesh piece = make_detail("scale");
    PieceAnchor anchor;
    anchor.point = {150, Vector3d(0.3, 0.3, 0.4)};
    anchor.heading = Vector3d(0, 1, 0);
    anchor.size = 0.2;
    std::vector<ShellPoint> points(static_cast<size_t>(piece.positions.rows()));
    const PieceWalker walker(shell, piece, 1.0, Workers(1));
    walker.place({&anchor, 1}, Workers(1), points);
    const Vector3d middle = position_at(shell.base(), grid.triangles, anchor.point);
    for (size_t v = 0; v < points.size(); ++v) {
        const auto row = piece.positions.row(static_cast<Eigen::Index>(v));
        const Vector3d expected = middle + Vector3d(0.2 * (row[0] - 0.5), 0.2 * (row[1] - 0.5), 0.05 * row[2]);
        EXPECT_LT((position_at(shell, shell.base(), shell.offset(), points[v]) - expected).norm(), 1e-9);
    }
}

/// A flat shell of a unit square with spikes on it.
struct Meadow {
    Meadow() {
        MatrixX3d positions(121, 3);
        MatrixX3i triangles(200, 3);
        for (int j = 0; j <= 10; ++j) {
            for (int i = 0; i <= 10; ++i) {
                positions.row(11 * j + i) << 0.1 * i, 0.1 * j, 0.0;
                if (i < 10 && j < 10) {
                    const int a = 11 * j + i;
                    triangles.row(2 * (10 * j + i)) << a, a + 1, a + 12;
                    triangles.row(2 * (10 * j + i) + 1) << a, a + 12, a + 11;
                }
            }
        }
        const Topology topology(triangles, 121);
        SafeOffsetOptions height;
        height.height = 0.05;
        shell = make_shell(topology, positions, height, Workers(1));
        ScatterOptions options;
        options.size = 0.05;
        options.axis = {1, 0.3, 0};
        options.density.per_vertex.setZero(121);
        for (int v = 0; v < 121; ++v) {
            // Away from the border, where walks end.
            options.density.per_vertex[v] = (positions.row(v).head<2>().array() - 0.5).abs().maxCoeff() < 0.25;
        }
        piece = make_detail("spike");
        detail = scatter_detail(shell, piece, options, Workers(1));
    }
    Vector3d at(const ShellPoint& point) const { return position_at(shell, shell.base(), shell.offset(), point); }
    PrismShell shell;
    ArtMesh piece;
    PlacedDetail detail;
};

TEST(SkinRiderTest, skin_at_rest_leaves_every_place_as_it_is) {
    const Meadow meadow;
    for (const ArtMesh* piece : {&meadow.piece, static_cast<const ArtMesh*>(nullptr)}) {
        SkinRider rider(meadow.shell, meadow.detail, piece, 1.0, Workers(1));
        std::vector<ShellPoint> points(meadow.detail.points.size());
        rider.place(meadow.shell.base(), Workers(1), points);
        for (size_t v = 0; v < points.size(); ++v) {
            EXPECT_LT((meadow.at(points[v]) - meadow.at(meadow.detail.points[v])).norm(), 1e-12);
        }
    }
}

TEST(SkinRiderTest, skin_that_moves_and_turns_takes_pieces_along_unbent) {
    const Meadow meadow;
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.2, Vector3d::UnitZ()).toRotationMatrix();
    const Vector3d middle(0.5, 0.5, 0.0), move(0.03, -0.02, 0.0);
    MatrixX3d skin = meadow.shell.base();
    for (Eigen::Index v = 0; v < skin.rows(); ++v) {
        skin.row(v) = (turn * (skin.row(v).transpose() - middle) + middle + move).transpose();
    }
    for (const ArtMesh* piece : {&meadow.piece, static_cast<const ArtMesh*>(nullptr)}) {
        SkinRider rider(meadow.shell, meadow.detail, piece, 1.0, Workers(1));
        std::vector<ShellPoint> points(meadow.detail.points.size());
        rider.place(skin, Workers(1), points);
        for (size_t v = 0; v < points.size(); ++v) {
            const Vector3d rest = meadow.at(meadow.detail.points[v]);
            EXPECT_LT((meadow.at(points[v]) - (turn * (rest - middle) + middle + move)).norm(), 1e-12);
        }
    }
}

TEST(SkinRiderTest, skin_stretched_along_one_axis_stretches_free_vertices_but_not_pieces) {
    const Meadow meadow;
    MatrixX3d skin = meadow.shell.base();
    skin.col(0) = 0.5 + 1.3 * (skin.col(0).array() - 0.5);
    std::vector<ShellPoint> points(meadow.detail.points.size());
    SkinRider(meadow.shell, meadow.detail, nullptr, 1.0, Workers(1)).place(skin, Workers(1), points);
    for (size_t v = 0; v < points.size(); ++v) {
        const Vector3d rest = meadow.at(meadow.detail.points[v]);
        EXPECT_NEAR(meadow.at(points[v]).x(), 0.5 + 1.3 * (rest.x() - 0.5), 1e-12);
    }
    SkinRider(meadow.shell, meadow.detail, &meadow.piece, 1.0, Workers(1)).place(skin, Workers(1), points);
    const auto count = static_cast<size_t>(meadow.detail.copy_vertices);
    for (size_t v = 1; v < points.size(); ++v) {
        const size_t first = v / count * count;
        const double before = (meadow.at(meadow.detail.points[v]) - meadow.at(meadow.detail.points[first])).norm();
        EXPECT_NEAR((meadow.at(points[v]) - meadow.at(points[first])).norm(), before, 1e-12);
    }
}

TEST(SkinRiderTest, skin_of_another_size_or_not_finite_is_refused) {
    const Meadow meadow;
    SkinRider rider(meadow.shell, meadow.detail, &meadow.piece, 1.0, Workers(1));
    std::vector<ShellPoint> points(meadow.detail.points.size());
    expect_error<InvalidInput>([&] { rider.place(MatrixX3d(3, 3), Workers(1), points); }, {"skin", "121"});
}

}  // namespace
}  // namespace cutis
