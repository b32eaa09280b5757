#pragma once

#include <vector>

#include "cutis/fold/rails.h"
#include "fold/rail_steps.h"

namespace cutis::fold_detail {

/// What is known of all rails, and what a solve found.
struct RailNumbers {
    FoldRailSet set;
    FoldRailOptions options;
    VectorXd rest_length;      // pre-stretch taken off
    VectorXd rest_fraction;    // #P: arc length at rest from the rail's first point over its length
    std::vector<int> merging;  // rails with a partner

    VectorXd compression;
    VectorXd height;
    VectorXd length;
    std::vector<unsigned char> active;  // 2: merged
    FoldRailReport report;
};

/// Solves rails in double (strict mode) or single precision, eight at a time.
template <class Real>
class RailSolver {
public:
    explicit RailSolver(RailNumbers& numbers);

    void solve(FoldRails::PointsOf base, FoldRails::PointsOf directions,
               const std::vector<FoldPlane>& planes, const Workers& workers);

    /// Four numbers for each point of each rail: its offset, and a bound from below of its height
    /// over every direction at this point and its neighbours, on this rail and those beside it.
    const Real* offsets() const { return lifted_.data(); }
    int points_per_rail() const { return numbers_.set.segments + 1; }
    bool is_active(int rail) const { return numbers_.active[static_cast<size_t>(rail)] != 0; }
    Vector3d offset(int rail, int i) const { return read(offset_blocks_, rail, i); }
    /// Unit; zero where the rail is not active.
    Vector3d direction(int rail, int i) const { return read(direction_blocks_, rail, i); }

private:
    using Lanes = Lane<Real>;
    static constexpr int width = lanes_in<Lanes>;
    struct Task;

    void solve_chunk(Task& task, int begin, int end);
    void solve_group(Task& task, const int* rails, int used, const double* const* points);
    void write_blocks(const Triple<Lanes>* values, const int* rails, const bool* is_wanted,
                      int used, std::vector<Real>& blocks);
    Lanes limit(RailGroup<Lanes>& group, const int* rails, const double* const* points,
                const std::vector<FoldPlane>& planes, Lanes rest) const;
    void merge_pair(int rail, FoldRails::PointsOf base);
    void finish_rail(int rail);
    void clear_rail(int rail);
    void sum_report();

    // One block a rail: all x, all y, all z, each with a copy of its ends before and after, and
    // room for whole tiles of the points from the second on.
    Real* block(std::vector<Real>& blocks, int rail) const {
        return blocks.data() + static_cast<size_t>(rail) * 3 * stride_ + 1;
    }
    Vector3d read(const std::vector<Real>& blocks, int rail, int i) const {
        const Real* from = blocks.data() + static_cast<size_t>(rail) * 3 * stride_ + 1 + i;
        return Vector3d(from[0], from[stride_], from[2 * stride_]);
    }

    RailNumbers& numbers_;
    int tiles_;      // of `width` points, for those from the second on
    size_t stride_;  // of the coordinates of a block
    std::vector<Real> offset_blocks_;
    std::vector<Real> direction_blocks_;
    std::vector<Real> lifted_;
    std::vector<Real> profile_rows_;  // tiles_ * width numbers a rail, from its second point on
    std::vector<Real> part_rows_;     // the same of RailGroup::rest_part
    std::vector<FoldRailReport> chunk_reports_;
};

extern template class RailSolver<float>;
extern template class RailSolver<double>;

}  // namespace cutis::fold_detail
