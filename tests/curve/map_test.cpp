// The flat map of a tube and the way back from nodes to vertices, against their equations.

#include "curve/tube_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "curve/part.h"
#include "support/shapes.h"

namespace cutis {
namespace {

struct MapEdge {
    double weight = 0.0;  // mean value weights of both directions
    double ds = 0.0, dtheta = 0.0;
};

/// Floater 2003: tan(half the angle) over the edge, summed over the corners at both its ends.
std::map<std::pair<int, int>, MapEdge> edges_of(const test::Shape& shape, const TubeMap& map) {
    std::map<std::pair<int, int>, MapEdge> edges;
    for (int f = 0; f < shape.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int at = shape.triangles(f, k);
            const Vector3d p = shape.positions.row(at);
            for (const int other : {(k + 1) % 3, (k + 2) % 3}) {
                const int to = shape.triangles(f, other);
                const Vector3d u = shape.positions.row(to).transpose() - p;
                const Vector3d w = shape.positions.row(shape.triangles(f, 3 - k - other)).transpose() - p;
                const double angle = std::acos(u.normalized().dot(w.normalized()));
                const double theta_here = map.theta[at] + map.turn(f, k);
                const double theta_there = map.theta[to] + map.turn(f, other);
                for (const bool is_forward : {true, false}) {
                    MapEdge& edge = edges[is_forward ? std::pair{at, to} : std::pair{to, at}];
                    edge.weight += std::tan(0.5 * angle) / u.norm();
                    edge.ds = (is_forward ? 1.0 : -1.0) * (map.s[to] - map.s[at]);
                    edge.dtheta = (is_forward ? 1.0 : -1.0) * (theta_there - theta_here);
                }
            }
        }
    }
    return edges;
}

TEST(tube_map, every_inner_vertex_is_the_weighted_mean_of_its_neighbours_and_nothing_spirals) {
    const test::Shape shape = test::open_cylinder(17, 24, 0.2, 1.5, 0.2, 4);
    const Topology topology = topology_of(shape);
    const TubeMap map = map_tube(shape.positions, topology, 0, 1);
    const auto edges = edges_of(shape, map);
    VectorXd s = VectorXd::Zero(topology.vertex_count());
    VectorXd theta = s;
    double weight = 0.0;
    double across = 0.0;
    double along = 0.0;
    for (const auto& [ends, edge] : edges) {
        s[ends.first] += edge.weight * edge.ds;
        theta[ends.first] += edge.weight * edge.dtheta;
        weight = std::max(weight, edge.weight);
        across += edge.weight * edge.ds * edge.dtheta;
        along += edge.weight * edge.ds * edge.ds;
    }
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (!topology.is_boundary_vertex(v)) {
            EXPECT_NEAR(s[v] / weight, 0.0, 1e-12) << v;
            EXPECT_NEAR(theta[v] / weight, 0.0, 1e-12) << v;
        }
    }
    // d/d(twist) of sum w (dtheta + twist ds)^2 at no further twist.
    EXPECT_NEAR(across / along, 0.0, 1e-10);
}

TEST(tube_map, angles_of_an_unevenly_sampled_border_grow_with_its_arc_length) {
    test::Shape shape = test::open_cylinder(24, 10);
    for (int v = 0; v < shape.positions.rows(); ++v) {
        const double angle = std::atan2(shape.positions(v, 1), shape.positions(v, 0));
        const double uneven = angle + 0.4 * std::sin(angle);
        shape.positions(v, 0) = 0.25 * std::cos(uneven);
        shape.positions(v, 1) = 0.25 * std::sin(uneven);
    }
    const Topology topology = topology_of(shape);
    const TubeMap map = map_tube(shape.positions, topology, 0, 1);
    for (size_t i = 0; i < 2; ++i) {
        const std::vector<int>& loop = topology.boundary_loops()[i];
        const auto step = [&](size_t k) {
            return (shape.positions.row(loop[(k + 1) % loop.size()]) - shape.positions.row(loop[k])).norm();
        };
        double whole = 0.0;
        for (size_t k = 0; k < loop.size(); ++k) {
            whole += step(k);
        }
        for (size_t k = 0; k < loop.size(); ++k) {
            // Both loops have the surface on their left: the second is walked the other way round.
            double turn = map.theta[loop[(k + 1) % loop.size()]] - map.theta[loop[k]];
            turn *= i == 0 ? 1.0 : -1.0;
            EXPECT_NEAR(turn - std::floor(turn), step(k) / whole, 1e-12) << i << ' ' << k;
        }
        EXPECT_EQ(map.s[loop[0]], static_cast<double>(i));
    }
}

/// What nodes bring back to the vertices of a straight cylinder, where s is the height.
MatrixX3d brought_back(const test::Shape& shape, CurveTransfer rule, double (*field)(double), CurvePart& part) {
    CurveLayout layout;
    layout.curves = 8;
    layout.nodes = 9;
    layout.even_spacing = false;
    layout.transfer = rule;
    part = lay_curves(whole_surface(shape.positions, topology_of(shape)), -1, -1, layout);
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), nodes);
    for (int i = 0; i < part.rows(); ++i) {
        nodes.row(i).setConstant(field(nodes(i, 2)));
    }
    MatrixX3d moved(part.transfer.count(), 3);
    part.transfer.apply(nodes, Workers(1), moved);
    return moved;
}

TEST(tube_map, linear_fields_come_back_exactly_up_to_the_very_ends) {
    const test::Shape shape = test::open_cylinder(24, 21);
    for (const CurveTransfer rule : {CurveTransfer::bilinear, CurveTransfer::bicubic}) {
        CurvePart part;
        const MatrixX3d moved = brought_back(
            shape, rule, [](double z) { return 2.0 - 3.0 * z; }, part);
        for (size_t i = 0; i < part.vertices.size(); ++i) {
            EXPECT_NEAR(moved(static_cast<Eigen::Index>(i), 1), 2.0 - 3.0 * shape.positions(part.vertices[i], 2),
                        1e-11);
        }
    }
}

TEST(tube_map, the_cubic_rule_brings_parabolas_back_inside_and_the_linear_one_its_chords) {
    const test::Shape shape = test::open_cylinder(24, 21);
    const auto parabola = [](double z) { return z * z; };
    CurvePart part;
    const MatrixX3d cubic = brought_back(shape, CurveTransfer::bicubic, parabola, part);
    const MatrixX3d linear = brought_back(shape, CurveTransfer::bilinear, parabola, part);
    for (size_t i = 0; i < part.vertices.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const double z = shape.positions(part.vertices[i], 2);
        if (z > 1.0 / 8.0 && z < 7.0 / 8.0) {  // four nodes around
            EXPECT_NEAR(cubic(row, 0), z * z, 1e-11);
        }
        // Chord over a step h = 1/8 lies x (h - x) above.
        const double x = z - std::floor(8.0 * z) / 8.0;
        EXPECT_NEAR(linear(row, 0), z * z + x * (1.0 / 8.0 - x), 1e-11);
    }
}

TEST(tube_map, rules_round_the_tube_reproduce_a_wave_to_their_order) {
    // cos(angle) between nodes 45 degrees apart: the chord's sagitta is 1 - cos(22.5 degrees), and
    // Catmull-Rom's midpoint (9 (a + b) - (c + d)) / 16.
    const test::Shape shape = test::open_cylinder(16, 8);
    for (const CurveTransfer rule : {CurveTransfer::bilinear, CurveTransfer::bicubic}) {
        CurveLayout layout;
        layout.curves = 8;
        layout.nodes = 5;
        layout.transfer = rule;
        const CurvePart part = lay_curves(whole_surface(shape.positions, topology_of(shape)), -1, -1, layout);
        MatrixX3d nodes(part.rows(), 3);
        part.nodes.apply(shape.positions, Workers(1), nodes);
        MatrixX3d moved(part.transfer.count(), 3);
        part.transfer.apply(nodes, Workers(1), moved);  // their own places, as displacements
        const double c = std::cos(std::numbers::pi / 8.0);
        const double middle =
            rule == CurveTransfer::bilinear ? c : (9.0 * c - std::cos(3.0 * std::numbers::pi / 8.0)) / 8.0;
        for (size_t i = 0; i < part.vertices.size(); ++i) {
            const double radius = moved.row(static_cast<Eigen::Index>(i)).head<2>().norm() / 0.25;
            // Vertices lie on lines or half way between.
            EXPECT_LT(std::min(std::abs(radius - 1.0), std::abs(radius - middle)), 1e-2) << radius;
        }
    }
}

}  // namespace
}  // namespace cutis
