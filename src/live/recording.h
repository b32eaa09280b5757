#pragma once

#include <string>
#include <vector>

#include "cutis/io/json.h"
#include "cutis/stack/scene.h"

namespace cutis {

/// What was done between two steps.
struct RecordedCommand {
    double step = 0;  ///< the one before it
    Json command;
};

/// \throw InvalidInput  a text that is no command, steps that fall
std::vector<RecordedCommand> read_recording(const RecordingScene& recording);

/// The text of a scene with this recording instead of its own.
/// \param record  list of {"step", "command"}
std::string with_recording(const std::string& scene, long steps, const Json& record);

}  // namespace cutis
