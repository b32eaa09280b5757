#pragma once

#include <cstring>

#include <Eigen/Core>

// Four doubles in one register where the machine has such (AVX), two pairs or four scalars
// elsewhere: g++ and clang split the vector type by themselves.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // about calls across files; everything here is inlined
#endif

namespace cutis::lanes {

using Lanes = double __attribute__((vector_size(32)));
using LaneBits = long long __attribute__((vector_size(32)));

// Four doubles anywhere. Not by memcpy, after which the compiler takes every pointer it knows for
// changed and loads it again.
using LooseLanes = double __attribute__((vector_size(32), aligned(8)));

EIGEN_ALWAYS_INLINE Lanes load(const double* from) {
    return *reinterpret_cast<const LooseLanes*>(from);
}

EIGEN_ALWAYS_INLINE void store(double* to, Lanes value) {
    *reinterpret_cast<LooseLanes*>(to) = value;
}

EIGEN_ALWAYS_INLINE Lanes all(double value) {
    return Lanes{value, value, value, value};
}

/// Rows become columns.
EIGEN_ALWAYS_INLINE void transpose(Lanes& a, Lanes& b, Lanes& c, Lanes& d) {
    const Lanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Lanes ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Lanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Lanes cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

/// Sums of the four lanes of a, b, c and d.
EIGEN_ALWAYS_INLINE Lanes sums(Lanes a, Lanes b, Lanes c, Lanes d) {
    const Lanes ab =
        __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Lanes cd =
        __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 6, 7) +
           __builtin_shufflevector(ab, cd, 2, 3, 4, 5);
}

/// `value` with its sign turned wherever `sign` is negative.
EIGEN_ALWAYS_INLINE Lanes turn_sign(Lanes value, Lanes sign) {
    const long long top = static_cast<long long>(1ULL << 63);
    const LaneBits mask = {top, top, top, top};
    return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(value) ^
                                   (reinterpret_cast<LaneBits>(sign) & mask));
}

/// Four vertices x y z x y z ... to one register per coordinate.
EIGEN_ALWAYS_INLINE void split_xyz(const double* from, Lanes& x, Lanes& y, Lanes& z) {
    const Lanes a = load(from);                                  // x0 y0 z0 x1
    const Lanes b = load(from + 4);                              // y1 z1 x2 y2
    const Lanes c = load(from + 8);                              // z2 x3 y3 z3
    const Lanes xy = __builtin_shufflevector(a, b, 0, 1, 6, 7);  // x0 y0 x2 y2
    const Lanes zx = __builtin_shufflevector(a, c, 2, 3, 4, 5);  // z0 x1 z2 x3
    const Lanes yz = __builtin_shufflevector(b, c, 0, 1, 6, 7);  // y1 z1 y3 z3
    x = __builtin_shufflevector(xy, zx, 0, 5, 2, 7);
    y = __builtin_shufflevector(xy, yz, 1, 4, 3, 6);
    z = __builtin_shufflevector(zx, yz, 0, 5, 2, 7);
}

/// The way back.
EIGEN_ALWAYS_INLINE void join_xyz(double* to, Lanes x, Lanes y, Lanes z) {
    const Lanes xy = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    const Lanes zx = __builtin_shufflevector(z, x, 0, 5, 2, 7);
    const Lanes yz = __builtin_shufflevector(y, z, 1, 5, 3, 7);
    store(to, __builtin_shufflevector(xy, zx, 0, 1, 4, 5));
    store(to + 4, __builtin_shufflevector(yz, xy, 0, 1, 6, 7));
    store(to + 8, __builtin_shufflevector(zx, yz, 2, 3, 6, 7));
}

}  // namespace cutis::lanes
