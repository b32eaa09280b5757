#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "core/math.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // about calls across files; everything here is inlined
#endif

// 32 bytes of numbers, four doubles or eight floats, in one register where the machine has such
// (AVX); elsewhere g++ and clang split the vector type by themselves. A lane's bits do not depend
// on its neighbours. Most functions also take one double, so that a formula is written once.

namespace cutis::simd {

template <class Real>
struct LaneTypes;
template <>
struct LaneTypes<double> {
    using Lanes = double __attribute__((vector_size(32)));
    using Bits = long long __attribute__((vector_size(32)));
    using Mask = std::int64_t;
    static constexpr int count = 4;
};
template <>
struct LaneTypes<float> {
    using Lanes = float __attribute__((vector_size(32)));
    using Bits = std::int32_t __attribute__((vector_size(32)));
    using Mask = std::int32_t;
    static constexpr int count = 8;
};

using Doubles = LaneTypes<double>::Lanes;
using Floats = LaneTypes<float>::Lanes;
using DoubleBits = LaneTypes<double>::Bits;  ///< what comparisons of Doubles give

template <class Real>
using LanesOf = typename LaneTypes<Real>::Lanes;
template <class L>
using RealOf = std::conditional_t<std::is_same_v<L, Doubles>, double, float>;
template <class L>
inline constexpr int lanes_in = static_cast<int>(sizeof(L) / sizeof(RealOf<L>));

// --- to and from memory
// ---------------------------------------------------------------------------

/// Numbers anywhere in memory. Not by memcpy, after which the compiler takes every pointer it knows for changed and
/// loads it again. The attribute stands before the sign of equality, and not in a template: elsewhere clang forgets it.
using LooseDoubles __attribute__((aligned(8))) = Doubles;
using LooseFloats __attribute__((aligned(4))) = Floats;

EIGEN_ALWAYS_INLINE Doubles load(const double* from) {
    return *reinterpret_cast<const LooseDoubles*>(from);
}
EIGEN_ALWAYS_INLINE Floats load(const float* from) {
    return *reinterpret_cast<const LooseFloats*>(from);
}
EIGEN_ALWAYS_INLINE void store(double* to, Doubles value) {
    *reinterpret_cast<LooseDoubles*>(to) = value;
}
EIGEN_ALWAYS_INLINE void store(float* to, Floats value) {
    *reinterpret_cast<LooseFloats*>(to) = value;
}
/// Four doubles in either precision.
EIGEN_ALWAYS_INLINE void store_four(double* to, Doubles value) {
    store(to, value);
}
EIGEN_ALWAYS_INLINE void store_four(float* to, Doubles value) {
    using FourFloats = float __attribute__((vector_size(16)));
    using Loose __attribute__((aligned(4))) = FourFloats;
    *reinterpret_cast<Loose*>(to) = __builtin_convertvector(value, FourFloats);
}

/// The same number in all lanes. \tparam T  Doubles, Floats or double
template <class T = Doubles>
EIGEN_ALWAYS_INLINE T all(double value) {
    if constexpr (std::is_same_v<T, Doubles>) {
        return T{value, value, value, value};
    } else if constexpr (std::is_same_v<T, Floats>) {
        const auto v = static_cast<float>(value);
        return T{v, v, v, v, v, v, v, v};
    } else {
        return value;
    }
}

// --- lane by lane
// ---------------------------------------------------------------------------------

template <class Mask, class T>
EIGEN_ALWAYS_INLINE T select(Mask mask, T yes, T no) {
    return mask ? yes : no;
}

/// The second argument where one is not a number.
template <class T>
EIGEN_ALWAYS_INLINE T larger(T a, T b) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, Doubles>) {
        return reinterpret_cast<T>(_mm256_max_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b)));
    } else if constexpr (std::is_same_v<T, Floats>) {
        return reinterpret_cast<T>(_mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
    }
#endif
    return select(a > b, a, b);
}
template <class T>
EIGEN_ALWAYS_INLINE T smaller(T a, T b) {
#if defined(__AVX__)
    if constexpr (std::is_same_v<T, Doubles>) {
        return reinterpret_cast<T>(_mm256_min_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b)));
    } else if constexpr (std::is_same_v<T, Floats>) {
        return reinterpret_cast<T>(_mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
    }
#endif
    return select(a < b, a, b);
}
template <class T>
EIGEN_ALWAYS_INLINE T absolute(T a) {
    return larger(a, -a);
}

template <class T>
EIGEN_ALWAYS_INLINE T root(T a) {
    if constexpr (std::is_same_v<T, double>) {
        return std::sqrt(a);
    } else {
#if defined(__AVX__)
        if constexpr (std::is_same_v<T, Doubles>) {
            return reinterpret_cast<T>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a)));
        } else {
            return reinterpret_cast<T>(_mm256_sqrt_ps(reinterpret_cast<__m256>(a)));
        }
#else
        for (int k = 0; k < lanes_in<T>; ++k) {
            a[k] = std::sqrt(a[k]);
        }
        return a;
#endif
    }
}

EIGEN_ALWAYS_INLINE Doubles exponential(Doubles a) {
    return Doubles{math::exp(a[0]), math::exp(a[1]), math::exp(a[2]), math::exp(a[3])};
}
EIGEN_ALWAYS_INLINE double exponential(double a) {
    return math::exp(a);
}

/// 1 / sqrt(x)
template <class L>
EIGEN_ALWAYS_INLINE L inverse_root(L x) {
    return all<L>(1.0) / root(x);
}

/// 1/a and 1/b by one division, which costs as much as a dozen products; a b must neither overflow
/// nor vanish.
struct TwoInverses {
    Doubles first, second;
};
EIGEN_ALWAYS_INLINE TwoInverses inverses(Doubles a, Doubles b) {
    const Doubles inverse = all(1.0) / (a * b);
    return {inverse * b, inverse * a};
}

/// `value` with its sign turned wherever `sign` is negative.
EIGEN_ALWAYS_INLINE Doubles turn_sign(Doubles value, Doubles sign) {
    const long long top = static_cast<long long>(1ULL << 63);
    const DoubleBits mask = {top, top, top, top};
    return reinterpret_cast<Doubles>(reinterpret_cast<DoubleBits>(value) ^ (reinterpret_cast<DoubleBits>(sign) & mask));
}

// --- across lanes
// ---------------------------------------------------------------------------------

/// Is the mask set in any lane?
template <class Mask>
EIGEN_ALWAYS_INLINE bool any(Mask mask) {
#if defined(__AVX__)
    return _mm256_movemask_ps(reinterpret_cast<__m256>(mask)) != 0;
#else
    long long parts[4];
    std::memcpy(parts, &mask, sizeof(parts));
    return (parts[0] | parts[1] | parts[2] | parts[3]) != 0;
#endif
}

template <class L>
EIGEN_ALWAYS_INLINE RealOf<L> largest(L a) {
    RealOf<L> out = a[0];
    for (int i = 1; i < lanes_in<L>; ++i) {
        out = a[i] > out ? a[i] : out;
    }
    return out;
}

/// Ones followed by zeros: a window that begins n - kept places in keeps `kept` lanes.
template <class Real>
struct KeepMask {
    static constexpr int n = LaneTypes<Real>::count;
    typename LaneTypes<Real>::Mask bits[2 * n] = {};
    constexpr KeepMask() {
        for (int i = 0; i < n; ++i) {
            bits[i] = -1;
        }
    }
};
template <class Real>
inline constexpr KeepMask<Real> keep_mask{};

/// First `kept` lanes of `fresh`, the others of `old`.
template <class L>
EIGEN_ALWAYS_INLINE L first_lanes(int kept, L fresh, L old) {
    using Real = RealOf<L>;
    using Bits = typename LaneTypes<Real>::Bits;
    Bits mask;
    std::memcpy(&mask, keep_mask<Real>.bits + LaneTypes<Real>::count - kept, sizeof(mask));
    return reinterpret_cast<L>((reinterpret_cast<Bits>(fresh) & mask) | (reinterpret_cast<Bits>(old) & ~mask));
}

/// Rows become columns.
EIGEN_ALWAYS_INLINE void transpose(Doubles& a, Doubles& b, Doubles& c, Doubles& d) {
    const Doubles ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const Doubles ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Doubles cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const Doubles cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}
EIGEN_ALWAYS_INLINE void transpose(Doubles (&row)[4]) {
    transpose(row[0], row[1], row[2], row[3]);
}
/// The four by four blocks of each half of the registers.
EIGEN_ALWAYS_INLINE void transpose_halves(Floats* row) {
    const Floats a = __builtin_shufflevector(row[0], row[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats b = __builtin_shufflevector(row[0], row[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Floats c = __builtin_shufflevector(row[2], row[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats d = __builtin_shufflevector(row[2], row[3], 2, 10, 3, 11, 6, 14, 7, 15);
    row[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    row[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    row[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    row[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}
EIGEN_ALWAYS_INLINE void transpose(Floats (&row)[8]) {
    transpose_halves(row);
    transpose_halves(row + 4);
    for (int k = 0; k < 4; ++k) {
        const Floats low = __builtin_shufflevector(row[k], row[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const Floats high = __builtin_shufflevector(row[k], row[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        row[k] = low;
        row[k + 4] = high;
    }
}

/// Sums of the four lanes of a, b, c and d.
EIGEN_ALWAYS_INLINE Doubles sums(Doubles a, Doubles b, Doubles c, Doubles d) {
    const Doubles ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const Doubles cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 6, 7) + __builtin_shufflevector(ab, cd, 2, 3, 4, 5);
}

// --- vectors in space
// -----------------------------------------------------------------------------

/// Three coordinates of one thing per lane.
template <class T>
struct Triple {
    T x, y, z;
};
using Doubles3 = Triple<Doubles>;

template <class T>
EIGEN_ALWAYS_INLINE Triple<T> operator-(const Triple<T>& a, const Triple<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> operator+(const Triple<T>& a, const Triple<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> operator*(T s, const Triple<T>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class T>
EIGEN_ALWAYS_INLINE T dot(const Triple<T>& a, const Triple<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
EIGEN_ALWAYS_INLINE T length(const Triple<T>& a) {
    return root(dot(a, a));
}
template <class T, class Mask>
EIGEN_ALWAYS_INLINE Triple<T> select(Mask mask, const Triple<T>& yes, const Triple<T>& no) {
    return {select(mask, yes.x, no.x), select(mask, yes.y, no.y), select(mask, yes.z, no.z)};
}

/// Coordinates of eight records of four floats.
template <class FourFloats>
EIGEN_ALWAYS_INLINE Triple<Floats> columns3(const FourFloats* record) {
    Floats row[4];
    for (int k = 0; k < 4; ++k) {
        row[k] = __builtin_shufflevector(record[k], record[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    transpose_halves(row);
    return {row[0], row[1], row[2]};
}

/// Four vertices x y z x y z ... to one register per coordinate.
EIGEN_ALWAYS_INLINE void split_xyz(const double* from, Doubles& x, Doubles& y, Doubles& z) {
    const Doubles a = load(from);                                  // x0 y0 z0 x1
    const Doubles b = load(from + 4);                              // y1 z1 x2 y2
    const Doubles c = load(from + 8);                              // z2 x3 y3 z3
    const Doubles xy = __builtin_shufflevector(a, b, 0, 1, 6, 7);  // x0 y0 x2 y2
    const Doubles zx = __builtin_shufflevector(a, c, 2, 3, 4, 5);  // z0 x1 z2 x3
    const Doubles yz = __builtin_shufflevector(b, c, 0, 1, 6, 7);  // y1 z1 y3 z3
    x = __builtin_shufflevector(xy, zx, 0, 5, 2, 7);
    y = __builtin_shufflevector(xy, yz, 1, 4, 3, 6);
    z = __builtin_shufflevector(zx, yz, 0, 5, 2, 7);
}
/// The way back.
EIGEN_ALWAYS_INLINE void join_xyz(double* to, Doubles x, Doubles y, Doubles z) {
    const Doubles xy = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    const Doubles zx = __builtin_shufflevector(z, x, 0, 5, 2, 7);
    const Doubles yz = __builtin_shufflevector(y, z, 1, 5, 3, 7);
    store(to, __builtin_shufflevector(xy, zx, 0, 1, 4, 5));
    store(to + 4, __builtin_shufflevector(yz, xy, 0, 1, 6, 7));
    store(to + 8, __builtin_shufflevector(zx, yz, 2, 3, 6, 7));
}

/// Coordinates of four records of four doubles (x y z and one more) at the given indices.
EIGEN_ALWAYS_INLINE Doubles3 gather3(const double* records, const int* index) {
    Doubles a = load(records + 4 * static_cast<std::ptrdiff_t>(index[0]));
    Doubles b = load(records + 4 * static_cast<std::ptrdiff_t>(index[1]));
    Doubles c = load(records + 4 * static_cast<std::ptrdiff_t>(index[2]));
    Doubles d = load(records + 4 * static_cast<std::ptrdiff_t>(index[3]));
    transpose(a, b, c, d);
    return {a, b, c};
}
/// The way back; the fourth numbers become 0.
EIGEN_ALWAYS_INLINE void scatter3(double* records, const int* index, const Doubles3& v) {
    Doubles a = v.x;
    Doubles b = v.y;
    Doubles c = v.z;
    Doubles d = all(0.0);
    transpose(a, b, c, d);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[0]), a);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[1]), b);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[2]), c);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[3]), d);
}

}  // namespace cutis::simd
