#pragma once

#include <functional>
#include <string_view>

namespace cutis {

/// How far a long call has come. Called from the calling thread only.
struct Progress {
    std::string_view stage;  ///< what is being done, in a word or two
    int done = 0;            ///< units finished
    int total = 0;           ///< units in all, at least 1
    bool begins = false;     ///< a stage of unknown length begins: nothing new is finished
};

/// Handed in by the caller; returning false asks the call to stop cleanly. Empty means silence.
using ProgressCallback = std::function<bool(const Progress&)>;

/// Warnings go here; empty means silence.
using WarningCallback = std::function<void(std::string_view)>;

}  // namespace cutis
