// Closed forms: where a straight line on a surface must end.

#include "mesh/trace.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "cutis/mesh/geometry.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::Shape;
constexpr double no_cap = std::numeric_limits<double>::infinity();

struct Surface {
    explicit Surface(const Shape& shape, double most_edges = no_cap)
        : positions(shape.positions),
          topology(shape.triangles, static_cast<int>(shape.positions.rows())),
          tracer(topology, {.most_edges = most_edges}) {
        tracer.update(positions, Workers(1));
    }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;

    Vector3d at(const SurfacePoint& point) const { return position_at(positions, topology.triangles(), point); }
    Vector3d normal(int f) const { return triangle_normals(positions, topology).row(f).transpose(); }

    MatrixX3d positions;
    Topology topology;
    SurfaceTracer tracer;
};

SurfacePoint some_point(test::Random& random, int triangle_count) {
    SurfacePoint point;
    point.triangle = random.below(triangle_count);
    Vector3d b(random.uniform(0.01, 1), random.uniform(0.01, 1), random.uniform(0.01, 1));
    point.barycentric = b / b.sum();
    return point;
}

// Projects a direction into the plane of a triangle, with the given length.
Vector3d in_plane(const Surface& surface, int f, const Vector3d& direction, double length) {
    const Vector3d n = surface.normal(f);
    return (direction - n * n.dot(direction)).normalized() * length;
}

TEST(Trace, a_straight_line_in_a_jittered_plane_ends_exactly_where_it_should) {
    const Surface plane(test::planar_grid(20, 20, 0.24));
    test::Random random(5);
    int long_traces = 0;
    for (int i = 0; i < 2000; ++i) {
        const SurfacePoint start = some_point(random, plane.topology.triangle_count());
        const Vector3d from = plane.at(start);
        const Vector3d to(random.uniform(0.01, 0.99), random.uniform(0.01, 0.99), 0.0);
        const TraceResult end = plane.tracer.trace(start, to - from, Vector3d(0.3, -0.7, 0));
        EXPECT_LT((plane.at(end.point) - to).norm(), 1e-13);
        EXPECT_LT((end.carried - Vector3d(0.3, -0.7, 0)).norm(), 1e-12);
        EXPECT_FALSE(end.met_boundary || end.was_capped || end.ran_out);
        EXPECT_GE(end.point.barycentric.minCoeff(), 0.0);
        EXPECT_NEAR(end.point.barycentric.sum(), 1.0, 1e-15);
        long_traces += end.crossings > 20 ? 1 : 0;
    }
    EXPECT_GT(long_traces, 100);
}

TEST(Trace, without_tables_traces_end_where_they_end_with_them) {
    const Shape shape = test::torus_grid(16, 12, 0.35, 0.14, 0.2);
    const Surface surface(shape, 4.0);
    SurfaceTracer bare(surface.topology, {.keep_tables = false});
    bare.watch(surface.positions.data(), 3);
    test::Random random(11);
    int crossings = 0;
    for (int i = 0; i < 1000; ++i) {
        const SurfacePoint start = i % 3 == 0 ? point_at_vertex(surface.topology, random.below(16 * 12))
                                              : some_point(random, surface.topology.triangle_count());
        const Vector3d step(random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3));
        const TraceResult with = surface.tracer.trace(start, step, Vector3d(1, 2, 3));
        const TraceResult without = bare.trace(start, step, Vector3d(1, 2, 3));
        EXPECT_EQ(with.point.triangle, without.point.triangle);
        EXPECT_LT((with.point.barycentric - without.point.barycentric).norm(), 1e-12);
        EXPECT_LT((with.carried - without.carried).norm(), 1e-11);
        EXPECT_EQ(with.was_capped, without.was_capped);
        crossings += with.crossings;
    }
    EXPECT_GT(crossings, 1000);
}

TEST(Trace, a_line_along_grid_lines_through_vertices_and_along_edges_arrives) {
    const Surface plane(test::planar_grid(8, 8));
    for (const int v : {0, 4, 10, 40, 44, 80}) {
        const SurfacePoint start = point_at_vertex(plane.topology, v);
        for (int i = 0; i <= 8; ++i) {
            for (int j = 0; j <= 8; ++j) {
                const Vector3d to(i / 8.0, j / 8.0, 0.0);
                const TraceResult end = plane.tracer.trace(start, to - plane.at(start));
                EXPECT_LT((plane.at(end.point) - to).norm(), 1e-14) << v << ' ' << i << ' ' << j;
                EXPECT_FALSE(end.ran_out);
            }
        }
    }
}

TEST(Trace, a_geodesic_on_a_cylinder_is_the_unrolled_straight_line) {
    // A prism over a regular polygon is developable: unrolled, its circumference is that of the
    // polygon. Points stay on the prism's flat strips, so the closed form is exact.
    const int around = 24;
    const double radius = 0.25;
    const Surface prism(test::open_cylinder(around, 30, radius, 1.0));
    const double width = 2 * radius * std::sin(std::numbers::pi / around);
    test::Random random(11);
    for (int i = 0; i < 500; ++i) {
        // Start in the strip j at unrolled coordinate s, height z.
        const SurfacePoint start = some_point(random, prism.topology.triangle_count());
        const Vector3d p = prism.at(start);
        const auto unrolled = [&](const Vector3d& q) {
            double angle = std::atan2(q[1], q[0]);
            angle += angle < 0 ? 2 * std::numbers::pi : 0.0;
            const int strip = std::min(around - 1, static_cast<int>(angle / (2 * std::numbers::pi / around)));
            const double middle = (strip + 0.5) * 2 * std::numbers::pi / around;
            const Vector3d along(-std::sin(middle), std::cos(middle), 0);
            return (strip + 0.5) * width + along.dot(q);
        };
        const double to_z = random.uniform(0.02, 0.98);
        const double ds = random.uniform(-3, 3);
        const double angle0 = std::atan2(p[1], p[0]) + (p[1] < 0 ? 2 * std::numbers::pi : 0.0);
        const double middle =
            (std::floor(angle0 / (2 * std::numbers::pi / around)) + 0.5) * 2 * std::numbers::pi / around;
        const Vector3d along(-std::sin(middle), std::cos(middle), 0);
        const TraceResult end = prism.tracer.trace(start, ds * along + Vector3d(0, 0, to_z - p[2]), Vector3d(0, 0, 1));
        const Vector3d q = prism.at(end.point);
        EXPECT_NEAR(q[2], to_z, 1e-12);
        const double turns = (unrolled(q) - unrolled(p) - ds) / (around * width);
        EXPECT_NEAR(turns, std::round(turns), 1e-11);
        EXPECT_LT((end.carried - Vector3d(0, 0, 1)).norm(), 1e-11);
    }
}

TEST(Trace, going_round_a_closed_tube_comes_back) {
    const int around = 17;
    const double radius = 0.14;
    const Surface tube(test::open_cylinder(around, 9, radius, 1.0));
    const double circumference = around * 2 * radius * std::sin(std::numbers::pi / around);
    test::Random random(2);
    for (int i = 0; i < 100; ++i) {
        const SurfacePoint start = some_point(random, tube.topology.triangle_count());
        const Vector3d d =
            in_plane(tube, start.triangle, tube.normal(start.triangle).cross(Vector3d(0, 0, 1)), circumference);
        const TraceResult end = tube.tracer.trace(start, d, d);
        EXPECT_LT((tube.at(end.point) - tube.at(start)).norm(), 1e-13);
        EXPECT_LT((end.carried - d).norm(), 1e-12);
        EXPECT_GE(end.crossings, around);
    }
}

TEST(Trace, tracing_back_with_the_carried_direction_returns) {
    for (const Shape& shape :
         {test::torus_grid(20, 14, 0.35, 0.14, 0.3), test::icosphere(3), test::cube(), test::double_cone(18, 0.3)}) {
        const Surface surface(shape);
        const double edge = mean_edge_length(surface.positions, surface.topology);
        test::Random random(9);
        for (int i = 0; i < 300; ++i) {
            const SurfacePoint start = some_point(random, surface.topology.triangle_count());
            const double length = random.uniform(0.1, 6.0) * edge;
            const Vector3d d = in_plane(surface, start.triangle, random.direction(), length);
            const TraceResult there = surface.tracer.trace(start, d, d);
            EXPECT_NEAR(there.carried.norm(), length, 1e-11 * length);
            EXPECT_NEAR(there.carried.dot(surface.normal(there.point.triangle)), 0.0, 1e-12 * length);
            const TraceResult back = surface.tracer.trace(there.point, -there.carried, d);
            EXPECT_LT((surface.at(back.point) - surface.at(start)).norm(), 1e-10 * edge);
        }
    }
}

TEST(Trace, a_line_on_a_sphere_converges_to_the_great_circle_faster_than_first_order) {
    test::Random random(4);
    std::vector<Vector3d> starts;
    std::vector<Vector3d> directions;
    for (int i = 0; i < 60; ++i) {
        starts.push_back(random.direction());
        directions.push_back(random.direction());
    }
    std::vector<double> errors;
    for (const int level : {2, 3, 4, 5}) {
        const Surface sphere(test::icosphere(level));
        double squares = 0.0;
        for (size_t i = 0; i < starts.size(); ++i) {
            // The triangle pierced by the ray from the centre.
            SurfacePoint start;
            for (int f = 0; f < sphere.topology.triangle_count(); ++f) {
                Eigen::Matrix3d corners;
                for (int k = 0; k < 3; ++k) {
                    corners.col(k) = sphere.positions.row(sphere.topology.triangles()(f, k));
                }
                const Vector3d b = corners.inverse() * starts[i];
                if (b.minCoeff() >= 0.0) {
                    start = {f, b / b.sum()};
                    break;
                }
            }
            const Vector3d p = starts[i];
            const Vector3d t = (directions[i] - p * p.dot(directions[i])).normalized();
            const double length = 1.5;
            const TraceResult end = sphere.tracer.trace(start, length * t);
            const Vector3d exact = std::cos(length) * p + std::sin(length) * t;
            squares += (sphere.at(end.point).normalized() - exact).squaredNorm();
        }
        errors.push_back(std::sqrt(squares / static_cast<double>(starts.size())));
    }
    EXPECT_LT(errors.back(), 3e-3);
    for (size_t i = 1; i < errors.size(); ++i) {
        RecordProperty("rms_" + std::to_string(i), std::to_string(errors[i]));
        EXPECT_GT(std::log2(errors[i - 1] / errors[i]), 0.9) << errors[i - 1] << ' ' << errors[i];
    }
    EXPECT_GT(std::log2(errors.front() / errors.back()) / 3, 1.2);
}

TEST(Trace, carrying_a_vector_round_a_cone_turns_it_by_the_missing_angle) {
    // Parallel transport round a tip turns a vector by 2 std::numbers::pi minus the angles at the tip.
    const int valence = 5;
    const Surface cone(test::double_cone(valence, 0.7));
    const Vector3d tip = cone.positions.row(0).transpose();
    double angle_sum = 0.0;
    for (const int f : cone.topology.triangles_around(0)) {
        const Vector3d a = cone.positions.row(cone.topology.triangles()(f, 1)).transpose() - tip;
        const Vector3d b = cone.positions.row(cone.topology.triangles()(f, 2)).transpose() - tip;
        angle_sum += std::acos(a.dot(b) / a.norm() / b.norm());
    }
    // Walk from triangle centre to triangle centre round the tip.
    SurfacePoint point{0, Vector3d(0.5, 0.25, 0.25)};
    const Vector3d n = cone.normal(0);
    const Vector3d first = in_plane(cone, 0, Vector3d(1, 2, 3), 1.0);
    Vector3d carried = first;
    for (int i = 0; i < valence; ++i) {
        // Unfold the next triangle about the shared edge by the tracer itself: aim at its centre
        // from the shared edge's midpoint, in two short traces.
        const int f = point.triangle;
        const SurfacePoint on_edge{f, Vector3d(0.6, 0.0, 0.4)};
        const Vector3d step = cone.at(on_edge) - cone.at(point);
        const TraceResult at_edge = cone.tracer.trace(point, step, carried);
        const int next = cone.topology.neighbour(f, 2);
        const SurfacePoint centre{next, Vector3d(0.5, 0.25, 0.25)};
        // Over the edge with the carried vector of the first trace, then to the centre.
        const TraceResult over = cone.tracer.trace(at_edge.point, 1e-3 * step, at_edge.carried);
        ASSERT_EQ(over.point.triangle, next);
        const TraceResult there = cone.tracer.trace(over.point, cone.at(centre) - cone.at(over.point), over.carried);
        ASSERT_EQ(there.point.triangle, next);
        point = there.point;
        carried = there.carried;
    }
    ASSERT_EQ(point.triangle, 0);
    const double turned = std::atan2(n.dot(first.cross(carried)), first.dot(carried));
    const double missing = 2 * std::numbers::pi - angle_sum;
    EXPECT_NEAR(std::cos(turned), std::cos(missing), 1e-12);
    EXPECT_NEAR(std::sin(turned), std::sin(missing), 1e-12);
}

TEST(Trace, rigid_motion_and_scale_carry_over) {
    const Shape torus = test::torus_grid(16, 12, 0.35, 0.14, 0.3);
    const Eigen::Matrix3d rotation = test::some_rotation();
    const Vector3d offset(10, -5, 3);
    const Surface here(torus, 4.0);
    const Surface moved(test::moved(torus, rotation, offset, 100.0), 4.0);
    const Surface swapped(test::axes_swapped(torus), 4.0);
    test::Random random(8);
    for (int i = 0; i < 300; ++i) {
        const SurfacePoint start = some_point(random, here.topology.triangle_count());
        const Vector3d d = 0.1 * random.direction();
        const Vector3d end = here.at(here.tracer.trace(start, d).point);
        const Vector3d moved_end = moved.at(moved.tracer.trace(start, 100.0 * (rotation * d)).point);
        EXPECT_LT((moved_end - (100.0 * (rotation * end) + offset)).norm(), 1e-10);
        const Vector3d swapped_end = swapped.at(swapped.tracer.trace(start, Vector3d(d[1], d[2], d[0])).point);
        EXPECT_LT((swapped_end - Vector3d(end[1], end[2], end[0])).norm(), 1e-13);
    }
}

}  // namespace
}  // namespace cutis
