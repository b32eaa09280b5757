#include "slide/material.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cutis/core/error.h"
#include "cutis/slide/options.h"
#include "support/expect_error.h"
#include "support/shapes.h"

namespace cutis {
namespace {

const SlideMaterial all_materials[] = {SlideMaterial::neo_hookean, SlideMaterial::st_venant_kirchhoff,
                                       SlideMaterial::fung};

MembraneModuli some_moduli() {
    MembraneModuli moduli;
    moduli.shear = 50.0;
    moduli.bulk = 90.0;
    moduli.fung_exponent = 0.7;
    return moduli;
}

TEST(slide_material, derivatives_match_finite_differences_everywhere) {
    test::Random random(3);
    for (const double area : {0.0, 30.0}) {
        MembraneModuli moduli = some_moduli();
        moduli.area_bulk = area;
        for (const SlideMaterial material : all_materials) {
            for (int i = 0; i < 300; ++i) {
                const double s1 = random.uniform(0.3, 2.0);
                const double s2 = random.uniform(-0.6, s1);  // also inside the extension
                const double h = 1e-5;
                if (std::abs(s1 - stretch_limit) < 10 * h || std::abs(s2 - stretch_limit) < 10 * h) {
                    continue;
                }
                const auto at = [&](double a, double b) { return principal_energy(material, moduli, a, b); };
                const PrincipalEnergy e = at(s1, s2);
                const double scale = std::abs(e.value) + std::abs(e.d1) + std::abs(e.d2) + std::abs(e.d11) + 1.0;
                EXPECT_NEAR(e.d1, (at(s1 + h, s2).value - at(s1 - h, s2).value) / (2 * h), 1e-6 * scale);
                EXPECT_NEAR(e.d2, (at(s1, s2 + h).value - at(s1, s2 - h).value) / (2 * h), 1e-6 * scale);
                if (s2 > stretch_limit) {  // below it d11 is a stand-in, see extended()
                    EXPECT_NEAR(e.d11, (at(s1 + h, s2).d1 - at(s1 - h, s2).d1) / (2 * h), 1e-5 * scale);
                }
                EXPECT_NEAR(e.d22, (at(s1, s2 + h).d2 - at(s1, s2 - h).d2) / (2 * h), 1e-5 * (scale + std::abs(e.d22)));
                EXPECT_NEAR(e.d12, (at(s1, s2 + h).d1 - at(s1, s2 - h).d1) / (2 * h), 1e-5 * (scale + std::abs(e.d12)));
            }
        }
    }
}

TEST(slide_material, energy_and_slope_are_continuous_where_the_extension_begins) {
    for (const SlideMaterial material : all_materials) {
        const double h = 1e-9;
        const auto above = principal_energy(material, some_moduli(), 0.8, stretch_limit + h);
        const auto below = principal_energy(material, some_moduli(), 0.8, stretch_limit - h);
        EXPECT_NEAR(above.value, below.value, 1e-5 * above.value);
        EXPECT_NEAR(above.d2, below.d2, 1e-5 * std::abs(above.d2));
    }
}

// Small strain: w = k/2 (tr e)^2 + mu |dev e|^2 for every material, e = 1 - s.
TEST(slide_material, small_strains_see_the_moduli_asked_for) {
    const MembraneModuli moduli = some_moduli();
    const double e = 1e-4;
    for (const SlideMaterial material : all_materials) {
        const double dilation = principal_energy(material, moduli, 1 - e, 1 - e).value;
        EXPECT_NEAR(dilation / (2 * moduli.bulk * e * e), 1.0, 2e-3);
        const double shear = principal_energy(material, moduli, 1 + e, 1 - e).value;
        EXPECT_NEAR(shear / (2 * moduli.shear * e * e), 1.0, 2e-3);
        EXPECT_EQ(principal_energy(material, moduli, 1, 1).value, 0.0);
    }
}

TEST(slide_material, young_and_poisson_agree_with_lame) {
    const MembraneModuli a = moduli_from_young(210.0, 0.5);
    EXPECT_DOUBLE_EQ(a.shear, 70.0);
    EXPECT_DOUBLE_EQ(a.bulk, 210.0);
    EXPECT_DOUBLE_EQ(a.bulk, 140.0 + 70.0);  // lambda + mu
    // Uniaxial stress: E = 4 k mu / (k + mu).
    EXPECT_DOUBLE_EQ(4 * a.bulk * a.shear / (a.bulk + a.shear), 210.0);
}

TEST(slide_material, impossible_moduli_are_refused) {
    test::expect_error<InvalidInput>([] { moduli_from_young(-1.0, 0.3); }, {"young_modulus"});
    test::expect_error<InvalidInput>([] { moduli_from_young(1.0, 1.0); }, {"poisson_ratio"});
}

TEST(slide_material, wild_states_stay_finite_and_never_throw) {
    test::Random random(9);
    for (const SlideMaterial material : all_materials) {
        for (int i = 0; i < 200000; ++i) {
            const double s1 = std::pow(10.0, random.uniform(-12, 12));
            const double s2 = random.uniform(-1, 1) * s1;
            const PrincipalEnergy e = principal_energy(material, some_moduli(), s1, s2);
            ASSERT_TRUE(std::isfinite(e.value + e.d1 + e.d2 + e.d11 + e.d22 + e.d12)) << s1 << ' ' << s2;
        }
    }
}

// Residual stress from place to place: two stretches and an angle, painted, are the relaxed metric with those
// eigenvalues and axes.
TEST(slide_material, painted_stretches_and_their_angle_are_the_relaxed_metric) {
    const test::Shape shape = test::planar_grid(10, 10);
    const Topology topology(shape.triangles, 121);
    SlideOptions options;
    VectorXd stretch(121);
    VectorXd further(121);
    VectorXd angle(121);
    for (int v = 0; v < 121; ++v) {
        stretch[v] = 1.0 + 0.002 * v;
        further[v] = 1.2 - 0.003 * v;
        angle[v] = 3.0 * v - 150.0;
    }
    options.initial_stretch = stretch;
    options.directed_stretch = further;
    options.stretch_direction = Vector3d(0.0, 2.0, 5.0);
    options.stretch_angle = angle;
    const SlideOptions fitted = fitted_options(options, topology, shape.positions);
    for (const int v : {0, 37, 60, 120}) {
        const double turned = (90.0 + angle[v]) * 3.14159265358979323846 / 180.0;  // from x, about z
        const Vector2d along(std::cos(turned), std::sin(turned));
        const Vector2d across(-along[1], along[0]);
        Eigen::Matrix2d m;
        m << fitted.relaxed_metric(v, 0), fitted.relaxed_metric(v, 3), fitted.relaxed_metric(v, 3),
            fitted.relaxed_metric(v, 1);
        EXPECT_LT((m * along - along / (stretch[v] * further[v])).norm(), 1e-12) << v;
        EXPECT_LT((m * across - across / stretch[v]).norm(), 1e-12) << v;
    }
}

TEST(slide_material, painted_lame_constants_give_the_moduli_of_each_vertex) {
    const test::Shape shape = test::planar_grid(10, 10);
    const Topology topology(shape.triangles, 121);
    SlideOptions options;
    options.lame_mu = Painted(VectorXd(VectorXd::LinSpaced(121, 20.0, 90.0)));
    options.lame_lambda = 30.0;
    const SlideOptions fitted = fitted_options(options, topology, shape.positions);
    for (const int v : {0, 50, 120}) {
        const double mu = options.lame_mu->at(v);
        const MembraneModuli found = moduli_from_young(fitted.young_modulus->at(v), fitted.poisson_ratio.at(v));
        EXPECT_NEAR(found.shear, mu, 1e-11) << v;
        EXPECT_NEAR(found.bulk, 30.0 + mu, 1e-11) << v;
    }
    options.lame_mu->per_vertex[7] = 0.1;
    EXPECT_THROW(fitted_options(options, topology, shape.positions), InvalidInput);
}

}  // namespace
}  // namespace cutis
