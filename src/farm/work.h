#pragma once

#include <atomic>

#include "cutis/farm/run.h"

namespace cutis::farm {

/// How a try ended, as the exit code of its process.
enum class WorkEnd { done = 0, failed = 1, input = 2, place = 3, stopped = 4 };

/// What a try needs to know.
struct Work {
    const Plan* plan = nullptr;
    std::int64_t number = 0;
    Task task;
    std::filesystem::path folder;                ///< of this try
    std::atomic<std::int64_t>* steps = nullptr;  ///< grows while it goes on
};

/// Bakes the task's frames into the folder. \return lines for its report. \throw what bake throws
/// \param was_stopped  a signal came; what was done is kept in the folder
std::string bake_task(const Work& work, const RunControls& controls, bool& was_stopped);

}  // namespace cutis::farm
