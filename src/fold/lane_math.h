#pragma once

#include "core/simd.h"

// Folds side by side: lane l of every number belongs to fold l, four in double or eight in single
// precision.

namespace cutis::fold_detail {

using simd::absolute;
using simd::all;
using simd::any;
using simd::Doubles;
using simd::Floats;
using simd::lanes_in;
using simd::larger;
using simd::load;
using simd::RealOf;
using simd::root;
using simd::select;
using simd::smaller;
using simd::store;
using simd::transpose;
using simd::Triple;

template <class Real>
using Lane = simd::LanesOf<Real>;

/// One point of each lane, or its way from the first point of that lane's line. Reads one number
/// more. The last argument chooses the precision.
EIGEN_ALWAYS_INLINE Triple<Doubles> gather(const double* const* from, int at, bool is_relative,
                                           Doubles) {
    Doubles row[4];
    for (int lane = 0; lane < 4; ++lane) {
        row[lane] = load(from[lane] + at);
        row[lane] -= is_relative ? load(from[lane]) : Doubles{};
    }
    transpose(row);
    return {row[0], row[1], row[2]};
}
EIGEN_ALWAYS_INLINE Triple<Floats> gather(const double* const* from, int at, bool is_relative,
                                          Floats) {
    using Half = float __attribute__((vector_size(16)));
    Half half[8];
    for (int lane = 0; lane < 8; ++lane) {
        Doubles value = load(from[lane] + at);
        value -= is_relative ? load(from[lane]) : Doubles{};
        half[lane] = __builtin_convertvector(value, Half);
    }
    Floats row[4];
    for (int k = 0; k < 4; ++k) {
        row[k] = __builtin_shufflevector(half[k], half[k + 4], 0, 1, 2, 3, 4, 5, 6, 7);
    }
    simd::transpose_halves(row);
    return {row[0], row[1], row[2]};
}
/// Keeps 0 / 0 away; squares of it are still numbers.
template <class L>
inline constexpr double tiny = std::is_same_v<L, Doubles> ? 1e-150 : 1e-18;

}  // namespace cutis::fold_detail
