#pragma once

#include <cmath>

#include "core/lanes.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

// What the kernels of this room need of four doubles at once, and the same for one double, so that
// a formula is written once and serves both.
namespace cutis::wide {

using lanes::LaneBits;
using lanes::Lanes;
using lanes::load;
using lanes::store;

/// In single precision.
EIGEN_ALWAYS_INLINE void store(float* to, Lanes value) {
    using FourFloats = float __attribute__((vector_size(16), aligned(4)));
    *reinterpret_cast<FourFloats*>(to) = __builtin_convertvector(value, FourFloats);
}

EIGEN_ALWAYS_INLINE Lanes select(LaneBits mask, Lanes yes, Lanes no) {
    return reinterpret_cast<Lanes>((mask & reinterpret_cast<LaneBits>(yes)) |
                                   (~mask & reinterpret_cast<LaneBits>(no)));
}
EIGEN_ALWAYS_INLINE double select(bool mask, double yes, double no) {
    return mask ? yes : no;
}

EIGEN_ALWAYS_INLINE Lanes root(Lanes a) {
#if defined(__AVX__)
    return reinterpret_cast<Lanes>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(a)));
#else
    return Lanes{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}
EIGEN_ALWAYS_INLINE double root(double a) {
    return std::sqrt(a);
}

EIGEN_ALWAYS_INLINE Lanes exponential(Lanes a) {
    return Lanes{std::exp(a[0]), std::exp(a[1]), std::exp(a[2]), std::exp(a[3])};
}
EIGEN_ALWAYS_INLINE double exponential(double a) {
    return std::exp(a);
}

template <class T>
EIGEN_ALWAYS_INLINE T broadcast(double value);
template <>
EIGEN_ALWAYS_INLINE double broadcast<double>(double value) {
    return value;
}
template <>
EIGEN_ALWAYS_INLINE Lanes broadcast<Lanes>(double value) {
    return lanes::all(value);
}

/// The second argument where the first is not a number.
template <class T>
EIGEN_ALWAYS_INLINE T larger(T a, T b) {
    return select(a > b, a, b);
}
template <class T>
EIGEN_ALWAYS_INLINE T smaller(T a, T b) {
    return select(a < b, a, b);
}

/// 1/a and 1/b by one division, which costs as much as a dozen products; a b must neither overflow
/// nor vanish.
struct TwoInverses {
    Lanes first, second;
};
EIGEN_ALWAYS_INLINE TwoInverses inverses(Lanes a, Lanes b) {
    const Lanes inverse = lanes::all(1.0) / (a * b);
    return {inverse * b, inverse * a};
}

/// Three coordinates of four things.
template <class T>
struct Triple {
    T x, y, z;
};
using Lanes3 = Triple<Lanes>;

template <class T>
EIGEN_ALWAYS_INLINE T dot(const Triple<T>& a, const Triple<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> minus(const Triple<T>& a, const Triple<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
EIGEN_ALWAYS_INLINE Triple<T> scaled(const Triple<T>& a, T s) {
    return {a.x * s, a.y * s, a.z * s};
}

/// Coordinates of four records of four doubles (x y z and one more) at the given indices.
EIGEN_ALWAYS_INLINE Lanes3 gather3(const double* records, const int* index) {
    Lanes a = load(records + 4 * static_cast<std::ptrdiff_t>(index[0]));
    Lanes b = load(records + 4 * static_cast<std::ptrdiff_t>(index[1]));
    Lanes c = load(records + 4 * static_cast<std::ptrdiff_t>(index[2]));
    Lanes d = load(records + 4 * static_cast<std::ptrdiff_t>(index[3]));
    lanes::transpose(a, b, c, d);
    return {a, b, c};
}

/// The way back; the fourth numbers become 0.
EIGEN_ALWAYS_INLINE void scatter3(double* records, const int* index, const Lanes3& v) {
    Lanes a = v.x;
    Lanes b = v.y;
    Lanes c = v.z;
    Lanes d = lanes::all(0.0);
    lanes::transpose(a, b, c, d);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[0]), a);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[1]), b);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[2]), c);
    store(records + 4 * static_cast<std::ptrdiff_t>(index[3]), d);
}

}  // namespace cutis::wide
