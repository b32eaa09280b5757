#include "cutis/fold/pattern.h"

#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

void check_pattern(const FoldPattern& pattern, const Topology& base) {
    require(pattern.segments >= 2 && pattern.segments <= 64,
            "fold pattern: expected 2 to 64 segments a rail, found ", pattern.segments);
    const size_t rails = pattern.rails.size();
    require(pattern.points.size() == rails * static_cast<size_t>(pattern.segments + 1),
            "fold pattern: expected ", rails * static_cast<size_t>(pattern.segments + 1),
            " points for ", rails, " rails, found ", pattern.points.size());
    for (size_t i = 0; i < pattern.folds.size(); ++i) {
        const FoldPattern::Fold& fold = pattern.folds[i];
        require(fold.width > 0.0 && std::isfinite(fold.width), "fold pattern: fold ", i,
                ": expected a width above 0, found ", fold.width);
        require(fold.fade > 0.0 && std::isfinite(fold.fade), "fold pattern: fold ", i,
                ": expected a fade above 0, found ", fold.fade);
        require(fold.profile >= 0 && static_cast<size_t>(fold.profile) < pattern.profiles.size(),
                "fold pattern: fold ", i, ": expected one of ", pattern.profiles.size(),
                " profiles, found ", fold.profile);
    }
    for (size_t r = 0; r < rails; ++r) {
        const FoldPattern::Rail& rail = pattern.rails[r];
        require(rail.fold >= 0 && static_cast<size_t>(rail.fold) < pattern.folds.size(),
                "fold pattern: rail ", r, ": expected one of ", pattern.folds.size(),
                " folds, found ", rail.fold);
        require(r == 0 || pattern.rails[r - 1].fold <= rail.fold, "fold pattern: rail ", r,
                ": expected rails sorted by fold");
        require(!rail.is_joined || (r + 1 < rails && pattern.rails[r + 1].fold == rail.fold),
                "fold pattern: rail ", r,
                ": it is joined to the next, which is not of the same fold");
    }
    for (const SurfacePoint& point : pattern.points) {
        require_valid_point(base, point);
    }
}

}  // namespace cutis
