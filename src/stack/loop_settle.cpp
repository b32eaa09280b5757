#include "loop_settle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cutis/core/error.h"

namespace cutis {

namespace {

// Two cycles that differ by less, on a person of 1.8 m, are one: half of what anybody could see.
constexpr double same_cycle = 5e-5 / 1.8;

template <class Matrix>
void mix(const Matrix& end, double share, Matrix& here) {
    if (here.rows() == end.rows() && here.size() > 0) {
        here += share * (end - here);
    }
}

}  // namespace

int LoopSettler::frames_of_cycle(const Body& body, double fps) {
    const double frames = body.duration() * fps;
    const double whole = std::round(frames);
    const bool is_usable = body.is_looping() && !body.seam_is_jump() && whole >= 2.0 && whole <= 1e6;
    return is_usable && std::abs(frames - whole) < 1e-3 ? static_cast<int>(whole) : 0;
}

LoopSettler::LoopSettler(const Body& body, int period) : period_(period) {
    MatrixX3d first;
    body.positions(0.0, TimeSampling::exact, Workers(1), first);
    const double size = first.rows() == 0 ? 0.0 : (first.colwise().maxCoeff() - first.colwise().minCoeff()).maxCoeff();
    limit_ = same_cycle * size;
}

bool LoopSettler::settle(LayerStack& stack, const std::function<bool(int cycle)>& begin_cycle) {
    const int kept = std::min(most_blended, period_ - 1);
    Frame frame = stack.info().empty_frame();
    std::vector<Frame> before;
    for (cycles_ = 0; cycles_ < most_cycles; ++cycles_) {
        if (!begin_cycle(cycles_ + 1)) {
            return false;
        }
        before.swap(end_);
        end_.clear();
        const int first = 1 - (most_cycles - cycles_) * period_;
        for (int i = 0; i < period_; ++i) {
            stack.advance(first + i, frame);
            if (i >= period_ - kept) {
                end_.push_back(frame);
            }
        }
        const double last_gap = gap_;
        gap_ = before.empty() ? std::numeric_limits<double>::infinity() : 0.0;
        for (size_t f = 0; f < before.size(); ++f) {
            gap_ = std::max(gap_, (end_[f].body().positions - before[f].body().positions).rowwise().norm().maxCoeff());
        }
        constexpr double closer = 0.8;
        if (is_settled() || (cycles_ > 2 && gap_ > closer * last_gap)) {
            ++cycles_;
            break;
        }
    }
    state_ = stack.save();
    stack.restore(state_, 0);
    return true;
}

void LoopSettler::advance(int number, double fps, LayerStack& stack, Frame& frame) const {
    if (number > 1 && place_of(number) == 1) {
        stack.restore(state_, 0);
    }
    stack.advance(place_of(number), frame);
    frame.number = number;
    frame.time = (number - 1) / fps;
}

void LoopSettler::blend(int number, Frame& frame) const {
    const auto kept = static_cast<int>(end_.size());
    const int place = place_of(number) - 1 - (period_ - kept);
    if (place < 0) {
        return;
    }
    // All of the last frame is that cycle's: from it to frame 1 skin moves as it was simulated, speed and all.
    const double t = (place + 1.0) / kept;
    const double share = t * t * (3.0 - 2.0 * t);
    const Frame& end = end_[static_cast<size_t>(place)];
    for (size_t m = 0; m < frame.meshes.size(); ++m) {
        MeshFrame& here = frame.meshes[m];
        const MeshFrame& there = end.meshes[m];
        mix(there.positions, share, here.positions);
        mix(there.uv, share, here.uv);
        mix(there.plain_positions, share, here.plain_positions);
        mix(there.copy_positions, share, here.copy_positions);
        mix(there.normals, share, here.normals);
        here.normals.rowwise().normalize();
        for (Eigen::Index c = 0; c < here.copy_rotations.rows(); ++c) {
            const double side = here.copy_rotations.row(c).dot(there.copy_rotations.row(c)) < 0.0 ? -1.0 : 1.0;
            here.copy_rotations.row(c) += share * (side * there.copy_rotations.row(c) - here.copy_rotations.row(c));
            here.copy_rotations.row(c).normalize();
        }
        for (size_t s = 0; s < here.shares.size() && s < there.shares.size(); ++s) {
            for (size_t i = 0; i < here.shares[s].size() && i < there.shares[s].size(); ++i) {
                here.shares[s][i] += share * (there.shares[s][i] - here.shares[s][i]);
            }
        }
    }
}

std::string LoopSettler::note() const {
    return concat("loop: ", cycles_, " cycles of ", period_, " frames ran before frame 1; the last two differ by ",
                  gap_, " m at most", is_settled() ? "" : " and no longer get closer",
                  "; the end of the cycle is blended over ", end_.size(),
                  " frames, the last of which led to frame 1 as it was simulated");
}

}  // namespace cutis
