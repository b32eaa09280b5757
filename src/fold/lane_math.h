#pragma once

#include <Eigen/Core>
#include <cstring>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // about calls across files; everything here is inlined
#endif

// Folds side by side: lane l of every number belongs to fold l, four in double or eight in single
// precision. A lane's bits do not depend on its neighbours.

namespace cutis::fold_detail {

using Doubles = double __attribute__((vector_size(32)));
using Floats = float __attribute__((vector_size(32)));

template <class Real>
using Lane = std::conditional_t<std::is_same_v<Real, double>, Doubles, Floats>;
template <class L>
using RealOf = std::conditional_t<std::is_same_v<L, Doubles>, double, float>;
template <class L>
inline constexpr int lanes_in = static_cast<int>(sizeof(L) / sizeof(RealOf<L>));

template <class L>
EIGEN_ALWAYS_INLINE L all(double value) {
    return L{} + static_cast<RealOf<L>>(value);
}

template <class Mask, class L>
EIGEN_ALWAYS_INLINE L choose(Mask mask, L yes, L no) {
    return mask ? yes : no;
}
#if defined(__AVX__)
// Both instructions give b where a number is missing, like the comparisons below.
EIGEN_ALWAYS_INLINE Doubles larger(Doubles a, Doubles b) {
    return reinterpret_cast<Doubles>(
        _mm256_max_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b)));
}
EIGEN_ALWAYS_INLINE Floats larger(Floats a, Floats b) {
    return reinterpret_cast<Floats>(
        _mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
}
EIGEN_ALWAYS_INLINE Doubles smaller(Doubles a, Doubles b) {
    return reinterpret_cast<Doubles>(
        _mm256_min_pd(reinterpret_cast<__m256d>(a), reinterpret_cast<__m256d>(b)));
}
EIGEN_ALWAYS_INLINE Floats smaller(Floats a, Floats b) {
    return reinterpret_cast<Floats>(
        _mm256_min_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
}
#else
template <class L>
EIGEN_ALWAYS_INLINE L larger(L a, L b) {
    return choose(a > b, a, b);
}
template <class L>
EIGEN_ALWAYS_INLINE L smaller(L a, L b) {
    return choose(a < b, a, b);
}
#endif
template <class L>
EIGEN_ALWAYS_INLINE L absolute(L a) {
    return larger(a, -a);
}

EIGEN_ALWAYS_INLINE Doubles root(Doubles a) {
#if defined(__AVX__)
    return reinterpret_cast<Doubles>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a)));
#else
    return Doubles{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}
EIGEN_ALWAYS_INLINE Floats root(Floats a) {
#if defined(__AVX__)
    return reinterpret_cast<Floats>(_mm256_sqrt_ps(reinterpret_cast<__m256>(a)));
#else
    for (int k = 0; k < 8; ++k) {
        a[k] = std::sqrt(a[k]);
    }
    return a;
#endif
}

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
struct LaneVector {
    L x, y, z;
};

template <class L>
EIGEN_ALWAYS_INLINE LaneVector<L> operator-(const LaneVector<L>& a, const LaneVector<L>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class L>
EIGEN_ALWAYS_INLINE LaneVector<L> operator+(const LaneVector<L>& a, const LaneVector<L>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class L>
EIGEN_ALWAYS_INLINE LaneVector<L> operator*(L s, const LaneVector<L>& a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class L>
EIGEN_ALWAYS_INLINE L dot(const LaneVector<L>& a, const LaneVector<L>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class L>
EIGEN_ALWAYS_INLINE L length(const LaneVector<L>& a) {
    return root(dot(a, a));
}
template <class L, class Mask>
EIGEN_ALWAYS_INLINE LaneVector<L> choose(Mask mask, const LaneVector<L>& yes,
                                         const LaneVector<L>& no) {
    return {choose(mask, yes.x, no.x), choose(mask, yes.y, no.y), choose(mask, yes.z, no.z)};
}

// Anywhere in memory; see core/lanes.h for why not by memcpy.
template <class Real>
struct LooseLane;
template <>
struct LooseLane<double> {
    using Type = double __attribute__((vector_size(32), aligned(8)));
};
template <>
struct LooseLane<float> {
    using Type = float __attribute__((vector_size(32), aligned(4)));
};
template <class L>
using Loose = typename LooseLane<RealOf<L>>::Type;

template <class L>
EIGEN_ALWAYS_INLINE L load(const RealOf<L>* from) {
    return *reinterpret_cast<const Loose<L>*>(from);
}
template <class L>
EIGEN_ALWAYS_INLINE void store(RealOf<L>* to, L value) {
    *reinterpret_cast<Loose<L>*>(to) = value;
}

/// Rows become columns.
EIGEN_ALWAYS_INLINE void transpose(Doubles (&row)[4]) {
    const Doubles a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
    const Doubles b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
    const Doubles c = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
    const Doubles d = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
    row[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    row[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    row[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
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

/// One point of each lane, or its way from the first point of that lane's line. Reads one number
/// more. The last argument chooses the precision.
EIGEN_ALWAYS_INLINE LaneVector<Doubles> gather(const double* const* from, int at, bool is_relative,
                                               Doubles) {
    Doubles row[4];
    for (int lane = 0; lane < 4; ++lane) {
        row[lane] = load<Doubles>(from[lane] + at);
        row[lane] -= is_relative ? load<Doubles>(from[lane]) : Doubles{};
    }
    transpose(row);
    return {row[0], row[1], row[2]};
}
EIGEN_ALWAYS_INLINE LaneVector<Floats> gather(const double* const* from, int at, bool is_relative,
                                              Floats) {
    using Half = float __attribute__((vector_size(16)));
    Half half[8];
    for (int lane = 0; lane < 8; ++lane) {
        Doubles value = load<Doubles>(from[lane] + at);
        value -= is_relative ? load<Doubles>(from[lane]) : Doubles{};
        half[lane] = __builtin_convertvector(value, Half);
    }
    Floats row[4];
    for (int k = 0; k < 4; ++k) {
        row[k] = __builtin_shufflevector(half[k], half[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    transpose_halves(row);
    return {row[0], row[1], row[2]};
}
/// Keeps 0 / 0 away; squares of it are still numbers.
template <class L>
inline constexpr double tiny = std::is_same_v<L, Doubles> ? 1e-150 : 1e-18;

}  // namespace cutis::fold_detail
