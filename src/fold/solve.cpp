#include "fold/solve.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {

double FoldHeight::fischer_burmeister() const {
    return math::hypot(height, stretch) - height - stretch;
}

FoldHeight solve_fold(const Eigen::Ref<const MatrixX3d>& points, const Eigen::Ref<const MatrixX3d>& offsets,
                      double rest_length, const FoldTolerance& tolerance) {
    require(points.rows() >= 2 && offsets.rows() == points.rows(),
            "fold: expected at least 2 points with an offset each, found ", points.rows(), " points and ",
            offsets.rows(), " offsets");
    require(rest_length > 0.0 && std::isfinite(rest_length), "fold: expected a rest length above 0, found ",
            rest_length);
    require(points.allFinite() && offsets.allFinite(),
            "fold: expected finite points and offsets, found one that is not");
    FoldHeight result;
    double slope = 0.0;
    const auto stretch_at = [&](double x) {
        double length = 0.0;
        slope = 0.0;
        for (Eigen::Index i = 0; i + 1 < points.rows(); ++i) {
            const Vector3d w = offsets.row(i + 1) - offsets.row(i);
            const Vector3d s = Vector3d(points.row(i + 1) - points.row(i)) + x * w;
            const double size = s.norm();
            length += size;
            slope += size > 0.0 ? s.dot(w) / size : w.norm();
        }
        return length - rest_length;
    };
    result.stretch = stretch_at(0.0);
    if (result.stretch >= 0.0) {
        return result;
    }
    double climb = 0.0;
    double bend = 0.0;
    for (Eigen::Index i = 0; i + 1 < points.rows(); ++i) {
        const double w = (offsets.row(i + 1) - offsets.row(i)).norm();
        const double e = (points.row(i + 1) - points.row(i)).norm();
        climb += w;
        bend += e > 0.0 ? w * w / e : 0.0;
    }
    require(climb > 0.0, "fold: the line is too short and has no offset to grow by");
    // The triangle inequality bounds the root; on a flat line tau is bend X^2 / 2.
    const double highest = (2.0 * rest_length + result.stretch) / climb;
    double x = bend > 0.0 ? std::min(highest, std::sqrt(-2.0 * result.stretch / bend)) : highest;
    result.converged = false;
    while (!result.converged && result.iterations < tolerance.most_iterations) {
        result.stretch = stretch_at(x);
        ++result.iterations;
        result.height = x;
        result.converged = std::abs(result.stretch) <= tolerance.length * rest_length;
        x = slope > 0.0 ? std::clamp(x - result.stretch / slope, 0.0, highest) : highest;
    }
    return result;
}

}  // namespace cutis
