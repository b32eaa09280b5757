#pragma once

#include <functional>
#include <vector>

#include "cutis/stack/layer_stack.h"

namespace cutis {

/// Layers with memory on a body that loops: whole cycles run until one is like the one before, then the frames begin.
class LoopSettler {
public:
    static constexpr int most_cycles = 16;  ///< fewer where they no longer get closer to each other
    static constexpr int most_blended = 8;  ///< frames at the end of a cycle

    /// Frames of one cycle; 0: the body does not loop, jumps at its seam, or a cycle is no whole number of frames.
    static int frames_of_cycle(const Body& body, double fps);

    /// \param period  of frames_of_cycle, above 0
    LoopSettler(const Body& body, int period);

    /// Runs cycles; the stack is then about to make frame 1.
    /// \param begin_cycle  called before each; false stops
    /// \return false: stopped
    bool settle(LayerStack& stack, const std::function<bool(int cycle)>& begin_cycle);

    /// Place of a frame in its cycle, from 1.
    int place_of(int number) const { return (number - 1) % period_ + 1; }
    /// Makes a frame. Every cycle begins as the first one did, so that all of them are the same to the bit.
    void advance(int number, double fps, LayerStack& stack, Frame& frame) const;
    /// A frame near the end of a cycle: the end of the cycle before frame 1 is blended in, which led to frame 1 as it
    /// was simulated. So the last frame leads to the first.
    void blend(int number, Frame& frame) const;

    bool is_settled() const { return gap_ <= limit_; }
    /// "loop: ..." for the report.
    std::string note() const;

private:
    int period_;
    double limit_;  // metres
    double gap_ = 0.0;
    int cycles_ = 0;
    std::vector<Frame> end_;                  // of the last cycle before frame 1
    std::vector<std::vector<double>> state_;  // of the layers there
};

}  // namespace cutis
