// Equilibria that are known exactly: the body is held, the skin relaxed until nothing moves.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "slide/material.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

const std::string prototype = "an independent prototype";

// Moves the body in small increments from rest to full deformation, then relaxes.
void deform_and_relax(SlideSetup& setup, const std::function<Vector3d(const Vector3d&, double)>& at, int increments,
                      int steps) {
    MatrixX3d x = setup.rest();
    setup.solver->reset(x, setup.workers);
    for (int k = 1; k <= increments; ++k) {
        for (int v = 0; v < setup.count(); ++v) {
            x.row(v) = at(setup.rest().row(v), static_cast<double>(k) / increments);
        }
        setup.solver->step(x, 0.1, setup.workers);
        setup.solver->relax(k == increments ? steps : 2, 1.0, setup.workers);
    }
}

SlideOptions static_skin(SlideMaterial material) {
    SlideOptions o = plain_skin();
    o.material = material;
    o.stickiness = 1.0;  // no inertia between increments
    o.tolerance = 1e-10;
    o.most_iterations = 4000;
    return o;
}

double angle_of(const Vector3d& p) {
    return std::atan2(p[1], p[0]);
}

double wrapped(double angle) {
    return std::remainder(angle, 2.0 * std::numbers::pi);
}

// Cylinder drawn out non-uniformly by 1.3 in all: uniform strain is exact.
double axial_stretch_error(SlideMaterial material, int along) {
    SlideOptions options = static_skin(material);
    options.tolerance = 1e-14;
    SlideSetup setup(slide_cylinder(16, along, 0.25, 1.0, false), options);
    const auto stretch = [](const Vector3d& p, double t) {
        const double z = p[2];
        return Vector3d(p[0], p[1], z + t * (0.3 * z + 0.08 * std::sin(2.0 * std::numbers::pi * z)));
    };
    deform_and_relax(setup, stretch, 4, 60);
    // Points on an edge of the rest surface, where the look-up has a kink, go to and fro by a
    // distance that falls with the square of the step.
    struct Rest {
        double seconds;
        int steps;
    };
    for (const Rest& rest : {Rest{0.1, 100}, Rest{0.03, 100}, Rest{0.01, 100}, Rest{0.003, 150}, Rest{0.001, 600},
                             Rest{5e-4, 1200}, Rest{2.5e-4, 3000}}) {
        // The other materials end at their error of discretisation, long before.
        if (material == SlideMaterial::neo_hookean || rest.seconds > 2e-3) {
            setup.solver->relax(rest.steps, rest.seconds, setup.workers);
        }
    }
    MatrixX3d material_at;
    setup.solver->material_positions(material_at);
    double worst = 0.0;
    for (int v = 0; v < setup.count(); ++v) {
        const double z = stretch(setup.rest().row(v), 1.0)[2];
        worst = std::max(worst, std::abs(material_at(v, 2) - z / 1.3));
    }
    return worst;
}

struct Twist {
    double angle_error = 0.0;
    double energy = 0.0;
};

// Right half twisted by 90 degrees. Both rims pinned: the material lags by Theta z / L everywhere.
// Right rim gliding: it does not turn at all.
Twist twisted_cylinder(int around, int along, bool right_glides) {
    SlideOptions options = static_skin(SlideMaterial::neo_hookean);
    const SlideShape shape = slide_cylinder(around, along);
    if (right_glides) {
        options.rim = RimMode::pin;
        for (int i = 0; i < around; ++i) {
            const int v = (along - 1) * around + i;
            const Vector3d p = shape.positions.row(v);
            options.glides.push_back({v, Vector3d(-p[1], p[0], 0.0)});
        }
    }
    SlideSetup setup(shape, options);
    const auto body_angle = [](double z) { return 0.5 * std::numbers::pi * std::clamp(2.0 * z - 1.0, 0.0, 1.0); };
    deform_and_relax(
        setup,
        [&](const Vector3d& p, double t) {
            return Vector3d(Eigen::AngleAxisd(t * body_angle(p[2]), Vector3d::UnitZ()) * p);
        },
        8, 40);
    MatrixX3d material_at;
    setup.solver->material_positions(material_at);
    Twist result;
    for (int v = 0; v < setup.count(); ++v) {
        const Vector3d p = setup.rest().row(v);
        const double lag = right_glides ? 0.0 : 0.5 * std::numbers::pi * p[2];
        const double exact = angle_of(p) + body_angle(p[2]) - lag;
        result.angle_error = std::max(result.angle_error, std::abs(wrapped(angle_of(material_at.row(v)) - exact)));
    }
    result.energy = setup.solver->energy(setup.workers).elastic;
    return result;
}

// Rest cylinder of radius R on a bulging surface of revolution a(z): a w_1(Z'/s', R/a) = C.
double revolution_error(int along) {
    constexpr double radius = 0.25;
    const auto bulge = [](double z) {
        return radius * (1.0 + 0.3 * std::sin(std::numbers::pi * z) * std::sin(std::numbers::pi * z));
    };
    const auto slope = [](double z) { return radius * 0.3 * std::numbers::pi * std::sin(2.0 * std::numbers::pi * z); };
    MembraneModuli moduli;
    moduli.shear = 50.0;
    moduli.bulk = 100.0;
    // Z' for given C by bisection; w_1 rises with s1.
    const auto rate = [&](double z, double c) {
        const double a = bulge(z);
        const double s = std::sqrt(1.0 + slope(z) * slope(z));
        double low = 0.3;
        double high = 3.0;
        for (int i = 0; i < 60; ++i) {
            const double middle = 0.5 * (low + high);
            const double w1 = principal_energy(SlideMaterial::neo_hookean, moduli, middle, radius / a).d1;
            (a * w1 < c ? low : high) = middle;
        }
        return 0.5 * (low + high) * s;
    };
    constexpr int cells = 400;
    const auto length = [&](double c, std::vector<double>* profile) {
        double sum = 0.0;
        for (int i = 0; i < cells; ++i) {
            sum += rate((i + 0.5) / cells, c) / cells;
            if (profile != nullptr) {
                profile->push_back(sum);
            }
        }
        return sum;
    };
    double low = -50.0;
    double high = 50.0;
    for (int i = 0; i < 50; ++i) {
        const double middle = 0.5 * (low + high);
        (length(middle, nullptr) < 1.0 ? low : high) = middle;
    }
    std::vector<double> profile = {0.0};
    length(0.5 * (low + high), &profile);

    SlideSetup setup(slide_cylinder(2 * along, along + 1), static_skin(SlideMaterial::neo_hookean));
    deform_and_relax(
        setup,
        [&](const Vector3d& p, double t) {
            const double a = radius + t * (bulge(p[2]) - radius);
            return Vector3d(p[0] * a / radius, p[1] * a / radius, p[2]);
        },
        4, 60);
    MatrixX3d material_at;
    setup.solver->material_positions(material_at);
    double worst = 0.0;
    for (int v = 0; v < setup.count(); ++v) {
        const double at = setup.rest()(v, 2) * cells;
        const int i = std::min(static_cast<int>(at), cells - 1);
        const size_t k = static_cast<size_t>(i);
        const double exact = profile[k] + (at - i) * (profile[k + 1] - profile[k]);
        worst = std::max(worst, std::abs(material_at(v, 2) - exact));
    }
    return worst;
}

struct Reparametrised {
    double before = 0.0;
    double after = 0.0;
};

// Body vertices moved along the surface, shape unchanged: no energy is left.
Reparametrised reparametrised(SlideShape shape, const std::function<Vector3d(const Vector3d&)>& moved, bool curved) {
    SlideOptions options = static_skin(SlideMaterial::neo_hookean);
    options.use_curved_surface = curved;
    SlideSetup setup(std::move(shape), options);
    MatrixX3d x = setup.rest();
    for (int v = 0; v < setup.count(); ++v) {
        x.row(v) = moved(setup.rest().row(v));
    }
    setup.solver->reset(x, setup.workers);
    Reparametrised result;
    result.before = setup.solver->energy(setup.workers).elastic;
    setup.solver->relax(60, 1.0, setup.workers);
    result.after = setup.solver->energy(setup.workers).elastic;
    return result;
}

Vector3d moved_on_torus(const Vector3d& p) {
    const double u = std::atan2(p[1], p[0]);
    const double r = std::hypot(p[0], p[1]) - 0.35;
    const double v = std::atan2(p[2], r);
    const double u2 = u + 0.25 * std::sin(2.0 * u) * std::cos(v);
    const double v2 = v + 0.3 * std::sin(v + u);
    const double ring = 0.35 + 0.14 * std::cos(v2);
    return {ring * std::cos(u2), ring * std::sin(u2), 0.14 * std::sin(v2)};
}

Vector3d moved_on_sphere(const Vector3d& p) {
    const Vector3d field(std::sin(3.0 * p[1]), std::cos(2.0 * p[2]) * p[0], std::sin(2.0 * p[0]));
    return (p + 0.25 * field).normalized();
}

struct Bulge {
    double spread = 0.0;  // of log area, after over before relaxing
    double energy = 0.0;
};

Bulge bulged(SlideShape shape, double height, int steps) {
    SlideOptions options = static_skin(SlideMaterial::neo_hookean);
    SlideSetup setup(std::move(shape), options);
    const double top = setup.rest().col(0).maxCoeff();
    MatrixX3d x = setup.rest();
    for (int v = 0; v < setup.count(); ++v) {
        const Vector3d p = setup.rest().row(v);
        const double near = (p - Vector3d(top, 0, 0)).squaredNorm() / (0.35 * 0.35);
        const Vector3d n = setup.solver->rest_normals().row(v);
        x.row(v) = p + height * std::exp(-2.0 * near) * n;
    }
    const auto measured = [&] {
        VectorXd ratio;
        setup.solver->area_ratios(ratio);
        const Eigen::ArrayXd logs = ratio.array().log();
        return Bulge{std::sqrt((logs - logs.mean()).square().mean()), setup.solver->energy(setup.workers).elastic};
    };
    setup.solver->reset(x, setup.workers);
    const Bulge before = measured();
    setup.solver->relax(steps, 1.0, setup.workers);
    const Bulge after = measured();
    return {after.spread / before.spread, after.energy / before.energy};
}

double rigid_motion_force(double offset) {
    SlideSetup setup(slide_torus(24, 24), plain_skin());
    const Eigen::Matrix3d turn(Eigen::AngleAxisd(1.1, Vector3d(1.0, -2.0, 2.0).normalized()));
    MatrixX3d x = setup.rest() * turn.transpose();
    x.rowwise() += Eigen::RowVector3d(offset, -0.7 * offset, 0.4 * offset);
    setup.solver->reset(x, setup.workers);
    MatrixX3d f;
    setup.solver->forces(f, setup.workers);
    return f.rowwise().norm().maxCoeff();
}

// Uniform initial stretch on a closed surface: stress everywhere, force nowhere (Laplace's law
// acts along the normal), so nothing may move.
double tight_torus_slip(int around, int tube) {
    SlideOptions options = plain_skin();
    options.initial_stretch = 1.2;
    options.tolerance = 1e-10;
    SlideSetup setup(slide_torus(around, tube), options);
    setup.solver->reset(setup.rest(), setup.workers);
    setup.solver->relax(40, 0.03, setup.workers);
    MatrixX3d at;
    setup.solver->material_positions(at);
    return (at - setup.rest()).rowwise().norm().maxCoeff();
}

}  // namespace

std::vector<Case> verify_slide_statics() {
    std::vector<Case> cases;
    const auto add = [&](const std::string& name, double value, double limit, const std::string& unit,
                         const std::string& source) { cases.push_back(slide_case(name, value, limit, unit, source)); };
    add("rigid motion: no force", rigid_motion_force(0.0), 2e-13, "N", "S is a rotation");
    add("rigid motion 10 m away: no force", rigid_motion_force(10.0), 4e-12, "N", "S is a rotation");
    add("rigid motion 10 km away: no force", rigid_motion_force(1e4), 4e-9, "N", "S is a rotation");
    add("uneven axial stretch, neo-Hookean, 17 rings: strain is uniform",
        axial_stretch_error(SlideMaterial::neo_hookean, 17), 1e-11, "L", "x' (Psi')' = 0");
    add("uneven axial stretch, neo-Hookean, 33 rings: strain is uniform",
        axial_stretch_error(SlideMaterial::neo_hookean, 33), 1e-11, "L", "x' (Psi')' = 0");
    const double kirchhoff_coarse = axial_stretch_error(SlideMaterial::st_venant_kirchhoff, 17);
    const double kirchhoff_fine = axial_stretch_error(SlideMaterial::st_venant_kirchhoff, 33);
    add("uneven axial stretch, St. Venant-Kirchhoff, 17 rings", kirchhoff_coarse, 1e-9, "L", prototype);
    add("uneven axial stretch, St. Venant-Kirchhoff, 33 rings", kirchhoff_fine, 1e-9, "L", prototype);

    const Twist coarse = twisted_cylinder(22, 30, false);
    const Twist fine = twisted_cylinder(44, 59, false);
    add("cylinder twist, rims pinned, 22 x 30: angle lags by Theta z / L", coarse.angle_error, 2.3e-3, "rad",
        "Li et al. 2013 Fig. 4b; torsion of a tube is linear");
    add("cylinder twist, rims pinned, 44 x 59", fine.angle_error, 6.8e-4, "rad", prototype);
    cases.push_back(slide_case_at_least("cylinder twist, rims pinned: order of convergence",
                                        std::log2(coarse.angle_error / fine.angle_error), 1.5, "",
                                        "second order in the edge"));
    const Twist glide_coarse = twisted_cylinder(22, 30, true);
    const Twist glide_fine = twisted_cylinder(44, 59, true);
    add("cylinder twist, right rim gliding, 22 x 30: skin does not turn", glide_coarse.angle_error, 4.7e-3, "rad",
        "Li et al. 2013 Fig. 4c");
    add("cylinder twist, right rim gliding, 44 x 59", glide_fine.angle_error, 2.9e-4, "rad", prototype);
    add("cylinder twist, right rim gliding, 22 x 30: energy", glide_coarse.energy, 2.4e-3, "J", "W = 0");
    add("cylinder twist, right rim gliding, 44 x 59: energy", glide_fine.energy, 8e-5, "J", "W = 0");

    const double bulge12 = revolution_error(12);
    const double bulge24 = revolution_error(24);
    add("surface of revolution, 12 rings", bulge12, 1.2e-3, "L", "a w_1(Z'/s', R/a) = C");
    add("surface of revolution, 24 rings", bulge24, 3.7e-4, "L", "a w_1(Z'/s', R/a) = C");
    const double bulge48 = revolution_error(48);
    add("surface of revolution, 48 rings", bulge48, 2e-4, "L", "a w_1(Z'/s', R/a) = C");
    cases.push_back(slide_case_at_least("surface of revolution: order of convergence, 12 to 48",
                                        0.5 * std::log2(bulge12 / bulge48), 1.5, "", "second order"));

    const Reparametrised torus = reparametrised(slide_torus(24, 24), moved_on_torus, true);
    const Reparametrised flat = reparametrised(slide_torus(24, 24), moved_on_torus, false);
    const Reparametrised jittered = reparametrised(slide_torus(24, 24, 0.3), moved_on_torus, true);
    const Reparametrised ball = reparametrised(slide_sphere(3), moved_on_sphere, true);
    const Reparametrised fine_ball = reparametrised(slide_sphere(4), moved_on_sphere, true);
    const std::string same_shape = "shape unchanged: W = 0; value over W before relaxing";
    add("torus with vertices moved along it", torus.after / torus.before, 1.2e-6, "", same_shape);
    add("jittered torus with vertices moved along it", jittered.after / jittered.before, 1e-4, "", same_shape);
    add("icosphere 642 with vertices moved along it", ball.after / ball.before, 1e-7, "", same_shape);
    add("icosphere 2562 with vertices moved along it", fine_ball.after / fine_ball.before, 3e-9, "", same_shape);
    cases.push_back(slide_case_at_least("curved look-up against flat facets: energy left", flat.after / torus.after,
                                        100.0, "times", "lattice pinning"));
    // Skin on a bulge spreads; how much of its energy that frees belongs to the surface, not to its
    // mesh, and more relaxing frees no more.
    const Bulge swollen16 = bulged(slide_torus(16, 16), 0.12, 60);
    const Bulge swollen24 = bulged(slide_torus(24, 24), 0.12, 60);
    const Bulge swollen36 = bulged(slide_torus(36, 36), 0.12, 60);
    add("bulged torus: spread of log area after over before relaxing", swollen24.spread, 1.0, "",
        "Li et al. 2013 Fig. 3: tension evens out area");
    cases.push_back(slide_case_at_least(
        "bulged torus: share of energy kept, order of convergence over 16, 24, 36 vertices round",
        std::log(std::abs(swollen16.energy - swollen24.energy) / std::abs(swollen24.energy - swollen36.energy)) /
            std::log(1.5),
        1.5, "", "second order in the edge"));
    const Bulge genus = bulged(slide_genus_two(2), 0.05, 20);
    const Bulge genus_longer = bulged(slide_genus_two(2), 0.05, 40);
    add("bulged genus-2 surface: spread of log area after over before relaxing", genus.spread, 1.0, "",
        "Li et al. 2013 Fig. 3: tension evens out area");
    add("bulged genus-2 surface: energy freed by twice the relaxing, off by",
        std::abs(1.0 - genus_longer.energy) / (1.0 - genus.energy) - 1.0, 0.02, "", "equilibrium: nothing more moves");
    const double tight = tight_torus_slip(32, 24);
    const double tight_fine = tight_torus_slip(64, 48);
    add("tight skin on a torus at rest, 32 x 24: slip", tight, 2e-3, "m", "isotropic tension has no tangential force");
    cases.push_back(
        slide_case_at_least("tight skin on a torus at rest: order of convergence of "
                            "its slip to 0",
                            std::log2(tight / tight_fine), 1.5, "", "second order in the edge"));
    return cases;
}

}  // namespace cutis::verify
