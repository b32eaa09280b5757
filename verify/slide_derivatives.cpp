// Forces and stiffness against differences, constraints against the paper's KKT system.

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "slide/passes.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

using Parts = SlideSolver::Parts;

// Skin displaced and strained on a deformed body, away from vertices.
void strain(SlideSetup& setup) {
    MatrixX3d x = setup.rest();
    const double size = 0.06 * setup.rest().rowwise().norm().maxCoeff();
    for (int v = 0; v < setup.count(); ++v) {
        const Vector3d p = x.row(v);
        x.row(v) += size * Vector3d(std::sin(9 * p[1]), std::cos(7 * p[2] + 5 * p[0]), std::sin(8 * p[0])).transpose();
    }
    setup.solver->reset(x, setup.workers);
    Parts& p = setup.solver->parts();
    Dice dice(3);
    for (int sweep = 0; sweep < 2; ++sweep) {
        for (double& v : p.state.velocity) {
            v = dice.roll();
        }
        p.measure(false, setup.workers);
        p.try_places(0.25 * p.model.mean_edge, setup.workers);
        p.accept_places(true, setup.workers);
    }
    std::fill(p.state.velocity.begin(), p.state.velocity.end(), 0.0);
    p.measure(false, setup.workers);
    slide::find_forces(p.model, p.state.activity, p.painted, setup.workers, p.measured);
}

double potential(Parts& p, const slide::SkinPlaces& places, const Workers& workers) {
    return slide::elastic_energy(p.model, p.painted, p.state, p.measured, places, p.model.batch_count, workers) +
           slide::tether_energy(p.model, places, workers);
}

// Largest difference of the force to central differences of the energy, over the largest force.
double force_error(SlideShape shape, SlideOptions options, double& power_error) {
    options.relax_steps = 0;
    SlideSetup setup(std::move(shape), options);
    strain(setup);
    Parts& p = setup.solver->parts();
    p.assemble_system(1.0, true, true, setup.workers);
    double worst = 0.0;
    double largest = 0.0;
    const double e = 1e-7 * p.model.mean_edge / 0.04;
    Dice dice(8);
    std::vector<double> direction(p.state.velocity.size(), 0.0);
    double power = 0.0;
    const int stride = std::max(1, setup.count() / 150);
    for (int v = 0; v < setup.count(); ++v) {
        const double* b = p.state.places.point[static_cast<size_t>(v)].b;
        // On an edge the surface has a kink and no derivative.
        const bool is_inside = std::min({b[0], b[1], b[2]}) > 1e-3;
        for (int c = 0; c < 2; ++c) {
            const size_t i = 2 * static_cast<size_t>(v) + static_cast<size_t>(c);
            if (!is_inside) {
                continue;
            }
            direction[i] = dice.roll();
            power += direction[i] * p.system.right(v)[c];
            if (v % stride != 0) {
                continue;
            }
            p.state.velocity[i] = 1.0;
            p.try_places(e, setup.workers);
            const double ahead = potential(p, p.trial.next_places, setup.workers);
            p.try_places(-e, setup.workers);
            const double behind = potential(p, p.trial.next_places, setup.workers);
            p.state.velocity[i] = 0.0;
            const double f = p.system.right(v)[c];
            largest = std::max(largest, std::abs(f));
            worst = std::max(worst, std::abs(-(ahead - behind) / (2.0 * e) - f));
        }
    }
    p.state.velocity = direction;
    p.try_places(e, setup.workers);
    const double ahead = potential(p, p.trial.next_places, setup.workers);
    p.try_places(-e, setup.workers);
    const double behind = potential(p, p.trial.next_places, setup.workers);
    power_error = std::abs((ahead - behind) / (2.0 * e) + power) / std::abs(power);
    return worst / largest;
}

// d/dt of the force along a velocity is -K v where the strain is small (the projection to positive
// definite matrices changes nothing there, curvature of the Jacobian little).
double stiffness_error() {
    SlideOptions options = plain_skin();
    options.rim = RimMode::free;
    options.tether = 500.0;
    options.tolerance = 1e-12;                  // the matrix in double precision
    SlideSetup setup(slide_disc(10), options);  // flat: J is the identity
    setup.solver->reset(setup.rest(), setup.workers);
    Parts& p = setup.solver->parts();
    Dice dice(4);
    std::vector<double> direction(p.state.velocity.size());
    for (int v = 0; v < setup.count(); ++v) {
        const bool is_near_rim = setup.rest().row(v).norm() > 0.75;
        direction[2 * static_cast<size_t>(v)] = is_near_rim ? 0.0 : dice.roll();
        direction[2 * static_cast<size_t>(v) + 1] = is_near_rim ? 0.0 : dice.roll();
    }
    const double e = 1e-6;
    std::vector<double> stiffness(p.state.velocity.size());
    p.measure(false, setup.workers);
    slide::find_forces(p.model, p.state.activity, p.painted, setup.workers, p.measured);
    p.assemble_system(1.0, true, true, setup.workers);
    p.system.multiply(direction, stiffness, setup.workers);
    for (size_t i = 0; i < stiffness.size(); ++i) {
        stiffness[i] -= p.measured.mass[i / 2] * direction[i];
    }
    const auto force_after = [&](double seconds) {
        p.state.velocity = direction;
        p.measure(false, setup.workers);
        p.try_places(seconds, setup.workers);
        std::swap(p.state.places, p.trial.next_places);
        p.measure(false, setup.workers);
        slide::find_forces(p.model, p.state.activity, p.painted, setup.workers, p.measured);
        p.assemble_system(1.0, true, true, setup.workers);
        std::vector<double> f;
        for (int v = 0; v < setup.count(); ++v) {
            f.push_back(p.system.right(v)[0]);
            f.push_back(p.system.right(v)[1]);
        }
        std::swap(p.state.places, p.trial.next_places);
        p.look_up_all(setup.workers);  // charts are of what was placed last
        return f;
    };
    const std::vector<double> ahead = force_after(e);
    const std::vector<double> behind = force_after(-e);
    double worst = 0.0;
    double largest = 0.0;
    for (size_t i = 0; i < ahead.size(); ++i) {
        largest = std::max(largest, std::abs(stiffness[i]));
        worst = std::max(worst, std::abs((ahead[i] - behind[i]) / (2.0 * e) + stiffness[i]));
    }
    return worst / largest;
}

double relative_asymmetry_or_negative() {
    // Smallest eigenvalue of a small system's matrix over its largest, negative if indefinite; the
    // skin is strained until triangles invert.
    SlideOptions options = plain_skin();
    SlideSetup setup(slide_torus(8, 6), options);
    setup.solver->reset(setup.rest(), setup.workers);
    Parts& p = setup.solver->parts();
    Dice dice(11);
    double worst = 0.0;
    for (int trial = 0; trial < 20; ++trial) {
        for (double& v : p.state.velocity) {
            v = dice.roll();
        }
        p.measure(false, setup.workers);
        p.try_places(1.5 * p.model.mean_edge, setup.workers);
        std::swap(p.state.places, p.trial.next_places);
        p.measure(false, setup.workers);
        slide::find_forces(p.model, p.state.activity, p.painted, setup.workers, p.measured);
        p.assemble_system(1.0, true, true, setup.workers);
        // v . K v for random directions never negative.
        std::vector<double> x(p.state.velocity.size());
        std::vector<double> y(p.state.velocity.size());
        for (int k = 0; k < 50; ++k) {
            for (double& value : x) {
                value = dice.roll();
            }
            p.system.multiply(x, y, setup.workers);
            double power = 0.0;
            double size = 0.0;
            for (size_t i = 0; i < x.size(); ++i) {
                power += x[i] * y[i];
                size += std::abs(x[i] * y[i]);
            }
            worst = std::max(worst, -power / size);
        }
    }
    return worst;
}

// One constrained step by elimination against a dense solve of the paper's KKT system.
double kkt_difference(double seconds) {
    SlideOptions options = plain_skin();
    const SlideShape shape = slide_cylinder(10, 8);
    for (int i = 0; i < 10; ++i) {
        const Vector3d p = shape.positions.row(7 * 10 + i);
        options.glides.push_back({70 + i, Vector3d(-p[1], p[0], 0.0)});
    }
    options.pins = {33, 34};
    options.prescribed = {{45, Vector3d(0.0, 0.0, 0.3)}};
    options.tolerance = 1e-14;
    options.most_iterations = 5000;
    options.use_limiter = false;
    SlideSetup setup(shape, options);
    setup.solver->reset(setup.rest(), setup.workers);
    Parts& p = setup.solver->parts();
    MatrixX3d x = setup.rest();
    for (int v = 0; v < setup.count(); ++v) {
        x.row(v) += 0.03 * Vector3d(std::sin(4 * x(v, 2)), 0.0, std::sin(5 * x(v, 1))).transpose();
    }
    p.move_body(x, seconds, setup.workers);
    p.measure(false, setup.workers);
    slide::find_forces(p.model, p.state.activity, p.painted, setup.workers, p.measured);
    p.trial.start_velocity = p.state.velocity;
    p.model.has_constraints = false;
    p.assemble_system(seconds, false, true, setup.workers);
    const int n = 2 * setup.count();
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd right(n);
    std::vector<std::pair<Eigen::VectorXd, double>> rows;
    for (int v = 0; v < setup.count(); ++v) {
        matrix.block<2, 2>(2 * v, 2 * v) = Eigen::Map<Eigen::Matrix2d>(p.system.diagonal(v));
        for (int j = p.system.row_begin(v); j < p.system.row_end(v); ++j) {
            matrix.block<2, 2>(2 * v, 2 * p.system.column(j)) = p.system.block(j);
        }
        right.segment<2>(2 * v) = Eigen::Map<Vector2d>(p.system.right(v));
        const slide::Constraint kind = p.model.constraint[static_cast<size_t>(v)];
        const double* d = p.model.glide_direction.data() + 2 * v;
        if (kind == slide::Constraint::fixed) {
            for (int c = 0; c < 2; ++c) {
                Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
                row[2 * v + c] = 1.0;
                rows.emplace_back(row, p.model.prescribed[2 * static_cast<size_t>(v) + static_cast<size_t>(c)]);
            }
        } else if (kind == slide::Constraint::glide) {
            Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
            row[2 * v] = -d[1];
            row[2 * v + 1] = d[0];
            rows.emplace_back(row, 0.0);
        }
    }
    const int m = static_cast<int>(rows.size());
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
    Eigen::VectorXd all(n + m);
    kkt.topLeftCorner(n, n) = matrix;
    all.head(n) = right;
    for (int i = 0; i < m; ++i) {
        kkt.block(n + i, 0, 1, n) = rows[static_cast<size_t>(i)].first.transpose();
        kkt.block(0, n + i, n, 1) = rows[static_cast<size_t>(i)].first;
        all[n + i] = rows[static_cast<size_t>(i)].second;
    }
    const Eigen::VectorXd exact = kkt.fullPivLu().solve(all).head(n);
    p.model.has_constraints = true;
    // The paper's system has no energy test.
    p.take_step(seconds, SlideSolver::Parts::Kind::untested, setup.workers);
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = std::max(worst, std::abs(p.state.velocity[static_cast<size_t>(i)] - exact[i]));
    }
    return worst / exact.cwiseAbs().maxCoeff();
}

}  // namespace

std::vector<Case> verify_slide_derivatives() {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, double value, double limit, const std::string& source) {
        cases.push_back(slide_case(name, value, limit, "", source));
    };
    const char* names[] = {"neo-Hookean", "St. Venant-Kirchhoff", "Fung"};
    const SlideMaterial materials[] = {SlideMaterial::neo_hookean, SlideMaterial::st_venant_kirchhoff,
                                       SlideMaterial::fung};
    for (int i = 0; i < 3; ++i) {
        SlideOptions options = plain_skin();
        options.material = materials[i];
        double power = 0.0;
        add(std::string("force against differences of the energy, torus, ") + names[i],
            force_error(slide_torus(16, 12), options, power), 1e-8, "f = J^T dW/dP");
        add(std::string("virtual work, torus, ") + names[i], power, 3e-8, "dW/dt = -f . v");
    }
    SlideOptions all = plain_skin();
    all.tether = 3000.0;
    all.initial_stretch = 1.1;
    all.area_preservation = 80.0;
    double power = 0.0;
    add("force with tether, tight skin and area term, jittered torus",
        force_error(slide_torus(16, 12, 0.3), all, power), 7e-8, "f = J^T dW/dP");
    add("force, icosphere", force_error(slide_sphere(2), plain_skin(), power), 1e-8, "f = J^T dW/dP");
    add("force, genus-2 surface", force_error(slide_genus_two(1), plain_skin(), power), 1e-8, "f = J^T dW/dP");
    SlideOptions strained = plain_skin();
    strained.rim = RimMode::free;
    const SlideShape disc = slide_disc(8);  // flat: the metric's part in the plane does not change
    strained.relaxed_metric.resize(disc.positions.rows(), 6);
    for (Eigen::Index v = 0; v < disc.positions.rows(); ++v) {
        const Vector3d p = disc.positions.row(v);
        strained.relaxed_metric.row(v) << 1.0 + 0.2 * std::sin(5 * p[1]), 0.8 + 0.2 * std::cos(4 * p[0]), 1.1,
            0.2 * std::sin(3 * p[0] + 1), 0.0, 0.0;
    }
    double strained_power = 0.0;
    add("force with an anisotropic relaxed metric that varies", force_error(disc, strained, strained_power), 7e-8,
        "f = J^T U dW/dP");
    add("virtual work with that metric", strained_power, 3e-7, "dW/dt = -f . v");
    add("stiffness against differences of the force", stiffness_error(), 2e-9, "df/dt = -K v");
    add("stiffness, scrambled skin: most negative v . K v", relative_asymmetry_or_negative(), 1e-14,
        "projected to positive semi-definite");
    add("constraints by elimination against the KKT system, 1 ms", kkt_difference(1e-3), 2e-15,
        "Li et al. 2013 Eq. 10");
    add("constraints by elimination against the KKT system, 1/24 s", kkt_difference(1.0 / 24.0), 1e-13,
        "Li et al. 2013 Eq. 10");
    return cases;
}

}  // namespace cutis::verify
