// Waves, free sliding, coupling to a moving body.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "slide/locate.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

struct Wave {
    double period = 0.0;
    double kept = 0.0;  // amplitude after one period over the first
    double second_kept = 0.0;
};

// Standing wave of the longest kind between pinned rims: axial (along the axis) or torsional. The
// amplitude is the mean slip weighted with the mode; its zero crossings give the period.
Wave standing_wave(int around, int along, bool is_axial, double seconds, double implicitness) {
    SlideOptions options = plain_skin();
    options.implicitness = implicitness;
    options.tolerance = 1e-8;
    SlideSetup setup(slide_cylinder(around, along, 0.25, 1.0, !is_axial), options);
    setup.solver->reset(setup.rest(), setup.workers);
    // Start from rest in the middle with a velocity field: slip follows sin(omega t).
    MatrixX3d velocity(setup.count(), 3);
    const double amplitude = 0.05;
    for (int v = 0; v < setup.count(); ++v) {
        const Vector3d p = setup.rest().row(v);
        const double mode = std::sin(std::numbers::pi * p[2]);
        velocity.row(v) =
            amplitude * mode * (is_axial ? Vector3d(0, 0, 1) : Vector3d(-p[1], p[0], 0.0) / std::hypot(p[0], p[1]));
    }
    setup.solver->set_velocities(velocity);
    const auto measured = [&] {
        MatrixX3d now;
        setup.solver->velocities(now);
        return (now.array() * velocity.array()).sum();
    };
    const double first = measured();
    // Velocity follows cos(omega t): crossings at a quarter and three quarters of a period.
    std::vector<double> crossings;
    double before = first;
    double time = 0.0;
    Wave wave;
    double lowest = 0.0;
    while (crossings.size() < 4 && time < 2.0) {
        setup.solver->step(setup.rest(), seconds, setup.workers);
        const double now = measured();
        if ((now > 0.0) != (before > 0.0)) {
            crossings.push_back(time + seconds * before / (before - now));
        }
        lowest = std::min(lowest, now);
        if (crossings.size() == 2) {
            wave.kept = std::max(wave.kept, now / first);  // peak after one period
        }
        before = now;
        time += seconds;
    }
    wave.period = crossings.size() == 4 ? (crossings[3] - crossings[1]) : 0.0;
    return wave;
}

// Skin turning freely round the axis of a torus: angular momentum stays.
double killing_flow_loss(SlideShape shape, double speed) {
    SlideSetup setup(std::move(shape), plain_skin());
    setup.solver->reset(setup.rest(), setup.workers);
    MatrixX3d velocity(setup.count(), 3);
    for (int v = 0; v < setup.count(); ++v) {
        velocity.row(v) = Vector3d::UnitZ().cross(Vector3d(setup.rest().row(v))) * speed / 0.35;
    }
    setup.solver->set_velocities(velocity);
    setup.solver->step(setup.rest(), 1e-7, setup.workers);
    const double first = setup.solver->slip_momentum(Vector3d::Zero())[2];
    for (int k = 0; k < 400; ++k) {
        setup.solver->step(setup.rest(), 1e-3, setup.workers);
    }
    return std::abs(setup.solver->slip_momentum(Vector3d::Zero())[2] / first - 1.0);
}

struct Shake {
    double largest = 0.0;
    double early = 0.0;  // slip along x after 50 ms, largest
    double off = 0.0;    // of shown vertices from the torus, 30 times a second
};

Shake shaken(double zeta, double seconds) {
    SlideOptions options = plain_skin();
    options.young_modulus = 100.0;  // mu = k = 50: the softer skin of the prototype
    options.poisson_ratio = 0.0;
    options.stickiness = zeta;
    SlideSetup setup(slide_torus(24, 24), options);
    setup.solver->reset(setup.rest(), setup.workers);
    setup.solver->step(setup.rest(), seconds, setup.workers);  // it stood still before
    Shake result;
    const int steps = static_cast<int>(std::lround(1.0 / seconds));
    SlideLocator locator(*setup.topology, setup.rest(), *setup.solver);
    MatrixX3d shown;
    const int frame = static_cast<int>(std::lround(1.0 / 30.0 / seconds));
    for (int k = 1; k <= steps; ++k) {
        const double t = k * seconds;
        MatrixX3d x = setup.rest();
        x.col(0).array() += 0.05 * std::sin(2.0 * std::numbers::pi * 3.0 * t);
        setup.solver->step(x, seconds, setup.workers);
        MatrixX3d at;
        setup.solver->material_positions(at);
        const MatrixX3d slip = at - setup.rest();
        result.largest = std::max(result.largest, slip.rowwise().norm().maxCoeff());
        for (Eigen::Index v = 0; k % frame == 0 && v < x.rows(); ++v) {
            if (v == 0) {
                locator.search(*setup.solver, setup.workers);
                locator.lay(setup.rest(), setup.workers, shown);
            }
            const double across = std::hypot(shown(v, 0), shown(v, 1)) - 0.35;
            result.off = std::max(result.off, std::abs(std::hypot(across, shown(v, 2)) - 0.14));
        }
        if (k == static_cast<int>(std::lround(0.05 / seconds))) {
            result.early = slip.col(0).maxCoeff();  // material from ahead: positive is lag
        }
    }
    return result;
}

// A body that starts to move and goes on at 2 m/s: damped skin comes to rest on it.
double slip_on_a_steady_body() {
    SlideOptions options = plain_skin();
    options.damping = 8.0;
    SlideSetup setup(slide_torus(24, 24), options);
    setup.solver->reset(setup.rest(), setup.workers);
    double place = 0.0;
    for (int k = 1; k <= 1500; ++k) {
        place += 2.0 * 1e-3 * std::min(1.0, k / 100.0);
        MatrixX3d x = setup.rest();
        x.col(0).array() += place;
        setup.solver->step(x, 1e-3, setup.workers);
    }
    MatrixX3d v;
    setup.solver->velocities(v);
    MatrixX3d at;
    setup.solver->material_positions(at);
    return (at - setup.rest()).rowwise().norm().maxCoeff();
}

// A disc turning at 5 rad/s below skin without stress that glides straight on at 0.2 m/s.
double rotating_disc_error() {
    SlideOptions options = plain_skin();
    options.young_modulus = 1e-12;
    options.rim = RimMode::free;
    options.tolerance = 1e-12;
    SlideSetup setup(slide_disc(16), options);
    setup.solver->reset(setup.rest(), setup.workers);
    const double rate = 5.0;
    const Vector3d glide(0.2, 0.0, 0.0);
    const auto body_at = [&](double t) {
        return MatrixX3d(setup.rest() * Eigen::AngleAxisd(rate * t, Vector3d::UnitZ()).toRotationMatrix().transpose());
    };
    const double h = 1e-3;
    // First step fixes the body's velocity, then the skin's is set relative to it.
    setup.solver->step(body_at(h), h, setup.workers);
    MatrixX3d velocity(setup.count(), 3);
    MatrixX3d now = body_at(h);
    MatrixX3d before = body_at(0.0);
    for (int v = 0; v < setup.count(); ++v) {
        velocity.row(v) = (glide - Vector3d((now.row(v) - before.row(v)) / h)).transpose();
    }
    setup.solver->set_velocities(velocity);
    for (int k = 2; k <= 30; ++k) {
        before = now;
        now = body_at(k * h);
        setup.solver->step(now, h, setup.workers);
    }
    setup.solver->velocities(velocity);
    double worst = 0.0;
    for (int v = 0; v < setup.count(); ++v) {
        if (setup.rest().row(v).norm() < 0.7) {  // the rest has felt the rim
            const Vector3d absolute = (velocity.row(v) + (now.row(v) - before.row(v)) / h).transpose();
            worst = std::max(worst, (absolute - glide).norm());
        }
    }
    return worst;
}

// A displaced skin on a still body: total energy must never rise.
double energy_rises(SlideShape shape, double speed, int steps) {
    SlideSetup setup(std::move(shape), plain_skin());
    setup.solver->reset(setup.rest(), setup.workers);
    MatrixX3d velocity(setup.count(), 3);
    for (int v = 0; v < setup.count(); ++v) {
        const Vector3d p = setup.rest().row(v);
        velocity.row(v) = speed * Vector3d(std::sin(9 * p[1]), std::cos(7 * p[2]), std::sin(8 * p[0]));
    }
    setup.solver->set_velocities(velocity);
    setup.solver->step(setup.rest(), 1e-6, setup.workers);
    double before = setup.solver->energy(setup.workers).total();
    const double first = before;
    int rises = 0;
    for (int k = 0; k < steps; ++k) {
        setup.solver->step(setup.rest(), 1e-3, setup.workers);
        const double now = setup.solver->energy(setup.workers).total();
        rises += now > before + 1e-9 * first ? 1 : 0;
        before = now;
    }
    return rises;
}

}  // namespace

std::vector<Case> verify_slide_dynamics() {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, double value, double limit, const std::string& unit,
                         const std::string& source) { cases.push_back(slide_case(name, value, limit, unit, source)); };
    const double axial = 2.0 / std::sqrt(150.0);     // 2 L / sqrt((lambda + 2 mu) / rho)
    const double torsional = 2.0 / std::sqrt(50.0);  // 2 L / sqrt(mu / rho)
    const Wave along = standing_wave(24, 33, true, 5e-4, 1.0);
    add("axial wave: period off by", std::abs(along.period / axial - 1.0), 1e-3, "",
        "T = 2 L / sqrt((lambda + 2 mu) / rho)");
    const Wave turn = standing_wave(24, 33, false, 5e-4, 1.0);
    add("torsional wave, 24 x 33: period off by", std::abs(turn.period / torsional - 1.0), 8.6e-3, "",
        "T = 2 L / sqrt(mu / rho)");
    const Wave turn_fine = standing_wave(48, 65, false, 5e-4, 1.0);
    add("torsional wave, 48 x 65: period off by", std::abs(turn_fine.period / torsional - 1.0), 2.6e-3, "",
        "T = 2 L / sqrt(mu / rho)");
    // Implicit Euler: amplitude exp(-omega^2 h t / 2) after one period.
    const Wave damped = standing_wave(24, 33, true, 1e-3, 1.0);
    const double omega = 2.0 * std::numbers::pi / axial;
    add("numerical damping of the implicit step over one period off by",
        std::abs(damped.kept / std::exp(-0.5 * omega * omega * 1e-3 * axial) - 1.0), 4e-3, "", "exp(-omega^2 h t / 2)");
    const Wave second = standing_wave(24, 33, true, 1e-3, 0.5);
    cases.push_back(slide_case_at_least("second-order step: amplitude kept over one period", second.kept, 0.995, "",
                                        "trapezoidal rule conserves"));
    add("free sliding round a torus at 0.05 m/s: momentum lost in 0.4 s", killing_flow_loss(slide_torus(24, 24), 0.05),
        2e-3, "", "no friction, no pinning");
    add("free sliding round a torus at 1 m/s: momentum change in 0.4 s", killing_flow_loss(slide_torus(54, 22), 1.0),
        4e-3, "", "Killing flow; edges of 40 mm as in an independent prototype (92 mm, 24 x 24: 5.7e-3)");
    const Shake stuck = shaken(1.0, 1e-3);
    const Shake half = shaken(0.5, 1e-3);
    const Shake half_coarse = shaken(0.5, 2e-3);
    const Shake loose_coarse = shaken(0.0, 2e-3);
    const Shake loose = shaken(0.0, 1e-3);
    add("shaken torus, stickiness 1: slip", stuck.largest, 1e-15, "m", "no inertial load");
    add("shaken torus, stickiness 0: shown vertices off the torus", loose.off, 1e-3, "m",
        "the shape of the body is not changed");
    cases.push_back(slide_case_at_least("shaken torus, stickiness 0: largest slip", loose.largest, 0.183, "m",
                                        "an independent prototype; the body moves 50 mm"));
    add("shaken torus, stickiness 0: largest slip", loose.largest, 0.192, "m",
        "an independent prototype: 183 and 192 mm by two schemes");
    cases.push_back(slide_case_at_least("shaken torus, stickiness 0: largest lag after 50 ms", loose.early, 0.026, "m",
                                        "an independent prototype; its place on the torus is not known"));
    add("shaken torus, stickiness 0: largest lag after 50 ms", loose.early, 0.0404, "m",
        "no more than the body has moved");
    add("shaken torus, stickiness 0.5: slip over that at 0, off from one half",
        std::abs(half.largest / loose.largest - 0.5), 0.035, "", "s'' = -(1 - zeta) x''");
    add("the same with steps of 2 ms", std::abs(half_coarse.largest / loose_coarse.largest - 0.5), 0.035, "",
        "independent of the step");
    add("body at constant speed, damping 8/s: slip left after 1.5 s", slip_on_a_steady_body(), 1e-3, "m",
        "only acceleration acts");
    add("rotating disc: uniform inertial velocity off by", rotating_disc_error(), 1e-13, "m/s",
        "Coriolis and centrifugal terms in the transport");
    add("still torus: steps in which total energy rises", energy_rises(slide_torus(24, 24), 0.5, 300), 0.0, "of 300",
        "implicit step");
    add("still torus, skin that starts at 20 m/s: steps in which total energy rises",
        energy_rises(slide_torus(24, 24), 20.0, 100), 0.0, "of 100", "a third of an edge a step");
    add("still icosphere: steps in which total energy rises", energy_rises(slide_sphere(3), 0.5, 200), 0.0, "of 200",
        "implicit step");
    add("still genus-2 surface: steps in which total energy rises", energy_rises(slide_genus_two(2), 0.1, 200), 0.0,
        "of 200", "implicit step");
    return cases;
}

}  // namespace cutis::verify
