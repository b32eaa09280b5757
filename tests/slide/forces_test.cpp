// What acts on skin, measured on a flat sheet where every answer is a formula.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "slide/parts.h"
#include "slide/slide.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// Skin without anything but what a test adds: so soft that no vertex feels another.
SlideOptions bare_skin() {
    SlideOptions options;
    options.young_modulus = 1e-9;
    options.density = 2.5;
    options.damping = 0.0;
    options.tether = 0.0;
    options.stickiness = 1.0;
    options.rim = RimMode::free;
    options.relax_steps = 0;
    options.implicitness = 1.0;
    options.tolerance = 1e-13;
    options.most_iterations = 4000;
    return options;
}

/// Skin on the unit square.
struct Sheet {
    test::Shape shape = test::planar_grid(10, 10);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};
    Workers workers{1};
    SlideSolver solver;
    int middle = 0;

    explicit Sheet(const SlideOptions& options) : solver(topology, shape.positions, options, workers) {
        (rest().rowwise() - Eigen::RowVector3d(0.5, 0.5, 0.0)).rowwise().norm().minCoeff(&middle);
        solver.reset(rest(), workers);
    }
    const MatrixX3d& rest() const { return shape.positions; }
    MatrixX3d moved(const Vector3d& by) const { return rest().rowwise() + by.transpose(); }
    bool is_inner(int v) const {
        return rest().row(v).head<2>().minCoeff() > 0.15 && rest().row(v).head<2>().maxCoeff() < 0.85;
    }
    /// A third of every triangle around.
    VectorXd areas() const {
        VectorXd sum = VectorXd::Zero(rest().rows());
        for (int f = 0; f < topology.triangle_count(); ++f) {
            const Vector3d a = rest().row(shape.triangles(f, 0));
            const Vector3d b = rest().row(shape.triangles(f, 1));
            const Vector3d c = rest().row(shape.triangles(f, 2));
            for (int k = 0; k < 3; ++k) {
                sum[shape.triangles(f, k)] += (b - a).cross(c - a).norm() / 6.0;
            }
        }
        return sum;
    }
    MatrixX3d forces() {
        MatrixX3d f;
        solver.forces(f, workers);
        return f;
    }
    Vector3d velocity(int v) const {
        MatrixX3d all;
        solver.velocities(all);
        return all.row(v);
    }
    Vector3d material(int v) const {
        MatrixX3d all;
        solver.material_positions(all);
        return all.row(v);
    }
    void set_velocity(const Vector3d& v) { solver.set_velocities(v.transpose().replicate(rest().rows(), 1)); }
    /// The point of the sheet at a place of the plane.
    SurfacePoint point_at(const Vector3d& p) const {
        SurfacePoint best;
        double least = -1.0;
        for (int f = 0; f < topology.triangle_count(); ++f) {
            const Vector3d a = rest().row(shape.triangles(f, 0));
            const Vector3d u = rest().row(shape.triangles(f, 1)).transpose() - a;
            const Vector3d w = rest().row(shape.triangles(f, 2)).transpose() - a;
            const double whole = u.cross(w).z();
            const double b1 = (p - a).cross(w).z() / whole;
            const double b2 = u.cross(p - a).z() / whole;
            const Vector3d b(1.0 - b1 - b2, b1, b2);
            if (b.minCoeff() > least) {
                least = b.minCoeff();
                best.triangle = f;
                best.barycentric = b;
            }
        }
        return best;
    }
    /// Material from `by` away lies at every inner vertex.
    void shift_material(const Vector3d& by) {
        std::vector<SurfacePoint> points;
        for (int v = 0; v < rest().rows(); ++v) {
            const Vector3d at = rest().row(v);
            points.push_back(point_at(is_inner(v) ? Vector3d(at + by) : at));
        }
        solver.set_material_points(points, workers);
    }
};

/// mu/2 (|F|^2 - 2) - mu (J - 1) + k/2 (J - 1)^2 per relaxed area, and the Cauchy stress along the
/// first principal direction: (l1 / J) dPsi/dl1 with J = l1 l2.
struct NeoHookeanSheet {
    double mu, k;
    double energy(double l1, double l2) const {
        const double J = l1 * l2;
        return 0.5 * mu * (l1 * l1 + l2 * l2 - 2.0) - mu * (J - 1.0) + 0.5 * k * (J - 1.0) * (J - 1.0);
    }
    double stress(double l1, double l2) const {
        const double J = l1 * l2;
        return mu * (l1 * l1 / J - 1.0) + k * (J - 1.0);
    }
};

TEST(slide_forces, gravity_pulls_with_the_mass_of_the_relaxed_skin_along_the_surface) {
    SlideOptions options = bare_skin();
    options.gravity = Vector3d(3.0, -2.0, -9.81);
    options.initial_stretch = 1.25;  // as much skin as relaxed covers 1 / 1.25^2 of the body
    Sheet sheet(options);
    const MatrixX3d f = sheet.forces();
    const VectorXd areas = sheet.areas();
    for (int v = 0; v < f.rows(); ++v) {
        const Vector3d expected = 2.5 * areas[v] / (1.25 * 1.25) * Vector3d(3.0, -2.0, 0.0);
        EXPECT_LT((f.row(v).transpose() - expected).norm(), 1e-8 * expected.norm()) << v;
    }
}

TEST(slide_forces, falling_skin_gains_speed_and_damping_limits_it_in_both_schemes) {
    const Vector3d g(1.0, -0.5, 0.0);
    constexpr double h = 1e-3;
    for (const double damping : {0.0, 40.0}) {
        for (const double theta : {1.0, 0.5}) {
            SlideOptions options = bare_skin();
            options.gravity = g + Vector3d(0.0, 0.0, 5.0);
            options.damping = damping;
            options.implicitness = theta;
            Sheet sheet(options);
            double speed = 0.0;  // over |g|
            for (int k = 0; k < 30; ++k) {
                sheet.solver.step(sheet.rest(), h, sheet.workers);
                // v' = v + h (g - c v'), or the trapezoidal rule.
                speed = theta == 1.0 ? (speed + h) / (1.0 + h * damping)
                                     : (speed * (1.0 - 0.5 * h * damping) + h) / (1.0 + 0.5 * h * damping);
            }
            EXPECT_LT((sheet.velocity(sheet.middle) - speed * g).norm(), 1e-9) << damping << ' ' << theta;
        }
    }
}

TEST(slide_forces, wind_drags_by_area_and_speed_relative_to_a_moving_body) {
    SlideOptions options = bare_skin();
    options.wind = Vector3d(4.0, 1.0, 7.0);
    options.wind_drag = 0.3;
    Sheet sheet(options);
    const Vector3d speed(0.5, -2.0, 3.0);
    for (int k = 1; k <= 3; ++k) {
        sheet.solver.step(sheet.moved(k * 1e-3 * speed), 1e-3, sheet.workers);
    }
    const MatrixX3d f = sheet.forces();
    const VectorXd areas = sheet.areas();
    for (int v = 0; v < f.rows(); ++v) {
        const Vector3d expected = 0.3 * areas[v] * Vector3d(4.0 - 0.5, 1.0 + 2.0, 0.0);
        EXPECT_LT((f.row(v).transpose() - expected).norm(), 1e-10) << v;
    }
}

TEST(slide_forces, a_hand_spreads_its_force_and_loses_none_of_it) {
    SlideOptions options = bare_skin();
    Sheet plain(options);
    options.drags.push_back({plain.middle, Vector3d(2.0, -1.0, 6.0), 0.33});
    Sheet sheet(options);
    const MatrixX3d f = sheet.forces();
    const Vector3d sum = f.colwise().sum();
    EXPECT_LT((sum - Vector3d(2.0, -1.0, 0.0)).norm(), 1e-12);
    // (1 - x^2)^2 by area, x the distance over the radius.
    const VectorXd areas = sheet.areas();
    const auto share = [&](int v) {
        const double x = (sheet.rest().row(v) - sheet.rest().row(sheet.middle)).norm() / 0.33;
        return x < 1.0 ? areas[v] * (1.0 - x * x) * (1.0 - x * x) : 0.0;
    };
    for (int v = 0; v < f.rows(); ++v) {
        EXPECT_NEAR(f(v, 0) * share(sheet.middle), f(sheet.middle, 0) * share(v), 1e-15) << v;
    }
}

TEST(slide_forces, a_tether_pulls_back_and_stiffens_past_its_radius) {
    SlideOptions options = bare_skin();
    options.tether = 2000.0;
    options.tether_radius = 0.02;
    Sheet sheet(options);
    const Vector3d slip(0.03, -0.01, 0.0);
    sheet.shift_material(slip);
    const double square = slip.squaredNorm();
    const MatrixX3d f = sheet.forces();
    const VectorXd areas = sheet.areas();
    double energy = 0.0;
    for (int v = 0; v < f.rows(); ++v) {
        if (sheet.is_inner(v)) {
            // Material from ahead lies here: skin is pulled ahead, towards its own.
            energy += 2000.0 * areas[v] * (0.5 * square + 0.25 * square * square / 4e-4);
        }
    }
    const Vector3d expected = 2000.0 * areas[sheet.middle] * (1.0 + square / 4e-4) * slip;
    EXPECT_LT((f.row(sheet.middle).transpose() - expected).norm(), 1e-9 * expected.norm());
    EXPECT_NEAR(sheet.solver.energy(sheet.workers).tether, energy, 1e-9 * energy);
}

TEST(slide_forces, one_step_is_linear_and_newton_finds_the_root_of_the_whole_equation) {
    // Tether alone: rho (v - v0) + rho h c v + h k x (1 + x^2 / r^2) = 0 with x = h v.
    constexpr double h = 0.02, rho = 2.5, c = 3.0, k = 2000.0, r = 0.01, v0 = 1.5;
    const auto pull = [](double v) {
        const double x = h * v;
        return rho * (v - v0) + rho * h * c * v + h * k * x * (1.0 + x * x / (r * r));
    };
    double low = 0.0;
    double high = v0;
    for (int i = 0; i < 100; ++i) {
        (pull(0.5 * (low + high)) < 0.0 ? low : high) = 0.5 * (low + high);
    }
    const double linear = rho * v0 / (rho * (1.0 + h * c) + h * h * k);
    ASSERT_GT(std::abs(linear - low), 0.05);
    for (const int iterations : {1, 20}) {
        SlideOptions options = bare_skin();
        options.tether = k;
        options.tether_radius = r;
        options.damping = c;
        options.newton_iterations = iterations;
        Sheet sheet(options);
        sheet.set_velocity(Vector3d(v0, 0.0, 0.0));
        if (iterations == 1) {  // so long a step would not pass the energy test
            sheet.solver.parts().take_step(h, SlideSolver::Parts::Kind::untested, sheet.workers);
        } else {
            sheet.solver.step(sheet.rest(), h, sheet.workers);
        }
        EXPECT_NEAR(sheet.velocity(sheet.middle).x(), iterations == 1 ? linear : low, iterations == 1 ? 1e-9 : 2e-3);
    }
}

TEST(slide_forces, a_step_from_a_slipped_state_takes_the_tether_with_its_slope) {
    // (rho + h^2 K) v = h f with f = k (1 + q) s and K = df/ds = k (1 + 3 q), q = s^2 / r^2.
    constexpr double h = 0.02, rho = 2.5, k = 2000.0;
    SlideOptions options = bare_skin();
    options.tether = k;
    options.tether_radius = 0.02;
    Sheet sheet(options);
    const Vector3d slip(0.03, -0.01, 0.0);
    sheet.shift_material(slip);
    sheet.solver.step(sheet.rest(), h, sheet.workers);
    const double q = slip.squaredNorm() / 4e-4;
    const Vector3d expected = h * k * (1.0 + q) / (rho + h * h * k * (1.0 + 3.0 * q)) * slip;
    EXPECT_LT((sheet.velocity(sheet.middle) - expected).norm(), 1e-8 * expected.norm());
}

TEST(slide_forces, slip_is_capped_at_its_speed_limit) {
    SlideOptions options = bare_skin();
    options.gravity = Vector3d(30.0, 0.0, 0.0);
    options.slip_speed_limit = 0.05;
    Sheet sheet(options);
    for (int k = 0; k < 10; ++k) {
        sheet.solver.step(sheet.rest(), 1e-3, sheet.workers);
    }
    // 0.03 m/s after the first step, 0.05 from then on; skin goes ahead, material comes from
    // behind.
    EXPECT_LT((sheet.velocity(sheet.middle) - Vector3d(0.05, 0.0, 0.0)).norm(), 1e-12);
    const Vector3d way = sheet.material(sheet.middle) - sheet.rest().row(sheet.middle).transpose();
    EXPECT_LT((way + Vector3d((0.03 + 9 * 0.05) * 1e-3, 0.0, 0.0)).norm(), 1e-9);
}

TEST(slide_forces, painted_speed_limits_are_those_of_each_vertex) {
    SlideOptions options = bare_skin();
    options.gravity = Vector3d(30.0, 0.0, 0.0);
    options.slip_speed_limit = Painted(VectorXd(VectorXd::LinSpaced(121, 0.01, 0.02)));
    Sheet sheet(options);
    sheet.solver.step(sheet.rest(), 1e-3, sheet.workers);
    for (const int v : {30, 60, 90}) {
        EXPECT_NEAR(sheet.velocity(v).norm(), 0.01 + 0.01 * v / 120.0, 1e-12) << v;
    }
}

TEST(slide_forces, stickiness_fades_above_the_carried_speed_along_the_surface) {
    for (const double along : {2.0, 0.4}) {
        SlideOptions options = bare_skin();
        options.stickiness = 0.8;
        options.carried_speed_limit = Painted(VectorXd(VectorXd::Constant(121, 0.5)));
        Sheet sheet(options);
        sheet.solver.step(sheet.rest(), 1e-3, sheet.workers);  // it stood still before
        const Vector3d speed(0.6 * along, 0.8 * along, 3.0);
        sheet.solver.step(sheet.moved(1e-3 * speed), 1e-3, sheet.workers);
        // s'' = -(1 - zeta) x'', zeta times limit over speed.
        const double carried = 0.8 * std::min(1.0, 0.5 / along);
        const Vector3d expected = -(1.0 - carried) * Vector3d(0.6 * along, 0.8 * along, 0.0);
        EXPECT_LT((sheet.velocity(sheet.middle) - expected).norm(), 1e-9) << along;
    }
}

TEST(slide_forces, a_relaxed_metric_gives_its_stretch_energy_and_stress) {
    const Vector3d along = Vector3d(std::cos(0.5), std::sin(0.5), 0.0);
    const Vector3d across = Vector3d(-std::sin(0.5), std::cos(0.5), 0.0);
    const Eigen::Matrix3d metric =
        Eigen::Matrix3d::Identity() - 0.2 * along * along.transpose() + 0.1 * across * across.transpose();
    SlideOptions options = bare_skin();
    options.young_modulus = 210.0;
    options.poisson_ratio = 0.5;  // mu 70, k 210
    options.relaxed_metric.resize(121, 6);
    for (int v = 0; v < 121; ++v) {
        options.relaxed_metric.row(v) << metric(0, 0), metric(1, 1), metric(2, 2), metric(0, 1), metric(1, 2),
            metric(2, 0);
    }
    Sheet sheet(options);
    SlideChannels channels;
    sheet.solver.fill_channels(0.01, sheet.workers, channels);
    const NeoHookeanSheet skin{70.0, 210.0};
    const double l1 = 1.0 / 0.8;
    const double l2 = 1.0 / 1.1;
    const int v = sheet.middle;
    EXPECT_NEAR(channels.numbers("major stretch")[v], l1, 1e-12);
    EXPECT_NEAR(channels.numbers("minor stretch")[v], l2, 1e-12);
    EXPECT_NEAR(std::abs(channels.vectors("major direction").row(v).dot(along)), 1.0, 1e-12);
    EXPECT_NEAR(channels.numbers("stress")[v], skin.stress(l1, l2), 1e-9);
    EXPECT_NEAR(sheet.solver.energy(sheet.workers).elastic, skin.energy(l1, l2) / (l1 * l2), 1e-9);
    // The same everywhere: no force inside. At the rim skin that slides in must be made: the
    // stress less the energy per area, -s dw/ds.
    const MatrixX3d f = sheet.forces();
    EXPECT_LT(f.row(v).norm(), 1e-10);
    double pull = 0.0;
    for (int i = 0; i < 121; ++i) {
        pull += sheet.rest()(i, 0) == 0.0 ? f(i, 0) : 0.0;
    }
    const double c = std::cos(0.5);
    const double s = std::sin(0.5);
    EXPECT_NEAR(pull, c * c * skin.stress(l1, l2) + s * s * skin.stress(l2, l1) - skin.energy(l1, l2) / (l1 * l2),
                1e-9);
}

TEST(slide_forces, a_directed_stretch_multiplies_the_initial_one_along_its_direction_alone) {
    for (const bool is_painted : {false, true}) {
        SlideOptions options = bare_skin();
        options.initial_stretch = 1.1;
        if (is_painted) {
            options.initial_stretch = VectorXd(VectorXd::Constant(121, 1.1));
        }
        options.directed_stretch = 1.25;
        options.stretch_direction = Vector3d(1.0, 2.0, 7.0);  // as far as it lies in the surface
        Sheet sheet(options);
        SlideChannels channels;
        sheet.solver.fill_channels(0.01, sheet.workers, channels);
        const Vector3d along = Vector3d(1.0, 2.0, 0.0).normalized();
        EXPECT_NEAR(channels.numbers("major stretch")[sheet.middle], 1.25 * 1.1, 1e-12);
        EXPECT_NEAR(channels.numbers("minor stretch")[sheet.middle], 1.1, 1e-12);
        EXPECT_NEAR(std::abs(channels.vectors("major direction").row(sheet.middle).dot(along)), 1.0, 1e-12);
    }
}

// Half a sheet is skin. Joined to what is held beyond, it hangs on it; at an opening it falls freely along the rim.
TEST(slide_forces, skin_glides_along_the_rim_of_an_opening_as_if_nothing_were_beyond) {
    constexpr double h = 1e-3;
    const VectorXd half = (test::planar_grid(10, 10).positions.col(0).array() < 0.55).cast<double>();
    for (const RegionRim mode : {RegionRim::glide, RegionRim::hold}) {
        SlideOptions options = bare_skin();
        options.young_modulus = 210.0;
        options.poisson_ratio = 0.0;  // what is stretched along the rim does not pull at it
        options.region = half;
        options.region_rim = mode;
        options.gravity = Vector3d(0.0, 3.0, 0.0);
        Sheet sheet(options);
        for (int k = 0; k < 20; ++k) {
            sheet.solver.step(sheet.rest(), h, sheet.workers);
        }
        for (int v = 0; v < 121; ++v) {
            const Eigen::Vector2d at = sheet.rest().row(v).head<2>();
            if ((at - Eigen::Vector2d(0.5, 0.5)).norm() < 0.01) {
                const double off = (sheet.velocity(v) - Vector3d(0.0, 20 * h * 3.0, 0.0)).norm() / (20 * h * 3.0);
                EXPECT_TRUE(mode == RegionRim::glide ? off < 1e-3 : off > 0.1) << off;
            }
            EXPECT_TRUE(half[v] > 0.5 || sheet.velocity(v).isZero(0.0)) << v;
        }
        options.gravity = Vector3d(3.0, 0.0, 0.0);
        Sheet across(options);
        across.solver.step(across.rest(), h, across.workers);
        for (int v = 0; v < 121 && mode == RegionRim::glide; ++v) {
            if (std::abs(across.rest()(v, 0) - 0.5) < 0.01) {
                EXPECT_LT(std::abs(across.velocity(v).x()), 1e-12) << v;
            }
        }
    }
}

TEST(slide_forces, stress_of_a_known_stretch_is_that_of_the_material) {
    const NeoHookeanSheet skin{70.0, 210.0};
    for (const auto& [x, y] : {std::pair{1.3, 0.8}, {0.7, 0.95}, {1.4, 1.1}}) {
        SlideOptions options = bare_skin();
        options.young_modulus = 210.0;
        options.poisson_ratio = 0.5;
        Sheet sheet(options);
        MatrixX3d body = sheet.rest();
        body.col(0) *= x;
        body.col(1) *= y;
        sheet.solver.reset(body, sheet.workers);
        SlideChannels channels;
        sheet.solver.fill_channels(0.01, sheet.workers, channels);
        const double along_x = skin.stress(x, y);
        const double along_y = skin.stress(y, x);
        const double larger = std::abs(along_x) > std::abs(along_y) ? along_x : along_y;
        EXPECT_NEAR(channels.numbers("stress")[sheet.middle], larger, 1e-9) << x << ' ' << y;
        EXPECT_NEAR(sheet.solver.energy(sheet.workers).elastic, skin.energy(x, y), 1e-9);
        // Tension pulls the rim inwards; energy of the skin that slides in pushes it back.
        const MatrixX3d f = sheet.forces();
        double left = 0.0;
        for (int v = 0; v < f.rows(); ++v) {
            left += sheet.rest()(v, 0) == 0.0 ? f(v, 0) : 0.0;
        }
        EXPECT_NEAR(left, (along_x - skin.energy(x, y) / (x * y)) * y, 1e-9) << x << ' ' << y;
    }
}

TEST(slide_forces, slivers_are_pinned_by_height_over_longest_side) {
    test::Shape shape = test::planar_grid(6, 6);
    int squeezed = 0;
    (shape.positions.rowwise() - Eigen::RowVector3d(0.5, 0.5, 0.0)).rowwise().norm().minCoeff(&squeezed);
    shape.positions(squeezed, 0) += 0.14;  // cells of 1/6: thin triangles on one side
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    SlideOptions options = bare_skin();
    options.pin_slivers = 0.2;
    const Workers workers(1);
    SlideSolver solver(topology, shape.positions, options, workers);
    solver.reset(shape.positions, workers);
    std::vector<bool> is_thin(static_cast<size_t>(shape.positions.rows()), false);
    int thin = 0;
    for (int f = 0; f < shape.triangles.rows(); ++f) {
        double longest = 0.0;
        Vector3d corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = shape.positions.row(shape.triangles(f, k));
        }
        for (int k = 0; k < 3; ++k) {
            longest = std::max(longest, (corner[(k + 1) % 3] - corner[k]).norm());
        }
        const double height = (corner[1] - corner[0]).cross(corner[2] - corner[0]).norm() / longest;
        if (height < 0.2 * longest) {
            ++thin;
            for (int k = 0; k < 3; ++k) {
                is_thin[static_cast<size_t>(shape.triangles(f, k))] = true;
            }
        }
    }
    ASSERT_GT(thin, 0);
    ASSERT_LT(thin, 10);
    for (int v = 0; v < shape.positions.rows(); ++v) {
        EXPECT_EQ(solver.is_held(v), is_thin[static_cast<size_t>(v)]) << v;
    }
}

TEST(slide_forces, no_step_takes_more_than_nine_tenths_of_a_triangle_away) {
    for (const bool use_limiter : {true, false}) {
        SlideOptions options = bare_skin();
        options.use_limiter = use_limiter;
        options.use_untangling = false;
        // Hands push single vertices one and a half cells to all sides within a step of 10 ms.
        const double push = 2.5 * 0.01 * 0.15 / 1e-4;
        for (int v = 0; v < 121; v += 7) {
            options.drags.push_back({v, push * Vector3d(std::cos(v), std::sin(v), 0.0), 0.0});
        }
        Sheet sheet(options);
        sheet.solver.step(sheet.rest(), 0.01, sheet.workers);
        VectorXd ratios;
        sheet.solver.area_ratios(ratios);
        if (use_limiter) {
            EXPECT_GE(ratios.minCoeff(), 0.1 - 1e-12);
            EXPECT_GT(sheet.solver.report().limited_triangles, 0);
        } else {
            EXPECT_LT(ratios.minCoeff(), 0.0);  // counter-proof
        }
    }
}

TEST(slide_forces, material_moves_by_the_inverse_stretch_of_the_body_within_bounds) {
    // dP/dt = -J v, J one over the scale of the body, its singular values kept in 0.2 .. 5.
    for (const auto& [scale, expected] : {std::pair{0.5, 2.0}, {2.0, 0.5}, {1.0 / 8.0, 5.0}, {10.0, 0.2}}) {
        Sheet sheet(bare_skin());
        const MatrixX3d body = scale * sheet.rest();
        sheet.solver.reset(body, sheet.workers);
        sheet.set_velocity(Vector3d(0.01, 0.02, 0.0));
        sheet.solver.step(body, 1e-3, sheet.workers);
        const Vector3d way = sheet.material(sheet.middle) - sheet.rest().row(sheet.middle).transpose();
        EXPECT_LT((way + expected * 1e-3 * Vector3d(0.01, 0.02, 0.0)).norm(), 1e-10) << scale;
    }
}

TEST(slide_forces, what_is_painted_on_the_skin_moves_with_it) {
    SlideOptions options = bare_skin();
    VectorXd density(121);
    const test::Shape shape = test::planar_grid(10, 10);
    for (int v = 0; v < 121; ++v) {
        density[v] = 1.0 + shape.positions(v, 0);
    }
    options.density = density;
    options.gravity = Vector3d(0.0, 1.0, 0.0);
    Sheet sheet(options);
    sheet.shift_material(Vector3d(0.03, 0.0, 0.0));
    const MatrixX3d f = sheet.forces();
    // Linear paint: its mean over the triangles around is its value here.
    double expected = 0.0;
    for (int t = 0; t < sheet.topology.triangle_count(); ++t) {
        double mean = 0.0;
        bool is_around = false;
        for (int k = 0; k < 3; ++k) {
            const int v = shape.triangles(t, k);
            mean += (1.0 + shape.positions(v, 0) + 0.03) / 3.0;
            is_around = is_around || v == sheet.middle;
        }
        expected += is_around ? mean * 0.005 / 3.0 : 0.0;
    }
    EXPECT_NEAR(f(sheet.middle, 1), expected, 1e-10);
}

TEST(slide_forces, stiffness_painted_on_the_skin_moves_with_it) {
    SlideOptions options = bare_skin();
    const test::Shape shape = test::planar_grid(10, 10);
    options.young_modulus = VectorXd(100.0 * (1.0 + shape.positions.col(0).array()));
    options.poisson_ratio = 0.5;
    Sheet sheet(options);
    MatrixX3d body = sheet.rest();
    body.col(0) *= 1.2;
    sheet.solver.reset(body, sheet.workers);
    sheet.shift_material(Vector3d(0.03, 0.0, 0.0));
    SlideChannels channels;
    sheet.solver.fill_channels(0.01, sheet.workers, channels);
    const double young = 100.0 * (1.5 + 0.03);  // what lies at the middle now
    const NeoHookeanSheet skin{young / 3.0, young};
    EXPECT_NEAR(channels.numbers("stress")[sheet.middle], skin.stress(1.2, 1.0), 1e-6);
}

TEST(slide_forces, skin_pulled_at_a_speed_passes_at_that_speed) {
    SlideOptions options = bare_skin();
    options.rim = RimMode::pin;
    const test::Shape shape = test::planar_grid(10, 10);
    for (int v = 0; v < 121; ++v) {
        if ((shape.positions.row(v) - Eigen::RowVector3d(0.5, 0.5, 0.0)).norm() < 0.25) {
            options.prescribed.push_back({v, Vector3d(0.03, 0.1, 0.0)});
        }
    }
    Sheet sheet(options);
    for (int k = 0; k < 200; ++k) {
        sheet.solver.step(sheet.rest(), 1e-3, sheet.workers);
    }
    // A whole patch moves alike: there J is the identity, but for what comes in from its rim.
    EXPECT_LT((sheet.velocity(sheet.middle) - Vector3d(0.03, 0.1, 0.0)).norm(), 1e-12);
    const Vector3d way = sheet.material(sheet.middle) - sheet.rest().row(sheet.middle).transpose();
    EXPECT_LT((way + Vector3d(0.006, 0.02, 0.0)).norm(), 1e-3 * 0.02);
}

TEST(slide_forces, all_step_lengths_of_a_frame_agree_on_the_motion) {
    const auto run = [](double longest, double tolerance, long& steps) {
        SlideOptions options;
        options.relax_steps = 10;
        options.tolerance = tolerance;
        options.most_iterations = 4000;
        options.longest_step = longest;
        Sheet sheet(options);
        const auto body_at = [&](double t, MatrixX3d& out) {
            out = sheet.rest();
            out.col(0).array() += 0.02 * std::sin(20.0 * t) * (6.0 * out.col(1).array()).sin();
        };
        for (int k = 0; k < 4; ++k) {
            sheet.solver.advance(0.025 * k, 0.025 * (k + 1), body_at, sheet.workers);
        }
        steps = sheet.solver.report().steps;
        MatrixX3d at;
        sheet.solver.material_positions(at);
        return at;
    };
    long steps = 0;
    const MatrixX3d coarse = run(0.002, 1e-13, steps);
    EXPECT_EQ(steps, 4 * 13);  // 25 ms in equal steps of at most 2
    EXPECT_GT((coarse - test::planar_grid(10, 10).positions).cwiseAbs().maxCoeff(), 1e-3);
    // Single precision, to a millionth: off by about as much.
    EXPECT_LT((coarse - run(0.002, 1e-6, steps)).cwiseAbs().maxCoeff(), 1e-6);
    // First order in the step: half the step, half the way to the limit.
    const MatrixX3d fine = run(0.0005, 1e-13, steps);
    const MatrixX3d finer = run(0.00025, 1e-13, steps);
    EXPECT_EQ(steps, 400);
    const double first = (fine - coarse).norm();
    const double second = (finer - fine).norm();
    EXPECT_NEAR(second / first, 0.25 / 1.5, 0.06);
}

}  // namespace
}  // namespace cutis
