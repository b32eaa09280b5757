#pragma once

#include "cutis/slide/options.h"

namespace cutis {

/// Constants of a membrane: forces per length, N/m (modulus times thickness).
struct MembraneModuli {
    double shear = 70.0;         ///< mu
    double bulk = 210.0;         ///< k = lambda + mu, the two-dimensional bulk modulus
    double fung_exponent = 1.0;  ///< b of the Fung material; the others do not use it
    double area_bulk = 0.0;      ///< extra bulk modulus of any material: area preservation
};

/// Young's modulus times thickness (N/m) and Poisson's ratio of a membrane in plane stress:
/// mu = E / (2 (1 + nu)), k = E / (2 (1 - nu)). nu = 0.5 is an incompressible solid that thins when
/// stretched; the limit where the *area* is kept is nu = 1, which is not allowed.
/// \throw InvalidInput  E not positive, nu outside (-1, 1)
MembraneModuli moduli_from_young(double young_modulus, double poisson_ratio);

/// Energy per current area of the body as a function of the principal values of S, the map from the
/// body to the relaxed skin (inverse of the deformation gradient): w = det S * Psi(S^-1), with its
/// derivatives. s1 >= s2; s2 is negative where the skin is inverted.
struct PrincipalEnergy {
    double value = 0.0;
    double d1 = 0.0, d2 = 0.0;               ///< first derivatives
    double d11 = 0.0, d22 = 0.0, d12 = 0.0;  ///< second derivatives, not projected
};

/// Below this principal value (skin stretched four times) every energy goes on as a parabola, so
/// that inverted triangles feel a finite force that turns them back.
inline constexpr double stretch_limit = 0.25;

/// \param s1, s2  principal values of S, any finite numbers
PrincipalEnergy principal_energy(SlideMaterial material, const MembraneModuli& moduli, double s1, double s2);

}  // namespace cutis
