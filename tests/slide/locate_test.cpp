#include "slide/locate.h"
#include "slide/rest_surface.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/mesh_map.h"
#include "mesh/adaptive_loop.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

TEST(nearest_in_triangle, agrees_with_a_fine_search_of_the_triangle) {
    const Vector3d a(0.1, 0.0, 0.2);
    const Vector3d b(1.3, 0.1, 0.0);
    const Vector3d c(0.4, 0.9, -0.3);
    for (int i = 0; i < 60; ++i) {
        const Vector3d p(2.0 * std::sin(1.7 * i), 2.0 * std::cos(2.3 * i), std::sin(0.9 * i));
        double square = 0.0;
        const Vector3d w = nearest_in_triangle(p, a, b, c, square);
        EXPECT_GE(w.minCoeff(), -1e-15);
        EXPECT_NEAR(w.sum(), 1.0, 1e-12);
        EXPECT_NEAR((w[0] * a + w[1] * b + w[2] * c - p).squaredNorm(), square, 1e-12);
        double best = 1e300;
        constexpr int fine = 200;
        for (int u = 0; u <= fine; ++u) {
            for (int v = 0; u + v <= fine; ++v) {
                const double s = static_cast<double>(u) / fine;
                const double t = static_cast<double>(v) / fine;
                best = std::min(best, (a + s * (b - a) + t * (c - a) - p).squaredNorm());
            }
        }
        EXPECT_LE(square, best + 1e-12);
        EXPECT_GE(std::sqrt(square), std::sqrt(best) - 0.01);  // the search's own cell
    }
}

TEST(nearest_in_triangle, of_a_triangle_without_area_is_that_of_its_sides) {
    const Vector3d a(0, 0, 0);
    const Vector3d b(1, 0, 0);
    double square = 0.0;
    const Vector3d w = nearest_in_triangle(Vector3d(0.25, 1, 0), a, b, Vector3d(0.5, 0, 0), square);
    EXPECT_NEAR(square, 1.0, 1e-15);
    EXPECT_NEAR(w[1] + 0.5 * w[2], 0.25, 1e-15);
    const Vector3d point = nearest_in_triangle(Vector3d(0, 0, 2), a, a, a, square);
    EXPECT_NEAR(square, 4.0, 1e-15);
    EXPECT_NEAR(point.sum(), 1.0, 1e-15);
}

// A torus whose skin is turned round its axis by a number of cells.
struct TurnedTorus {
    int around;
    test::Shape shape;
    Topology topology;
    Workers workers{1};
    SlideSolver solver;
    SlideLocator locator;

    TurnedTorus(int columns, int rows, double cells)
        : around(columns),
          shape(test::torus_grid(columns, rows)),
          topology(shape.triangles, columns * rows),
          solver(topology, shape.positions, SlideOptions(), workers),
          locator(topology, shape.positions, solver) {
        solver.reset(shape.positions, workers);
        // The material at vertex (i, j) is that of (i + cells, j): on the side between two columns.
        std::vector<SurfacePoint> points;
        const int whole = static_cast<int>(std::floor(cells));
        const double rest = cells - whole;
        for (int v = 0; v < columns * rows; ++v) {
            const int row = v / columns * columns;
            const int first = row + (v % columns + whole) % columns;
            const int second = row + (v % columns + whole + 1) % columns;
            SurfacePoint point = point_at_vertex(topology, first);
            for (const int f : topology.triangles_around(first)) {
                int at_first = -1;
                int at_second = -1;
                for (int k = 0; k < 3; ++k) {
                    at_first = topology.triangles()(f, k) == first ? k : at_first;
                    at_second = topology.triangles()(f, k) == second ? k : at_second;
                }
                if (at_second >= 0 && rest > 0.0) {
                    point.triangle = f;
                    point.barycentric.setZero();
                    point.barycentric[at_first] = 1.0 - rest;
                    point.barycentric[at_second] = rest;
                }
            }
            points.push_back(point);
        }
        solver.set_material_points(points, workers);
    }

    MatrixX3d locate() {
        MatrixX3d located;
        locator.locate(solver, shape.positions, workers, located);
        return located;
    }

    // Distance from where each material vertex must be, the torus turned back.
    double error(double cells) {
        constexpr double pi = 3.14159265358979323846;
        const Eigen::Matrix3d turn(Eigen::AngleAxisd(-2.0 * pi * cells / around, Vector3d::UnitZ()));
        return (locate() - shape.positions * turn.transpose()).rowwise().norm().maxCoeff();
    }
};

TEST(slide_locator, skin_turned_by_whole_cells_is_found_exactly_however_far) {
    for (const double cells : {1.0, 2.0, 7.0}) {
        TurnedTorus torus(24, 12, cells);
        EXPECT_LT(torus.error(cells), 1e-12) << cells;
        for (int v = 0; v < torus.topology.vertex_count(); ++v) {
            EXPECT_LT(torus.locator.miss(v), 1e-12) << v;
        }
    }
}

TEST(slide_locator, on_a_refinement_a_point_goes_up_and_not_a_displacement) {
    constexpr double pi = 3.14159265358979323846;
    constexpr int cells = 2;
    TurnedTorus torus(24, 12, cells);
    const AdaptiveLoop loop(torus.topology, 0,
                            std::vector<unsigned char>(static_cast<size_t>(torus.topology.triangle_count()), 1), 1);
    const auto up = [&](const SurfacePoint& point) { return loop.locate(point); };
    const MeshMap finer = MeshMap::finer(loop.stencils(), loop.topology().triangles(), loop.corner_points(), up);
    MatrixX3d fine;
    finer.values(torus.shape.positions, torus.workers, fine);
    SlideLocator locator(torus.topology, torus.shape.positions, torus.solver, finer.down(), loop.topology(), up);
    // Ridges that the simulated surface does not have: they stay where they are.
    MatrixX3d ridged = fine;
    for (Eigen::Index v = 0; v < fine.rows(); ++v) {
        ridged(v, 2) += 0.02 * std::sin(7.0 * std::atan2(fine(v, 1), fine(v, 0)));
    }
    MatrixX3d located;
    locator.locate(torus.solver, ridged, torus.workers, located);
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(-2.0 * pi * cells / torus.around, Vector3d::UnitZ()));
    const MatrixX3d turned = fine * turn.transpose();
    for (Eigen::Index v = 0; v < fine.rows(); ++v) {
        Eigen::Index there = 0;  // the vertex at whose place this one's material lies
        const double away = (fine.rowwise() - turned.row(v)).rowwise().norm().minCoeff(&there);
        ASSERT_LT(away, 1e-12);
        EXPECT_LT((located.row(v) - ridged.row(there)).norm(), 1e-9) << v;
    }
}

TEST(slide_locator, between_vertices_the_error_is_of_third_order_along_the_surface) {
    const auto along = [](TurnedTorus& torus, double cells) {
        constexpr double pi = 3.14159265358979323846;
        const MatrixX3d located = torus.locate();
        double worst = 0.0;
        for (int v = 0; v < located.rows(); ++v) {
            const Vector3d p = torus.shape.positions.row(v);
            const double angle =
                std::atan2(located(v, 1), located(v, 0)) - std::atan2(p[1], p[0]) + 2.0 * pi * cells / torus.around;
            worst = std::max(worst, std::hypot(p[0], p[1]) * std::abs(std::remainder(angle, 2 * pi)));
        }
        return worst;
    };
    TurnedTorus coarse(24, 24, 0.3);
    TurnedTorus fine(48, 48, 0.3);
    EXPECT_LT(along(coarse, 0.3), 2.9e-3);  // thin-skin notes 8
    EXPECT_LT(along(fine, 0.3), 3.6e-4);
    // Off the surface: the sagitta of the curved facets, of second order.
    EXPECT_GT(coarse.error(0.3) / fine.error(0.3), 3.5);
}

TEST(slide_locator, a_restored_search_goes_on_with_the_same_bits) {
    TurnedTorus torus(24, 12, 2.4);
    torus.locate();
    const std::vector<double> state = torus.locator.save();
    SlideLocator other(torus.topology, torus.shape.positions, torus.solver);
    other.restore(state, torus.solver);
    MatrixX3d located;
    other.locate(torus.solver, torus.shape.positions, torus.workers, located);
    EXPECT_EQ(located, torus.locate());

    std::vector<double> wrong = state;
    wrong[2 + 15 * 3] = 1e9;
    test::expect_error<InvalidInput>([&] { other.restore(wrong, torus.solver); }, {"vertex 3", "1e+09"});
    wrong = state;
    wrong[2 + 15 * 5] = std::nan("");
    test::expect_error<InvalidInput>([&] { other.restore(wrong, torus.solver); }, {"vertex 5"});
    wrong.pop_back();
    test::expect_error<InvalidInput>([&] { other.restore(wrong, torus.solver); }, {"4322", "4321"});
}

TEST(slide_locator, two_threads_find_the_same_bits) {
    TurnedTorus torus(48, 24, 3.3);
    const MatrixX3d one = torus.locate();
    torus.locator.reset();
    MatrixX3d two;
    torus.locator.locate(torus.solver, torus.shape.positions, Workers(2), two);
    EXPECT_EQ(one, two);
}

TEST(slide_locator, a_tip_too_sharp_to_slide_over_keeps_its_place) {
    const test::Shape shape = test::tetrahedron();
    const Topology topology(shape.triangles, 4);
    const Workers workers(1);
    SlideSolver solver(topology, shape.positions, SlideOptions(), workers);
    solver.reset(shape.positions, workers);
    std::vector<SurfacePoint> points(4);
    for (int v = 0; v < 4; ++v) {
        points[static_cast<size_t>(v)] = point_at_vertex(topology, v);
        points[static_cast<size_t>(v)].barycentric =
            0.9 * points[static_cast<size_t>(v)].barycentric + Vector3d::Constant(0.1 / 3.0);
    }
    solver.set_material_points(points, workers);
    SlideLocator locator(topology, shape.positions, solver);
    MatrixX3d located;
    locator.locate(solver, shape.positions, workers, located);
    EXPECT_LT((located - shape.positions).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(slide_locator, a_body_of_another_size_is_refused) {
    TurnedTorus torus(24, 12, 1.0);
    MatrixX3d out;
    test::expect_error<InvalidInput>(
        [&] { torus.locator.locate(torus.solver, torus.shape.positions.topRows(7), torus.workers, out); },
        {"288", "7"});
}

// Short ways over sides go by tables of the triangles beside each other; the tracer measures them on its way.
TEST(slide_rest_surface, points_cross_sides_to_where_the_tracer_takes_them) {
    const test::Shape shape = test::torus_grid(24, 12, 0.35, 0.14, 0.2);
    const Topology topology = test::topology_of(shape);
    const slide::RestSurface surface(topology, shape.positions, Workers(1), true);
    SurfaceTracer tracer(topology, {.keep_tables = false});
    tracer.watch(shape.positions.data(), 3);
    test::Random random(5);
    int crossed = 0;
    for (int k = 0; k < 4000; ++k) {
        slide::SkinPoint point;
        point.triangle = random.below(topology.triangle_count());
        Vector3d b(random.uniform(0.05, 1.0), random.uniform(0.05, 1.0), random.uniform(0.05, 1.0));
        b /= b.sum();
        Vector3d::Map(point.b) = b;
        const int start = point.triangle;
        const Vector2d way = random.uniform(0.0, 0.15) * Vector2d(random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0));
        alignas(32) double at[5][4];
        surface.look_up(point, at[0], at[1], at[2], at[3], at[4]);
        const Vector3d axis(at[2]);
        const Vector3d displacement = way[0] * axis + way[1] * Vector3d(at[1]).cross(axis);
        const TraceResult traced = tracer.trace({start, b}, displacement);
        EXPECT_EQ(surface.move(point, way[0], way[1]), !traced.was_capped);
        ASSERT_EQ(point.triangle, traced.point.triangle);
        EXPECT_LT((Vector3d(point.b) - traced.point.barycentric).norm(), 1e-12);
        crossed += point.triangle != start ? 1 : 0;
    }
    EXPECT_GT(crossed, 1000);
}

}  // namespace
}  // namespace cutis
