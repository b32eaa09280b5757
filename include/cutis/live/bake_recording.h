#pragma once

#include <memory>
#include <vector>

#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"

namespace cutis {

/// Plays a scene's recording and gives its frames to the sinks: frame n is what was seen after step n, to the bit.
/// \throw InvalidInput   a command that is refused, one after which frames have other meshes, frames that were not
/// recorded \throw SolverFailure  a step that failed
BakeReport bake_recording(const Scene& scene, const ActorLoader& actors,
                          const std::vector<std::unique_ptr<FrameSink>>& sinks, const BakeControls& controls);

}  // namespace cutis
