#include "fold/pair_line.h"

#include <algorithm>

#include "cutis/fold/profile.h"

namespace cutis::fold_detail {

double PairLine::solve(double rest, bool is_near, const FoldTolerance& tolerance) {
    const auto lanes = [](const Vector3d& v) {
        return Triple<Doubles>{all<Doubles>(v.x()), all<Doubles>(v.y()), all<Doubles>(v.z())};
    };
    for (int i = 0; i < count_; ++i) {
        lanes_[i].edge = lanes(point_[i + 1] - point_[i]);
        lanes_[i].growth = lanes(offset_[i + 1] - offset_[i]);
    }
    const auto root = (is_near ? rescale_lanes<Doubles>
                               : solve_lanes<Doubles>)(lanes_, count_, all<Doubles>(rest),
                                                       all<Doubles>(length(0.0)), tolerance.length,
                                                       tolerance.most_iterations);
    return root.scale[0];
}

double PairLine::length(double scale) const {
    double sum = 0.0;
    for (int i = 0; i < count_; ++i) {
        sum += (point_[i + 1] - point_[i] + scale * (offset_[i + 1] - offset_[i])).norm();
    }
    return sum;
}

void PairLine::merge(double part, double rest, double factor, const FoldTolerance& tolerance) {
    Vector3d two[2 * most_segments + 1];
    std::copy(offset_, offset_ + count_ + 1, two);
    const double length_of_two = length(1.0);
    const FoldProfile blob = FoldProfile::blob();
    for (int i = 0; i <= count_; ++i) {
        offset_[i] = blob.at(place_[i]) * direction_[i];
    }
    const double height = factor * solve(rest, false, tolerance);
    const double wanted = (1.0 - part) * length_of_two + part * length(height);
    for (int i = 0; i <= count_; ++i) {
        offset_[i] = (1.0 - part) * two[i] + part * height * offset_[i];
    }
    // Where neither shape is longer than the base there is no length to restore.
    if (length(0.0) < wanted) {
        const double scale = solve(wanted, true, tolerance);
        for (int i = 0; i <= count_; ++i) {
            offset_[i] *= scale;
        }
    }
}

double PairLine::highest() const {
    double top = 0.0;
    for (int i = 0; i <= count_; ++i) {
        top = std::max(top, offset_[i].dot(direction_[i]));
    }
    return top;
}

}  // namespace cutis::fold_detail
