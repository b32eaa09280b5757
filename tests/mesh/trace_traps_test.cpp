// Each trap of tracing on real meshes has a test of its own here.

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "mesh/trace.h"
#include "support/shapes.h"

namespace cutis {
namespace {

using test::Shape;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct TrapSurface {
    explicit TrapSurface(const Shape& shape, const TraceOptions& options = {.most_edges = infinity})
        : positions(shape.positions),
          topology(shape.triangles, static_cast<int>(shape.positions.rows())),
          tracer(topology, options) {
        tracer.update(positions, Workers(1));
    }
    TrapSurface(const TrapSurface&) = delete;
    TrapSurface& operator=(const TrapSurface&) = delete;

    Vector3d at(const SurfacePoint& point) const { return position_at(positions, topology.triangles(), point); }
    double travelled(const SurfacePoint& start, const Vector3d& d) const {
        return (at(tracer.trace(start, d).point) - at(start)).norm();
    }

    MatrixX3d positions;
    Topology topology;
    SurfaceTracer tracer;
};

void expect_on_surface(const SurfacePoint& point, const Topology& topology) {
    EXPECT_NO_THROW(require_valid_point(topology, point));
    EXPECT_GE(point.barycentric.minCoeff(), 0.0);
    EXPECT_NEAR(point.barycentric.sum(), 1.0, 4e-16);
}

TEST(TraceTraps, a_start_on_an_edge_is_not_caught_between_its_two_triangles) {
    // A walker that tests the edge it has just crossed hops to and fro on it.
    const TrapSurface plane(test::planar_grid(6, 6, 0.2));
    test::Random random(3);
    for (int f = 0; f < plane.topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            SurfacePoint start{f, Vector3d::Zero()};
            const double share = random.uniform(0.05, 0.95);
            start.barycentric[k] = share;
            start.barycentric[(k + 1) % 3] = 1 - share;
            const Vector3d from = plane.at(start);
            const Vector3d to(random.uniform(0.05, 0.95), random.uniform(0.05, 0.95), 0);
            const TraceResult end = plane.tracer.trace(start, to - from);
            EXPECT_FALSE(end.ran_out);
            EXPECT_LT((plane.at(end.point) - to).norm(), 1e-13);
            EXPECT_LT(end.crossings, 40);
        }
    }
}

TEST(TraceTraps, barycentric_weights_stay_normalised_over_thousands_of_crossings) {
    const TrapSurface torus(test::torus_grid(24, 24, 0.35, 0.14, 0.3),
                            {.most_edges = infinity, .most_crossings = 100000});
    test::Random random(1);
    for (int i = 0; i < 20; ++i) {
        const SurfacePoint start{random.below(1152), Vector3d(0.2, 0.3, 0.5)};
        const TraceResult end = torus.tracer.trace(start, 500.0 * random.direction());
        EXPECT_GT(end.crossings, 1000);
        EXPECT_FALSE(end.ran_out);
        expect_on_surface(end.point, torus.topology);
    }
}

TEST(TraceTraps, slivers_neither_trap_nor_derail_a_trace) {
    // Every second column of the grid is a sliver; real characters go down to 8e-4 of the edge.
    for (const double height : {1e-4, 1e-7}) {
        Shape grid = test::planar_grid(40, 10);
        for (Eigen::Index v = 0; v < grid.positions.rows(); ++v) {
            const long column = v % 41;
            if (column % 2 == 1) {
                grid.positions(v, 0) = (static_cast<double>(column) + 1 - height) / 40.0;
            }
        }
        // A target at distance 1 has weights of 1 / height there; each sliver rounds those once.
        const double rounding = 20 * 2.2e-16 * (40.0 / height) * 0.1;
        const TrapSurface plane(grid);
        test::Random random(6);
        for (int i = 0; i < 500; ++i) {
            const SurfacePoint start{random.below(800), Vector3d(0.3, 0.3, 0.4)};
            const Vector3d to(random.uniform(0.02, 0.98), random.uniform(0.02, 0.98), 0);
            const TraceResult end = plane.tracer.trace(start, to - plane.at(start));
            EXPECT_LT((plane.at(end.point) - to).norm(), rounding);
            EXPECT_FALSE(end.ran_out);
        }
    }
}

TEST(TraceTraps, the_crossing_guard_ends_a_trace_on_the_surface) {
    const TrapSurface torus(test::torus_grid(12, 8), {.most_edges = infinity, .most_crossings = 5});
    const SurfacePoint start{10, Vector3d(0.2, 0.3, 0.5)};
    const TraceResult end = torus.tracer.trace(start, Vector3d(3, 2, 1));
    EXPECT_TRUE(end.ran_out);
    EXPECT_EQ(end.crossings, 5);
    expect_on_surface(end.point, torus.topology);
}

TEST(TraceTraps, a_long_displacement_is_cut_to_a_few_edges_of_its_neighbourhood) {
    // Edges of very different size on one mesh: the cap must follow the place, not the mesh.
    Shape grid = test::planar_grid(40, 40);
    grid.positions = grid.positions.array().cube();  // cells from 1.6e-5 to 0.07
    const TrapSurface plane(grid, {.most_edges = 4.0});
    for (const int v : {1 * 41 + 1, 10 * 41 + 10, 25 * 41 + 25}) {
        const SurfacePoint start = point_at_vertex(plane.topology, v);
        const double allowed = 4.0 * plane.tracer.mean_incident_edge(v);
        double mean = 0.0;
        int count = 0;
        for (const auto& [a, b] : plane.topology.edges()) {
            if (a == v || b == v) {
                mean += (plane.positions.row(a) - plane.positions.row(b)).norm();
                ++count;
            }
        }
        EXPECT_NEAR(plane.tracer.mean_incident_edge(v), mean / count, 1e-15);
        const TraceResult end = plane.tracer.trace(start, Vector3d(100, 100, 0));
        EXPECT_TRUE(end.was_capped);
        EXPECT_NEAR((plane.at(end.point) - plane.at(start)).norm(), allowed, 1e-12);
        EXPECT_FALSE(plane.tracer.trace(start, Vector3d(0.9 * allowed, 0, 0)).was_capped);
    }
    // Inside a triangle the caps of its corners are interpolated; 1e300 does not overflow.
    const SurfacePoint inside{900, Vector3d(0.2, 0.3, 0.5)};
    const TraceResult end = plane.tracer.trace(inside, Vector3d(1e300, 1e300, 0));
    EXPECT_TRUE(end.was_capped);
    double allowed = 0.0;
    for (int k = 0; k < 3; ++k) {
        allowed += 4 * inside.barycentric[k] * plane.tracer.mean_incident_edge(plane.topology.triangles()(900, k));
    }
    EXPECT_NEAR((plane.at(end.point) - plane.at(inside)).norm(), allowed, 1e-12);
}

TEST(TraceTraps, a_displacement_that_is_not_finite_moves_nothing_and_says_so) {
    const TrapSurface sphere(test::icosphere(2));
    const SurfacePoint start{7, Vector3d(0.2, 0.3, 0.5)};
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const Vector3d& bad : {Vector3d(nan, 0, 0), Vector3d(0, infinity, 0)}) {
        const TraceResult end = sphere.tracer.trace(start, bad);
        EXPECT_FALSE(end.was_finite);
        EXPECT_EQ(end.point.triangle, 7);
        EXPECT_EQ(end.point.barycentric, start.barycentric);
        EXPECT_FALSE(sphere.tracer.trace(start, Vector3d(0.1, 0, 0), bad).was_finite);
    }
    // Finite, but so long without a cap that intermediate numbers overflow.
    const TraceResult end = sphere.tracer.trace(start, Vector3d(1e308, 1e308, -1e308));
    EXPECT_TRUE(end.ran_out);
    expect_on_surface(end.point, sphere.topology);
}

TEST(TraceTraps, from_a_vertex_every_direction_is_taken_from_the_triangle_that_holds_it) {
    const TrapSurface disc(test::fan(7));
    for (int i = 0; i < 720; ++i) {
        const double u = 2 * 3.14159265358979 * i / 720;
        const Vector3d d(0.3 * std::cos(u), 0.3 * std::sin(u), 0);
        // Whatever triangle names the vertex.
        for (int f = 0; f < 7; ++f) {
            const TraceResult end = disc.tracer.trace({f, Vector3d(1, 0, 0)}, d);
            EXPECT_LT((disc.at(end.point) - d).norm(), 1e-15);
            EXPECT_EQ(end.crossings, 0);
        }
    }
}

TEST(TraceTraps, from_a_tip_the_length_is_kept_also_between_the_triangles) {
    // Blunt tip: horizontal directions above an edge lie in neither of its triangles.
    const TrapSurface cone(test::double_cone(5, 0.4));
    const SurfacePoint tip = point_at_vertex(cone.topology, 0);
    double previous = -1.0;
    for (int i = 0; i <= 3600; ++i) {
        const double u = 2 * 3.14159265358979 * i / 3600;
        const double length = cone.travelled(tip, 0.1 * Vector3d(std::cos(u), std::sin(u), 0));
        EXPECT_NEAR(length, 0.1, 1e-12);
        if (previous >= 0.0) {
            EXPECT_NEAR(length, previous, 1e-12);
        }
        previous = length;
    }
}

TEST(TraceTraps, a_displacement_along_the_normal_goes_nowhere_and_never_jumps) {
    // Tilt a displacement from tangential to normal: the distance must change continuously.
    const TrapSurface plane(test::planar_grid(10, 10, 0.2));
    const SurfacePoint inside{77, Vector3d(0.3, 0.3, 0.4)};
    const SurfacePoint vertex = point_at_vertex(plane.topology, 60);
    for (const SurfacePoint& start : {inside, vertex}) {
        double previous = 0.05;
        for (int i = 0; i <= 900; ++i) {
            const double tilt = 3.14159265358979 / 2 * i / 900;
            const Vector3d d = 0.05 * Vector3d(std::cos(tilt), 0, std::sin(tilt));
            const double length = plane.travelled(start, d);
            EXPECT_LT(std::abs(length - previous), 0.05 * 0.01) << i;
            EXPECT_LE(length, 0.05 * (1 + 1e-14));
            previous = length;
            if (i <= 400) {
                EXPECT_NEAR(length, 0.05, 1e-14);  // tangential to begin with: length kept
            }
            if (i >= 600) {
                EXPECT_NEAR(length, 0.05 * std::cos(tilt), 1e-14);  // not tangential: projected
            }
        }
        EXPECT_LT(plane.travelled(start, Vector3d(0, 0, 0.05)), 1e-17);
    }
    const TrapSurface strict(test::planar_grid(10, 10, 0.2), {.most_edges = infinity, .restore_length = false});
    EXPECT_NEAR(strict.travelled(inside, Vector3d(0.04, 0, 0.03)), 0.04, 1e-15);
}

TEST(TraceTraps, at_the_boundary_the_normal_part_is_dropped_and_the_rest_slides) {
    const TrapSurface plane(test::planar_grid(10, 10, 0.2));
    test::Random random(12);
    for (int i = 0; i < 500; ++i) {
        const SurfacePoint start{random.below(200), Vector3d(0.3, 0.3, 0.4)};
        const Vector3d from = plane.at(start);
        // Leaves through the right side; ends where the y part ends, on the side itself.
        const Vector3d to(random.uniform(1.1, 2.0), random.uniform(0.05, 0.95), 0);
        const TraceResult end = plane.tracer.trace(start, to - from);
        EXPECT_TRUE(end.met_boundary);
        EXPECT_LT((plane.at(end.point) - Vector3d(1, to[1], 0)).norm(), 1e-13);
        // Into the corner: both parts are dropped one after the other.
        const TraceResult corner = plane.tracer.trace(start, Vector3d(3, 3, 0));
        EXPECT_LT((plane.at(corner.point) - Vector3d(1, 1, 0)).norm(), 1e-14);
        EXPECT_FALSE(corner.ran_out);
        EXPECT_LT(corner.crossings, 80);
    }
}

TEST(TraceTraps, from_a_boundary_vertex_an_outward_displacement_slides_too) {
    const TrapSurface plane(test::planar_grid(10, 10));
    const SurfacePoint side = point_at_vertex(plane.topology, 5);  // (0.5, 0)
    const TraceResult slid = plane.tracer.trace(side, Vector3d(0.17, -0.4, 0));
    EXPECT_TRUE(slid.met_boundary);
    EXPECT_LT((plane.at(slid.point) - Vector3d(0.67, 0, 0)).norm(), 1e-15);
    const TraceResult other = plane.tracer.trace(side, Vector3d(-0.17, -0.4, 0));
    EXPECT_LT((plane.at(other.point) - Vector3d(0.33, 0, 0)).norm(), 1e-15);
    const SurfacePoint corner = point_at_vertex(plane.topology, 0);
    const TraceResult stuck = plane.tracer.trace(corner, Vector3d(-0.2, -0.1, 0));
    EXPECT_TRUE(stuck.met_boundary);
    EXPECT_LT(plane.at(stuck.point).norm(), 1e-15);
    const TraceResult along = plane.tracer.trace(corner, Vector3d(0.2, -0.1, 0));
    EXPECT_LT((plane.at(along.point) - Vector3d(0.2, 0, 0)).norm(), 1e-15);
}

TEST(TraceTraps, sliding_along_a_round_rim_keeps_its_length) {
    // The rim of a prism is straight as seen within the surface: nothing is lost at its corners.
    const int around = 12;
    const double radius = 0.25;
    const TrapSurface prism(test::open_cylinder(around, 4, radius, 1.0));
    const double width = 2 * radius * std::sin(3.14159265358979 / around);
    // Start in the middle of the lowest strip, aim down and three and a half strips along.
    const SurfacePoint start{0, Vector3d(0.5, 0.5, 0.0)};  // middle of the first rim edge
    const double middle = 3.14159265358979 / around;
    const Vector3d along(-std::sin(middle), std::cos(middle), 0);
    const TraceResult end = prism.tracer.trace(start, 3 * width * along - Vector3d(0, 0, 0.3));
    EXPECT_TRUE(end.met_boundary);
    const double there = 7 * middle;  // middle of the fourth rim edge
    const double apothem = radius * std::cos(3.14159265358979 / around);
    EXPECT_LT((prism.at(end.point) - Vector3d(apothem * std::cos(there), apothem * std::sin(there), 0)).norm(), 1e-13);
}

TEST(TraceTraps, a_reentrant_corner_lets_a_sliding_point_go_on_straight) {
    // L-shaped sheet: cells of a 2 x 2 grid without the upper right one. Sliding along the inner
    // side x = 0.5 downward from y = 1 reaches the inner corner and goes on straight to y = 0.
    const Shape grid = test::planar_grid(2, 2);
    Shape ell = grid;
    ell.triangles.conservativeResize(6, 3);  // cells in rows: (0,0) (1,0) (0,1), then (1,1)
    ell.positions.conservativeResize(8, 3);  // its corner (1, 1) is vertex 8
    const TrapSurface sheet(ell);
    // (0.45, 0.9) lies in triangle 5: (0.5, 0.5), (0.5, 1), (0, 1).
    const SurfacePoint start{5, Vector3d(0.2, 0.7, 0.1)};
    const Vector3d from = sheet.at(start);
    ASSERT_LT((from - Vector3d(0.45, 0.9, 0)).norm(), 1e-15);
    const TraceResult end = sheet.tracer.trace(start, Vector3d(0.7 - from[0], 0.1 - from[1], 0));
    expect_on_surface(end.point, sheet.topology);
    // Hits x = 0.5 above the corner, slides to (0.5, 0.1): the x part of the rest is gone.
    EXPECT_TRUE(end.met_boundary);
    EXPECT_LT((sheet.at(end.point) - Vector3d(0.5, 0.1, 0)).norm(), 1e-13);
}

TEST(TraceTraps, collapsed_triangles_and_collapsed_surfaces_give_no_nan) {
    Shape grid = test::planar_grid(8, 8);
    grid.positions.row(40) = grid.positions.row(41);
    const TrapSurface plane(grid);
    TrapSurface point(test::icosphere(1));
    point.tracer.update(MatrixX3d::Constant(42, 3, 0.5), Workers(1));
    test::Random random(13);
    for (int i = 0; i < 500; ++i) {
        const Vector3d d = 0.3 * random.direction();
        const SurfacePoint start{random.below(80), Vector3d(0.1, 0.2, 0.7)};
        const TraceResult end = plane.tracer.trace(start, d, d);
        expect_on_surface(end.point, plane.topology);
        EXPECT_TRUE(end.carried.allFinite());
        const TraceResult same = point.tracer.trace(start, d, d);
        expect_on_surface(same.point, point.topology);
        EXPECT_TRUE(same.carried.allFinite());
    }
}

TEST(TraceTraps, positions_that_are_not_finite_never_reach_the_weights) {
    Shape sphere = test::icosphere(1);
    sphere.positions(5, 2) = std::numeric_limits<double>::quiet_NaN();
    const TrapSurface broken(sphere, {});
    test::Random random(14);
    for (int f = 0; f < 80; ++f) {
        const TraceResult end = broken.tracer.trace({f, Vector3d(0.1, 0.2, 0.7)}, 0.5 * random.direction());
        expect_on_surface(end.point, broken.topology);
    }
}

TEST(TraceTraps, a_start_that_is_not_on_the_surface_is_refused) {
    const TrapSurface sphere(test::icosphere(1));
    const Vector3d d(0.1, 0, 0);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(sphere.tracer.trace({-1, Vector3d(1, 0, 0)}, d), InvalidInput);
    EXPECT_THROW(sphere.tracer.trace({80, Vector3d(1, 0, 0)}, d), InvalidInput);
    EXPECT_THROW(sphere.tracer.trace({3, Vector3d(nan, 0, 0)}, d), InvalidInput);
    EXPECT_THROW(sphere.tracer.trace({3, Vector3d(0, 0, 0)}, d), InvalidInput);
    EXPECT_THROW(sphere.tracer.trace({3, Vector3d(9, 9, 9)}, d), InvalidInput);
}

TEST(TraceTraps, options_and_sizes_out_of_range_are_refused) {
    const Shape shape = test::cube();
    const Topology topology(shape.triangles, 8);
    EXPECT_THROW(SurfaceTracer(topology, {.most_edges = 0.0}), InvalidInput);
    EXPECT_THROW(SurfaceTracer(topology, {.most_edges = std::nan("")}), InvalidInput);
    EXPECT_THROW(SurfaceTracer(topology, {.most_crossings = 0}), InvalidInput);
    SurfaceTracer tracer(topology);
    EXPECT_THROW(tracer.update(shape.positions.topRows(7), Workers(1)), InvalidInput);
}

TEST(TraceTraps, one_and_three_threads_prepare_the_same_bits) {
    const Shape torus = test::torus_grid(80, 60, 0.35, 0.14, 0.3);
    TrapSurface one(torus);
    TrapSurface three(torus);
    three.tracer.update(three.positions, Workers(3));
    test::Random random(15);
    for (int i = 0; i < 300; ++i) {
        const SurfacePoint start{random.below(9600), Vector3d(0.1, 0.2, 0.7)};
        const Vector3d d = 0.2 * random.direction();
        const TraceResult a = one.tracer.trace(start, d, d);
        const TraceResult b = three.tracer.trace(start, d, d);
        EXPECT_EQ(a.point.triangle, b.point.triangle);
        EXPECT_EQ(a.point.barycentric, b.point.barycentric);
        EXPECT_EQ(a.carried, b.carried);
    }
}

TEST(TraceTraps, a_short_trace_takes_tens_of_nanoseconds) {
    const TrapSurface torus(test::torus_grid(48, 48, 0.35, 0.14, 0.3), {});
    const double edge = mean_edge_length(torus.positions, torus.topology);
    test::Random random(16);
    std::vector<SurfacePoint> points;
    std::vector<Vector3d> steps;
    for (int i = 0; i < 4096; ++i) {
        points.push_back({random.below(4608), Vector3d(0.3, 0.3, 0.4)});
        steps.push_back(0.5 * edge * random.direction());
    }
    double best = infinity;
    int crossings = 0;
    for (int round = 0; round < 20; ++round) {
        crossings = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (size_t i = 0; i < points.size(); ++i) {
            const TraceResult end = torus.tracer.trace(points[i], steps[i]);
            crossings += end.crossings;
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        best = std::min(best, seconds.count() / static_cast<double>(points.size()));
    }
    EXPECT_GT(crossings, 1000);
    RecordProperty("nanoseconds", std::to_string(1e9 * best));
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    EXPECT_LT(best, 1e-6);  // some 40 ns on an idle machine; only a change of kind shall fail
#endif
}

}  // namespace
}  // namespace cutis
