#pragma once

#include <vector>

#include "cutis/stack/sink.h"

namespace cutis {

/// The state of a bake after a frame: enough to resume from there with the same bits.
struct BakeState {
    int frame = 0;                            ///< last one done; below the first of the output in pre-roll
    std::vector<std::vector<double>> layers;  ///< Layer::save of each
};

/// Keeps the past of a bake, which lets it resume after it was stopped. Frames already made are
/// kept too and are handed to the outputs again, so that no output needs to know about stops.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;

    /// What the frames will hold, before anything else.
    virtual void begin(const BakeInfo& /*info*/) {}

    /// The state to resume from; null: begin at the beginning.
    virtual const BakeState* past() const = 0;
    /// Kept frames in order. \return false after the last
    virtual bool read_frame(Frame& frame) = 0;

    /// A frame that went to the outputs.
    virtual void keep(const Frame& frame) = 0;
    /// A bake can resume from everything up to state.frame. Whole or not at all.
    virtual void save(const BakeState& state) = 0;
};

}  // namespace cutis
