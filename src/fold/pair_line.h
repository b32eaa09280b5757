#pragma once

#include "fold/rail_steps.h"

namespace cutis::fold_detail {

/// Two rails end to end, merging into one fold of double width.
class PairLine {
public:
    explicit PairLine(int segments) : segments_(segments), count_(2 * segments) {}

    /// Point i of one of the two. The middle belongs to both; its offset there is the same.
    /// \param place  -1 .. 1 over both
    void set(bool is_second, int i, const Vector3d& base, const Vector3d& direction,
             const Vector3d& offset, double place) {
        const int at = (is_second ? segments_ : 0) + i;
        point_[at] = base;
        direction_[at] = direction;
        offset_[at] = offset;
        place_[at] = place;
    }
    /// Mixes `part` of one wide blob of full rest length (times factor) into the offsets; the
    /// mixture is scaled to the length between those of its two ingredients.
    void merge(double part, double rest, double factor, const FoldTolerance& tolerance);
    const Vector3d& offset(bool is_second, int i) const {
        return offset_[(is_second ? segments_ : 0) + i];
    }
    double highest() const;

private:
    int segments_;
    int count_;
    Vector3d point_[2 * most_segments + 1];
    Vector3d direction_[2 * most_segments + 1];
    Vector3d offset_[2 * most_segments + 1];
    double place_[2 * most_segments + 1];
    LaneSegment<Doubles> lanes_[2 * most_segments];

    double length(double scale) const;
    double solve(double rest, bool is_near, const FoldTolerance& tolerance);
};

}  // namespace cutis::fold_detail
