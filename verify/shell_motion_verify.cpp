#include <cmath>
#include <complex>
#include <numbers>

#include "shell/oscillator.h"
#include "shell/shell.h"
#include "shell_cases.h"

// Step 2 of the paper: vibration.

namespace cutis::verify::shell {

namespace {

/// The paper's update (Eq. 3, damping after the position) beside the exact step with mapped
/// parameters, goal at rest.
Case paper_sequence_case() {
    double worst = 0.0;
    for (const auto& [omega, zeta] :
         {std::pair{0.2, 0.05}, {0.05, 0.02}, {0.5, 0.1}, {1.0, 0.1}, {1.0, 0.5}, {0.3, 0.8}, {0.9, 0.0}}) {
        const double dt = 1.0 / 30.0;
        const VibrationStep step = exact_step(from_paper(omega, zeta, dt), dt);
        double p = 1.0, v = 0.0;  // the paper's
        // Its first two positions fix the exact sequence's velocity.
        double y = 1.0;
        double next_p = p + dt * (v + omega * (0.0 - p) / dt);
        double w = (next_p - step.a * y) / step.b;
        for (int i = 0; i < 300; ++i) {
            v += omega * (0.0 - p) / dt;
            p += dt * v;
            v *= 1.0 - zeta;
            const double next = step.a * y + step.b * w;
            w = step.c * y + step.d * w;
            y = next;
            worst = std::max(worst, std::abs(y - p));
        }
    }
    return at_most("oscillator: exact step beside the paper's sequence", worst, 1e-12, "m",
                   "roots of z^2 - (2 - omega - zeta) z + 1 - zeta");
}

Case frequency_case() {
    // The paper's 0.2 and 0.05 at 30 fps: |z| = sqrt(1 - zeta), phase by its cosine.
    const Oscillation mapped = from_paper(0.2, 0.05, 1.0 / 30.0);
    const double size = std::sqrt(0.95);
    const double phase = std::acos((2.0 - 0.25) / (2.0 * size));
    const double decay = -30.0 * std::log(size);
    const double omega = std::hypot(decay, 30.0 * phase);
    const double error =
        std::abs(mapped.frequency_hz - omega / (2.0 * std::numbers::pi)) + std::abs(mapped.damping - decay / omega);
    return at_most("oscillator: frequency and damping of omega 0.2, zeta 0.05 at 30 fps (2.18 Hz)", error, 1e-13, "",
                   "lambda = ln(z) / dt");
}

/// Released from 1 at rest: the closed form of a damped oscillation.
Case decay_case() {
    double worst = 0.0;
    for (const double xi : {0.0, 0.05, 0.3, 0.999, 1.0, 1.001, 2.5}) {
        const Oscillation oscillation{3.0, xi};
        const double omega = 2.0 * std::numbers::pi * 3.0;
        for (const double dt : {1e-4, 0.01, 1.0 / 30.0, 0.4}) {
            const VibrationStep step = exact_step(oscillation, dt);
            double expected = 0.0;
            const std::complex<double> root = std::sqrt(std::complex<double>(xi * xi - 1.0, 0.0)) * omega;
            if (std::abs(root) * dt > 1e-3) {
                const std::complex<double> fast = -xi * omega - root, slow = -xi * omega + root;
                expected = ((slow * std::exp(fast * dt) - fast * std::exp(slow * dt)) / (slow - fast)).real();
            } else {
                expected = std::exp(-omega * xi * dt) * (1.0 + omega * xi * dt);
                // to first order in (root dt)^2
                expected += std::exp(-omega * xi * dt) * (root * root).real() * dt * dt * (0.5 + omega * xi * dt / 6.0);
            }
            worst = std::max(worst, std::abs(step.a - expected));
        }
    }
    return at_most("oscillator: decay from rest, all kinds of damping", worst, 1e-11, "m",
                   "(s e^(ft) - f e^(st)) / (s - f) with the two rates");
}

Case stability_case() {
    double worst = 0.0;
    for (const double xi : {0.0, 0.1, 0.9, 1.0, 1.5, 5.0}) {
        for (const double turns : {0.01, 0.5, 3.0, 8.0}) {
            const VibrationStep s = exact_step({1.0, xi}, turns);
            const double half = 0.5 * (s.a + s.d);
            const double product = s.a * s.d - s.b * s.c;
            const std::complex<double> root = std::sqrt(std::complex<double>(half * half - product, 0.0));
            worst = std::max({worst, std::abs(half + root) - 1.0, std::abs(half - root) - 1.0});
        }
    }
    return at_most("oscillator: spectral radius above 1 for steps up to 50 radians", worst, 1e-12, "",
                   "|e^(lambda dt)| <= 1");
}

/// A strip of detail over a slab whose base moves on a path given by its corners.
struct Strip {
    PrismShell prisms = slab(flat_grid(4, 4), {0, 0, 0.2});
    PlacedDetail detail;

    explicit Strip(int pieces) {
        for (int p = 0; p < pieces; ++p) {
            for (int i = 0; i < 12; ++i) {
                ShellPoint point;
                point.triangle = (p * 5 + i / 4) % prisms.topology().triangle_count();
                point.barycentric = Vector3d(0.2 + 0.05 * (i % 4), 0.3, 0.5 - 0.05 * (i % 4));
                point.height = (i + 0.5) / 12.0;
                detail.points.push_back(point);
                detail.piece.push_back(p);
            }
        }
        detail.piece_count = pieces;
    }
};

/// Corners of the path every 1/30 s; straight between them, so sub-steps see the same goals.
Vector3d path(double time) {
    const auto corner = [](int i) {
        return Vector3d(0.05 * std::sin(1.3 * i), 0.04 * std::cos(0.7 * i) - 0.04,
                        0.05 * std::sin(0.9 * i + 0.2) - 0.05 * std::sin(0.2));
    };
    const double place = time * 30.0;
    const int i = static_cast<int>(std::floor(place + 1e-9));
    const double t = place - i;
    return (1.0 - t) * corner(i) + t * corner(i + 1);
}

MatrixX3d shown_after(const Strip& strip, const VibrationOptions& vibration, int rate) {
    ShellOptions options;
    options.vibration = vibration;
    Shell shell(strip.prisms, strip.detail, options);
    const Workers workers(1);
    MatrixX3d base = strip.prisms.base();
    shell.advance({&base, 0.0, true}, workers);
    // A step at rest first: the motion then sets in from velocity 0 at every rate.
    shell.advance({&base, 1.0 / rate}, workers);
    for (int i = 1; i <= rate; ++i) {
        base = strip.prisms.base().rowwise() + path(static_cast<double>(i) / rate).transpose();
        shell.advance({&base, 1.0 / rate}, workers);
    }
    MatrixX3d out;
    shell.write_positions(out);
    return out;
}

double rate_error(const VibrationOptions& options) {
    const Strip strip(3);
    const MatrixX3d slow = shown_after(strip, options, 30);
    double worst = 0.0;
    for (const int rate : {60, 120, 240}) {
        worst = std::max(worst, (shown_after(strip, options, rate) - slow).cwiseAbs().maxCoeff());
    }
    return worst;
}

Case rate_case() {
    VibrationOptions options;
    options.precision = Precision::full;
    options.limiter = Limiter::none;
    options.material = {3.0, 0.1};
    double worst = rate_error(options);
    options.damping_against = DampingAgainst::room;
    worst = std::max(worst, rate_error(options));
    options.use_axes = true;
    options.axes = {Oscillation{2.0, 0.05}, Oscillation{5.0, 0.4}, Oscillation{9.0, 1.2}};
    worst = std::max(worst, rate_error(options));
    options.damping_against = DampingAgainst::goal;
    options.limiter = Limiter::soft;
    worst = std::max(worst, rate_error(options));
    return at_most("vibration: 30, 60, 120 and 240 steps a second of one path, difference", worst, 1e-12, "m",
                   "the step is exact for goals on straight lines");
}

Case single_case() {
    VibrationOptions options;
    options.limiter = Limiter::none;
    options.material = {3.0, 0.1};
    const Strip strip(3);
    const MatrixX3d single = shown_after(strip, options, 60);
    options.precision = Precision::full;
    return at_most("vibration: float32 beside double after a second",
                   (shown_after(strip, options, 60) - single).cwiseAbs().maxCoeff(), 1e-6, "m", "rounding of 60 steps");
}

/// Rest and rigid motion at constant velocity leave no vibration.
Case still_case() {
    const Strip strip(3);
    ShellOptions options;
    options.vibration.precision = Precision::full;
    Shell shell(strip.prisms, strip.detail, options);
    const Workers workers(1);
    MatrixX3d base = strip.prisms.base();
    shell.advance({&base, 0.0, true}, workers);
    double worst = 0.0;
    for (int i = 1; i <= 50; ++i) {
        base = strip.prisms.base().rowwise() + Eigen::RowVector3d(0.02 * i, 0.01 * i, 0.0);
        shell.advance({&base, 1.0 / 60.0}, workers);
        for (int v = 0; v < shell.vertex_count(); ++v) {
            worst = std::max(worst, (shell.position(v) - shell.goal(shell.place(v))).norm());
        }
    }
    return at_most("vibration: detail on a base in steady motion, distance from its goal", worst, 1e-12, "m",
                   "damping works against the goal's velocity");
}

/// One strip of forty driven hard: what happens to the others.
Case limiter_case() {
    const Strip strip(40);
    const auto other_amplitude = [&](Limiter limiter) {
        ShellOptions options;
        options.vibration.precision = Precision::full;
        options.vibration.limiter = limiter;
        options.vibration.spanning = 10.0;
        options.vibration.material = {3.0, 0.05};
        Shell shell(strip.prisms, strip.detail, options);
        const Workers workers(1);
        MatrixX3d base = strip.prisms.base();
        shell.advance({&base, 0.0, true}, workers);
        double worst_limit = 0.0;
        VectorXd amplitudes;
        VectorXd peak = VectorXd::Zero(shell.vertex_count());
        for (int i = 1; i <= 120; ++i) {
            base = strip.prisms.base();
            for (Eigen::Index v = 0; v < base.rows(); ++v) {
                // All sway a little; one corner is thrown about.
                base(v, 0) += 0.01 * std::sin(0.6 * i);
                if (base(v, 0) + base(v, 1) < 0.3) {
                    base(v, 2) += 0.4 * std::sin(0.6 * i);
                }
            }
            shell.advance({&base, 1.0 / 60.0}, workers);
            shell.write_amplitudes(amplitudes);
            peak = peak.cwiseMax(amplitudes);
            worst_limit = std::max(worst_limit, amplitudes.maxCoeff());
        }
        double far = 0.0;
        for (int v = 0; v < shell.vertex_count(); ++v) {
            const auto corners = strip.prisms.topology().triangles().row(shell.place(v).triangle);
            double nearest = 1e9;
            for (int k = 0; k < 3; ++k) {
                nearest = std::min(nearest, strip.prisms.base().row(corners[k]).sum());
            }
            // Pieces wholly away from the corner.
            bool is_far = true;
            for (int u = v / 12 * 12; u < v / 12 * 12 + 12; ++u) {
                const auto own = strip.prisms.topology().triangles().row(shell.place(u).triangle);
                for (int k = 0; k < 3; ++k) {
                    is_far = is_far && strip.prisms.base().row(own[k]).sum() > 0.8;
                }
            }
            far = std::max(far, is_far ? peak[v] : 0.0);
        }
        return std::pair{far, worst_limit};
    };
    const auto [free_far, free_worst] = other_amplitude(Limiter::none);
    const auto [piece_far, piece_worst] = other_amplitude(Limiter::piece);
    // Thickness 0.2, half of it is the limit; the free corner must go beyond it.
    const double broken =
        (piece_worst > 0.1 + 1e-12 || !(free_worst > 0.1) || !(free_far > 0.0)) ? 1.0 : std::abs(piece_far - free_far);
    return at_most("limiter: change of strips away from the one that is retracted", broken, 1e-12, "m",
                   "Eq. 4 per piece: others keep their amplitude");
}

}  // namespace

std::vector<Case> vibration_cases() {
    return {paper_sequence_case(), frequency_case(), decay_case(), stability_case(),
            rate_case(),           single_case(),    still_case(), limiter_case()};
}

}  // namespace cutis::verify::shell
