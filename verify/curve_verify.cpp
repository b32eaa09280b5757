#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <random>

#include "curve/beam.h"
#include "curve/time_examples.h"
#include "curve/tube_map.h"
#include "verify/curve_cases.h"
#include "verify/paper_beam.h"

// Closed forms of the curve layer: Chaudhry et al. 2014, computed when asked for.

namespace cutis::verify {

Case curve_at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("curve", std::move(name), value, limit, std::move(unit), std::move(source));
}

namespace {

RowMatrixXd random_shape(int rows, int columns, unsigned seed) {
    std::mt19937 random(seed);
    RowMatrixXd shape(rows, columns);
    for (Eigen::Index i = 0; i < shape.size(); ++i) {
        shape.data()[i] = static_cast<double>(random()) / 2147483648.0 - 1.0;
    }
    return shape;
}

double uniform_load_error(int n) {
    BeamMarch march(n, 1, 1.0, 0.0, 1.0);
    const VectorXd zero = VectorXd::Zero(1);
    march.step(RowMatrixXd::Ones(n - 1, 1), {zero, zero, zero, zero});
    double worst = 0.0;
    for (int i = 1; i < n; ++i) {
        const double v = static_cast<double>(i) / n;
        worst = std::max(worst, std::abs(march.inner()(i - 1, 0) - v * v * (1 - v) * (1 - v) / 24.0));
    }
    return worst * 384.0;  // relative to the middle
}

double frequency_error(int n, int mode, double exact) {
    const BeamModes modes = beam_modes(n, CurveEnds::clamped, mode + 1);
    return std::abs(n * n * std::sqrt(modes.eigenvalues[mode]) / exact - 1.0);
}

double cubic_error(int n) {
    const auto q = [](double v) { return 0.3 + 1.1 * v - 2.0 * v * v + 1.7 * v * v * v; };
    RowMatrixXd nodes(n + 1, 1);
    for (int i = 0; i <= n; ++i) {
        nodes(i, 0) = q(static_cast<double>(i) / n);
    }
    BeamEndValues ends = BeamEndValues::of(nodes);
    ends.s0[0] = 1.1;
    ends.s1[0] = 2.2;
    BeamMarch march(n, 1, 1.0, 0.0, 1.0);
    march.step(RowMatrixXd::Zero(n - 1, 1), ends);
    return (march.inner() - nodes.middleRows(1, n - 1)).cwiseAbs().maxCoeff();
}

double factorisation_error(int n) {
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(n + 1, n - 1);
    for (int row = 0; row <= n; ++row) {
        for (const auto& [node, value] : {std::pair{row - 1, 1.0}, {row, -2.0}, {row + 1, 1.0}}) {
            const int folded = node == -1 ? 1 : node == n + 1 ? n - 1 : node;
            if (folded >= 1 && folded <= n - 1) {
                b(row, folded - 1) += value;
            }
        }
    }
    b.row(0) *= std::sqrt(0.5);
    b.row(n) *= std::sqrt(0.5);
    const Eigen::MatrixXd square = b.transpose() * b;
    const std::vector<double> band = beam_band(n, 1.0, 0.0);
    double worst = 0.0;
    for (int i = 0; i < n - 1; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double entry = i - j <= 2 ? band[3 * i + i - j] : 0.0;
            worst = std::max(worst, std::abs(square(i, j) - entry));
        }
    }
    return worst;
}

double mode_error(int n) {
    const BeamModes modes = beam_modes(n, CurveEnds::clamped, n - 1);
    const std::vector<double> band = beam_band(n, 1.0, 0.0);
    double worst = 0.0;
    for (int i = 0; i < n - 1; ++i) {
        for (int k = 0; k < n - 1; ++k) {
            double sum = -modes.eigenvalues[k] * modes.shapes(i, k);
            for (int j = std::max(0, i - 2); j <= std::min(n - 2, i + 2); ++j) {
                const int high = std::max(i, j);
                sum += band[3 * static_cast<size_t>(high) + static_cast<size_t>(std::abs(i - j))] * modes.shapes(j, k);
            }
            worst = std::max(worst, std::abs(sum));
        }
    }
    return worst;
}

struct MarchErrors {
    double target = 0.0;
    double closed_form = 0.0;
};

MarchErrors march_errors() {
    MarchErrors errors;
    const int n = 33;
    const int M = 30;
    for (const double a2 : {1e-3, 1.0, 30.0, 1000.0}) {
        RowMatrixXd target = random_shape(n + 1, 6, 3);
        target.col(0) = target.col(0).cwiseAbs();
        target.col(1).setZero();
        target(n / 2, 2) = 0.0;
        for (int i = 0; i <= n; ++i) {
            target(i, 3) = std::sin(2.0 * std::numbers::pi * i / n);
        }
        const RowMatrixXd force = identify_force(n, 1.0, a2, M, target);
        const BeamEndValues ends = BeamEndValues::of(target);
        TimeExampleOptions options;
        options.dynamics = CurveDynamics::paper;
        options.frequency_hz = frequency_for_stiffness(n, 1.0 / a2);
        const TimeExamples examples({0.0, 1.0}, {RowMatrixXd::Zero(n + 1, 6), target}, options);
        BeamMarch march(n, 6, 1.0, a2, 1.0 / M);
        RowMatrixXd closed;
        for (int m = 1; m <= M; ++m) {
            const double r = static_cast<double>(m) / M;
            march.step(force * r, {r * ends.d0, r * ends.s0, r * ends.d1, r * ends.s1});
            examples.at(r, closed);
            errors.closed_form =
                std::max(errors.closed_form, (march.inner() - closed.middleRows(1, n - 1)).cwiseAbs().maxCoeff());
        }
        errors.target = std::max(errors.target, (march.inner() - target.middleRows(1, n - 1)).cwiseAbs().maxCoeff());
    }
    return errors;
}

/// Smallest error the paper's ratio iteration reaches over the same targets.
double ratio_iteration_error() {
    double best = 1e300;
    for (const double a2 : {1e-3, 1.0, 30.0, 1000.0}) {
        best = std::min(best, iterate_force(33, 1.0, a2, 30, random_shape(34, 3, 3), 200, 1e-10).error);
    }
    return best;
}

struct ExampleErrors {
    double hit = 0.0;
    double jump = 0.0;
};

ExampleErrors example_errors(CurveDynamics dynamics) {
    ExampleErrors errors;
    const std::vector<double> times = {0.0, 0.25, 0.6, 0.8, 1.5};
    std::vector<RowMatrixXd> shapes;
    for (unsigned j = 0; j < times.size(); ++j) {
        shapes.push_back(random_shape(18, 3, j + 1));
    }
    for (const double frequency : {0.2, 1.0, 5.0, 50.0}) {
        TimeExampleOptions options;
        options.frequency_hz = frequency;
        options.dynamics = dynamics;
        const TimeExamples examples(times, shapes, options);
        RowMatrixXd at, l1, l2, r1, r2;
        const double h = 1e-7;
        for (size_t j = 0; j < times.size(); ++j) {
            examples.at(times[j], at);
            errors.hit = std::max(errors.hit, (at - shapes[j]).cwiseAbs().maxCoeff());
            if (j > 0 && j + 1 < times.size()) {
                examples.at(times[j] - h, l1);
                examples.at(times[j] - 2 * h, l2);
                examples.at(times[j] + h, r1);
                examples.at(times[j] + 2 * h, r2);
                const RowMatrixXd before = (3.0 * at - 4.0 * l1 + l2) / (2 * h);
                const RowMatrixXd after = (-3.0 * at + 4.0 * r1 - r2) / (2 * h);
                errors.jump =
                    std::max(errors.jump, (before - after).cwiseAbs().maxCoeff() / after.cwiseAbs().maxCoeff());
            }
        }
    }
    return errors;
}

/// A limb of rings with random diagonals, jittered along the surface by up to `jitter` of a cell.
int flips_on_jittered_limb(double jitter, unsigned seed) {
    const int around = 19;
    const int along = 44;
    std::mt19937 random(seed);
    const auto number = [&] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
    MatrixX3d positions(around * (along + 1), 3);
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double z = (j + (j > 0 && j < along ? jitter * number() : 0.0)) / along;
            const double angle = 2.0 * std::numbers::pi * (i + jitter * number()) / around;
            const double radius = 0.05 + 0.02 * std::sin(7.0 * z);
            positions.row(j * around + i) << radius * std::cos(angle) + 0.1 * z * z, radius * std::sin(angle), z;
        }
    }
    MatrixX3i triangles(2 * around * along, 3);
    int f = 0;
    for (int j = 0; j < along; ++j) {
        for (int i = 0; i < around; ++i) {
            const int a = j * around + i;
            const int b = j * around + (i + 1) % around;
            const int c = b + around;
            const int d = a + around;
            if (random() % 2 == 0) {
                triangles.row(f++) << a, b, c;
                triangles.row(f++) << a, c, d;
            } else {
                triangles.row(f++) << a, b, d;
                triangles.row(f++) << b, c, d;
            }
        }
    }
    const Topology topology(triangles, static_cast<int>(positions.rows()));
    return map_tube(positions, topology, 0, 1).flipped;
}

/// Largest difference at the same times between bakes of 24, 30, 60 and 7 frames per second.
double frame_rate_difference() {
    const int around = 12;
    const int along = 20;
    MatrixX3d positions(around * (along + 1), 3);
    MatrixX3i triangles(2 * around * along, 3);
    int f = 0;
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / around;
            positions.row(j * around + i) << 0.05 * std::cos(angle), 0.05 * std::sin(angle), 0.3 * j / along;
            if (j < along) {
                const int a = j * around + i;
                const int b = j * around + (i + 1) % around;
                triangles.row(f++) << a, b, b + around;
                triangles.row(f++) << a, b + around, a + around;
            }
        }
    }
    const Topology topology(triangles, static_cast<int>(positions.rows()));
    const CurvePart part = lay_curves(whole_surface(positions, topology), -1, -1, {});
    const auto sample = [&](double t, CurveDrive& drive) {
        drive.frames.places =
            Eigen::RowVector3d(0.1 * std::sin(9.0 * t), 0.05 * std::cos(13.0 * t), 0.0).replicate(part.rows(), 1);
        drive.frames.rotations.resize(part.rows(), 9);
        for (int i = 0; i < part.rows(); ++i) {
            drive.frames.rotations.row(i) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
        }
        drive.followed = MatrixX3d::Zero(part.rows(), 3);
        drive.shape = MatrixX3d::Constant(part.rows(), 3, 0.01 * std::sin(6.0 * t));
    };
    const Workers workers(1);
    MatrixX3d reference;
    double worst = 0.0;
    for (const double fps : {24.0, 30.0, 60.0, 7.0}) {
        CurveSolver solver(part, {});
        solver.reset(0.0, sample, workers);
        const int frames = static_cast<int>(std::lround(2.0 * fps));
        for (int frame = 1; frame <= frames; ++frame) {
            solver.advance(frame / fps, sample, workers);
        }
        CurveDrive drive;
        sample(2.0, drive);
        MatrixX3d out;
        solver.displacement(2.0, drive.frames, workers, out);
        if (reference.size() == 0) {
            reference = out;
        }
        worst = std::max(worst, (out - reference).cwiseAbs().maxCoeff());
    }
    return worst;
}

/// A ring of radius 1 at the end of a tube, turned by forces extrapolated eight-fold from an
/// example of 11.25 degrees (Chaudhry et al. 2014 Fig. 11).
struct ExtrapolatedTwist {
    double radius = 0.0;
    double degrees = 0.0;
};

ExtrapolatedTwist extrapolated_twist() {
    const int nodes = 33;
    const double small = std::numbers::pi / 16.0;
    RowMatrixXd example(nodes, 2);
    for (int n = 0; n < nodes; ++n) {
        const double turn = small * n / (nodes - 1);
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
    return {std::hypot(x, y), std::atan2(y, x) * 180.0 / std::numbers::pi};
}

}  // namespace

std::vector<Case> curve_form_cases() {
    const auto order = [](double coarse, double fine) { return std::log2(coarse / fine); };
    const MarchErrors march = march_errors();
    const ExampleErrors exact = example_errors(CurveDynamics::exact);
    const ExampleErrors paper = example_errors(CurveDynamics::paper);
    const ExampleErrors spline = example_errors(CurveDynamics::spline);
    int flips = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        for (const double jitter : {0.1, 0.25, 0.35}) {
            flips += flips_on_jittered_limb(jitter, seed);
        }
    }
    std::vector<Case> cases = {
        curve_at_most("uniform load, 32 intervals: error of the middle is 8/N^2",
                      std::abs(uniform_load_error(32) * 1024.0 / 8.0 - 1.0), 1e-9, "", "q = f v^2 (1-v)^2 / (24 a1)"),
        curve_at_most("uniform load: order 2 in N",
                      std::abs(order(uniform_load_error(32), uniform_load_error(64)) - 2.0), 1e-6, "",
                      "second differences"),
        curve_at_most("first frequency 22.3733 sqrt(a1/a2), 128 intervals", frequency_error(128, 0, 22.3732854), 2.6e-4,
                      "relative", "cos k cosh k = 1"),
        curve_at_most("second frequency 61.6728 sqrt(a1/a2), 128 intervals", frequency_error(128, 1, 61.6728229),
                      5.6e-4, "relative", "cos k cosh k = 1"),
        curve_at_most("first frequency: order 2 in N",
                      std::abs(order(frequency_error(64, 0, 22.3732854), frequency_error(128, 0, 22.3732854)) - 2.0),
                      0.01, "", "second differences"),
        curve_at_most("cubic with all end values, 64 intervals", cubic_error(64), 1e-4, "",
                      "q'''' = 0; checks every end row of A5 and A7"),
        curve_at_most("cubic: order 2 in N", std::abs(order(cubic_error(32), cubic_error(64)) - 2.0), 0.05, "",
                      "end slopes by virtual nodes"),
        curve_at_most("the matrix is B^T W B (33 intervals)", factorisation_error(33), 1e-14, "",
                      "Chaudhry et al. 2014 A5 corrected; positive definite"),
        curve_at_most("closed-form modes solve D v = lambda v (67 intervals)", mode_error(67), 1e-12, "",
                      "trigonometric and hyperbolic shapes"),
        curve_at_most("identified force ends on random targets, zeros and sign changes", march.target, 1e-10, "",
                      "f + b = c sum lambda v (v.q)/phi(M)"),
        curve_at_most("closed form and marching, every frame", march.closed_form, 1e-11, "",
                      "phi(m) = m/M - C cos^m sin(m theta)"),
        curve_at_most("five examples are hit by the exact modes", exact.hit, 1e-10, "", "spline through the misses"),
        curve_at_most("velocity jump at examples, exact modes", exact.jump, 1e-4, "of the largest velocity",
                      "simulated motion and spline are C1"),
        curve_at_most("five examples are hit by the spline", spline.hit, 1e-12, "", "interpolates"),
        curve_at_most("velocity jump at examples, spline", spline.jump, 1e-4, "of the largest velocity",
                      "a cubic spline is C2"),
        curve_at_most("24, 30, 60 and 7 frames per second give the same shape", frame_rate_difference(), 1e-14, "m",
                      "drive on a fixed grid of time"),
        curve_at_most("triangles inverted on 24 jittered limbs", flips, 0.0, "triangles",
                      "positive weights, Floater 2003"),
    };
    // The displacement of a small turn, eight times over: 1 + 8 (e^(ia) - 1) in the complex plane.
    const ExtrapolatedTwist twist = extrapolated_twist();
    const double a = std::numbers::pi / 16.0;
    const double x = 1.0 + 8.0 * (std::cos(a) - 1.0);
    const double y = 8.0 * std::sin(a);
    cases.push_back(
        curve_at_most("twist by forces extrapolated eight-fold: radius (swollen to "
                      "1.775) off by",
                      std::abs(twist.radius - std::hypot(x, y)), 1e-12, "of the radius",
                      "|1 + 8 (e^(ia) - 1)|, a = 11.25 degrees; Chaudhry et al. 2014 Fig. 11"));
    cases.push_back(
        curve_at_most("twist by forces extrapolated eight-fold: angle (61.5 of 90 "
                      "degrees) off by",
                      std::abs(twist.degrees - std::atan2(y, x) * 180.0 / std::numbers::pi), 1e-10, "degrees",
                      "arg(1 + 8 (e^(ia) - 1)); Chaudhry et al. 2014 Fig. 11"));
    // Counter-proofs.
    cases.push_back(case_at_least("curve", "the paper's restart has velocity jumps at examples", paper.jump, 0.1,
                                  "of the largest velocity", "Chaudhry et al. 2014 Eqs. (13), A6"));
    cases.push_back(case_at_least("curve", "error of the paper's ratio iteration, best of 4 in 200 rounds",
                                  ratio_iteration_error(), 1e-10, "",
                                  "Chaudhry et al. 2014 Eq. (11): expanding where f q < 0"));
    return cases;
}

std::vector<Case> verify_curve() {
    std::vector<Case> cases = curve_form_cases();
    for (const auto group : {curve_part_cases, curve_border_cases, curve_twist_cases, curve_collision_cases}) {
        const std::vector<Case> more = group();
        cases.insert(cases.end(), more.begin(), more.end());
    }
    const std::vector<Case> whole = curve_whole_cases(false);
    cases.insert(cases.end(), whole.begin(), whole.end());
    return cases;
}

}  // namespace cutis::verify
