#pragma once

#include "core/simd.h"
#include "slide/material.h"

// The strain energies. A new material is one more struct here with `evaluate`, an enumerator, and a
// line in with_material(); tests check its derivatives by finite differences.
//
// All are functions of the principal values s1, s2 of S (relaxed skin per body), both at least
// stretch_limit: w = s1 s2 Psi(1/s1, 1/s2).
namespace cutis::slide {

template <class T>
struct Moduli {
    T shear, bulk, fung, area;
};

template <class T>
struct Principal {
    T w, d1, d2, d11, d22, d12;
};

// Psi = mu/2 (|F|^2 - 2) - mu (J - 1) + k/2 (J - 1)^2, so that
// w = mu (s1^2 + s2^2) / (2 s1 s2) - mu + k/2 (s + 1/s - 2), s = s1 s2.
struct NeoHookean {
    // What d22 is about at (1, stretch_limit), over shear + bulk.
    static constexpr double extension_curvature = 1.0 / (stretch_limit * stretch_limit * stretch_limit);

    template <class T>
    static EIGEN_ALWAYS_INLINE Principal<T> evaluate(T s1, T s2, const Moduli<T>& m) {
        const T half = simd::all<T>(0.5);
        const T one = simd::all<T>(1.0);
        const T inverse = one / (s1 * s2);
        const T i1 = s2 * inverse;
        const T i2 = s1 * inverse;
        const T mu = half * m.shear;
        const T k = half * m.bulk;
        const T a = s1 * i2;  // s1 / s2
        const T b = s2 * i1;  // s2 / s1
        Principal<T> e;
        e.w = mu * (a + b) - m.shear + k * (s1 * s2 + inverse - (one + one));
        e.d1 = mu * (i2 - b * i1) + k * (s2 - inverse * i1);
        e.d2 = mu * (i1 - a * i2) + k * (s1 - inverse * i2);
        e.d11 = (m.shear * b + m.bulk * inverse) * i1 * i1;
        e.d22 = (m.shear * a + m.bulk * inverse) * i2 * i2;
        e.d12 = k * (one + inverse * inverse) - mu * (i1 * i1 + i2 * i2);
        return e;
    }
};

// Psi and its derivatives by s1, s2 to w = s1 s2 Psi.
template <class T>
EIGEN_ALWAYS_INLINE Principal<T> times_area(T s1, T s2, const Principal<T>& psi) {
    const T two = simd::all<T>(2.0);
    const T s = s1 * s2;
    Principal<T> e;
    e.w = s * psi.w;
    e.d1 = s2 * psi.w + s * psi.d1;
    e.d2 = s1 * psi.w + s * psi.d2;
    e.d11 = two * s2 * psi.d1 + s * psi.d11;
    e.d22 = two * s1 * psi.d2 + s * psi.d22;
    e.d12 = psi.w + s1 * psi.d1 + s2 * psi.d2 + s * psi.d12;
    return e;
}

// Psi = lambda/2 (e1 + e2)^2 + mu (e1^2 + e2^2), e = (s^-2 - 1) / 2 (Green strain).
template <class T>
EIGEN_ALWAYS_INLINE Principal<T> kirchhoff_density(T s1, T s2, const Moduli<T>& m) {
    const T half = simd::all<T>(0.5);
    const T one = simd::all<T>(1.0);
    const T three = simd::all<T>(3.0);
    const T lambda = m.bulk - m.shear;
    const T two_mu = m.shear + m.shear;
    const T i1 = one / s1;
    const T i2 = one / s2;
    const T e1 = half * (i1 * i1 - one);
    const T e2 = half * (i2 * i2 - one);
    const T stress1 = lambda * (e1 + e2) + two_mu * e1;
    const T stress2 = lambda * (e1 + e2) + two_mu * e2;
    const T slope1 = -(i1 * i1 * i1);
    const T slope2 = -(i2 * i2 * i2);
    Principal<T> e;
    e.w = half * (stress1 * e1 + stress2 * e2);
    e.d1 = stress1 * slope1;
    e.d2 = stress2 * slope2;
    e.d11 = (lambda + two_mu) * slope1 * slope1 - three * stress1 * slope1 * i1;
    e.d22 = (lambda + two_mu) * slope2 * slope2 - three * stress2 * slope2 * i2;
    e.d12 = lambda * slope1 * slope2;
    return e;
}

struct Kirchhoff {
    static constexpr double extension_curvature = NeoHookean::extension_curvature / (stretch_limit * stretch_limit);

    template <class T>
    static EIGEN_ALWAYS_INLINE Principal<T> evaluate(T s1, T s2, const Moduli<T>& m) {
        return times_area(s1, s2, kirchhoff_density(s1, s2, m));
    }
};

// Psi = (mu / b) (exp(b Psi_k / mu) - 1) of the St. Venant-Kirchhoff density. Above the exponent 4
// the exponential goes on as its second-order Taylor polynomial: uncapped, energies reach 1e16 and
// no step survives (what the paper met).
struct Fung {
    static constexpr double extension_curvature = Kirchhoff::extension_curvature;
    static constexpr double exponent_limit = 4.0;

    template <class T>
    static EIGEN_ALWAYS_INLINE Principal<T> evaluate(T s1, T s2, const Moduli<T>& m) {
        const T one = simd::all<T>(1.0);
        const T half = simd::all<T>(0.5);
        const T limit = simd::all<T>(exponent_limit);
        const Principal<T> psi = kirchhoff_density(s1, s2, m);
        const T rate = m.fung / m.shear;
        const T x = rate * psi.w;
        const T bounded = simd::smaller(x, limit);
        const T beyond = x - bounded;
        const T base = simd::exponential(bounded);
        const T slope = base * (one + beyond);  // first derivative of the continued exponential
        Principal<T> phi;
        phi.w = (base * (one + beyond + half * beyond * beyond) - one) / rate;
        phi.d1 = slope * psi.d1;
        phi.d2 = slope * psi.d2;
        phi.d11 = slope * psi.d11 + base * rate * psi.d1 * psi.d1;
        phi.d22 = slope * psi.d22 + base * rate * psi.d2 * psi.d2;
        phi.d12 = slope * psi.d12 + base * rate * psi.d1 * psi.d2;
        return times_area(s1, s2, phi);
    }
};

// Adds a/2 (s + 1/s - 2), s = s1 s2: resists any change of area.
template <class T>
EIGEN_ALWAYS_INLINE void add_area_term(T s1, T s2, T stiffness, Principal<T>& e) {
    const T one = simd::all<T>(1.0);
    const T half = simd::all<T>(0.5) * stiffness;
    const T inverse = one / (s1 * s2);
    const T i1 = s2 * inverse;
    const T i2 = s1 * inverse;
    e.w += half * (s1 * s2 + inverse - (one + one));
    e.d1 += half * (s2 - inverse * i1);
    e.d2 += half * (s1 - inverse * i2);
    e.d11 += stiffness * inverse * i1 * i1;
    e.d22 += stiffness * inverse * i2 * i2;
    e.d12 += half * (one + inverse * inverse);
}

// The energy for any principal values: where one is below stretch_limit, the tangent from there
// plus a parabola of fixed curvature. First derivatives are exact; of the second ones d11 and d22
// leave out third derivatives of the energy there, which the projection to positive definite
// matrices would mostly cut away.
template <class Material, class T>
EIGEN_ALWAYS_INLINE Principal<T> extended(T s1, T s2, const Moduli<T>& m, bool has_area_term) {
    const T half = simd::all<T>(0.5);
    const T zero = simd::all<T>(0.0);
    const T limit = simd::all<T>(stretch_limit);
    const T c1 = simd::larger(s1, limit);
    const T c2 = simd::larger(s2, limit);
    Principal<T> e = Material::evaluate(c1, c2, m);
    if (has_area_term) {
        add_area_term(c1, c2, m.area, e);
    }
    const T curvature = (m.shear + m.bulk + m.area) * simd::all<T>(Material::extension_curvature);
    const T below1 = s1 - c1;  // zero unless extended
    const T below2 = s2 - c2;
    e.w += e.d1 * below1 + e.d2 * below2 + half * curvature * (below1 * below1 + below2 * below2) +
           e.d12 * below1 * below2;
    const T d1 = e.d1 + curvature * below1 + e.d12 * below2;
    e.d2 = e.d2 + curvature * below2 + e.d12 * below1;
    e.d1 = d1;
    e.d11 = simd::select(below1 < zero, curvature, e.d11);
    e.d22 = simd::select(below2 < zero, curvature, e.d22);
    return e;
}

// Calls `work` with the material's type.
template <class Work>
EIGEN_ALWAYS_INLINE auto with_material(SlideMaterial material, const Work& work) {
    switch (material) {
        case SlideMaterial::st_venant_kirchhoff:
            return work(Kirchhoff{});
        case SlideMaterial::fung:
            return work(Fung{});
        case SlideMaterial::neo_hookean:
            break;
    }
    return work(NeoHookean{});
}

}  // namespace cutis::slide
