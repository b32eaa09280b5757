#include "cutis/stack/simulation_surface.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cutis/core/error.h"
#include "stack/test_body.h"

namespace cutis {
namespace {

bool same_bits(const MatrixX3d& a, const MatrixX3d& b) {
    return a.rows() == b.rows() && std::memcmp(a.data(), b.data(), static_cast<size_t>(a.size()) * sizeof(double)) == 0;
}

TEST(SimulationSurface, a_seam_is_welded_and_every_art_vertex_knows_its_place) {
    const Body body = test::sliding_square(1.0);
    const SimulationSurface surface = SimulationSurface::repaired(body, {});
    EXPECT_EQ(surface.vertex_count(), 4);
    const std::vector<int>& place = surface.mesh().vertex_of_art;
    ASSERT_EQ(place.size(), 6u);
    EXPECT_EQ(place[0], place[3]);
    EXPECT_EQ(place[2], place[4]);
}

TEST(SimulationSurface, what_does_not_move_comes_back_bit_for_bit) {
    const Body body = test::sliding_square(1.0);
    const SimulationSurface surface = SimulationSurface::repaired(body, {});
    // Seam copies that differ in the last bits, as skinning in float leaves them, and a minus zero.
    MatrixX3d art = body.mesh().positions;
    art(3, 0) = std::nextafter(art(3, 0), 1.0);
    ASSERT_TRUE(std::signbit(art(0, 1)));
    MatrixX3d before;
    surface.from_art().values(art, Workers(1), before);
    MatrixX3d out = art;
    surface.scatter(before, before, out);
    EXPECT_TRUE(same_bits(out, art));
}

TEST(SimulationSurface, a_moved_vertex_moves_all_its_copies_by_the_same_vector) {
    const Body body = test::sliding_square(1.0);
    const SimulationSurface surface = SimulationSurface::repaired(body, {});
    MatrixX3d before;
    surface.from_art().values(body.mesh().positions, Workers(1), before);
    MatrixX3d after = before;
    const int v = surface.mesh().vertex_of_art[3];
    after.row(v) += Eigen::RowVector3d(0.5, -0.25, 2.0);
    MatrixX3d art = body.mesh().positions;
    surface.scatter(before, after, art);
    const MatrixX3d moved = art - body.mesh().positions;
    for (int a = 0; a < 6; ++a) {
        const bool is_copy = a == 0 || a == 3;
        const Eigen::RowVector3d expected = is_copy ? Eigen::RowVector3d(0.5, -0.25, 2.0) : Eigen::RowVector3d::Zero();
        EXPECT_LT((moved.row(a) - expected).norm(), 1e-15) << "art vertex " << a;
    }
}

TEST(SimulationSurface, taken_as_it_is_the_seam_stays_open) {
    const SimulationSurface surface = SimulationSurface::as_it_is(test::sliding_square(1.0));
    EXPECT_EQ(surface.vertex_count(), 6);
    EXPECT_EQ(surface.topology().part_count(), 2);
}

TEST(SimulationSurface, a_wrong_number_of_vertices_is_refused) {
    const SimulationSurface surface = SimulationSurface::repaired(test::sliding_square(1.0), {});
    MatrixX3d out;
    EXPECT_THROW(surface.from_art().values(MatrixX3d::Zero(5, 3), Workers(1), out), InvalidInput);
}

TEST(SimulationSurface, parts_that_lie_on_each_other_are_held_apart_and_reported) {
    // Three sheets through one edge, each with its own copy of the edge's two vertices.
    Body::Source source;
    source.mesh.positions.resize(9, 3);
    source.mesh.triangles.resize(3, 3);
    for (int sheet = 0; sheet < 3; ++sheet) {
        const int first = 3 * sheet;
        source.mesh.positions.row(first) << 0, 0, 0;
        source.mesh.positions.row(first + 1) << 1, 0, 0;
        source.mesh.positions.row(first + 2) << 0, std::cos(sheet), std::sin(sheet);
        source.mesh.triangles.row(sheet) << first, first + 1, first + 2;
    }
    source.motion = std::make_shared<test::SlidingMotion>(source.mesh.positions, 1.0);
    const Body body(std::move(source), {});
    const SimulationSurface surface = SimulationSurface::repaired(body, {});
    EXPECT_EQ(surface.topology().part_count(), 3);
    ASSERT_FALSE(surface.mesh().notes.empty());
    EXPECT_NE(surface.mesh().notes[1].find("three and more triangles"), std::string::npos);
}

}  // namespace
}  // namespace cutis
