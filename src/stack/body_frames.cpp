#include "body_frames.h"

#include <algorithm>

namespace cutis {

BodyFrames::BodyFrames(const Body& body, TimeSampling sampling, double cut_distance, int ahead)
    : body_(body),
      sampling_(sampling),
      squared_distance_(cut_distance * cut_distance),
      poses_(static_cast<size_t>(ahead) + 1),
      jumps_(past + static_cast<size_t>(ahead), 0) {}

void BodyFrames::pose(int number, TimeOf time_of, const Workers& workers, MatrixX3d& out) {
    body_.positions(time_of(number), sampling_, workers, out);
}

bool BodyFrames::is_jump(const MatrixX3d& before, double from, const MatrixX3d& after, double to) const {
    if (body_.jumps_between(from, to)) {
        return true;
    }
    const double largest = before.rows() == 0 ? 0.0 : (after - before).rowwise().squaredNorm().maxCoeff();
    return !(largest < squared_distance_);
}

void BodyFrames::go_to(int number, TimeOf time_of, const Workers& workers) {
    const int ahead = static_cast<int>(poses_.size()) - 1;
    if (has_frame_ && number == number_ + 1) {
        // The oldest pose makes room for the newest. Without a look ahead the two are compared.
        std::rotate(jumps_.begin(), jumps_.begin() + 1, jumps_.end());
        std::rotate(poses_.begin(), poses_.begin() + 1, poses_.end());
        if (ahead == 0) {
            before_.swap(poses_.front());
        }
        pose(number + ahead, time_of, workers, poses_.back());
        const MatrixX3d& before = ahead == 0 ? before_ : poses_[static_cast<size_t>(ahead) - 1];
        jumps_.back() = is_jump(before, time_of(number + ahead - 1), poses_.back(), time_of(number + ahead)) ? 1 : 0;
    } else {
        // The same as if every frame before had been seen: a resumed run takes the same way.
        const int first = number - static_cast<int>(past);
        pose(first, time_of, workers, before_);
        for (size_t i = 0; i < jumps_.size(); ++i) {
            const int to = first + 1 + static_cast<int>(i);
            MatrixX3d& here = to < number ? here_ : poses_[to - number];
            pose(to, time_of, workers, here);
            jumps_[i] = is_jump(before_, time_of(to - 1), here, time_of(to)) ? 1 : 0;
            before_ = here;
        }
    }
    has_frame_ = true;
    number_ = number;
}

bool BodyFrames::is_near_cut() const {
    const size_t near = std::min(jumps_.size(), past + 2);
    return std::any_of(jumps_.begin(), jumps_.begin() + static_cast<std::ptrdiff_t>(near),
                       [](char is_jump) { return is_jump != 0; });
}

int BodyFrames::last_known() const {
    const auto next = std::find(jumps_.begin() + past, jumps_.end(), 1);
    return number_ + static_cast<int>(next - (jumps_.begin() + past));
}

}  // namespace cutis
