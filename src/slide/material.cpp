#include "slide/material.h"

#include "cutis/core/error.h"
#include "slide/energy.h"

namespace cutis {

MembraneModuli moduli_from_young(double young_modulus, double poisson_ratio) {
    require(young_modulus > 0.0 && std::isfinite(young_modulus), "young_modulus: expected a positive number, found ",
            young_modulus);
    require(poisson_ratio > -1.0 && poisson_ratio < 1.0,
            "poisson_ratio: expected more than -1 and less than 1 (a membrane "
            "keeps its area at 1), found ",
            poisson_ratio);
    MembraneModuli moduli;
    moduli.shear = young_modulus / (2.0 * (1.0 + poisson_ratio));
    moduli.bulk = young_modulus / (2.0 * (1.0 - poisson_ratio));
    return moduli;
}

PrincipalEnergy principal_energy(SlideMaterial material, const MembraneModuli& moduli, double s1, double s2) {
    return slide::with_material(material, [&](auto kind) {
        const slide::Moduli<double> m{moduli.shear, moduli.bulk, moduli.fung_exponent, moduli.area_bulk};
        const slide::Principal<double> e = slide::extended<decltype(kind)>(s1, s2, m, moduli.area_bulk != 0.0);
        return PrincipalEnergy{e.w, e.d1, e.d2, e.d11, e.d22, e.d12};
    });
}

}  // namespace cutis
