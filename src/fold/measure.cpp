#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "fold/heights.h"

// Lengths of lines in a pose, and the heights that give them back what they miss.

namespace cutis::fold_detail {

namespace {

using simd::Floats;
using FourFloats = FoldPlaces::FourFloats;
constexpr int line_lanes = simd::lanes_in<Floats>;

EIGEN_ALWAYS_INLINE Floats all_of(double value) {
    return simd::all<Floats>(value);
}

/// In doubles: compression is a small difference of lengths.
EIGEN_ALWAYS_INLINE double sum_of(Floats a) {
    const auto at = [&a](int i) { return static_cast<double>(a[i]); };
    return ((at(0) + at(4)) + (at(1) + at(5))) + ((at(2) + at(6)) + (at(3) + at(7)));
}

}  // namespace

/// Lines that are too short, whose heights are sought eight at a time. |e + X w| of a segment is
/// sqrt(ee + 2 X ew + X^2 ww).
struct FoldHeights::Batch {
    static constexpr int segments = FoldLayout::most_segments;
    Floats ee[line_lanes][segments / line_lanes];
    Floats ew[line_lanes][segments / line_lanes];
    Floats ww[line_lanes][segments / line_lanes];
    float length[line_lanes];
    size_t line[line_lanes];
    int count = 0;
};

void FoldHeights::measure(int begin, int end, const MatrixX3d& base, const MatrixX3d& directions) {
    Batch batch;
    for (int j = begin; j < end; ++j) {
        live_[static_cast<size_t>(j)] = 0;
        measure_control(j, base, directions, batch);
    }
    find_roots(batch);
}

void FoldHeights::measure_control(int control, const MatrixX3d& base, const MatrixX3d& directions, Batch& batch) {
    const auto vector = [](const MatrixX3d& of, int v) {
        const double* at = of.data() + 3 * static_cast<std::ptrdiff_t>(v);
        return simd::Doubles{at[0], at[1], at[2], 0.0};
    };
    const auto place_of = [&](const LinePoint& p) {
        const simd::Doubles a = vector(base, p.a);
        return a + simd::all(p.t) * (vector(base, p.b) - a);
    };
    const auto raised = [&](const LinePoint& p, const Raised& by) {
        return __builtin_convertvector(
            simd::all(by.a) * vector(directions, p.a) + simd::all(by.b) * vector(directions, p.b), FourFloats);
    };
    for (size_t n = static_cast<size_t>(control); n < short_by_.size(); n += static_cast<size_t>(stride_)) {
        short_by_[n] = 0.0F;
        root_[n] = 0.0F;
        const LinePoint* points = points_.data() + first_point_[n];
        const int count = first_point_[n + 1] - first_point_[n];
        if (count == 0) {
            continue;
        }
        // The chord is never longer than the line.
        simd::Doubles before = place_of(points[0]);
        const simd::Doubles chord = place_of(points[count - 1]) - before;
        const simd::Doubles squares = chord * chord;
        if (squares[0] + squares[1] + squares[2] >= static_cast<double>(enough_[n]) * enough_[n]) {
            continue;
        }
        constexpr int most = Batch::segments / line_lanes;
        simd::Triple<Floats> e[most];
        Floats* ee = batch.ee[batch.count];
        const int groups = (count - 1) / line_lanes;
        Floats lengths = all_of(0.0);
        for (int g = 0; g < groups; ++g) {
            FourFloats rows[line_lanes];
            for (int i = 0; i < line_lanes; ++i) {
                const simd::Doubles next = place_of(points[line_lanes * g + i + 1]);
                rows[i] = __builtin_convertvector(next - before, FourFloats);
                before = next;
            }
            e[g] = simd::columns3(rows);
            ee[g] = dot(e[g], e[g]);
            lengths += simd::root(ee[g]);
        }
        const double length = sum_of(lengths);
        if (length >= static_cast<double>(enough_[n])) {
            continue;
        }
        Floats* ew = batch.ew[batch.count];
        Floats* ww = batch.ww[batch.count];
        const Raised* raises = raises_.data() + first_point_[n];
        FourFloats low = raised(points[0], raises[0]);
        for (int g = 0; g < groups; ++g) {
            FourFloats rows[line_lanes];
            for (int i = 0; i < line_lanes; ++i) {
                const int next = line_lanes * g + i + 1;
                const FourFloats high = raised(points[next], raises[next]);
                rows[i] = high - low;
                low = high;
            }
            const simd::Triple<Floats> w = simd::columns3(rows);
            ew[g] = dot(e[g], w);
            ww[g] = dot(w, w);
        }
        for (int g = groups; g < most; ++g) {
            ee[g] = ew[g] = ww[g] = all_of(0.0);
        }
        short_by_[n] = static_cast<float>(enough_[n] - length) / target_[n];
        live_[static_cast<size_t>(control)] = 1;
        batch.length[batch.count] = static_cast<float>(length);
        batch.line[batch.count] = n;
        if (++batch.count == line_lanes) {
            find_roots(batch);
        }
    }
}

/// The height X that gives a line its length back: the root of tau(X) = sum |e_i + X w_i| - aim
/// (Ly et al. 2017 section 4.2). tau is convex and tau(0) < 0, so that Newton comes down to the
/// only root from the right without crossing it.
void FoldHeights::find_roots(Batch& batch) {
    if (batch.count == 0) {
        return;
    }
    for (int i = batch.count; i < line_lanes; ++i) {  // line_lanes without a line do what the first one does
        std::copy_n(batch.ee[0], Batch::segments / line_lanes, batch.ee[i]);
        std::copy_n(batch.ew[0], Batch::segments / line_lanes, batch.ew[i]);
        std::copy_n(batch.ww[0], Batch::segments / line_lanes, batch.ww[i]);
        batch.length[i] = batch.length[0];
        batch.line[i] = batch.line[0];
    }
    // A lane for each line.
    Floats ee[Batch::segments];
    Floats ew[Batch::segments];
    Floats ww[Batch::segments];
    float aims[line_lanes];
    for (int i = 0; i < line_lanes; ++i) {
        aims[i] = aim_[batch.line[i]];
        for (int g = 0; g < Batch::segments / line_lanes; ++g) {
            ee[g * line_lanes + i] = batch.ee[i][g];
            ew[g * line_lanes + i] = batch.ew[i][g];
            ww[g * line_lanes + i] = batch.ww[i][g];
        }
    }
    const Floats tiny = all_of(1e-20);
    Floats climb = all_of(0.0);
    Floats bend = all_of(0.0);
    for (int g = 0; g < Batch::segments / line_lanes; ++g) {
        for (Floats* block : {ee + g * line_lanes, ew + g * line_lanes, ww + g * line_lanes}) {
            simd::transpose(*reinterpret_cast<Floats(*)[line_lanes]>(block));
        }
    }
    for (int i = 0; i < Batch::segments; ++i) {
        const Floats size = simd::root(simd::larger(ee[i], tiny));
        climb += simd::root(ww[i]);
        bend += ww[i] / size;
    }
    const Floats length = simd::load(batch.length);
    const Floats aim = simd::load(aims);
    const Floats highest = (aim + length) / simd::larger(climb, tiny);  // triangle inequality: tau >= 0 there
    // As if all segments had the same slope.
    Floats x = simd::smaller(
        highest, simd::root(simd::larger((aim - length) * (aim + length), tiny) / simd::larger(bend * length, tiny)));
    for (int iteration = 0; iteration < 20; ++iteration) {
        Floats tau = -aim;
        Floats slope = all_of(0.0);
        for (int i = 0; i < Batch::segments; ++i) {
            const Floats climbing = ew[i] + x * ww[i];
            const Floats size = simd::root(simd::larger(ee[i] + x * (ew[i] + climbing), tiny));
            tau += size;
            slope += climbing / size;
        }
        const Floats step = tau / simd::larger(slope, tiny);
        const Floats next = simd::smaller(simd::larger(x - step, all_of(0.0)), highest);
        const bool is_there =
            !simd::any(simd::absolute(next - x) > all_of(1e-3) * x);  // squared by the step just taken
        x = next;
        if (is_there) {
            break;
        }
    }
    for (int i = 0; i < batch.count; ++i) {
        root_[batch.line[i]] = climb[i] > 0.0F ? x[i] : 0.0F;
    }
    batch.count = 0;
}

}  // namespace cutis::fold_detail
