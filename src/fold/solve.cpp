#include "cutis/fold/solve.h"

#include <cmath>
#include <vector>

#include "cutis/core/error.h"
#include "fold/lane_solve.h"

namespace cutis {

double FoldHeight::fischer_burmeister() const {
    return std::hypot(height, stretch) - height - stretch;
}

FoldHeight solve_fold(const Eigen::Ref<const MatrixX3d>& points,
                      const Eigen::Ref<const MatrixX3d>& offsets, double rest_length,
                      const FoldTolerance& tolerance) {
    using namespace fold_detail;
    require(points.rows() >= 2 && offsets.rows() == points.rows(),
            "fold: expected at least 2 points with an offset each, found ", points.rows(),
            " points and ", offsets.rows(), " offsets");
    require(rest_length > 0.0 && std::isfinite(rest_length),
            "fold: expected a rest length above 0, found ", rest_length);
    require(points.allFinite() && offsets.allFinite(),
            "fold: expected finite points and offsets, found one that is not");
    const int count = static_cast<int>(points.rows()) - 1;
    std::vector<LaneSegment<Doubles>> segments(static_cast<size_t>(count));
    Doubles base{};
    for (int i = 0; i < count; ++i) {
        const auto lanes = [](const auto& row) {
            return Triple<Doubles>{all<Doubles>(row[0]), all<Doubles>(row[1]),
                                   all<Doubles>(row[2])};
        };
        segments[static_cast<size_t>(i)].edge = lanes(points.row(i + 1) - points.row(i));
        segments[static_cast<size_t>(i)].growth = lanes(offsets.row(i + 1) - offsets.row(i));
        base += length(segments[static_cast<size_t>(i)].edge);
    }
    const LaneRoot<Doubles> root = solve_lanes(segments.data(), count, all<Doubles>(rest_length),
                                               base, tolerance.length, tolerance.most_iterations);
    FoldHeight found{root.scale[0], root.stretch[0], static_cast<int>(root.iterations[0]), true};
    require(found.stretch >= 0.0 || offsets.rowwise().norm().maxCoeff() != 0.0,
            "fold: the line is shorter than at rest and has no offset to grow by");
    found.converged = found.height == 0.0
                          ? found.stretch >= 0.0
                          : std::abs(found.stretch) <= 10.0 * tolerance.length * rest_length;
    return found;
}

}  // namespace cutis
