#include "curve/beam.h"

#include <Eigen/Eigenvalues>

#include "curve/oscillator.h"
#include "curve/time_examples.h"
#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/shapes.h"
#include "verify/paper_beam.h"

namespace cutis {
namespace {

Eigen::MatrixXd dense(int intervals, double c, double mu) {
    const std::vector<double> band = beam_band(intervals, c, mu);
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(intervals - 1, intervals - 1);
    for (int i = 0; i < intervals - 1; ++i) {
        for (int k = 0; k <= std::min(i, 2); ++k) {
            matrix(i, i - k) = matrix(i - k, i) = band[3 * i + k];
        }
    }
    return matrix;
}

RowMatrixXd random_shape(int rows, int columns, unsigned seed) {
    test::Random random(seed);
    RowMatrixXd shape(rows, columns);
    for (Eigen::Index i = 0; i < shape.size(); ++i) {
        shape.data()[i] = random.uniform(-1.0, 1.0);
    }
    return shape;
}

TEST(beam, smallest_curves_assemble_to_8_and_7_minus4) {
    EXPECT_EQ(dense(2, 1.0, 0.0)(0, 0), 8.0);
    const Eigen::MatrixXd d = dense(3, 1.0, 0.0);
    EXPECT_EQ(d(0, 0), 7.0);
    EXPECT_EQ(d(1, 0), -4.0);
    EXPECT_EQ(d(1, 1), 7.0);
}

TEST(beam, matrix_is_second_differences_squared) {
    // D = B^T W B, B the second difference at nodes 0..N with the ghosts folded in.
    for (const int n : {2, 3, 4, 7, 33}) {
        Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + 1, n - 1);
        for (int row = 0; row <= n; ++row) {
            const auto add = [&](int node, double value) {
                node = node == -1 ? 1 : node == n + 1 ? n - 1 : node;
                if (node >= 1 && node <= n - 1) {
                    b(row, node - 1) += value;
                }
            };
            add(row - 1, 1.0);
            add(row, -2.0);
            add(row + 1, 1.0);
        }
        VectorXd w = VectorXd::Ones(n + 1);
        w[0] = w[n] = 0.5;
        EXPECT_EQ((b.transpose() * w.asDiagonal() * b - dense(n, 1.0, 0.0)).cwiseAbs().maxCoeff(), 0.0);
    }
}

TEST(beam, closed_form_modes_are_those_of_a_dense_decomposition) {
    for (const int n : {2, 3, 4, 5, 17, 34, 67}) {
        const BeamModes modes = beam_modes(n, CurveEnds::clamped, n - 1);
        ASSERT_EQ(modes.count(), n - 1);
        const Eigen::MatrixXd d = dense(n, 1.0, 0.0);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(d);
        for (int k = 0; k < n - 1; ++k) {
            EXPECT_NEAR(modes.eigenvalues[k], solver.eigenvalues()[k], 2e-14 * solver.eigenvalues()[n - 2])
                << n << " " << k;
        }
        const Eigen::MatrixXd v = modes.shapes;
        EXPECT_LT((v.transpose() * v - Eigen::MatrixXd::Identity(n - 1, n - 1)).cwiseAbs().maxCoeff(), 3e-13) << n;
        EXPECT_LT((d * v - v * modes.eigenvalues.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12) << n;
    }
}

TEST(beam, lowest_modes_of_4096_nodes_satisfy_the_equation) {
    const int n = 4096;
    const BeamModes modes = beam_modes(n, CurveEnds::clamped, 6);
    const double first = 22.3733 * 22.3733 / std::pow(n, 4);
    EXPECT_NEAR(modes.eigenvalues[0] / first, 1.0, 1e-5);
    const RowMatrixXd& v = modes.shapes;
    EXPECT_LT((v.transpose() * v - RowMatrixXd::Identity(6, 6)).cwiseAbs().maxCoeff(), 1e-11);
}

TEST(beam, frequencies_converge_to_the_clamped_beam_with_order_2) {
    // 22.3733 and 61.6728: roots of cos k cosh k = 1, squared.
    double before = 0.0;
    for (const int n : {32, 64, 128}) {
        const BeamModes modes = beam_modes(n, CurveEnds::clamped, 2);
        const double first = n * n * std::sqrt(modes.eigenvalues[0]);
        const double second = n * n * std::sqrt(modes.eigenvalues[1]);
        const double error = 22.3732854 - first;
        if (before > 0.0) {
            EXPECT_NEAR(std::log2(before / error), 2.0, 0.01);
        }
        before = error;
        if (n == 32) {
            EXPECT_NEAR(first, 22.2836, 1e-4);
        }
        if (n == 128) {
            EXPECT_NEAR(first, 22.3677, 1e-4);
            EXPECT_NEAR(second, 61.6387, 1e-4);
        }
    }
}

TEST(beam, free_end_has_the_cantilever_frequency_and_an_inverse_projector) {
    const BeamModes modes = beam_modes(128, CurveEnds::free_far, 5);
    EXPECT_NEAR(128.0 * 128.0 * std::sqrt(modes.eigenvalues[0]), 3.516015, 1e-3);
    EXPECT_NEAR(128.0 * 128.0 * std::sqrt(modes.eigenvalues[1]), 22.03449, 2e-2);
    EXPECT_LT((modes.projector * modes.shapes - RowMatrixXd::Identity(5, 5)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(beam, ring_modes_are_orthonormal_eigenvectors_of_the_periodic_difference) {
    for (const int n : {3, 8, 17}) {
        const BeamModes modes = beam_modes(n, CurveEnds::ring, n);
        Eigen::MatrixXd second = Eigen::MatrixXd::Zero(n, n);
        for (int i = 0; i < n; ++i) {
            second(i, i) -= 2.0;
            second(i, (i + 1) % n) += 1.0;
            second(i, (i + n - 1) % n) += 1.0;
        }
        const Eigen::MatrixXd d = second * second;
        const Eigen::MatrixXd v = modes.shapes;
        EXPECT_LT((v.transpose() * v - Eigen::MatrixXd::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-13);
        EXPECT_LT((d * v - v * modes.eigenvalues.asDiagonal()).cwiseAbs().maxCoeff(), 1e-13);
    }
}

TEST(oscillator, exact_step_solves_its_equation) {
    // Compared with many small steps of a classical Runge-Kutta method.
    for (const double damping : {0.0, 0.05, 0.3, 0.9, 1.0}) {
        const double omega = 7.0, h = 0.4, u0 = 0.7, u1 = -1.3;
        const OscillatorStep s = oscillator_step(omega, damping, h);
        double y = 0.3, v = -2.0;
        const double exact_y = s.yy * y + s.yv * v + s.yu0 * u0 + s.yu1 * u1;
        const double exact_v = s.vy * y + s.vv * v + s.vu0 * u0 + s.vu1 * u1;
        const int steps = 2000;
        const double dt = h / steps;
        const auto slope = [&](double t, double yy, double vv) {
            return omega * omega * (u0 + (u1 - u0) * t / h - yy) - 2.0 * damping * omega * vv;
        };
        for (int i = 0; i < steps; ++i) {
            const double t = i * dt;
            const double k1 = slope(t, y, v), l1 = v;
            const double k2 = slope(t + dt / 2, y + dt / 2 * l1, v + dt / 2 * k1), l2 = v + dt / 2 * k1;
            const double k3 = slope(t + dt / 2, y + dt / 2 * l2, v + dt / 2 * k2), l3 = v + dt / 2 * k2;
            const double k4 = slope(t + dt, y + dt * l3, v + dt * k3), l4 = v + dt * k3;
            y += dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
            v += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
        EXPECT_NEAR(exact_y, y, 1e-11) << damping;
        EXPECT_NEAR(exact_v, v, 1e-10) << damping;
    }
}

TEST(oscillator, ramp_answer_without_damping_is_t_minus_sine) {
    for (const double omega : {1e-3, 0.02, 1.0, 30.0, 4000.0}) {
        const double t = 0.7;
        const double x = omega * t;
        const double expected = x < 0.1 ? t * (x * x / 6.0 - x * x * x * x / 120.0) : t - std::sin(x) / omega;
        EXPECT_NEAR(ramp_answer(omega, 0.0, t), expected, 1e-12 * t) << omega;
    }
}

TEST(force, identified_force_ends_exactly_on_any_target) {
    for (const int n : {2, 3, 5, 33}) {
        for (const double a2 : {1e-3, 1.0, 30.0, 1000.0}) {
            const int M = 30;
            RowMatrixXd target = random_shape(n + 1, 6, static_cast<unsigned>(n));
            target.col(1) = target.col(1).cwiseAbs();  // one sign
            target.col(2).setZero();                   // nothing at all
            target(n / 2, 3) = 0.0;                    // a zero among others
            const RowMatrixXd force = identify_force(n, 1.0, a2, M, target);
            const BeamEndValues ends = BeamEndValues::of(target);
            BeamMarch march(n, 6, 1.0, a2, 1.0 / M);
            for (int m = 1; m <= M; ++m) {
                const double r = static_cast<double>(m) / M;
                march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
            }
            EXPECT_LT((march.inner() - target.middleRows(1, n - 1)).cwiseAbs().maxCoeff(), 1e-10) << n << " " << a2;
        }
    }
}

TEST(force, closed_form_and_marching_agree_at_every_frame) {
    const int n = 33, M = 30;
    const RowMatrixXd target = random_shape(n + 1, 4, 5);
    const double a2 = 1.0;
    const RowMatrixXd force = identify_force(n, 1.0, a2, M, target);
    TimeExampleOptions options;
    options.dynamics = CurveDynamics::paper;
    options.frequency_hz = frequency_for_stiffness(n, 1.0 / a2);
    const TimeExamples examples({0.0, 1.0}, {RowMatrixXd::Zero(n + 1, 4), target}, options);
    const BeamEndValues ends = BeamEndValues::of(target);
    BeamMarch march(n, 4, 1.0, a2, 1.0 / M);
    RowMatrixXd closed;
    for (int m = 1; m <= M; ++m) {
        const double r = static_cast<double>(m) / M;
        march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
        examples.at(r, closed);
        EXPECT_LT((march.inner() - closed.middleRows(1, n - 1)).cwiseAbs().maxCoeff(), 1e-11) << m;
    }
}

TEST(force, ratio_iteration_of_the_paper_does_not_reach_1e_10) {
    const RatioIteration result = iterate_force(33, 1.0, 1.0, 30, random_shape(34, 3, 2), 200, 1e-10);
    EXPECT_EQ(result.iterations, 200);
    EXPECT_GT(result.error, 1e-10);
}

TEST(force, static_limit_is_linear_in_time) {
    const RowMatrixXd target = random_shape(34, 2, 3);
    const RowMatrixXd force = identify_force(33, 1.0, 0.0, 10, target);
    const BeamEndValues ends = BeamEndValues::of(target);
    BeamMarch march(33, 2, 1.0, 0.0, 0.1);
    for (int m = 1; m <= 10; ++m) {
        const double r = 0.1 * m;
        march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
        EXPECT_LT((march.inner() - r * target.middleRows(1, 32)).cwiseAbs().maxCoeff(), 1e-10);
    }
}

TEST(time_examples, every_example_is_reached_and_velocity_is_continuous) {
    const std::vector<double> times = {0.0, 0.3, 0.5, 1.1, 1.6};
    std::vector<RowMatrixXd> shapes;
    for (unsigned j = 0; j < times.size(); ++j) {
        shapes.push_back(random_shape(12, 3, j + 1));
    }
    for (const double frequency : {0.1, 1.0, 5.0, 200.0}) {
        TimeExampleOptions options;
        options.frequency_hz = frequency;
        const TimeExamples examples(times, shapes, options);
        RowMatrixXd at, left, right, left2, right2;
        for (size_t j = 0; j < times.size(); ++j) {
            examples.at(times[j], at);
            EXPECT_LT((at - shapes[j]).cwiseAbs().maxCoeff(), 1e-10);
        }
        // One-sided slopes of second order, from both sides of an example.
        const double h = 1e-7;
        for (size_t j = 1; j + 1 < times.size(); ++j) {
            examples.at(times[j], at);
            examples.at(times[j] - h, left);
            examples.at(times[j] - 2 * h, left2);
            examples.at(times[j] + h, right);
            examples.at(times[j] + 2 * h, right2);
            const RowMatrixXd before = (3.0 * at - 4.0 * left + left2) / (2 * h);
            const RowMatrixXd after = (-3.0 * at + 4.0 * right - right2) / (2 * h);
            EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-4 * after.cwiseAbs().maxCoeff() + 1e-4) << frequency;
        }
    }
}

TEST(time_examples, settled_modes_summed_once_are_all_modes_one_by_one) {
    const int n = 33;
    const RowMatrixXd first = random_shape(n + 1, 11, 4);
    const RowMatrixXd second = random_shape(n + 1, 11, 5);
    const BeamModes modes = beam_modes(n, CurveEnds::clamped, n - 1);
    const RowMatrixXd change = modes.projector * (second - first).middleRows(1, n - 1);
    for (const double damping : {0.0, 0.3, 1.0}) {
        TimeExampleOptions options;
        options.frequency_hz = 3.0;
        options.damping = damping;
        const double length = 1.5;
        const TimeExamples examples({2.0, 2.0 + length}, {first, second}, options);
        for (const double t : {0.001, 0.02, 0.05, 0.1, 0.3, 0.7, 1.0, 1.4}) {
            const double x = t / length;
            RowMatrixXd expected = (1.0 - x) * first + x * second;
            for (int k = 0; k < modes.count(); ++k) {
                const double omega =
                    2.0 * M_PI * options.frequency_hz * std::sqrt(modes.eigenvalues[k] / modes.eigenvalues[0]);
                const double growth = ramp_answer(omega, damping, t) / ramp_answer(omega, damping, length);
                expected.middleRows(1, n - 1) += (growth - x) * modes.shapes.col(k) * change.row(k);
            }
            RowMatrixXd found;
            examples.at(2.0 + t, found);
            EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 2e-14) << damping << " " << t;
        }
    }
}

TEST(time_examples, paper_restart_has_a_velocity_jump_at_examples) {
    // The counter-proof of the test above.
    TimeExampleOptions options;
    options.dynamics = CurveDynamics::paper;
    const TimeExamples examples({0.0, 0.5, 1.0},
                                {random_shape(12, 1, 1), random_shape(12, 1, 2), random_shape(12, 1, 3)}, options);
    RowMatrixXd at, left, right;
    examples.at(0.5, at);
    examples.at(0.5 - 1e-6, left);
    examples.at(0.5 + 1e-6, right);
    EXPECT_GT(((at - left) - (right - at)).norm(), 0.5 * (at - left).norm());
}

TEST(time_examples, extrapolated_force_marches_on) {
    // Chaudhry et al. 2014 Fig. 11: the force of the first step goes on rising, seven steps more.
    const int n = 20;
    const RowMatrixXd first = random_shape(n + 1, 3, 8);
    TimeExampleOptions options;
    options.dynamics = CurveDynamics::paper;
    options.paper_steps = 1;
    options.extrapolate = true;
    options.frequency_hz = frequency_for_stiffness(n, 1.0);
    const double dt = 1.0 / 8.0;
    const TimeExamples examples({0.0, dt}, {RowMatrixXd::Zero(n + 1, 3), first}, options);
    const BeamEndValues ends = BeamEndValues::of(first);
    // Force of step 1: (c D + 2 mu I) q^1 - b.
    const double c = std::pow(n, 4);
    RowMatrixXd force = dense(n, c, 2.0 * 64.0) * first.middleRows(1, n - 1);
    add_end_load(n, c, ends, -1.0, force);
    BeamMarch march(n, 3, 1.0, 1.0, dt);
    RowMatrixXd at;
    for (int m = 1; m <= 8; ++m) {
        const double r = m;
        march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
        examples.at(m * dt, at);
        EXPECT_LT((march.inner() - at.middleRows(1, n - 1)).cwiseAbs().maxCoeff(), 1e-9) << m;
    }
}

TEST(time_examples, bad_examples_are_refused_with_their_index) {
    const RowMatrixXd shape = random_shape(5, 2, 1);
    const TimeExampleOptions options;
    test::expect_error<InvalidInput>(
        [&] {
            TimeExamples({0.0, 0.0}, {shape, shape}, options);
        },
        {"increasing", "example 1"});
    test::expect_error<InvalidInput>(
        [&] {
            TimeExamples({0.0, 2.0, 1.0}, {shape, shape, shape}, options);
        },
        {"increasing", "example 2"});
    test::expect_error<InvalidInput>([&] { TimeExamples({0.0}, {shape}, options); }, {"at least two"});
    test::expect_error<InvalidInput>(
        [&] {
            TimeExamples({0.0, 1.0}, {shape, random_shape(6, 2, 1)}, options);
        },
        {"5 x 2", "6 x 2"});
    RowMatrixXd bad = shape;
    bad(1, 1) = std::nan("");
    test::expect_error<InvalidInput>([&] { TimeExamples({0.0, 1.0}, {shape, bad}, options); }, {"finite", "example 1"});
    test::expect_error<InvalidInput>(
        [&] {
            TimeExamples({0.0, 1.0}, {random_shape(2, 2, 1), random_shape(2, 2, 1)}, options);
        },
        {"2 intervals"});
    TimeExampleOptions loud = options;
    loud.damping = 1.5;
    test::expect_error<InvalidInput>([&] { TimeExamples({0.0, 1.0}, {shape, shape}, loud); }, {"damping"});
    test::expect_error<InvalidInput>([] { BeamMarch(1, 3, 1.0, 1.0, 0.1); }, {"at least 3 nodes"});
}

TEST(beam, cubic_deformation_checks_every_row_of_the_ends) {
    // f = 0 and a cubic q: exact for the differences up to the ends' slopes; order 2.
    double before = 0.0;
    for (const int n : {16, 32, 64}) {
        RowMatrixXd nodes(n + 1, 1);
        const auto q = [](double v) { return 0.3 + 1.1 * v - 2.0 * v * v + 1.7 * v * v * v; };
        for (int i = 0; i <= n; ++i) {
            nodes(i, 0) = q(static_cast<double>(i) / n);
        }
        BeamEndValues ends = BeamEndValues::of(nodes);
        ends.s0[0] = 1.1;
        ends.s1[0] = 1.1 - 4.0 + 5.1;
        BeamMarch march(n, 1, 1.0, 0.0, 1.0);
        march.step(RowMatrixXd::Zero(n - 1, 1), ends);
        const double error = (march.inner() - nodes.middleRows(1, n - 1)).cwiseAbs().maxCoeff();
        if (before > 0.0) {
            EXPECT_NEAR(std::log2(before / error), 2.0, 0.1);
        }
        before = error;
    }
    EXPECT_LT(before, 1e-4);
}

TEST(beam, uniform_load_has_relative_error_8_over_n_squared) {
    for (const int n : {32, 64}) {
        BeamMarch march(n, 1, 2.0, 0.0, 1.0);
        const VectorXd zero = VectorXd::Zero(1);
        march.step(RowMatrixXd::Constant(n - 1, 1, 3.0), {zero, zero, zero, zero});
        const double middle = 3.0 / (24.0 * 2.0) / 16.0;
        double worst = 0.0;
        for (int i = 1; i < n; ++i) {
            const double v = static_cast<double>(i) / n;
            const double exact = 3.0 * v * v * (1 - v) * (1 - v) / (24.0 * 2.0);
            worst = std::max(worst, std::abs(march.inner()(i - 1, 0) - exact));
        }
        EXPECT_NEAR(worst / middle, 8.0 / (n * n), 1e-6 / (n * n));
    }
}

}  // namespace
}  // namespace cutis
