#include <algorithm>
#include <cmath>

#include "fold/heights.h"
#include "fold/smooth.h"
#include "fold/solve.h"

namespace cutis::fold_detail {

namespace {

Vector3d place_of(const EdgePoint& p, const MatrixX3d& base) {
    const double t = p.t;
    return ((1.0 - t) * base.row(p.a) + t * base.row(p.b)).transpose();
}

}  // namespace

/// The paper's folds: few of them, each met to rounding. A vertex beside the end of a fold belongs
/// to the next one, too, so folds are solved in turn until none changes another.
void FoldHeights::solve_exactly(const MatrixX3d& base, const MatrixX3d& directions) {
    constexpr int most_sweeps = 60;
    const Stencils& spread = layout_.spread;
    std::fill(exact_.begin(), exact_.end(), 0.0);
    residual_ = 0.0;
    MatrixX3d points;
    MatrixX3d offsets;
    const auto solve_line = [&](size_t l) {
        const FoldLayout::Line& line = layout_.lines[l];
        points.resize(line.end - line.begin, 3);
        offsets.setZero(points.rows(), 3);
        for (int i = line.begin; i < line.end; ++i) {
            const EdgePoint& p = layout_.points[static_cast<size_t>(i)];
            points.row(i - line.begin) = place_of(p, base);
            const double t = p.t;
            for (const auto& [v, part] : {std::pair(p.a, 1.0 - t), std::pair(p.b, t)}) {
                for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1];
                     ++s) {
                    const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
                    const double weight = part * spread.weights[static_cast<size_t>(s)];
                    if (j == l) {
                        offsets.row(i - line.begin) += weight * directions.row(v);
                    } else {
                        points.row(i - line.begin) += weight * exact_[j] * directions.row(v);
                    }
                }
            }
        }
        return solve_fold(points, offsets, line.target);
    };
    for (size_t l = 0; l < layout_.lines.size(); ++l) {
        const FoldHeight alone = solve_line(l);  // with those before it
        exact_[l] = alone.height;
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double change = 0.0;
        residual_ = 0.0;
        for (size_t l = 0; l < layout_.lines.size(); ++l) {
            const FoldHeight found = solve_line(l);
            change = std::max(change, std::abs(found.height - exact_[l]));
            exact_[l] = found.height;
            residual_ = std::max(residual_, std::abs(found.fischer_burmeister()));
        }
        if (change <= 1e-15 * layout_.width.front()) {
            break;
        }
    }
    // Compression of the base, and the gate.
    for (size_t l = 0; l < layout_.lines.size(); ++l) {
        const FoldLayout::Line& line = layout_.lines[l];
        double length = 0.0;
        for (int i = line.begin; i + 1 < line.end; ++i) {
            length += (place_of(layout_.points[static_cast<size_t>(i) + 1], base) -
                       place_of(layout_.points[static_cast<size_t>(i)], base))
                          .norm();
        }
        const double squeezed = std::max(0.0, 1.0 - length / line.target);
        short_by_[l] = static_cast<float>(squeezed);
        live_[l] = squeezed > 0.0 ? 1 : 0;
        exact_[l] *= gate_ > 0.0 ? smooth_step(squeezed / gate_) : 1.0;
    }
}

}  // namespace cutis::fold_detail
