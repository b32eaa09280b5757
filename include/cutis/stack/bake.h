#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cutis/core/progress.h"
#include "cutis/stack/checkpoint_store.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/scene.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// Frames of a bake, both ends included.
struct FrameRange {
    int first = 1;
    int last = 1;
    int count() const { return last - first + 1; }
};

/// The frames a scene asks for on this body: frame n is at (n - 1) / fps seconds. A looping
/// body gives one period (its last frame is the one before the first comes again).
/// \throw InvalidInput  range empty, or more than max_frames
FrameRange frames_of(const Body& body, const Scene& scene);

inline constexpr int max_frames = 10'000'000;

/// What a caller lends to a bake.
struct BakeControls {
    const Workers* workers = nullptr;  ///< required
    ProgressCallback progress;         ///< after every frame and where a stage begins; false stops the bake
    const std::vector<LayerKind>* kinds = nullptr;  ///< null: layer_kinds()
    CheckpointStore* keeper = nullptr;              ///< null: a stopped bake starts over
    int keep_every = 0;                             ///< frames between saved states; 0: only when stopped
    double memory = 0.0;                            ///< bytes; a bake that seems to need more is refused; 0: no limit
    /// Hears, before anything is prepared, what processor time the bake will take.
    std::function<void(double seconds)> expects = {};
};

/// What a bake did.
struct BakeReport {
    FrameRange frames;
    int vertices = 0;  ///< of each frame: the body's, or those of the mesh a layer refined
    int frames_done = 0;
    int frames_resumed = 0;                                     ///< of those, taken from an earlier run
    bool cancelled = false;                                     ///< stopped by the caller: no output is left
    double estimated_bytes = 0.0;                               ///< of memory, guessed before anything was prepared
    double estimated_seconds = 0.0;                             ///< of one processor, the same
    bool is_kept = false;                                       ///< the keeper has a state of this run
    std::vector<std::pair<std::string, double>> stage_seconds;  ///< prepare, body, layers, write
    std::vector<LayerReport> layers;
    std::vector<OutputFile> outputs;
    std::vector<std::string> notes;
};

/// Body -> layers -> frames -> sinks, one frame in memory at a time. Without layers the frames are
/// the body's own positions. Layers with memory start pre_roll seconds before frame 1 and run
/// through every frame up to the last, even if the first frame requested is a later one.
/// \throw InvalidInput, SolverFailure, IoError  files that have their final name are whole
BakeReport bake(const Body& body, const Scene& scene, const std::vector<std::unique_ptr<FrameSink>>& sinks,
                const BakeControls& controls);

}  // namespace cutis
