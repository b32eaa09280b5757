#include "cutis/fold/solve.h"

#include <cmath>
#include <vector>

#include "cutis/core/error.h"
#include "fold/lane_solve.h"

namespace cutis {

namespace fold_detail {

namespace {

// Keeps 0 / 0 away where a segment has shrunk to a point: any slope between -|w| and |w| is then a
// subgradient of its length, and 0 is the one this gives.
constexpr double smallest_length = 1e-300;

struct Value {
    Lane4 length;
    Lane4 slope;
};

Value evaluate(const LaneSegment* segments, int count, const Lane4& scale) {
    Value sum{Lane4::Zero(), Lane4::Zero()};
    for (int i = 0; i < count; ++i) {
        const LaneVector& w = segments[i].growth;
        const LaneVector grown = segments[i].edge + scale * w;
        const Lane4 size = length(grown);
        sum.length += size;
        sum.slope += dot(grown, w) / size.max(smallest_length);
    }
    return sum;
}

}  // namespace

namespace {

Lane4 total_growth(const LaneSegment* segments, int count) {
    Lane4 growth = Lane4::Zero();
    for (int i = 0; i < count; ++i) {
        growth += length(segments[i].growth);
    }
    return growth;
}

// Triangle inequality: there the line is long enough in any case.
Lane4 farthest_scale(const LaneSegment* segments, int count, const Lane4& rest, const Lane4& base) {
    return (rest + base) / total_growth(segments, count).max(smallest_length);
}

LaneRoot newton(const LaneSegment* segments, int count, const Lane4& rest, const Lane4& base,
                const Lane4& guess, const Mask4& wanted, double tolerance, int most_iterations) {
    LaneRoot root;
    Mask4 open = wanted && base < rest;
    root.scale = open.select(guess, Lane4::Zero());
    root.stretch = base - rest;
    for (int& iterations : root.iterations) {
        iterations = 0;
    }
    for (int iteration = 1; iteration <= most_iterations && open.any(); ++iteration) {
        const Value now = evaluate(segments, count, root.scale);
        const Lane4 stretch = now.length - rest;
        root.stretch = open.select(stretch, root.stretch);
        const Lane4 step = root.scale - stretch / now.slope.max(smallest_length);
        for (int lane = 0; lane < 4; ++lane) {
            if (!open[lane]) {
                continue;
            }
            root.iterations[lane] = iteration;
            // Left of the minimum (slope <= 0) only the far end is safe; a step cannot go beyond it
            // either. Elsewhere Newton.
            double next = std::max(0.0, step[lane]);
            if (now.slope[lane] <= 0.0 || !(next < 1e3 * root.scale[lane] + 1e-300)) {
                const double farthest = farthest_scale(segments, count, rest, base)[lane];
                next = now.slope[lane] <= 0.0 ? farthest : std::min(next, farthest);
            }
            if (std::abs(stretch[lane]) <= tolerance * rest[lane] || next == root.scale[lane]) {
                open[lane] = false;
            } else if (iteration < most_iterations) {
                root.scale[lane] = next;
            }
        }
    }
    return root;
}

}  // namespace

LaneRoot solve_lanes(const LaneSegment* segments, int count, const Lane4& rest, const Mask4& wanted,
                     double tolerance, int most_iterations) {
    const Value base = evaluate(segments, count, Lane4::Zero());
    const Lane4 growth = total_growth(segments, count);
    // The line as one single segment that grows by 1.05 sum|w| sideways and by its slope lengthwise
    // is within some per cent of the truth for every profile.
    const Lane4 c = 1.1 * growth.square().max(smallest_length);
    const Lane4 b = base.length * base.slope;
    const Lane4 missing = (rest.square() - base.length.square()).max(0.0);
    const Lane4 guess = ((b.square() + c * missing).sqrt() - b) / c;
    const Lane4 farthest = (rest + base.length) / growth.max(smallest_length);
    return newton(segments, count, rest, base.length, guess.min(farthest), wanted, tolerance,
                  most_iterations);
}

LaneRoot rescale_lanes(const LaneSegment* segments, int count, const Lane4& rest, const Lane4& base,
                       const Mask4& wanted, double tolerance, int most_iterations) {
    return newton(segments, count, rest, base, Lane4::Ones(), wanted, tolerance, most_iterations);
}

}  // namespace fold_detail

double FoldHeight::fischer_burmeister() const {
    return std::hypot(height, stretch) - height - stretch;
}

FoldHeight solve_fold(const Eigen::Ref<const MatrixX3d>& points,
                      const Eigen::Ref<const MatrixX3d>& offsets, double rest_length,
                      const FoldTolerance& tolerance) {
    using namespace fold_detail;
    if (points.rows() < 2 || offsets.rows() != points.rows()) {
        throw InvalidInput(say("fold: expected at least 2 points with an offset each, found ",
                               points.rows(), " points and ", offsets.rows(), " offsets"));
    }
    if (!(rest_length > 0.0) || !std::isfinite(rest_length)) {
        throw InvalidInput(say("fold: expected a rest length above 0, found ", rest_length));
    }
    if (!points.allFinite() || !offsets.allFinite()) {
        throw InvalidInput("fold: expected finite points and offsets, found one that is not");
    }
    const int count = static_cast<int>(points.rows()) - 1;
    std::vector<LaneSegment> segments(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
        const auto lanes = [](const auto& row) {
            return LaneVector{Lane4::Constant(row[0]), Lane4::Constant(row[1]),
                              Lane4::Constant(row[2])};
        };
        segments[static_cast<size_t>(i)].edge = lanes(points.row(i + 1) - points.row(i));
        segments[static_cast<size_t>(i)].growth = lanes(offsets.row(i + 1) - offsets.row(i));
    }
    const LaneRoot root =
        solve_lanes(segments.data(), count, Lane4::Constant(rest_length),
                    Mask4(true, false, false, false), tolerance.length, tolerance.most_iterations);
    FoldHeight found{root.scale[0], root.stretch[0], root.iterations[0], true};
    if (found.stretch < 0.0 && offsets.rowwise().norm().maxCoeff() == 0.0) {
        throw InvalidInput("fold: the line is shorter than at rest and has no offset to grow by");
    }
    found.converged = found.height == 0.0
                          ? found.stretch >= 0.0
                          : std::abs(found.stretch) <= 10.0 * tolerance.length * rest_length;
    return found;
}

}  // namespace cutis
