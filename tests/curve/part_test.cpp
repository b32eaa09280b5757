#include "curve/part.h"

#include "curve/tube_map.h"
#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"

#include <numbers>

namespace cutis {
namespace {

TEST(tube, straight_cylinder_maps_to_height_and_angle) {
    const test::Shape shape = test::open_cylinder(24, 30);
    const Topology topology = topology_of(shape);
    const TubeMap map = map_tube(shape.positions, topology, 0, 1);
    EXPECT_EQ(map.flipped, 0);
    EXPECT_LT(std::abs(map.twist), 1.0);
    // One loop lies at z = 0, the other at z = 1; s is z or 1 - z.
    const bool is_up = shape.positions(topology.boundary_loops()[0][0], 2) < 0.5;
    const double origin = std::atan2(shape.positions(0, 1), shape.positions(0, 0)) / (2 * std::numbers::pi);
    const double sign = is_up ? 1.0 : -1.0;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const double z = shape.positions(v, 2);
        EXPECT_NEAR(map.s[v], is_up ? z : 1.0 - z, 1e-12);
        const double turn = std::atan2(shape.positions(v, 1), shape.positions(v, 0)) / (2 * std::numbers::pi);
        const double off = sign * (turn - origin) - (map.theta[v] - map.theta[0]);
        EXPECT_NEAR(off - std::round(off), 0.0, 1e-2) << v;
    }
}

TEST(tube, no_triangle_is_turned_over_on_jittered_tubes) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        for (const double jitter : {0.1, 0.2, 0.24}) {
            const test::Shape shape = test::open_cylinder(17, 40, 0.2, 2.0, jitter, seed);
            EXPECT_EQ(map_tube(shape.positions, topology_of(shape), 0, 1).flipped, 0) << jitter << " " << seed;
        }
    }
}

TEST(tube, other_shapes_are_refused) {
    const test::Shape sphere = test::icosphere(2);
    test::expect_error<InvalidInput>(
        [&] { lay_curves(whole_surface(sphere.positions, topology_of(sphere)), -1, -1, {}); }, {"0 border loops"});
    const test::Shape plane = test::planar_grid(5, 5);
    EXPECT_NO_THROW(lay_curves(whole_surface(plane.positions, topology_of(plane)), -1, -1, {}));
}

TEST(cut, level_line_of_a_linear_field_is_a_straight_loop) {
    const test::Shape shape = test::open_cylinder(20, 33, 0.25, 1.0, 0.2, 3);
    const Topology topology = topology_of(shape);
    const VectorXd height = shape.positions.col(2);
    const SurfacePiece upper = cut_piece(whole_surface(shape.positions, topology), height, 0.473, true, 7);
    ASSERT_EQ(upper.topology.boundary_loops().size(), 2u);
    int cut_loops = 0;
    for (const auto& loop : upper.topology.boundary_loops()) {
        if (upper.cut_of_loop(loop) == 7) {
            ++cut_loops;
            for (const int v : loop) {
                // Exact, or moved to a vertex within a tenth of an edge.
                EXPECT_NEAR(upper.positions(v, 2), 0.473, 0.1 * 0.09);
                if (upper.surface_vertex[v] < 0) {
                    EXPECT_NEAR(upper.positions(v, 2), 0.473, 1e-12);
                }
            }
        }
    }
    EXPECT_EQ(cut_loops, 1);
    // Piece vertices are the same weighted sums in any pose.
    MatrixX3d again(upper.points.count(), 3);
    upper.points.apply(shape.positions, Workers(1), again);
    EXPECT_LT((again - upper.positions).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(cut, a_level_that_crosses_nothing_is_refused) {
    const test::Shape shape = test::open_cylinder(12, 8);
    const Topology topology = topology_of(shape);
    PartCuts cuts;
    cuts.from = VectorXd::Constant(topology.vertex_count(), 0.2);
    test::expect_error<InvalidInput>([&] { cut_part(shape.positions, topology, cuts); },
                                     {"level 0.5", "level 0.4", "no vertex inside"});
}

TEST(part, nodes_lie_on_the_surface_and_are_evenly_spaced) {
    const test::Shape shape = test::bent_tube(24, 60, 0.1, 0.4, 1.5);
    CurveLayout layout;
    layout.curves = 12;
    layout.nodes = 31;
    const CurvePart part = lay_curves(whole_surface(shape.positions, topology_of(shape)), -1, -1, layout);
    EXPECT_EQ(part.flipped, 0);
    EXPECT_EQ(part.rows(), 12 * 31);
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), nodes);
    // Mean over curves of each step is the same all along.
    std::vector<double> step;
    for (int n = 0; n + 1 < 31; ++n) {
        double mean = 0.0;
        for (int c = 0; c < 12; ++c) {
            mean += (nodes.row((n + 1) * 12 + c) - nodes.row(n * 12 + c)).norm() / 12.0;
        }
        step.push_back(mean);
    }
    const auto [low, high] = std::minmax_element(step.begin(), step.end());
    EXPECT_LT(*high / *low, 1.05);
}

TEST(part, transfer_of_a_smooth_displacement_converges) {
    // Displacement of every vertex against what the nodes bring back; bilinear order about 2.
    const test::Shape shape = test::open_cylinder(60, 120, 0.25, 1.0, 0.2, 5);
    const Topology topology = topology_of(shape);
    const auto field = [](const Vector3d& p) {
        return Vector3d(std::sin(3.0 * p.z()) * p.x(), std::cos(5.0 * p.z()), p.y() * p.x());
    };
    std::map<CurveTransfer, std::vector<double>> errors;
    for (const CurveTransfer rule : {CurveTransfer::centre, CurveTransfer::bilinear, CurveTransfer::bicubic}) {
        for (const int size : {8, 16, 32}) {
            CurveLayout layout;
            layout.curves = size;
            layout.nodes = 2 * size + 1;
            layout.transfer = rule;
            const CurvePart part = lay_curves(whole_surface(shape.positions, topology), -1, -1, layout);
            MatrixX3d nodes(part.rows(), 3);
            part.nodes.apply(shape.positions, Workers(1), nodes);
            for (int i = 0; i < part.rows(); ++i) {
                nodes.row(i) = field(nodes.row(i)).transpose();
            }
            MatrixX3d moved(part.transfer.count(), 3);
            part.transfer.apply(nodes, Workers(1), moved);
            double error = 0.0;
            double norm = 0.0;
            for (size_t i = 0; i < part.vertices.size(); ++i) {
                const Vector3d exact = field(shape.positions.row(part.vertices[i]));
                error += (moved.row(static_cast<Eigen::Index>(i)).transpose() - exact).squaredNorm();
                norm += exact.squaredNorm();
            }
            errors[rule].push_back(std::sqrt(error / norm));
        }
    }
    EXPECT_GT(errors[CurveTransfer::bilinear][0] / errors[CurveTransfer::bilinear][1], 3.0);
    EXPECT_LT(errors[CurveTransfer::bicubic][1], errors[CurveTransfer::bilinear][1]);
    EXPECT_LT(errors[CurveTransfer::bilinear][1], errors[CurveTransfer::centre][1]);
    EXPECT_LT(errors[CurveTransfer::bicubic][2], 0.01);
}

TEST(part, rigid_displacement_is_transferred_exactly) {
    const test::Shape shape = test::open_cylinder(21, 40, 0.25, 1.0, 0.2, 5);
    for (const CurveTransfer rule : {CurveTransfer::centre, CurveTransfer::bilinear, CurveTransfer::bicubic}) {
        for (const CurveDirection direction : {CurveDirection::along, CurveDirection::around}) {
            CurveLayout layout;
            layout.transfer = rule;
            layout.direction = direction;
            const CurvePart part = lay_curves(whole_surface(shape.positions, topology_of(shape)), -1, -1, layout);
            EXPECT_EQ(part.vertices.size(), static_cast<size_t>(shape.positions.rows()));
            const MatrixX3d nodes = MatrixX3d::Constant(part.rows(), 3, 0.37);
            MatrixX3d moved(part.transfer.count(), 3);
            part.transfer.apply(nodes, Workers(1), moved);
            EXPECT_LT((moved.array() - 0.37).abs().maxCoeff(), 1e-15);
        }
    }
}

TEST(part, closed_end_is_opened_at_its_tip) {
    // A sphere cut at z = 0: one loop, the pole is the tip.
    const test::Shape shape = test::icosphere(4);
    const Topology topology = topology_of(shape);
    PartCuts cuts;
    cuts.from = (shape.positions.col(2).array() + 1.0) / 2.0;
    cuts.level = 0.5;
    const CutPart cut = cut_part(shape.positions, topology, cuts);
    CurveLayout layout;
    const CurvePart part = lay_curves(cut.piece, cut.first_cut, cut.second_cut, layout);
    EXPECT_TRUE(part.has_closed_end);
    EXPECT_GT(shape.positions(part.tip, 2), 0.99);
    EXPECT_EQ(part.flipped, 0);
    // Lines start at the cut.
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), nodes);
    EXPECT_LT(nodes.topRows(part.curve_count).col(2).maxCoeff(), 0.1);
}

TEST(part, holes_are_closed_and_nodes_on_them_are_counted) {
    // A cylinder with a hole on one side.
    const test::Shape shape = test::open_cylinder(24, 30);
    const Topology topology = topology_of(shape);
    PartCuts cuts;
    VectorXd blob(topology.vertex_count());
    for (int v = 0; v < topology.vertex_count(); ++v) {
        blob[v] = std::exp(-20.0 * ((shape.positions.row(v) - Vector3d(0.25, 0, 0.5).transpose()).squaredNorm()));
    }
    cuts.without = {blob};
    const CutPart cut = cut_part(shape.positions, topology, cuts);
    EXPECT_EQ(cut.piece.topology.boundary_loops().size(), 3u);
    const CurvePart part = lay_curves(cut.piece, -1, -1, {});
    EXPECT_EQ(part.flipped, 0);
    EXPECT_GT(part.virtual_nodes, 0);
    EXPECT_LT(part.virtual_nodes, part.rows() / 3);
}

/// A quad tube whose edge loops spiral by a quarter of a turn; each quad cut by a random diagonal.
struct QuadTube {
    test::Shape shape;
    std::vector<std::array<int, 2>> edges;

    QuadTube(int around, int along) {
        test::Random random(3);
        shape.positions.resize(around * (along + 1), 3);
        shape.triangles.resize(2 * around * along, 3);
        int f = 0;
        for (int j = 0; j <= along; ++j) {
            for (int i = 0; i < around; ++i) {
                const double angle = 2 * std::numbers::pi * (i + 0.25 * around * j / along) / around;
                shape.positions.row(j * around + i) << std::cos(angle), std::sin(angle), 4.0 * j / along;
                const int a = j * around + i;
                const int b = j * around + (i + 1) % around;
                edges.push_back({a, b});
                if (j < along) {
                    edges.push_back({a, a + around});
                    if (random.below(2) == 0) {
                        shape.triangles.row(f++) << a, b, b + around;
                        shape.triangles.row(f++) << a, b + around, a + around;
                    } else {
                        shape.triangles.row(f++) << a, b, a + around;
                        shape.triangles.row(f++) << b, b + around, a + around;
                    }
                }
            }
        }
    }
};

TEST(part, edge_loops_of_a_quad_mesh_are_followed_vertex_by_vertex) {
    const QuadTube tube(12, 20);
    CurveLayout layout;
    layout.edge_loops = true;
    layout.polygon_edges = tube.edges;
    layout.nodes = 21;
    const Topology topology = topology_of(tube.shape);
    const CurvePart part = lay_curves(whole_surface(tube.shape.positions, topology), -1, -1, layout);
    EXPECT_EQ(part.curve_count, 12);
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(tube.shape.positions, Workers(1), nodes);
    // Every node lies on an edge that runs along: its angle is that of the spiral.
    for (int i = part.curve_count; i < part.rows() - part.curve_count; ++i) {
        const double turn = std::atan2(nodes(i, 1), nodes(i, 0)) / (2 * std::numbers::pi) * 12.0;
        const double off = turn - 3.0 * nodes(i, 2) / 4.0;
        EXPECT_NEAR(off - std::round(off), 0.0, 0.06) << i;
    }
    // And transfer still gives back what is the same everywhere.
    MatrixX3d moved(part.transfer.count(), 3);
    part.transfer.apply(MatrixX3d::Constant(part.rows(), 3, 0.3), Workers(1), moved);
    EXPECT_LT((moved.array() - 0.3).abs().maxCoeff(), 1e-14);

    layout.polygon_edges.resize(5);
    test::expect_error<InvalidInput>([&] { lay_curves(whole_surface(tube.shape.positions, topology), -1, -1, layout); },
                                     {"edge loops", "closed ring"});
}

TEST(part, start_vertices_carry_a_line_each) {
    const test::Shape shape = test::open_cylinder(24, 30);
    const Topology topology = topology_of(shape);
    CurveLayout layout;
    for (int i = 0; i < 5; ++i) {
        layout.start_vertices.push_back(topology.boundary_loops()[0][3 * i + i % 2]);
    }
    const CurvePart part = lay_curves(whole_surface(shape.positions, topology), -1, -1, layout);
    EXPECT_EQ(part.curve_count, 5);
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), nodes);
    for (const int v : layout.start_vertices) {
        double nearest = 1.0;
        for (int c = 0; c < 5; ++c) {
            nearest = std::min(nearest, (nodes.row(c) - shape.positions.row(v)).norm());
        }
        EXPECT_LT(nearest, 1e-9);
    }
    layout.start_vertices[1] = topology.vertex_count() + 4;
    test::expect_error<InvalidInput>([&] { lay_curves(whole_surface(shape.positions, topology), -1, -1, layout); },
                                     {"start vertices", std::to_string(topology.vertex_count() + 4)});
    layout = {};
    layout.nodes = 2;
    test::expect_error<InvalidInput>([&] { lay_curves(whole_surface(shape.positions, topology), -1, -1, layout); },
                                     {"3 to 4096 nodes", "2"});
}

}  // namespace
}  // namespace cutis
