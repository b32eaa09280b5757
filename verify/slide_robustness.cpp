// What no input may do: NaN, a stuck skin, a state that never recovers.

#include <algorithm>
#include <cmath>

#include "slide/passes.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

struct Outcome {
    int not_finite = 0;  // steps with a number that is not finite
    int inverted_steps = 0;
    int steps = 0;  // taken until the skin was back
};

void look(SlideSetup& setup, Outcome& outcome) {
    VectorXd ratios;
    setup.solver->area_ratios(ratios);
    MatrixX3d v;
    setup.solver->velocities(v);
    const bool is_finite = ratios.allFinite() && v.allFinite();
    outcome.not_finite += is_finite ? 0 : 1;
    outcome.inverted_steps += ratios.minCoeff() <= 0.0 ? 1 : 0;
}

// The body jumps to a new random smooth shape at every step, then rests.
Outcome teleport(SlideMaterial material, double seconds, int newton) {
    SlideOptions options = plain_skin();
    options.material = material;
    options.newton_iterations = newton;
    options.stickiness = 1.0;  // the shape jumps; 60 m/s of inertia are another matter (see fuzz)
    SlideSetup setup(slide_torus(24, 24), options);
    setup.solver->reset(setup.rest(), setup.workers);
    Dice dice(17);
    Outcome outcome;
    MatrixX3d x = setup.rest();
    for (int k = 0; k < 120; ++k) {
        if (k < 90) {
            double a[9];
            for (double& value : a) {
                value = dice.roll();
            }
            for (int v = 0; v < setup.count(); ++v) {
                const Vector3d p = setup.rest().row(v);
                x.row(v) = p + 0.06 * Vector3d(std::sin(6 * a[0] * p[1] + 3 * a[1]),
                                               std::sin(6 * a[2] * p[2] + 5 * a[3] * p[0] + a[4]),
                                               std::sin(6 * a[5] * p[0] + a[6] + 4 * a[7] * p[1]));
            }
        }
        setup.solver->step(x, seconds, setup.workers);
        look(setup, outcome);
    }
    return outcome;
}

// Every material point is thrown a random way off, and the skin finds back or has used up its
// steps.
Outcome scramble(SlideMaterial material, double edges, unsigned seed, int most_steps) {
    SlideOptions options = plain_skin();
    options.material = material;
    options.damping = 5.0;
    SlideSetup setup(slide_torus(24, 24), options);
    setup.solver->reset(setup.rest(), setup.workers);
    SlideSolver::Parts& p = setup.solver->parts();
    Dice dice(seed);
    for (double& v : p.state.velocity) {
        v = dice.roll();
    }
    p.measure(false, setup.workers);
    p.try_places(edges * p.model.mean_edge, setup.workers);
    std::swap(p.state.places,
              p.trial.next_places);  // tracked normals stay: turned triangles count as turned
    std::fill(p.state.velocity.begin(), p.state.velocity.end(), 0.0);
    Outcome outcome;
    constexpr double at_rest = 2e-5;  // J, an independent prototype
    do {
        setup.solver->step(setup.rest(), 1.0 / 24.0, setup.workers);
        Outcome now;
        look(setup, now);
        outcome.not_finite += now.not_finite;
        ++outcome.steps;
    } while (outcome.steps < most_steps && !(setup.solver->energy(setup.workers).elastic < at_rest));
    return outcome;
}

// Bodies no artist meant: flat, a point, turned inside out, huge, spikes; with everything switched
// on. The skin must come back when the body does.
Outcome fuzz(int newton) {
    SlideOptions options;
    options.newton_iterations = newton;
    options.relax_steps = 5;
    SlideSetup setup(slide_torus(16, 12), options);
    setup.solver->reset(setup.rest(), setup.workers);
    Dice dice(31);
    Outcome outcome;
    for (int k = 0; k < 150; ++k) {
        MatrixX3d x = setup.rest();
        switch (k % 10) {
            case 0:
                x.col(2).setZero();
                break;
            case 1:
                x.setZero();
                break;
            case 2:
                x *= -1.0;
                break;
            case 3:
                x *= 1e4;
                break;
            case 4:
                x *= 1e-6;
                break;
            case 5:
                for (int v = 0; v < 20; ++v) {
                    x.row(static_cast<int>((dice.roll() + 1.0) * 0.5 * (setup.count() - 1))) *= 30.0;
                }
                break;
            case 6:
                for (int v = 0; v < setup.count(); ++v) {
                    x.row(v) += 0.5 * Vector3d(dice.roll(), dice.roll(), dice.roll()).transpose();
                }
                break;
            default:
                break;
        }
        const double seconds = std::pow(10.0, -4.0 + 1.5 * (dice.roll() + 1.0));
        setup.solver->step(x, seconds, setup.workers);
        Outcome now;
        look(setup, now);
        outcome.not_finite += now.not_finite;
    }
    for (int k = 0; k < 300; ++k) {
        setup.solver->step(setup.rest(), 0.01, setup.workers);
    }
    look(setup, outcome);
    return outcome;
}

double different_bits_between_threads() {
    const auto run = [](int threads) {
        SlideOptions options;
        options.relax_steps = 3;
        SlideSetup setup(slide_torus(64, 48), options);
        const Workers workers(threads);
        setup.solver->reset(setup.rest(), workers);
        for (int k = 1; k < 12; ++k) {
            MatrixX3d x = setup.rest();
            x.col(1).array() += 0.01 * k * k * x.col(0).array().sin() * 0.1;
            setup.solver->step(x, 2e-3, workers);
        }
        return setup.solver->save();
    };
    const std::vector<double> one = run(1);
    const std::vector<double> two = run(2);
    const std::vector<double> five = run(5);
    double different = 0.0;
    for (size_t i = 0; i < one.size(); ++i) {
        different += one[i] != two[i] || one[i] != five[i] ? 1.0 : 0.0;
    }
    return different;
}

double different_bits_after_restore() {
    SlideOptions options;
    SlideSetup a(slide_torus(24, 24), options);
    const auto body_at = [&](double t, MatrixX3d& x) {
        x = a.rest();
        x.col(1).array() += 0.05 * std::sin(12.0 * t) * (3.0 * x.col(0).array()).sin();
    };
    MatrixX3d x;
    body_at(0.0, x);
    a.solver->reset(x, a.workers);
    for (int k = 0; k < 5; ++k) {
        a.solver->advance(k / 24.0, (k + 1) / 24.0, body_at, a.workers);
    }
    const std::vector<double> state = a.solver->save();
    SlideSetup b(slide_torus(24, 24), options);
    b.solver->restore(state, b.workers);
    for (int k = 5; k < 10; ++k) {
        a.solver->advance(k / 24.0, (k + 1) / 24.0, body_at, a.workers);
        b.solver->advance(k / 24.0, (k + 1) / 24.0, body_at, b.workers);
    }
    const std::vector<double> one = a.solver->save();
    const std::vector<double> two = b.solver->save();
    double different = one.size() == two.size() ? 0.0 : 1.0;
    for (size_t i = 0; i < std::min(one.size(), two.size()); ++i) {
        different += one[i] != two[i] ? 1.0 : 0.0;
    }
    return different;
}

}  // namespace

std::vector<Case> verify_slide_robustness() {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, double value, double limit, const std::string& unit,
                         const std::string& source) { cases.push_back(slide_case(name, value, limit, unit, source)); };
    const char* names[] = {"neo-Hookean", "St. Venant-Kirchhoff", "Fung"};
    const SlideMaterial materials[] = {SlideMaterial::neo_hookean, SlideMaterial::st_venant_kirchhoff,
                                       SlideMaterial::fung};
    for (int i = 0; i < 3; ++i) {
        const std::string name = names[i];
        const Outcome fast = teleport(materials[i], 1e-3, 1);
        const Outcome slow = teleport(materials[i], 1.0 / 24.0, 1);
        const Outcome newton = teleport(materials[i], 1.0 / 24.0, 8);
        add("teleporting body, 1 ms, " + name + ": steps not finite or inverted", fast.not_finite + fast.inverted_steps,
            0, "of 120", "limiter");
        add("teleporting body, 1/24 s, " + name + ": steps not finite or inverted",
            slow.not_finite + slow.inverted_steps, 0, "of 120", "limiter");
        add("teleporting body, 1/24 s, 8 Newton, " + name + ": steps not finite or inverted",
            newton.not_finite + newton.inverted_steps, 0, "of 120", "limiter and energy test");
        // Neo-Hookean skin is back in the prototype's 60 steps from any of these; St.
        // Venant-Kirchhoff skin takes up to twice as many from one in ten; Fung skin comes back in
        // part of the cases only (an independent prototype).
        const int limits[] = {60, 120, 60};
        for (const double edges : {0.5, 2.0}) {
            Outcome thrown;
            for (unsigned seed = 16; seed < 24; ++seed) {
                const Outcome one = scramble(materials[i], edges, seed, limits[i]);
                thrown.not_finite += one.not_finite;
                thrown.steps = std::max(thrown.steps, one.steps);
            }
            const std::string how =
                "scrambled by " + std::string(edges < 1.0 ? "half an edge" : "two edges") + ", eight ways, " + name;
            add(how + ": not finite", thrown.not_finite, 0, "steps", "extension, clamp");
            if (materials[i] != SlideMaterial::fung) {
                add(how + ": most steps until less than 2e-5 J are left", thrown.steps, limits[i] - 1, "steps",
                    "the torus relaxes to W = 0");
            }
        }
    }
    const Outcome wild = fuzz(1);
    add("impossible bodies: steps not finite", wild.not_finite, 0, "of 150", "guards");
    add("after impossible bodies: inverted triangles are gone", wild.inverted_steps, 0, "", "untangling");
    const Outcome wild_newton = fuzz(4);
    add("impossible bodies, 4 Newton: steps not finite", wild_newton.not_finite, 0, "of 150", "guards");
    return cases;
}

std::vector<Case> verify_slide_bits() {
    return {slide_case("numbers that differ between 1, 2 and 5 threads", different_bits_between_threads(), 0, "numbers",
                       "fixed chunks"),
            slide_case("numbers that differ after save and restore", different_bits_after_restore(), 0, "numbers",
                       "the state is whole")};
}

}  // namespace cutis::verify
