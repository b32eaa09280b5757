#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

// 32 bytes of numbers in one register where the machine has such (AVX); g++ and clang split the
// vector type by themselves elsewhere.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // about calls across files; everything here is inlined
#endif

namespace cutis::shell_lanes {

template <class Real>
struct LaneTypes;

template <>
struct LaneTypes<float> {
    using Lanes = float __attribute__((vector_size(32)));
    using Loose = float __attribute__((vector_size(32), aligned(4)));
    using Bits = std::int32_t __attribute__((vector_size(32)));
    static constexpr int count = 8;
};

template <>
struct LaneTypes<double> {
    using Lanes = double __attribute__((vector_size(32)));
    using Loose = double __attribute__((vector_size(32), aligned(8)));
    using Bits = std::int64_t __attribute__((vector_size(32)));
    static constexpr int count = 4;
};

template <class Real>
using LanesOf = typename LaneTypes<Real>::Lanes;

// Anywhere in memory; see core/lanes.h for why not by memcpy.
template <class Real>
EIGEN_ALWAYS_INLINE LanesOf<Real> load(const Real* from) {
    return *reinterpret_cast<const typename LaneTypes<Real>::Loose*>(from);
}

template <class Real>
EIGEN_ALWAYS_INLINE void store(Real* to, LanesOf<Real> value) {
    *reinterpret_cast<typename LaneTypes<Real>::Loose*>(to) = value;
}

template <class Real>
EIGEN_ALWAYS_INLINE LanesOf<Real> all(Real value) {
    return LanesOf<Real>{} + value;
}

/// Ones followed by zeros: a window that begins n - kept places in keeps `kept` lanes.
template <class Real>
struct KeepMask {
    static constexpr int n = LaneTypes<Real>::count;
    std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t> bits[2 * n] = {};
    constexpr KeepMask() {
        for (int i = 0; i < n; ++i) {
            bits[i] = -1;
        }
    }
};

template <class Real>
inline constexpr KeepMask<Real> keep_mask{};

/// First `kept` lanes of `fresh`, the others of `old`.
template <class Real>
EIGEN_ALWAYS_INLINE LanesOf<Real> first_lanes(int kept, LanesOf<Real> fresh, LanesOf<Real> old) {
    using Bits = typename LaneTypes<Real>::Bits;
    Bits mask;
    std::memcpy(&mask, keep_mask<Real>.bits + LaneTypes<Real>::count - kept, sizeof(mask));
    return reinterpret_cast<LanesOf<Real>>((reinterpret_cast<Bits>(fresh) & mask) |
                                           (reinterpret_cast<Bits>(old) & ~mask));
}

template <class Real>
EIGEN_ALWAYS_INLINE LanesOf<Real> larger(LanesOf<Real> a, LanesOf<Real> b) {
    return a > b ? a : b;
}

template <class Real>
EIGEN_ALWAYS_INLINE Real largest(LanesOf<Real> a) {
    Real out = a[0];
    for (int i = 1; i < LaneTypes<Real>::count; ++i) {
        out = a[i] > out ? a[i] : out;
    }
    return out;
}

/// 1 / sqrt(1 + x), lane by lane.
template <class Real>
EIGEN_ALWAYS_INLINE LanesOf<Real> inverse_root(LanesOf<Real> x) {
    alignas(32) Real values[LaneTypes<Real>::count];
    std::memcpy(values, &x, sizeof(x));
    for (Real& value : values) {
        value = Real(1) / std::sqrt(value);
    }
    return load<Real>(values);
}

}  // namespace cutis::shell_lanes
