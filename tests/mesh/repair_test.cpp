#include "cutis/mesh/repair.h"

#include <gtest/gtest.h>

#include <limits>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::message_of;
using test::says;
using test::Shape;

RepairedMesh repaired(const Shape& shape, const RepairOptions& options = {}, const std::vector<int>& groups = {}) {
    return repair_mesh(shape.positions, shape.triangles, options, groups);
}

// Holds for every repaired mesh, whatever was wrong with it; `reach` is the weld distance.
void expect_maps_lead_back(const Shape& art, const RepairedMesh& mesh, double reach = 0.0) {
    EXPECT_NO_THROW(check_mesh(mesh.positions, mesh.topology.triangles()));
    for (int f = 0; f < mesh.topology.triangle_count(); ++f) {
        const int art_f = mesh.art_triangle[f];
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(mesh.vertex_of_corner[3 * art_f + mesh.art_corner(f, k)], mesh.topology.triangles()(f, k));
        }
    }
    for (Eigen::Index c = 0; c < art.triangles.size(); ++c) {
        const int v = mesh.vertex_of_corner[c];
        if (v >= 0) {
            const Eigen::RowVector3d here = art.positions.row(art.triangles(c / 3, c % 3));
            EXPECT_LE((mesh.positions.row(v) - here).norm(), 2 * reach);
        }
    }
    int unused = 0;
    for (size_t a = 0; a < mesh.vertex_of_art.size(); ++a) {
        unused += mesh.vertex_of_art[a] < 0 ? 1 : 0;
    }
    EXPECT_EQ(unused, mesh.unused_vertices);
    for (size_t v = 0; v < mesh.art_of_vertex.size(); ++v) {
        const Eigen::Index art_v = mesh.art_of_vertex[v];
        EXPECT_EQ(mesh.positions.row(static_cast<Eigen::Index>(v)), art.positions.row(art_v));
    }
}

TEST(CheckMesh, good_meshes_pass_and_come_back_as_their_topology) {
    for (const Shape& shape :
         {test::icosphere(1), test::planar_grid(3, 2), test::joined(test::cube(), test::open_cylinder(6, 2))}) {
        EXPECT_EQ(check_mesh(shape.positions, shape.triangles).triangles(), shape.triangles);
    }
}

TEST(CheckMesh, an_empty_mesh_is_refused) {
    EXPECT_TRUE(says(message_of<InvalidInput>([] { check_mesh(MatrixX3d(0, 3), MatrixX3i(0, 3)); }),
                     {"expected at least one", "none"}));
    EXPECT_TRUE(says(message_of<InvalidInput>([] { repair_mesh(MatrixX3d(4, 3), MatrixX3i(0, 3), {}); }),
                     {"expected at least one", "none"}));
}

TEST(CheckMesh, numbers_that_are_not_finite_are_refused_by_vertex_and_axis) {
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity(), 1e200}) {
        Shape shape = test::cube();
        shape.positions(5, 1) = bad;
        EXPECT_TRUE(says(message_of<InvalidInput>([&] { check_mesh(shape.positions, shape.triangles); }),
                         {"vertex 5", "coordinate y"}));
        EXPECT_TRUE(says(message_of<InvalidInput>([&] { repaired(shape); }), {"vertex 5", "coordinate y"}));
    }
}

TEST(CheckMesh, a_triangle_of_no_area_is_refused_and_a_thin_one_is_not) {
    Shape sliver = test::planar_grid(1, 1);
    sliver.positions.row(1) << 0.5, 0.5 - 1e-9, 0.0;  // almost on the diagonal
    EXPECT_NO_THROW(check_mesh(sliver.positions, sliver.triangles));
    sliver.positions.row(1) << 0.5, 0.5, 0.0;
    EXPECT_TRUE(says(message_of<InvalidInput>([&] { check_mesh(sliver.positions, sliver.triangles); }),
                     {"triangle 0", "no area"}));
}

TEST(CheckMesh, what_counts_as_no_area_does_not_depend_on_units) {
    for (const double scale : {1e-6, 1.0, 100.0, 1e6}) {
        Shape sliver = test::planar_grid(1, 1);
        sliver.positions.row(1) << 0.5, 0.5 - 1e-9, 0.0;
        sliver = test::moved(sliver, test::some_rotation(), Vector3d::Zero(), scale);
        EXPECT_NO_THROW(check_mesh(sliver.positions, sliver.triangles)) << scale;
    }
}

TEST(RepairMesh, a_clean_mesh_comes_back_with_the_same_indices_and_no_notes) {
    for (const Shape& shape : {test::icosphere(2), test::torus_grid(9, 6), test::planar_grid(4, 4),
                               test::joined(test::cube(), test::planar_grid(2, 3))}) {
        const RepairedMesh mesh = repaired(shape);
        EXPECT_EQ(mesh.positions, shape.positions);
        EXPECT_EQ(mesh.topology.triangles(), shape.triangles);
        EXPECT_TRUE(mesh.notes.empty());
        expect_maps_lead_back(shape, mesh);
    }
}

TEST(RepairMesh, corners_split_at_seams_are_welded_into_the_closed_surface) {
    const Shape whole = test::torus_grid(10, 7);
    const Shape corners = test::split_at_every_corner(whole);
    const RepairedMesh mesh = repaired(corners);
    EXPECT_EQ(mesh.positions.rows(), whole.positions.rows());
    EXPECT_TRUE(mesh.topology.is_closed());
    EXPECT_EQ(mesh.welded_vertices, corners.positions.rows() - whole.positions.rows());
    expect_maps_lead_back(corners, mesh);
    EXPECT_EQ(mesh.notes.size(), 1u);
}

TEST(RepairMesh, negative_zero_and_zero_are_the_same_place) {
    Shape corners = test::split_at_every_corner(test::octahedron());
    corners.positions = (corners.positions.array().abs() < 1e-9).select(0.0, corners.positions);
    for (Eigen::Index v = 0; v < corners.positions.rows(); v += 2) {
        for (int c = 0; c < 3; ++c) {
            if (corners.positions(v, c) == 0.0) {
                corners.positions(v, c) = -0.0;
            }
        }
    }
    const RepairedMesh mesh = repaired(corners);
    EXPECT_EQ(mesh.positions.rows(), 6);
    EXPECT_TRUE(mesh.topology.is_closed());
}

TEST(RepairMesh, welding_by_distance_closes_gaps_below_it_and_leaves_others) {
    Shape corners = test::split_at_every_corner(test::icosphere(3));
    test::Random random(3);
    for (Eigen::Index v = 0; v < corners.positions.rows(); ++v) {
        corners.positions.row(v) += 1e-6 * random.direction().transpose();
    }
    RepairOptions options;
    EXPECT_EQ(repaired(corners).topology.part_count(), 20 * 64);  // exact: nothing matches
    options.weld_distance = 1e-6;  // x diagonal 3.46 = 3.5e-6, twins are at most 2e-6 apart
    const RepairedMesh mesh = repaired(corners, options);
    EXPECT_EQ(mesh.positions.rows(), 642);
    EXPECT_TRUE(mesh.topology.is_closed());
    expect_maps_lead_back(corners, mesh, 4e-6);
    options.weld_distance = 1e-9;
    EXPECT_EQ(repaired(corners, options).topology.part_count(), 20 * 64);
}

TEST(RepairMesh, chains_of_close_vertices_do_not_collapse) {
    // 2000 columns: neighbours 5e-4 apart, weld distance 1e-3 of a diagonal of 1.0.
    Shape strip = test::planar_grid(2000, 1);
    strip.positions.col(1) *= 0.01;
    RepairOptions options;
    options.weld_distance = 1e-3;
    const RepairedMesh mesh = repaired(strip, options);
    // Each kept vertex takes at most the next two of its row: ceil(2001 / 3) are left.
    EXPECT_EQ(mesh.positions.rows(), 2 * 667);
    EXPECT_NEAR(bounding_box_diagonal(mesh.positions), bounding_box_diagonal(strip.positions), 2e-3);
}

TEST(RepairMesh, many_vertices_in_one_place_are_welded_without_comparing_all_pairs) {
    // 60,000 fans of one triangle that all share the origin: must not take quadratic time.
    const int count = 60000;
    Shape shape;
    shape.positions.resize(3 * count, 3);
    shape.triangles.resize(count, 3);
    for (int i = 0; i < count; ++i) {
        const double u = 6.28 * i / count;
        shape.positions.row(3 * i) << 1e-12 * i / count, 0, 0;
        shape.positions.row(3 * i + 1) << std::cos(u), std::sin(u), 1;
        shape.positions.row(3 * i + 2) << std::cos(u), std::sin(u), 2;
        shape.triangles.row(i) << 3 * i, 3 * i + 1, 3 * i + 2;
    }
    RepairOptions options;
    options.weld_distance = 1e-9;
    const RepairedMesh mesh = repaired(shape, options);
    EXPECT_EQ(mesh.welded_vertices, count - 1);
    EXPECT_EQ(mesh.split_vertices, count - 1);
}

TEST(RepairMesh, only_vertices_of_the_same_group_are_welded) {
    const Shape twice = test::joined(test::planar_grid(2, 2), test::planar_grid(2, 2));
    std::vector<int> groups(18, 0);
    std::fill(groups.begin() + 9, groups.end(), 1);
    EXPECT_EQ(repaired(twice, {}, groups).topology.part_count(), 2);
    EXPECT_EQ(repaired(twice, {}, groups).welded_vertices, 0);
    const RepairedMesh one = repaired(twice);
    EXPECT_EQ(one.welded_vertices, 9);
    EXPECT_EQ(one.duplicate_triangles, 8);  // the second sheet repeats the first
    expect_maps_lead_back(twice, one);
    EXPECT_TRUE(says(message_of<InvalidInput>([&] { repaired(twice, {}, {0, 1}); }), {"weld_group", "18", "2"}));
}

TEST(RepairMesh, connected_groups_keep_parts_apart_that_lie_on_each_other) {
    Shape lids = test::joined(test::planar_grid(2, 1), test::fan(5));
    lids = test::joined(lids, test::planar_grid(2, 1));
    lids.triangles.col(0).swap(lids.triangles.col(1));  // winding is of no interest to the groups
    const std::vector<int> groups = connected_groups(lids.triangles, 18);
    EXPECT_EQ(groups, (std::vector<int>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}));
    EXPECT_EQ(repaired(lids, {}, groups).topology.part_count(), 3);
    EXPECT_TRUE(says(message_of<InvalidInput>([&] { connected_groups(lids.triangles, 17); }), {"vertex 17"}));
}

TEST(RepairMesh, triangles_without_area_are_left_out_and_their_corners_still_follow) {
    Shape shape = test::planar_grid(2, 1);
    const Eigen::Index f = shape.triangles.rows();
    shape.triangles.conservativeResize(f + 2, 3);
    shape.triangles.row(f) << 0, 0, 1;      // repeats a vertex
    shape.triangles.row(f + 1) << 0, 1, 2;  // three vertices on a line
    const RepairedMesh mesh = repaired(shape);
    EXPECT_EQ(mesh.dropped_triangles, 2);
    EXPECT_EQ(mesh.topology.triangle_count(), f);
    for (int c = 0; c < 6; ++c) {
        EXPECT_GE(mesh.vertex_of_corner[3 * f + c], 0);
    }
    expect_maps_lead_back(shape, mesh);
}

TEST(RepairMesh, triangles_welded_into_nothing_are_left_out) {
    // A strip whose middle cell is narrower than the weld distance.
    Shape strip = test::planar_grid(3, 1);
    strip.positions.col(0) =
        (strip.positions.col(0).array() > 0.5).select(strip.positions.col(0).array() - 0.3333, strip.positions.col(0));
    RepairOptions options;
    options.weld_distance = 1e-4;
    const RepairedMesh mesh = repaired(strip, options);
    EXPECT_EQ(mesh.dropped_triangles, 2);
    EXPECT_EQ(mesh.topology.triangle_count(), 4);
    EXPECT_EQ(mesh.topology.part_count(), 1);
    EXPECT_EQ(mesh.topology.boundary_loops().size(), 1u);
}

TEST(RepairMesh, vertices_of_dropped_triangles_alone_have_no_simulation_vertex) {
    Shape shape = test::tetrahedron();
    shape.positions.conservativeResize(8, 3);
    shape.positions.bottomRows(4) << 5, 0, 0, 6, 0, 0, 7, 0, 0, 9, 9, 9;
    shape.triangles.conservativeResize(5, 3);
    shape.triangles.row(4) << 4, 5, 6;
    const RepairedMesh mesh = repaired(shape);
    EXPECT_EQ(mesh.positions.rows(), 4);
    EXPECT_EQ(mesh.unused_vertices, 4);  // three of the needle, one that nothing uses
    EXPECT_EQ(mesh.vertex_of_corner[12], -1);
    EXPECT_EQ(mesh.vertex_of_art[7], -1);
    expect_maps_lead_back(shape, mesh);
}

TEST(RepairMesh, repeated_triangles_are_left_out_and_back_to_back_ones_become_sheets_of_their_own) {
    Shape shape = test::tetrahedron();
    shape.triangles.conservativeResize(6, 3);
    shape.triangles.row(4) << 1, 0, 2;  // triangle 0, rotated
    shape.triangles.row(5) << 0, 2, 1;  // triangle 0
    const RepairedMesh mesh = repaired(shape);
    EXPECT_EQ(mesh.duplicate_triangles, 2);
    EXPECT_EQ(mesh.art_triangle, (std::vector<int>{0, 1, 2, 3}));
    expect_maps_lead_back(shape, mesh);
    shape.triangles.row(5) << 0, 1, 2;  // the other winding
    const RepairedMesh doubled = repaired(shape);
    EXPECT_EQ(doubled.topology.part_count(), 2);
    EXPECT_EQ(doubled.crowded_edges, 3);
    EXPECT_EQ(doubled.split_vertices, 3);
    EXPECT_EQ(doubled.flipped_triangles, 0);
    expect_maps_lead_back(shape, doubled);
}

TEST(RepairMesh, bow_ties_are_split_into_one_vertex_per_fan) {
    const RepairedMesh mesh = repaired(test::bow_tie());
    EXPECT_EQ(mesh.positions.rows(), 6);
    EXPECT_EQ(mesh.split_vertices, 1);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    EXPECT_NE(mesh.vertex_of_corner[0], mesh.vertex_of_corner[3]);
    EXPECT_EQ(mesh.vertex_of_art[0], mesh.vertex_of_corner[0]);
    expect_maps_lead_back(test::bow_tie(), mesh);
}

TEST(RepairMesh, two_bodies_that_touch_in_a_point_stay_two_bodies) {
    // Unit octahedra around the origin and around (2, 0, 0) touch at (1, 0, 0).
    const Shape first = test::octahedron();
    const Shape touching = test::joined(first, test::moved(first, Eigen::Matrix3d::Identity(), Vector3d(2, 0, 0)));
    const RepairedMesh mesh = repaired(touching);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    EXPECT_TRUE(mesh.topology.is_closed());
    EXPECT_EQ(mesh.positions.rows(), 12);
    expect_maps_lead_back(touching, mesh);
}

TEST(RepairMesh, a_fin_on_a_surface_comes_off_and_the_rest_stays_as_it_was) {
    // A fin stands on an inner edge of the grid: of the three triangles there the two of the plane
    // are the flattest, also where no index says that they belong together.
    for (const bool in_corners : {false, true}) {
        const Shape grid = test::planar_grid(6, 6);
        Shape shape = grid;
        const int a = 7 * 2 + 3;
        const int b = 7 * 3 + 3;
        shape.positions.conservativeResize(50, 3);
        shape.positions.row(49) = grid.positions.row(a) + Eigen::RowVector3d(0.02, 0, 0.1);
        shape.triangles.conservativeResize(grid.triangles.rows() + 1, 3);
        shape.triangles.bottomRows(1) << a, b, 49;
        const Shape art = in_corners ? test::split_at_every_corner(shape) : shape;
        const RepairedMesh mesh = repaired(art);
        EXPECT_EQ(mesh.crowded_edges, 1);
        EXPECT_EQ(mesh.split_vertices, 2);
        EXPECT_EQ(mesh.positions.rows(), 49 + 3);
        EXPECT_EQ(mesh.topology.part_count(), 2);
        EXPECT_EQ(mesh.topology.boundary_loops().size(), 2u);
        expect_maps_lead_back(art, mesh);
    }
}

TEST(RepairMesh, sheets_that_cross_in_an_edge_stay_two_sheets) {
    // Two planes through one line, each of two triangles: four at the edge, flat pairs belong together.
    Shape cross;
    cross.positions.resize(6, 3);
    cross.positions << 0, 0, 0, 0, 0, 1, 1, 0, 0, -1, 0, 0, 0.2, 1, 0, -0.2, -1, 0;
    cross.triangles.resize(4, 3);
    cross.triangles << 0, 1, 2, 0, 1, 4, 1, 0, 5, 1, 0, 3;
    const RepairedMesh mesh = repaired(cross);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    EXPECT_EQ(mesh.positions.rows(), 8);
    EXPECT_EQ(mesh.vertex_of_corner[0], mesh.vertex_of_corner[10]);  // triangles 0 and 3
    EXPECT_EQ(mesh.vertex_of_corner[3], mesh.vertex_of_corner[7]);   // triangles 1 and 2
    expect_maps_lead_back(cross, mesh);
}

TEST(RepairMesh, the_files_own_vertices_decide_before_the_angle) {
    // A roof and a flat sheet share an edge; each has its own vertices there.
    Shape art;
    art.positions.resize(8, 3);
    art.positions << 0, 0, 0, 0, 0, 1, 1, -1, 0, -1, -1, 0,  // roof
        0, 0, 0, 0, 0, 1, 1, -0.9, 0, -1, 1, 0;              // the other one
    art.triangles.resize(4, 3);
    art.triangles << 0, 1, 2, 1, 0, 3, 4, 5, 6, 5, 4, 7;
    const RepairedMesh mesh = repaired(art);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    EXPECT_EQ(mesh.topology.neighbour(0, 0), 1);
    EXPECT_EQ(mesh.topology.neighbour(2, 0), 3);
}

TEST(RepairMesh, a_crowded_edge_inside_one_island_is_cut_open) {
    // Two cubes share an edge and are also joined elsewhere: fans alone cannot part them, so the
    // edge keeps one pair. Whatever comes out is a surface and has all triangles.
    Shape shape = test::planar_grid(4, 4);
    shape.positions(7, 2) = 0.3;
    const int f = static_cast<int>(shape.triangles.rows());
    shape.triangles.conservativeResize(f + 3, 3);
    shape.triangles.bottomRows(3) << 6, 7, 18, 7, 6, 17, 12, 11, 16;
    const RepairedMesh mesh = repaired(shape);
    EXPECT_EQ(mesh.topology.triangle_count(), f + 3);
    expect_maps_lead_back(shape, mesh);
}

TEST(RepairMesh, windings_follow_the_majority_of_each_island) {
    Shape shape = test::joined(test::icosphere(1), test::planar_grid(3, 3));
    shape.positions.bottomRows(16).col(2).array() += 5.0;
    const RepairedMesh good = repaired(shape);
    Shape turned = shape;
    for (const int f : {3, 4, 17, 80, 81, 85}) {
        std::swap(turned.triangles(f, 1), turned.triangles(f, 2));
    }
    const RepairedMesh mesh = repaired(turned);
    EXPECT_EQ(mesh.flipped_triangles, 6);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    EXPECT_EQ(mesh.topology.triangles(), good.topology.triangles());
    expect_maps_lead_back(turned, mesh);
    // An island turned as a whole is the artist's own wish.
    for (int f = 0; f < 80; ++f) {
        turned.triangles.row(f) = shape.triangles.row(f).reverse();
    }
    for (const int f : {80, 81, 85}) {
        turned.triangles.row(f) = shape.triangles.row(f);
    }
    EXPECT_EQ(repaired(turned).flipped_triangles, 0);
}

TEST(RepairMesh, a_moebius_strip_is_cut_once) {
    for (const Shape& strip : {test::moebius_strip(12), test::split_at_every_corner(test::moebius_strip(12))}) {
        const RepairedMesh mesh = repaired(strip);
        EXPECT_EQ(mesh.topology.part_count(), 1);
        EXPECT_EQ(mesh.positions.rows(), 26);  // two more than the strip has
        EXPECT_EQ(mesh.topology.boundary_loops().size(), 1u);
        expect_maps_lead_back(strip, mesh);
    }
}

TEST(RepairMesh, random_triangles_always_become_a_surface) {
    test::Random random(5);
    for (int round = 0; round < 200; ++round) {
        const int vertices = 4 + round % 9;
        Shape soup;
        soup.positions.resize(vertices, 3);
        for (int v = 0; v < vertices; ++v) {
            soup.positions.row(v) = random.direction().transpose();
        }
        soup.triangles.resize(3 + round % 31, 3);
        for (Eigen::Index c = 0; c < soup.triangles.size(); ++c) {
            soup.triangles.data()[c] = static_cast<int>(random.uniform(0, 0.999) * vertices);
        }
        soup.triangles.row(0) << 0, 1, 2;
        expect_maps_lead_back(soup, repaired(soup));
    }
}

TEST(RepairMesh, bad_options_and_indices_are_refused) {
    const Shape shape = test::cube();
    for (const double bad : {-1e-9, 2e-3, std::numeric_limits<double>::quiet_NaN()}) {
        RepairOptions options;
        options.weld_distance = bad;
        EXPECT_TRUE(says(message_of<InvalidInput>([&] { repaired(shape, options); }), {"weld_distance"}));
    }
    Shape broken = shape;
    broken.triangles(7, 2) = 8;
    EXPECT_TRUE(says(message_of<InvalidInput>([&] { repaired(broken); }), {"triangle 7", "vertex 8"}));
    Shape flat = shape;
    flat.positions.col(2).setZero();
    flat.positions.col(1).setZero();
    EXPECT_TRUE(says(message_of<InvalidInput>([&] { repaired(flat); }), {"with area", "none among 12"}));
}

TEST(RepairMesh, rigid_motion_scale_and_axis_swap_change_no_index) {
    Shape art = test::joined(test::split_at_every_corner(test::torus_grid(8, 6)),
                             test::split_at_every_corner(test::planar_grid(3, 3)));
    art.positions.bottomRows(54).col(2).array() += 1.0;
    RepairOptions options;
    options.weld_distance = 1e-7;
    const RepairedMesh mesh = repaired(art, options);
    EXPECT_EQ(mesh.topology.part_count(), 2);
    const Vector3d far_away(10, -20, 30);
    for (const Shape& other : {test::moved(art, test::some_rotation(), far_away), test::axes_swapped(art),
                               test::moved(art, Eigen::Matrix3d::Identity(), Vector3d::Zero(), 100.0)}) {
        const RepairedMesh same = repaired(other, options);
        EXPECT_EQ(same.topology.triangles(), mesh.topology.triangles());
        EXPECT_EQ(same.vertex_of_corner, mesh.vertex_of_corner);
        EXPECT_EQ(same.art_of_vertex, mesh.art_of_vertex);
    }
}

}  // namespace
}  // namespace cutis
