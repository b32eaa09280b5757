#pragma once

#include "fold/lane_math.h"

// The complementarity of Ly et al. 2017 section 4 for several folds at once.

namespace cutis::fold_detail {

/// Differences of neighbouring points and of their offsets.
template <class L>
struct LaneSegment {
    Triple<L> edge;    // e_i
    Triple<L> growth;  // w_i
};

template <class L>
struct LaneRoot {
    L scale;       // X
    L stretch;     // tau(X)
    L iterations;  // evaluations of tau and its slope after tau(0)
};

template <class L>
struct LaneLength {
    L length;
    L slope;
};

/// sum |e_i + X w_i| and its slope. Where a segment has shrunk to a point any slope between -|w|
/// and |w| is a subgradient of its length, and 0 is the one this gives.
template <class L>
EIGEN_ALWAYS_INLINE LaneLength<L> grown(const LaneSegment<L>* segments, int count, L scale) {
    LaneLength<L> sum{L{}, L{}};
    for (int i = 0; i < count; ++i) {
        const Triple<L>& w = segments[i].growth;
        const Triple<L> now = segments[i].edge + scale * w;
        const L size = length(now);
        sum.length += size;
        sum.slope += dot(now, w) / larger(size, all<L>(tiny<L>));
    }
    return sum;
}

/// sum |e_i + w_i|
template <class L>
EIGEN_ALWAYS_INLINE L grown_length(const LaneSegment<L>* segments, int count) {
    L sum{};
    for (int i = 0; i < count; ++i) {
        sum += length(segments[i].edge + segments[i].growth);
    }
    return sum;
}

template <class L>
EIGEN_ALWAYS_INLINE L total_growth(const LaneSegment<L>* segments, int count) {
    L sum{};
    for (int i = 0; i < count; ++i) {
        sum += length(segments[i].growth);
    }
    return larger(sum, all<L>(tiny<L>));
}

/// Newton from `guess` in every lane whose base is shorter than rest; X = 0 in the others.
template <class L>
LaneRoot<L> newton(const LaneSegment<L>* segments, int count, L rest, L base, L guess,
                   double tolerance, int most_iterations) {
    const L zero{};
    auto open = base < rest;
    LaneRoot<L> found{select(open, guess, zero), base - rest, zero};
    const L close = all<L>(tolerance) * rest;
    for (int iteration = 1; iteration <= most_iterations && any(open); ++iteration) {
        const LaneLength<L> now = grown(segments, count, found.scale);
        const L stretch = now.length - rest;
        found.stretch = select(open, stretch, found.stretch);
        found.iterations = select(open, all<L>(iteration), found.iterations);
        L next = larger(zero, found.scale - stretch / larger(now.slope, all<L>(tiny<L>)));
        // Left of the minimum (slope <= 0) only the far end is safe, where the triangle inequality
        // says that the line is long enough; a step cannot go beyond it either.
        const auto is_left = now.slope <= zero;
        const auto is_wild = is_left | ~(next < all<L>(1e3) * found.scale + all<L>(tiny<L>));
        if (any(open & is_wild)) {
            const L farthest = (rest + base) / total_growth(segments, count);
            next = select(is_left, farthest, select(is_wild, smaller(next, farthest), next));
        }
        open = open & (absolute(stretch) > close) & (next != found.scale);
        if (iteration < most_iterations) {
            found.scale = select(open, next, found.scale);
        }
    }
    return found;
}

/// Root X >= 0 of sum |e_i + X w_i| = rest in every lane whose base is shorter; 0 in others.
/// \param base  sum |e_i|
template <class L>
LaneRoot<L> solve_lanes(const LaneSegment<L>* segments, int count, L rest, L base, double tolerance,
                        int most_iterations) {
    // The line as one single segment that grows by 1.05 sum|w| sideways and by its slope lengthwise
    // is within some per cent of the truth for every profile.
    L slope{};
    for (int i = 0; i < count; ++i) {
        const L size = larger(length(segments[i].edge), all<L>(tiny<L>));
        slope += dot(segments[i].edge, segments[i].growth) / size;
    }
    const L growth = total_growth(segments, count);
    const L c = all<L>(1.1) * growth * growth;
    const L b = base * slope;
    const L missing = larger(rest * rest - base * base, L{});
    const L guess = (root(b * b + c * missing) - b) / c;
    const L farthest = (rest + base) / growth;
    return newton(segments, count, rest, base, smaller(guess, farthest), tolerance,
                  most_iterations);
}

/// The same for offsets that are nearly right: begins with X = 1.
template <class L>
LaneRoot<L> rescale_lanes(const LaneSegment<L>* segments, int count, L rest, L base,
                          double tolerance, int most_iterations) {
    return newton(segments, count, rest, base, all<L>(1.0), tolerance, most_iterations);
}

}  // namespace cutis::fold_detail
