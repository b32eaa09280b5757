#include "cutis/fold/profile.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

FoldProfile FoldProfile::blob() {
    return FoldProfile(Kind::blob);
}

FoldProfile FoldProfile::flat() {
    return FoldProfile(Kind::flat);
}

FoldProfile FoldProfile::sharp() {
    return FoldProfile(Kind::sharp);
}

FoldProfile FoldProfile::sampled(const std::vector<double>& heights) {
    require(heights.size() >= 3, "fold profile: expected at least 3 heights, found ", heights.size());
    for (size_t i = 0; i < heights.size(); ++i) {
        require(std::isfinite(heights[i]) && heights[i] >= 0.0, "fold profile: sample ", i,
                ": expected a finite height of at least 0, found ", heights[i]);
    }
    for (const size_t end : {size_t{0}, heights.size() - 1}) {
        require(heights[end] == 0.0, "fold profile: sample ", end, ": expected 0 at the end of a fold, found ",
                heights[end]);
    }
    const double top = *std::max_element(heights.begin(), heights.end());
    require(top > 0.0, "fold profile: expected a height above 0, found none");
    FoldProfile profile(Kind::sampled);
    profile.heights_ = heights;
    for (double& height : profile.heights_) {
        height /= top;
    }
    // Fritsch and Carlson 1980: the harmonic mean of the neighbouring slopes keeps the cubic
    // monotone between samples; ends are flat so that the fold leaves its surface smoothly.
    profile.slopes_.assign(heights.size(), 0.0);
    for (size_t i = 1; i + 1 < heights.size(); ++i) {
        const double before = profile.heights_[i] - profile.heights_[i - 1];
        const double after = profile.heights_[i + 1] - profile.heights_[i];
        if (before * after > 0.0) {
            profile.slopes_[i] = 2.0 * before * after / (before + after);
        }
    }
    return profile;
}

FoldProfile FoldProfile::shaped(double sharpness, double lean) const {
    require(sharpness >= 0.0 && sharpness <= 1.0, "fold profile: expected a sharpness of 0 to 1, found ", sharpness);
    require(lean >= -0.5 && lean <= 0.5, "fold profile: expected a lean of -0.5 to 0.5, found ", lean);
    FoldProfile profile = *this;
    profile.sharpness_ = sharpness;
    profile.lean_ = lean;
    return profile;
}

double FoldProfile::sampled_at(double x) const {
    const double place = 0.5 * (x + 1.0) * static_cast<double>(heights_.size() - 1);
    const size_t i = std::min(static_cast<size_t>(place), heights_.size() - 2);
    const double t = place - static_cast<double>(i);
    const double s = 1.0 - t;
    return heights_[i] * (1.0 + 2.0 * t) * s * s + heights_[i + 1] * (3.0 - 2.0 * t) * t * t + slopes_[i] * t * s * s -
           slopes_[i + 1] * t * t * s;
}

double FoldProfile::at(double x) const {
    if (!(std::abs(x) < 1.0)) {
        return 0.0;
    }
    x = (x - lean_) / (x < lean_ ? 1.0 + lean_ : 1.0 - lean_);
    if (kind_ == Kind::sampled) {
        return sampled_at(x);
    }
    const double a = std::abs(x);
    const double b = 1.0 - a;
    const double ridge = b * b * (1.0 + 0.5 * a);
    const double round = kind_ == Kind::blob   ? b * b * (1.0 + 2.0 * a)
                         : kind_ == Kind::flat ? b * b * b * (1.0 + 3.0 * a + 6.0 * a * a)
                                               : ridge;
    return (1.0 - sharpness_) * round + sharpness_ * ridge;
}

}  // namespace cutis
