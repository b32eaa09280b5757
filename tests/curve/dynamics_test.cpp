// Terms of the curves' dynamics, each against its closed form.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "curve/curve_solver.h"
#include "curve/time_examples.h"
#include "support/shapes.h"

namespace cutis {
namespace {

constexpr double two_pi = 6.283185307179586;

CurvePart tube_part(CurveDirection direction = CurveDirection::along, int curves = 8, int nodes = 21) {
    const test::Shape shape = test::open_cylinder(16, 30, 0.05, 0.4);
    CurveLayout layout;
    layout.curves = curves;
    layout.nodes = nodes;
    layout.direction = direction;
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    return lay_curves(whole_surface(shape.positions, topology), -1, -1, layout);
}

/// Nodes that all move and turn alike, with a target and a push that are the same everywhere.
struct Drive {
    int rows = 0;
    std::function<Vector3d(double)> motion = [](double) { return Vector3d(0, 0, 0); };
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    std::function<double(double)> bulge = [](double) { return 0.0; };
    Vector3d push = Vector3d::Zero();

    void operator()(double time, CurveDrive& drive) const {
        drive.frames.places = motion(time).transpose().replicate(rows, 1);
        drive.frames.rotations.resize(rows, 9);
        for (int i = 0; i < rows; ++i) {
            drive.frames.rotations.row(i) << turn.row(0), turn.row(1), turn.row(2);
        }
        drive.followed = MatrixX3d::Zero(rows, 3);
        drive.shape = MatrixX3d::Zero(rows, 3);
        drive.shape.col(1).setConstant(bulge(time));
        drive.push.resize(push.isZero() ? 0 : rows, 3);
        if (!push.isZero()) {
            drive.push = push.transpose().replicate(rows, 1);
        }
    }
};

MatrixX3d run(CurveSolver& solver, const Drive& drive, double to) {
    const Workers workers(1);
    solver.reset(0.0, drive, workers);
    solver.advance(to, drive, workers);
    CurveDrive at;
    drive(to, at);
    MatrixX3d out;
    solver.displacement(to, at.frames, workers, out);
    return out;
}

CurveOptions unlimited() {
    CurveOptions options;
    options.limit = 1e6;
    return options;
}

TEST(curve_dynamics, rings_sag_by_the_static_answer_times_their_window) {
    const CurvePart part = tube_part(CurveDirection::around);
    CurveOptions options = unlimited();
    options.damping = 0.7;
    options.frequency_hz = 4.0;
    CurveSolver solver(part, options);
    Drive drive{part.rows()};
    drive.motion = [](double t) { return Vector3d(0.5 * 3.0 * t * t, 0.0, 0.0); };
    const MatrixX3d out = run(solver, drive, 4.0);
    // A ring that translates has the first bending frequency: -gain a / omega^2. The window
    // 16 s^2 (1 - s)^2 is 1 half way and 0 with zero slope at both ends of the tube.
    const double whole = -0.4 * 3.0 / std::pow(two_pi * 4.0, 2.0);
    bool has_middle = false;
    for (int i = 0; i < part.rows(); ++i) {
        const double s = part.along[i];
        has_middle = has_middle || std::abs(s - 0.5) < 1e-6;
        const double window = 16.0 * s * s * (1.0 - s) * (1.0 - s);
        EXPECT_NEAR(out(i, 0), whole * window, 1e-9 * std::abs(whole)) << s;
        EXPECT_NEAR(out(i, 1), 0.0, 1e-12);
    }
    EXPECT_TRUE(has_middle);
}

TEST(curve_dynamics, softness_is_the_share_of_the_swing_and_the_limit_bends_it_smoothly) {
    const CurvePart part = tube_part();
    Drive drive{part.rows()};
    drive.motion = [](double t) { return Vector3d(0.3 * std::sin(20.0 * t), 0.0, 0.2 * std::cos(25.0 * t)); };
    CurveSolver plain(part, unlimited());
    const MatrixX3d full = run(plain, drive, 0.7);
    ASSERT_GT(full.rowwise().norm().maxCoeff(), 0.01);
    CurveOptions options = unlimited();
    for (int i = 0; i < part.rows(); ++i) {
        options.softness.push_back(0.5 + 0.5 * std::sin(0.37 * i));
    }
    CurveSolver soft(part, options);
    const MatrixX3d shared = run(soft, drive, 0.7);
    options.limit = 0.02;
    CurveSolver limited(part, options);
    const MatrixX3d shown = run(limited, drive, 0.7);
    for (int i = 0; i < part.rows(); ++i) {
        const double share = options.softness[i];
        EXPECT_LT((shared.row(i) - share * full.row(i)).norm(), 1e-15);
        // y / sqrt(1 + |y|^2 / limit^2), the limit in the shape of the first mode: 1 in the middle, 0 at held ends
        const double s = part.along[i];
        const double limit = std::max(0.02 * 16.0 * s * s * (1.0 - s) * (1.0 - s), 2e-8);
        const double bend = std::sqrt(1.0 + shared.row(i).squaredNorm() / (limit * limit));
        EXPECT_LT((shown.row(i) - shared.row(i) / bend).norm(), 1e-15);
    }
    EXPECT_NEAR(plain.report().largest_offset, full.rowwise().norm().maxCoeff(), 1e-15);
    EXPECT_NEAR(limited.report().largest_limited, shown.rowwise().norm().maxCoeff(), 1e-15);
}

TEST(curve_dynamics, turned_frames_swing_the_same_way_in_the_world) {
    const CurvePart part = tube_part();
    Drive drive{part.rows()};
    drive.motion = [](double t) { return Vector3d(0.1 * std::sin(9.0 * t), 0.2 * t * t, 0.1 * std::cos(7.0 * t)); };
    CurveSolver straight(part, unlimited());
    const MatrixX3d expected = run(straight, drive, 0.6);
    ASSERT_GT(expected.cwiseAbs().maxCoeff(), 1e-3);
    drive.turn = Eigen::AngleAxisd(1.1, Vector3d(1, 2, -1).normalized()).toRotationMatrix();
    CurveSolver turned(part, unlimited());
    EXPECT_LT((run(turned, drive, 0.6) - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(curve_dynamics, a_push_is_an_acceleration_the_other_way) {
    const CurvePart part = tube_part();
    CurveOptions options = unlimited();
    options.inertia_gain = 0.5;
    Drive moved{part.rows()};
    moved.motion = [](double t) { return Vector3d(0.5 * 3.0 * t * t, 0.0, -0.5 * 2.0 * t * t); };
    CurveSolver carried(part, options);
    const MatrixX3d expected = run(carried, moved, 0.4);
    ASSERT_GT(expected.cwiseAbs().maxCoeff(), 1e-4);
    Drive pushed{part.rows()};
    pushed.push = -0.5 * Vector3d(3.0, 0.0, -2.0);
    CurveSolver still(part, options);
    EXPECT_LT((run(still, pushed, 0.4) - expected).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(curve_dynamics, speed_is_the_derivative_of_the_swing) {
    const CurvePart part = tube_part();
    Drive drive{part.rows()};
    drive.motion = [](double t) { return Vector3d(0.3 * std::sin(20.0 * t), 0.1 * t * t, 0.0); };
    const Workers workers(1);
    CurveSolver solver(part, unlimited());
    solver.reset(0.0, drive, workers);
    solver.advance(0.5, drive, workers);
    const auto at = [&](double time) {
        CurveDrive now;
        drive(time, now);
        MatrixX3d out;
        solver.displacement(time, now.frames, workers, out);
        return out;
    };
    const double time = 0.4962;  // between two grid times of 1/120 s
    const double h = 1e-5;
    const MatrixX3d difference = (at(time + h) - at(time - h)) / (2.0 * h);
    at(time);
    const MatrixX3d speed = solver.speed(workers);
    EXPECT_GT(speed.cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT((speed - difference).cwiseAbs().maxCoeff(), 1e-6 * speed.cwiseAbs().maxCoeff());
}

/// The first mode alone on its target: what the solver shows at the middle of a curve.
struct OneMode {
    CurvePart part = tube_part();
    BeamModes modes = beam_modes(20, CurveEnds::clamped, 1);
    double gathered = modes.projector.row(0).sum();  // of a target of 1 everywhere
    double shown = modes.shapes(9, 0);               // at node 10, the middle
    int middle = 10 * part.curve_count;

    CurveOptions options(CurveDynamics dynamics) const {
        CurveOptions one = unlimited();
        one.dynamics = dynamics;
        one.frequency_hz = one.highest_frequency_hz = 3.0;
        one.damping = 0.2;
        return one;
    }
};

TEST(curve_dynamics, the_papers_scheme_is_its_recurrence) {
    const OneMode mode;
    Drive drive{mode.part.rows()};
    drive.bulge = [](double t) { return 0.02 * std::sin(9.0 * t) + 0.01; };
    CurveSolver solver(mode.part, mode.options(CurveDynamics::paper));
    ASSERT_EQ(solver.mode_count(), 1);
    constexpr int steps = 50;
    constexpr double h = 1.0 / 120.0;
    const double out = run(solver, drive, steps * h)(mode.middle, 1);
    // Chaudhry et al. 2014 A5: (w^2 + 1/h^2) y' = w^2 u' + (2 y - y'') / h^2, from rest on the
    // target.
    const double w2 = std::pow(two_pi * 3.0, 2.0);
    double y = mode.gathered * drive.bulge(0.0);
    double before = y;
    for (int m = 1; m <= steps; ++m) {
        const double u = mode.gathered * drive.bulge(m * h);
        const double next = (w2 * u + (2.0 * y - before) / (h * h)) / (w2 + 1.0 / (h * h));
        before = y;
        y = next;
    }
    const double target = drive.bulge(steps * h);
    EXPECT_NEAR(out, target + mode.shown * (y - mode.gathered * target), 1e-12);
    EXPECT_GT(std::abs(out - target), 1e-4);
}

TEST(curve_dynamics, the_exact_scheme_follows_a_ramp_with_its_lag) {
    const OneMode mode;
    Drive drive{mode.part.rows()};
    drive.bulge = [](double t) { return 0.05 * t; };
    CurveSolver solver(mode.part, mode.options(CurveDynamics::exact));
    // Long after the start a ramp of speed v is followed 2 xi v / omega behind.
    const double out = run(solver, drive, 4.0)(mode.middle, 1);
    const double lag = 2.0 * 0.2 * 0.05 / (two_pi * 3.0);
    EXPECT_NEAR(out, 0.05 * 4.0 - mode.shown * mode.gathered * lag, 1e-9);
}

TEST(curve_dynamics, the_answer_to_a_ramp_is_that_of_one_exact_step_along_it) {
    for (const double damping : {0.0, 0.2, 0.7, 1.0}) {
        for (const double t : {1e-5, 0.01, 0.3, 2.0, 30.0}) {
            const double answer = ramp_answer(7.0, damping, t);
            const double step = oscillator_step(7.0, damping, t).yu1 * t;
            EXPECT_NEAR(answer, step, 1e-12 * (1.0 + t)) << damping << ' ' << t;
        }
    }
}

TEST(curve_dynamics, a_still_curve_is_on_its_target_at_once) {
    const OneMode mode;
    Drive drive{mode.part.rows()};
    drive.bulge = [](double t) { return 0.02 * std::sin(9.0 * t); };
    drive.motion = [](double t) { return Vector3d(3.0 * t * t, 0.0, 0.0); };
    CurveSolver solver(mode.part, mode.options(CurveDynamics::still));
    const MatrixX3d out = run(solver, drive, 0.5);
    for (int i = 0; i < out.rows(); ++i) {
        EXPECT_NEAR(out(i, 1), drive.bulge(0.5), 1e-14);
        EXPECT_EQ(out(i, 0), 0.0);
    }
}

TEST(curve_dynamics, nodes_between_opposite_quaternions_take_the_short_way) {
    const test::Shape shape = test::open_cylinder(16, 30, 0.05, 0.4);
    const CurvePart part = tube_part();
    SkinWeights weights;
    weights.influences = 2;
    for (int v = 0; v < shape.positions.rows(); ++v) {
        weights.joints.insert(weights.joints.end(), {0, 1});
        weights.weights.insert(weights.weights.end(), {0.6, 0.4});
    }
    const SkinnedNodes nodes(part, shape.positions, weights, 2);
    const Vector3d axis = Vector3d(0.2, 1.0, -0.4).normalized();
    const auto turned = [&](double degrees) {
        return Eigen::Affine3d(Eigen::AngleAxisd(degrees * two_pi / 360.0, axis));
    };
    NodeFrames frames;
    nodes.fill({turned(100.0), turned(260.0)},
               frames);  // both have a positive real part: opposite sides
    const Eigen::AngleAxisd blend(rotation_of(frames, 3));
    const double angle = blend.axis().dot(axis) > 0.0 ? blend.angle() : two_pi - blend.angle();
    // Normalised sum of quaternions: tan of the half angle from weighted sines and cosines.
    const double half = two_pi / 720.0;
    const double sine = 0.6 * std::sin(100.0 * half) + 0.4 * std::sin(260.0 * half);
    const double cosine = 0.6 * std::cos(100.0 * half) + 0.4 * std::cos(260.0 * half);
    EXPECT_NEAR(angle, 2.0 * std::atan2(sine, cosine), 1e-9);
    // Places are blended linearly.
    MatrixX3d rest(part.rows(), 3);
    part.nodes.apply(shape.positions, Workers(1), rest);
    const Vector3d p = rest.row(3);
    EXPECT_LT((frames.places.row(3).transpose() - (0.6 * (turned(100.0) * p) + 0.4 * (turned(260.0) * p))).norm(),
              1e-14);
}

RowMatrixXd some_shape(int rows, unsigned seed) {
    test::Random random(seed);
    RowMatrixXd shape(rows, 2);
    for (Eigen::Index i = 0; i < shape.size(); ++i) {
        shape.data()[i] = random.uniform(-1.0, 1.0);
    }
    return shape;
}

const std::vector<double> uneven_times = {0.0, 0.3, 0.45, 1.2, 1.6};

std::vector<RowMatrixXd> five_shapes() {
    std::vector<RowMatrixXd> shapes;
    for (unsigned j = 0; j < 5; ++j) {
        shapes.push_back(some_shape(9, j + 1));
    }
    return shapes;
}

RowMatrixXd shape_at(CurveDynamics dynamics, double time) {
    TimeExampleOptions options;
    options.dynamics = dynamics;
    const TimeExamples examples(uneven_times, five_shapes(), options);
    RowMatrixXd out;
    examples.at(time, out);
    return out;
}

TEST(curve_examples, smoothstep_eases_in_and_out_of_every_example) {
    const std::vector<RowMatrixXd> shapes = five_shapes();
    for (size_t j = 0; j + 1 < shapes.size(); ++j) {
        for (const double x : {0.0, 0.1, 0.25, 0.5, 0.9}) {
            const double time = uneven_times[j] + x * (uneven_times[j + 1] - uneven_times[j]);
            const double y = 3.0 * x * x - 2.0 * x * x * x;
            const RowMatrixXd expected = (1.0 - y) * shapes[j] + y * shapes[j + 1];
            EXPECT_LT((shape_at(CurveDynamics::smoothstep, time) - expected).cwiseAbs().maxCoeff(), 1e-14);
            const RowMatrixXd straight = (1.0 - x) * shapes[j] + x * shapes[j + 1];
            EXPECT_LT((shape_at(CurveDynamics::still, time) - straight).cwiseAbs().maxCoeff(), 1e-14);
        }
    }
}

TEST(curve_examples, the_spline_is_natural_and_twice_continuous_at_uneven_times) {
    const auto at = [](double time) { return shape_at(CurveDynamics::spline, time); };
    const std::vector<RowMatrixXd> shapes = five_shapes();
    const double h = 1e-3;
    // One-sided second differences of a cubic: f'' at the end from four points is exact.
    const auto second = [&](double time, double side) {
        const double d = side * h;
        return RowMatrixXd((2.0 * at(time) - 5.0 * at(time + d) + 4.0 * at(time + 2 * d) - at(time + 3 * d)) / (h * h));
    };
    const auto first = [&](double time, double side) {
        const double d = side * h;
        return RowMatrixXd((-11.0 * at(time) + 18.0 * at(time + d) - 9.0 * at(time + 2 * d) + 2.0 * at(time + 3 * d)) /
                           (6.0 * d));
    };
    double largest = 0.0;
    for (size_t j = 0; j < uneven_times.size(); ++j) {
        EXPECT_LT((at(uneven_times[j]) - shapes[j]).cwiseAbs().maxCoeff(), 1e-13);
        if (j == 0 || j + 1 == uneven_times.size()) {
            EXPECT_LT(second(uneven_times[j], j == 0 ? 1.0 : -1.0).cwiseAbs().maxCoeff(), 1e-6);
            continue;
        }
        const RowMatrixXd before = second(uneven_times[j], -1.0);
        const RowMatrixXd after = second(uneven_times[j], 1.0);
        largest = std::max(largest, after.cwiseAbs().maxCoeff());
        EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-6) << j;
        EXPECT_LT((first(uneven_times[j], -1.0) - first(uneven_times[j], 1.0)).cwiseAbs().maxCoeff(), 1e-9) << j;
    }
    EXPECT_GT(largest, 10.0);
}

TEST(curve_examples, slopes_that_start_at_rest_do_and_keep_the_curvature_continuous) {
    const std::vector<RowMatrixXd> values = five_shapes();
    const std::vector<RowMatrixXd> slopes = spline_slopes(uneven_times, values, true);
    EXPECT_EQ(slopes[0].cwiseAbs().maxCoeff(), 0.0);
    // f'' of a Hermite piece at its ends: 6 (secant) / h - (4 s0 + 2 s1) / h and the mirror of it.
    for (size_t j = 1; j + 1 < values.size(); ++j) {
        const double h0 = uneven_times[j] - uneven_times[j - 1];
        const double h1 = uneven_times[j + 1] - uneven_times[j];
        const RowMatrixXd left =
            -6.0 * (values[j] - values[j - 1]) / (h0 * h0) + (2.0 * slopes[j - 1] + 4.0 * slopes[j]) / h0;
        const RowMatrixXd right =
            6.0 * (values[j + 1] - values[j]) / (h1 * h1) - (4.0 * slopes[j] + 2.0 * slopes[j + 1]) / h1;
        EXPECT_LT((left - right).cwiseAbs().maxCoeff(), 1e-11) << j;
    }
    const double h = uneven_times[4] - uneven_times[3];
    const RowMatrixXd end = -6.0 * (values[4] - values[3]) / (h * h) + (2.0 * slopes[3] + 4.0 * slopes[4]) / h;
    EXPECT_LT(end.cwiseAbs().maxCoeff(), 1e-11);
}

TEST(curve_examples, an_extrapolated_twist_swells_and_falls_short_as_its_force_says) {
    // Chaudhry et al. 2014 Fig. 11: the displacement of a turn by a, eight times over: 1 + 8
    // (e^(ia) - 1).
    constexpr int nodes = 33;
    const double a = two_pi / 32.0;
    RowMatrixXd example(nodes, 2);
    for (int n = 0; n < nodes; ++n) {
        const double turn = a * n / (nodes - 1);
        example.row(n) << std::cos(turn) - 1.0, std::sin(turn);
    }
    TimeExampleOptions options;
    options.dynamics = CurveDynamics::paper;
    options.paper_steps = 1;
    options.extrapolate = true;
    options.frequency_hz = 25.0;
    const TimeExamples examples({0.0, 0.125}, {RowMatrixXd::Zero(nodes, 2), example}, options);
    RowMatrixXd shape;
    examples.at(1.0, shape);
    const double x = 1.0 + shape(nodes - 1, 0);
    const double y = shape(nodes - 1, 1);
    EXPECT_NEAR(x, 1.0 + 8.0 * (std::cos(a) - 1.0), 1e-12);
    EXPECT_NEAR(y, 8.0 * std::sin(a), 1e-12);
    EXPECT_NEAR(std::hypot(x, y), 1.775, 1e-3);  // swollen, and 61.5 degrees instead of 90
    EXPECT_NEAR(std::atan2(y, x) * 360.0 / two_pi, 61.5, 0.05);
}

}  // namespace
}  // namespace cutis
