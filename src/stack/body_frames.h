#pragma once

#include <vector>

#include "cutis/body/body.h"
#include "cutis/core/function_ref.h"

namespace cutis {

/// The body at the frame being made and at those the stack may look ahead to, each posed once, and
/// the one place where cuts are noticed: a body that jumps from one frame to the next was not moved
/// there, and nothing with a memory may feel it.
class BodyFrames {
public:
    /// Body time of a frame by its number.
    using TimeOf = FunctionRef<double(int number)>;

    /// \param cut_distance  metres: a vertex that goes further from frame to frame makes a cut
    /// \param ahead         frames to look ahead, 0: none
    BodyFrames(const Body& body, TimeSampling sampling, double cut_distance, int ahead);

    /// Makes `number` the frame at hand: one pose where it follows the one before.
    void go_to(int number, TimeOf time_of, const Workers& workers);

    const MatrixX3d& positions() const { return poses_.front(); }  ///< #A x 3
    /// Did the body jump on its way to this frame?
    bool is_cut() const { return jumps_[past - 1] != 0; }
    /// Or on the way to one of the two before or after it? A smooth curve through keys would draw
    /// that jump out into this frame, as a motion that nobody made.
    bool is_near_cut() const;
    /// Last frame before the next jump, as far as it can be seen.
    int last_known() const;

private:
    static constexpr size_t past = 3;  // jumps of this frame and the two before it are kept

    void pose(int number, TimeOf time_of, const Workers& workers, MatrixX3d& out);
    bool is_jump(const MatrixX3d& before, double from, const MatrixX3d& after, double to) const;

    const Body& body_;
    TimeSampling sampling_;
    double squared_distance_;
    bool has_frame_ = false;
    int number_ = 0;
    std::vector<MatrixX3d> poses_;  // of this frame and those ahead
    MatrixX3d before_, here_;
    std::vector<char> jumps_;  // [i]: on the way to frame number_ + i + 1 - past
};

}  // namespace cutis
