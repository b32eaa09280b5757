#pragma once

#include "slide/energy.h"

// One triangle of skin, four at a time.
namespace cutis::slide {

using simd::Doubles;
using simd::Doubles3;

/// Edges of a skin triangle in its own frame (p1 along the first edge): [g00 g01; 0 g11], g11
/// negative where the triangle is inverted against the tracked normal.
struct SkinTriangle {
    Doubles3 p1, p2, normal;
    Doubles g00, g01, g11;
};

EIGEN_ALWAYS_INLINE SkinTriangle skin_triangle(const Doubles3& d1, const Doubles3& d2, const Doubles3& tracked,
                                               double tiny) {
    const Doubles one = simd::all(1.0);
    const Doubles length2 = simd::larger(dot(d1, d1), simd::all(tiny));
    const Doubles length = simd::root(length2);
    const Doubles3 n = cross(d1, d2);
    const Doubles n2 = dot(n, n);
    const simd::DoubleBits has_area = n2 > simd::all(tiny * tiny);
    const Doubles double_area = simd::root(n2);
    const Doubles sign = simd::select(dot(n, tracked) < simd::all(0.0), simd::all(-1.0), one);
    const auto [inverse_length, inverse_area] = simd::inverses(length, simd::select(has_area, double_area, length));
    const Doubles scale = sign * inverse_area;
    SkinTriangle t;
    t.p1 = inverse_length * d1;
    t.normal = {simd::select(has_area, n.x * scale, tracked.x), simd::select(has_area, n.y * scale, tracked.y),
                simd::select(has_area, n.z * scale, tracked.z)};
    t.p2 = cross(t.normal, t.p1);
    t.g00 = length;
    t.g01 = dot(d2, t.p1);
    t.g11 = sign * double_area * inverse_length;
    return t;
}

/// Half sums and differences of S: q = |(e, h)|, r = |(f, g)|; principal values are q + r, q - r.
struct SplitMap {
    Doubles e, h, f, g;  // divided by q and r
    Doubles q, r;
    Doubles inverse_q, inverse_r;  // 0 where q and r are
};

EIGEN_ALWAYS_INLINE SplitMap split_map(Doubles s00, Doubles s01, Doubles s10, Doubles s11) {
    const Doubles half = simd::all(0.5);
    const Doubles tiny = simd::all(1e-150);
    SplitMap m;
    m.e = half * (s00 + s11);
    m.h = half * (s10 - s01);
    m.f = half * (s00 - s11);
    m.g = half * (s10 + s01);
    m.q = simd::root(m.e * m.e + m.h * m.h);
    m.r = simd::root(m.f * m.f + m.g * m.g);
    const simd::DoubleBits has_q = m.q > tiny;
    const simd::DoubleBits has_r = m.r > tiny;
    const Doubles one = simd::all(1.0);
    const Doubles zero = simd::all(0.0);
    const auto [inverse_q, inverse_r] = simd::inverses(simd::select(has_q, m.q, one), simd::select(has_r, m.r, one));
    m.inverse_q = simd::select(has_q, inverse_q, zero);
    m.inverse_r = simd::select(has_r, inverse_r, zero);
    m.e = simd::select(has_q, m.e * inverse_q, one);
    m.h = m.h * m.inverse_q;
    m.f = simd::select(has_r, m.f * inverse_r, one);
    m.g = m.g * m.inverse_r;
    return m;
}

template <class Material>
EIGEN_ALWAYS_INLINE Doubles energy_density(Doubles s00, Doubles s01, Doubles s10, Doubles s11,
                                           const Moduli<Doubles>& moduli, bool has_area_term) {
    const SplitMap m = split_map(s00, s01, s10, s11);
    return extended<Material>(m.q + m.r, m.q - m.r, moduli, has_area_term).w;
}

struct ElementInput {
    Doubles s00, s01, s10, s11, area;
    Moduli<Doubles> moduli;
    Doubles hat[3][2];   // gradients of the hat functions in the body's frame
    Doubles y[3][2][2];  // per corner: relaxed skin frame by tangent coordinates
};

/// Force and projected stiffness (without SVD or trigonometry):
///   e_m[k] = 1/2 Y_k^T Z_m c_k,  f = A (w_q e_1 + w_r e_2),
///   K = A ([e_1 e_2] H [e_1 e_2]^T + (w_q / q) e_3 e_3^T + (w_r / r) e_4 e_4^T),
/// made positive by clamping the eigenvalues of the 2x2 matrix H and the two scalars.
/// \param out  four triangles of 28 numbers, one after the other
template <class Material>
EIGEN_ALWAYS_INLINE void evaluate_element(const ElementInput& in, bool has_area_term, double* out) {
    const Doubles half = simd::all(0.5);
    const Doubles zero = simd::all(0.0);
    const SplitMap m = split_map(in.s00, in.s01, in.s10, in.s11);
    const Principal<Doubles> w = extended<Material>(m.q + m.r, m.q - m.r, in.moduli, has_area_term);

    // By q and r: s1 = q + r, s2 = q - r.
    const Doubles wq = w.d1 + w.d2;
    const Doubles wr = w.d1 - w.d2;
    const Doubles two12 = w.d12 + w.d12;
    Doubles h11 = w.d11 + w.d22 + two12;
    Doubles h22 = w.d11 + w.d22 - two12;
    Doubles h12 = w.d11 - w.d22;
    const Doubles is_small_r = simd::all(1e-7) * m.q;
    Doubles twist = wq * m.inverse_q;
    Doubles flip = simd::select(m.r > is_small_r, wr * m.inverse_r, h22);
    twist = simd::larger(twist, zero);
    flip = simd::larger(flip, zero);

    // Mostly positive definite as it is.
    const simd::DoubleBits is_fine = (h11 > zero) & (h22 > zero) & (h11 * h22 > h12 * h12);
    if ((is_fine[0] & is_fine[1] & is_fine[2] & is_fine[3]) == 0) {
        const Doubles mean = half * (h11 + h22);
        const Doubles difference = half * (h11 - h22);
        const Doubles radius = simd::root(difference * difference + h12 * h12);
        const Doubles low = mean - radius;
        const Doubles high = simd::larger(mean + radius, zero);
        const simd::DoubleBits is_indefinite = low < zero;
        const Doubles share = high / simd::larger(high - low, simd::all(1e-150));
        h11 = simd::select(is_indefinite, share * (h11 - low), h11);
        h22 = simd::select(is_indefinite, share * (h22 - low), h22);
        h12 = simd::select(is_indefinite, share * h12, h12);
    }

    Doubles e1[6];
    Doubles e2[6];
    Doubles e3[6];
    Doubles e4[6];
    for (int k = 0; k < 3; ++k) {
        const Doubles c0 = half * in.hat[k][0];
        const Doubles c1 = half * in.hat[k][1];
        // Z1 = [e -h; h e], Z3 = [-h -e; e -h], Z2 = [f g; g -f], Z4 = [-g f; f g]
        const Doubles z10 = m.e * c0 - m.h * c1;
        const Doubles z11 = m.h * c0 + m.e * c1;
        const Doubles z20 = m.f * c0 + m.g * c1;
        const Doubles z21 = m.g * c0 - m.f * c1;
        for (int a = 0; a < 2; ++a) {
            const Doubles y0 = in.y[k][0][a];
            const Doubles y1 = in.y[k][1][a];
            e1[2 * k + a] = y0 * z10 + y1 * z11;
            e3[2 * k + a] = y1 * z10 - y0 * z11;
            e2[2 * k + a] = y0 * z20 + y1 * z21;
            e4[2 * k + a] = y1 * z20 - y0 * z21;
        }
    }
    const Doubles a11 = in.area * h11;
    const Doubles a12 = in.area * h12;
    const Doubles a22 = in.area * h22;
    const Doubles a3 = in.area * twist;
    const Doubles a4 = in.area * flip;
    Doubles u1[6];
    Doubles u2[6];
    Doubles u3[6];
    Doubles u4[6];
    for (int i = 0; i < 6; ++i) {
        u1[i] = a11 * e1[i] + a12 * e2[i];
        u2[i] = a12 * e1[i] + a22 * e2[i];
        u3[i] = a3 * e3[i];
        u4[i] = a4 * e4[i];
    }
    const auto entry = [&](int i, int j) { return e1[i] * u1[j] + e2[i] * u2[j] + e3[i] * u3[j] + e4[i] * u4[j]; };
    const auto put = [&](int group, Doubles a, Doubles b, Doubles c, Doubles d) {
        simd::transpose(a, b, c, d);
        simd::store(out + 4 * group, a);
        simd::store(out + 28 + 4 * group, b);
        simd::store(out + 56 + 4 * group, c);
        simd::store(out + 84 + 4 * group, d);
    };
    const Doubles fq = in.area * wq;
    const Doubles fr = in.area * wr;
    for (int k = 0; k < 3; ++k) {
        const int i = 2 * k;
        const int j = 2 * ((k + 1) % 3);
        put(k, entry(i, j), entry(i, j + 1), entry(i + 1, j), entry(i + 1, j + 1));
        put(3 + k, entry(i, i), entry(i, i + 1), entry(i + 1, i + 1), fq * e1[i] + fr * e2[i]);
    }
    put(6, fq * e1[1] + fr * e2[1], fq * e1[3] + fr * e2[3], fq * e1[5] + fr * e2[5], in.area * w.w);
}

}  // namespace cutis::slide
