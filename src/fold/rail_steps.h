#pragma once

#include "cutis/fold/rails.h"
#include "fold/lane_solve.h"

// The steps of solving rails, four at a time.

namespace cutis::fold_detail {

inline constexpr int most_segments = 64;

/// 3 x^2 - 2 x^3 between 0 and 1.
double smooth_step(double x);

/// Four lines: base points, directions, profile, and the offsets being worked out.
struct LaneLine {
    LaneVector point[most_segments + 1];
    LaneVector direction[most_segments + 1];
    Lane4 profile[most_segments + 1];
    LaneVector offset[most_segments + 1];

    void load(int lane, const double* points, const double* directions, const double* profiles,
              int count);
    void set_offsets_from_profile(int count);  ///< also makes directions unit vectors
    void scale_offsets(int count, const Lane4& scale);
    void fill_segments(int count, LaneSegment* segments) const;
    Lane4 highest(int count) const;  ///< largest offset along the direction
    void store(int lane, int count, double* offsets) const;
};

/// Lengths of four polylines; `from` points to the first coordinate of each.
Lane4 polyline_length(const double* const from[4], int count);

/// sum |e_i + w_i|
Lane4 grown_length(const LaneSegment* segments, int count);

/// Moves the points of one lane along its folded line to their rest proportions.
/// \param fraction  rest arc length of each point over the whole
void even_out(LaneLine& line, int lane, int count, const double* fraction);

/// smoothstep(compression / gate); 1 without a gate.
Lane4 gate_factor(const Lane4& compression, double gate);

/// Bends heights above three quarters of the cap towards it.
Lane4 cap_factor(const Lane4& height, const Lane4& cap, Mask4& is_capped);

/// Largest scale <= 1 that keeps each point on its side of both end planes and every segment
/// pointing forward.
Lane4 limit_factor(const LaneLine& line, int count);

/// The same for a joint plane and one lane.
double plane_factor(const LaneLine& line, int lane, int count, const FoldPlane& plane);

/// Two rails end to end.
class PairLine {
public:
    /// One of the two, each array from the rail's first point on.
    void load(const double* base, const double* directions, const double* offsets,
              const double* fractions, int segments, double first_part, bool is_second);
    /// Mixes `part` of one wide blob of full rest length (times factor) into the offsets; the
    /// mixture is scaled to the length between those of its two ingredients.
    void merge(double part, double rest, double factor, const FoldTolerance& tolerance);
    void store(MatrixX3d& offsets, int rail, int partner, int segments) const;
    double highest() const;

private:
    int count_ = 0;
    Vector3d point_[2 * most_segments + 1];
    Vector3d direction_[2 * most_segments + 1];
    Vector3d offset_[2 * most_segments + 1];
    double place_[2 * most_segments + 1];  // -1 .. 1 over both
    LaneSegment segments_[2 * most_segments];

    double length(double scale) const;
    double solve(double rest, bool is_near, const FoldTolerance& tolerance);
};

}  // namespace cutis::fold_detail
