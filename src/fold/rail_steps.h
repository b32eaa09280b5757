#pragma once

#include <cmath>

#include "cutis/fold/rails.h"
#include "fold/lane_solve.h"

// The steps of solving rails, as many side by side as there are lanes.

namespace cutis::fold_detail {

inline constexpr int most_segments = 64;
// Part of the way to a plane that a fold may use.
inline constexpr double limit_margin = 0.98;
// A plane holds fully where what defines it is at least this part of its size at rest; it lets go
// as that shrinks, because its sides change places there.
inline constexpr double sure_plane = 0.1;
// The same for a joint plane: distance of a fold's middle, in its rest lengths.
inline constexpr double sure_side = 0.01;
// Rounds of choosing points of equal chords on a folded line.
inline constexpr int chord_rounds = 3;
// A longer part turns more corners, so its chord grows less than its arc: change more than asked.
inline constexpr double chord_gain = 1.6;
// Up to here every segment is looked at for every point: cheaper than choosing which.
inline constexpr int few_segments = 8;

/// 3 x^2 - 2 x^3 between 0 and 1.
inline double smooth_step(double x) {
    const double t = std::min(1.0, std::max(0.0, x));
    return t * t * (3.0 - 2.0 * t);
}

/// Lines side by side: base points from their first one on, directions, profile, and the offsets
/// being worked out.
template <class L>
struct RailGroup {
    int count = 0;  ///< segments
    // Some more than there are: they are read and written in tiles.
    Triple<L> point[most_segments + 1];
    Triple<L> direction[most_segments + 1 + lanes_in<L>];
    Triple<L> offset[most_segments + 1 + lanes_in<L>];
    L profile[most_segments + 1 + lanes_in<L>];
    L rest_part[most_segments + 1 + lanes_in<L>];  ///< of the rest length, from point i - 1 to i
    LaneSegment<L> segments[most_segments];
};

/// Fills the edges; returns the lengths of the lines.
template <class L>
EIGEN_ALWAYS_INLINE L fill_edges(RailGroup<L>& group) {
    L sum{};
    for (int i = 0; i < group.count; ++i) {
        group.segments[i].edge = group.point[i + 1] - group.point[i];
        sum += length(group.segments[i].edge);
    }
    return sum;
}

template <class L>
EIGEN_ALWAYS_INLINE void fill_growth(RailGroup<L>& group) {
    for (int i = 0; i < group.count; ++i) {
        group.segments[i].growth = group.offset[i + 1] - group.offset[i];
    }
}

template <class L>
EIGEN_ALWAYS_INLINE void scale_offsets(RailGroup<L>& group, L scale) {
    for (int i = 0; i <= group.count; ++i) {
        group.offset[i] = scale * group.offset[i];
    }
}

/// Largest offset along the direction.
template <class L>
EIGEN_ALWAYS_INLINE L highest(const RailGroup<L>& group) {
    L top{};
    for (int i = 1; i < group.count; ++i) {
        top = larger(top, dot(group.offset[i], group.direction[i]));
    }
    return top;
}

/// Moves points along their folded line to their rest proportions (Ly et al. 2017 section 4.2, made
/// stateless). Equal parts of the arc have unequal chords where they cut a corner: further rounds
/// give those parts more arc.
/// \param rounds  1: equal arcs
template <class L>
EIGEN_ALWAYS_INLINE void even_out(RailGroup<L>& group, int rounds) {
    const int count = group.count;
    Triple<L> folded[most_segments + 1];
    Triple<L> step[most_segments];  // to the next point, over its length
    L size[most_segments];
    L arc[most_segments + 1];
    arc[0] = L{};
    folded[0] = group.point[0] + group.offset[0];
    for (int i = 0; i < count; ++i) {
        folded[i + 1] = group.point[i + 1] + group.offset[i + 1];
        const Triple<L> edge = folded[i + 1] - folded[i];
        size[i] = length(edge);
        arc[i + 1] = arc[i] + size[i];
        step[i] = (all<L>(1.0) / larger(size[i], all<L>(tiny<L>))) * edge;
    }
    const L total = arc[count];
    Triple<L> even[most_segments + 1];
    L part[most_segments + 1];  // arc between points i - 1 and i
    for (int i = 1; i <= count; ++i) {
        part[i] = group.rest_part[i] * total;
    }
    even[0] = folded[0];
    even[count] = folded[count];
    for (int round = 0; round < rounds; ++round) {
        L wanted{};
        int low = 0;  // no lane needs a segment before this one
        for (int i = 1; i < count; ++i) {
            wanted += part[i];
            while (count > few_segments && low + 1 < count && !any(arc[low + 1] >= wanted)) {
                ++low;
            }
            // As much of every segment as lies before the point.
            Triple<L> at = folded[low];
            for (int k = low; k < count; ++k) {
                const L way = wanted - arc[k];
                if (count > few_segments && !any(way > L{})) {
                    break;
                }
                at = at + smaller(larger(way, L{}), size[k]) * step[k];
            }
            even[i] = at;
        }
        if (round + 1 < rounds) {
            L sum{};
            for (int i = 1; i <= count; ++i) {
                const L chord = length(even[i] - even[i - 1]);
                const L rest = group.rest_part[i] * total;
                const L ratio = rest / larger(chord, all<L>(1e-3) * rest);
                const L change = all<L>(1.0 - chord_gain) + all<L>(chord_gain) * ratio;
                part[i] *= smaller(larger(change, all<L>(0.2)), all<L>(2.0));
                sum += part[i];
            }
            const L scale = total / sum;
            for (int i = 1; i <= count; ++i) {
                part[i] *= scale;
            }
        }
    }
    for (int i = 1; i < count; ++i) {
        group.offset[i] = even[i] - group.point[i];
    }
}

/// smoothstep(compression / gate); 1 without a gate.
template <class L>
EIGEN_ALWAYS_INLINE L gate_factor(L compression, double gate) {
    if (gate <= 0.0) {
        return all<L>(1.0);
    }
    const L t = smaller(larger(compression / all<L>(gate), L{}), all<L>(1.0));
    return t * t * (all<L>(3.0) - all<L>(2.0) * t);
}

/// Keeps offsets from passing planes, by taking away what would pass: a projection, so that nothing
/// jumps however plane and line move. A base point beyond the plane gets no farther.
/// \param point   of the plane;  \param normal  unit, towards the lines
/// \param hold    0 .. 1
/// \return the largest part taken away
template <class L>
EIGEN_ALWAYS_INLINE L hold_at_plane(RailGroup<L>& group, const Triple<L>& point,
                                    const Triple<L>& normal, L hold) {
    L most{};
    for (int i = 1; i < group.count; ++i) {
        const L room = larger(dot(group.point[i] - point, normal), L{});
        const L over = larger(-all<L>(limit_margin) * room - dot(group.offset[i], normal), L{});
        const L taken = hold * over;
        group.offset[i] = group.offset[i] + taken * normal;
        most = larger(most, taken);
    }
    return most;
}

/// hold_at_plane for the plane through an end of the lines, spanned by its direction and the
/// transverse of the line.
template <class L>
EIGEN_ALWAYS_INLINE L hold_at_end(RailGroup<L>& group, bool is_first, L rest) {
    const int reach = std::max(1, group.count / 4);
    const int end = is_first ? 0 : group.count;
    const int inner = is_first ? reach : group.count - reach;
    const Triple<L> chord = group.point[inner] - group.point[end];
    const Triple<L>& direction = group.direction[end];
    const Triple<L> across = chord - dot(chord, direction) * direction;
    const L size = length(across);
    const double sure = sure_plane * reach / group.count;
    return hold_at_plane(group, group.point[end],
                         (all<L>(1.0) / larger(size, all<L>(tiny<L>))) * across,
                         smaller(size / (all<L>(sure) * rest), all<L>(1.0)));
}

}  // namespace cutis::fold_detail
