#include "cutis/mesh/topology.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::euler_number;
using test::says;
using test::Shape;

std::string refusal(const MatrixX3i& triangles, int vertex_count) {
    return test::message_of<InvalidInput>([&] { const Topology topology(triangles, vertex_count); });
}

// Everything the class promises, checked against the triangles alone.
void expect_consistent(const Topology& topology) {
    const MatrixX3i& triangles = topology.triangles();
    std::map<std::pair<int, int>, int> triangle_of_directed_edge;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            triangle_of_directed_edge[{triangles(f, k), triangles(f, (k + 1) % 3)}] = f;
        }
    }
    std::set<std::array<int, 2>> edges;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int a = triangles(f, k);
            const int b = triangles(f, (k + 1) % 3);
            const auto across = triangle_of_directed_edge.find({b, a});
            EXPECT_EQ(topology.neighbour(f, k), across == triangle_of_directed_edge.end() ? -1 : across->second);
            const std::array<int, 2> edge = {std::min(a, b), std::max(a, b)};
            edges.insert(edge);
            EXPECT_EQ(topology.edges()[topology.edge_of_side(f, k)], edge);
        }
    }
    EXPECT_EQ(std::vector(edges.begin(), edges.end()), topology.edges());

    size_t corners = 0;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const std::span<const int> fan = topology.triangles_around(v);
        corners += fan.size();
        for (size_t i = 0; i < fan.size(); ++i) {
            const int f = fan[i];
            const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
            ASSERT_EQ(triangles(f, k), v);
            const int next = topology.neighbour(f, (k + 2) % 3);
            const bool is_last = i + 1 == fan.size();
            EXPECT_EQ(next, is_last ? (topology.is_boundary_vertex(v) ? -1 : fan[0]) : fan[i + 1]);
            if (i == 0 && topology.is_boundary_vertex(v)) {
                EXPECT_EQ(topology.neighbour(f, k), -1);
            }
        }
    }
    EXPECT_EQ(corners, 3 * static_cast<size_t>(topology.triangle_count()));

    size_t boundary_sides = 0;
    for (const std::vector<int>& loop : topology.boundary_loops()) {
        EXPECT_EQ(*std::min_element(loop.begin(), loop.end()), loop.front());
        for (size_t i = 0; i < loop.size(); ++i) {
            const int a = loop[i];
            const int b = loop[(i + 1) % loop.size()];
            EXPECT_TRUE(topology.is_boundary_vertex(a));
            // Surface on the left: a triangle runs a -> b, none runs b -> a.
            EXPECT_EQ(triangle_of_directed_edge.count({a, b}), 1u);
            EXPECT_EQ(triangle_of_directed_edge.count({b, a}), 0u);
        }
        boundary_sides += loop.size();
    }
    EXPECT_EQ(static_cast<size_t>((topology.neighbours().array() < 0).count()), boundary_sides);
}

TEST(Topology, closed_surfaces_have_the_euler_number_of_their_genus) {
    EXPECT_EQ(euler_number(topology_of(test::icosphere(2))), 2);
    EXPECT_EQ(euler_number(topology_of(test::torus_grid(12, 8))), 0);
    EXPECT_EQ(euler_number(topology_of(test::tetrahedron())), 2);
    EXPECT_EQ(euler_number(topology_of(test::cube())), 2);
    EXPECT_TRUE(topology_of(test::torus_grid(12, 8)).is_closed());
}

TEST(Topology, every_kind_of_manifold_mesh_is_consistent) {
    for (const Shape& shape :
         {test::icosphere(2), test::torus_grid(7, 5), test::planar_grid(4, 3), test::open_cylinder(9, 4),
          test::bent_tube(8, 6, 0.1, 0.5, 1.2), test::fan(7), test::double_cone(18), test::cube(),
          test::joined(test::planar_grid(2, 2), test::tetrahedron())}) {
        expect_consistent(topology_of(shape));
    }
}

TEST(Topology, a_cylinder_has_two_boundary_loops_with_the_surface_on_their_left) {
    const Topology topology = topology_of(test::open_cylinder(10, 3));
    ASSERT_EQ(topology.boundary_loops().size(), 2u);
    EXPECT_FALSE(topology.is_closed());
    // The lower rim holds vertices 0..9 and runs round +z; the upper one runs the other way.
    EXPECT_EQ(topology.boundary_loops()[0], (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(topology.boundary_loops()[1], (std::vector<int>{30, 39, 38, 37, 36, 35, 34, 33, 32, 31}));
}

TEST(Topology, parts_are_numbered_by_their_lowest_vertex) {
    // Renumbered so that the second tetrahedron owns vertex 0.
    Shape shape = test::joined(test::tetrahedron(), test::tetrahedron());
    for (int& v : shape.triangles.reshaped()) {
        v = (v + 3) % 8;  // first: 3 4 5 6, second: 7 0 1 2
    }
    const Topology topology = topology_of(shape);
    EXPECT_EQ(topology.part_count(), 2);
    EXPECT_EQ(topology.part_of_vertex(), (std::vector<int>{0, 0, 0, 1, 1, 1, 1, 0}));
}

TEST(Topology, an_empty_mesh_has_nothing_in_it) {
    const Topology topology(MatrixX3i(0, 3), 0);
    EXPECT_EQ(topology.triangle_count(), 0);
    EXPECT_EQ(topology.part_count(), 0);
    EXPECT_TRUE(topology.is_closed());
}

TEST(Topology, an_index_out_of_range_is_refused_by_triangle_and_value) {
    MatrixX3i triangles = test::tetrahedron().triangles;
    triangles(2, 1) = 4;
    EXPECT_TRUE(says(refusal(triangles, 4), {"triangle 2", "corner 1", "vertex 4"}));
    triangles(2, 1) = -1;
    EXPECT_TRUE(says(refusal(triangles, 4), {"triangle 2", "vertex -1"}));
    EXPECT_TRUE(says(refusal(triangles, -3), {"vertex count", "-3"}));
}

TEST(Topology, a_repeated_vertex_in_a_triangle_is_refused) {
    MatrixX3i triangles = test::tetrahedron().triangles;
    triangles(3, 2) = triangles(3, 0);
    EXPECT_TRUE(says(refusal(triangles, 4), {"triangle 3", "three different vertices"}));
}

TEST(Topology, a_duplicate_triangle_is_refused_with_both_indices) {
    MatrixX3i triangles(5, 3);
    triangles << test::tetrahedron().triangles, 1, 0, 2;  // triangle 0 again, rotated
    EXPECT_TRUE(says(refusal(triangles, 4), {"triangle 4", "triangle 0", "repeats"}));
    MatrixX3i back_to_back(2, 3);
    back_to_back << 0, 1, 2, 0, 2, 1;
    EXPECT_TRUE(says(refusal(back_to_back, 3), {"triangle 1", "triangle 0", "repeats"}));
}

TEST(Topology, an_edge_with_three_triangles_is_refused_with_all_of_them) {
    MatrixX3i triangles(3, 3);
    triangles << 0, 1, 2, 1, 0, 3, 0, 1, 4;
    EXPECT_TRUE(says(refusal(triangles, 5), {"vertices 0 and 1", "found 3", "0, 1 and 2"}));
}

TEST(Topology, opposite_windings_are_refused_with_both_triangles) {
    MatrixX3i triangles(2, 3);
    triangles << 0, 1, 2, 0, 1, 3;
    EXPECT_TRUE(says(refusal(triangles, 4), {"vertices 0 and 1", "0 and 1", "opposite windings"}));
}

TEST(Topology, a_moebius_strip_is_refused) {
    for (const int segments : {5, 8, 31}) {
        const Shape strip = test::moebius_strip(segments);
        EXPECT_TRUE(says(refusal(strip.triangles, 2 * segments), {"opposite windings"}));
    }
}

TEST(Topology, a_bow_tie_is_refused_by_its_vertex) {
    EXPECT_TRUE(says(refusal(test::bow_tie().triangles, 5), {"vertex 0", "bow-tie"}));
    // Two closed surfaces that share one vertex.
    Shape shape = test::joined(test::tetrahedron(), test::tetrahedron());
    for (int& v : shape.triangles.reshaped()) {
        v = v == 7 ? 2 : v;
    }
    EXPECT_TRUE(says(refusal(shape.triangles, 7), {"vertex 2", "bow-tie"}));
}

TEST(Topology, a_vertex_without_triangles_is_refused_by_its_index) {
    EXPECT_TRUE(says(refusal(test::tetrahedron().triangles, 6), {"vertex 4", "found none"}));
}

TEST(Topology, a_million_triangles_take_about_a_second) {
    const Shape shape = test::torus_grid(1000, 500);
    const auto begin = std::chrono::steady_clock::now();
    const Topology topology = topology_of(shape);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(euler_number(topology), 0);
    EXPECT_EQ(topology.triangle_count(), 1000000);
    RecordProperty("milliseconds", static_cast<int>(1e3 * seconds.count()));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(seconds.count(), 10.0);  // a second when the machine is idle; only growth matters
#endif
}

}  // namespace
}  // namespace cutis
