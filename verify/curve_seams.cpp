#include "verify/curve_seams.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace cutis::verify {

namespace {

double upper_percentile(std::vector<double> values) {
    if (values.empty()) {
        return 0.0;
    }
    const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<size_t>(at)];
}

}  // namespace

double SeamGauge::Hinge::angle(const MatrixX3d& surface) const {
    const Vector3d from = surface.row(a);
    const Vector3d along = surface.row(b).transpose() - from;
    const Vector3d left = along.cross(Vector3d(surface.row(tips[0]).transpose() - from));
    const Vector3d right = Vector3d(surface.row(tips[1]).transpose() - from).cross(along);
    return std::atan2(left.cross(right).dot(along.normalized()), left.dot(right));
}

SeamGauge::SeamGauge(const CurveBody& view)
    : rest_(*view.rest),
      size_((rest_.colwise().maxCoeff() - rest_.colwise().minCoeff()).norm()),
      parts_(static_cast<size_t>(rest_.rows()), 0) {
    std::map<std::pair<int, int>, Hinge> found;
    const MatrixX3i& triangles = view.topology->triangles();
    for (Eigen::Index t = 0; t < triangles.rows(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const int a = triangles(t, k);
            const int b = triangles(t, (k + 1) % 3);
            Hinge& hinge = found[std::minmax(a, b)];
            hinge.a = std::min(a, b);
            hinge.b = std::max(a, b);
            hinge.tips[a < b ? 0 : 1] = triangles(t, (k + 2) % 3);
        }
    }
    for (const auto& [ends, hinge] : found) {
        hinges_.push_back(hinge);
    }
}

void SeamGauge::add_part(const std::vector<int>& vertices) {
    for (const int v : vertices) {
        parts_[static_cast<size_t>(v)] |= std::uint64_t{1} << (part_count_ % 64);
    }
    ++part_count_;
}

void SeamGauge::look(const MatrixX3d& plain, const MatrixX3d& shown, bool has_swung) {
    const MatrixX3d moved = shown - plain;
    seams_.swing = worse(seams_.swing, moved.rowwise().norm().maxCoeff() / size_);
    for (const Hinge& hinge : hinges_) {
        const auto part_of = [&](int v) { return parts_[static_cast<size_t>(v)]; };
        const std::uint64_t here = part_of(hinge.a);
        if (here == 0 && part_of(hinge.b) == 0) {
            continue;
        }
        const double slope =
            (moved.row(hinge.a) - moved.row(hinge.b)).norm() / (rest_.row(hinge.a) - rest_.row(hinge.b)).norm();
        double& steepest = here == part_of(hinge.b) ? seams_.slope_inside : seams_.slope_across;
        steepest = worse(steepest, slope);
        if (has_swung && hinge.has_both()) {
            const double turn = std::remainder(hinge.angle(shown) - hinge.angle(plain), 2.0 * std::numbers::pi);
            const bool is_inside =
                here == part_of(hinge.b) && here == part_of(hinge.tips[0]) && here == part_of(hinge.tips[1]);
            (is_inside ? inside_ : across_).push_back(std::abs(turn) * 180.0 / std::numbers::pi);
        }
    }
}

Seams SeamGauge::seams() const {
    Seams found = seams_;
    found.crease_inside = upper_percentile(inside_);
    found.crease_across = upper_percentile(across_);
    return found;
}

void add_seam_cases(const std::string& who, const std::string& why, const Seams& seams, std::vector<Case>& cases) {
    constexpr double unseen = 0.25;                                     // degrees: no eye finds a crease below it
    constexpr double unseen_slope = unseen * std::numbers::pi / 180.0;  // nor a surface that is tilted by less
    cases.push_back(curve_at_most(
        who + ": slope across part borders against the largest inside",
        std::max(seams.slope_across, unseen_slope) / std::max(seams.slope_inside, unseen_slope), 1.0, "", why));
    cases.push_back(curve_at_most(who + ": crease at part borders against the inner one",
                                  std::max(seams.crease_across, unseen) / std::max(seams.crease_inside, unseen), 1.5,
                                  "", "98 of 100 edges; a quarter of a degree is not seen"));
}

}  // namespace cutis::verify
