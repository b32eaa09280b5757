#pragma once

#include <string>
#include <vector>

#include "cutis/stack/shell_layer.h"
#include "shell/shell.h"

namespace cutis {

/// A hold on the detail over time: taken at the first key, let go at the last.
struct HandleTrack {
    std::string name;
    Vector3d pick = Vector3d::Zero();  ///< at rest: the detail vertex nearest to this is taken
    std::vector<double> times;         ///< rising, seconds
    std::vector<Vector3d> moves;       ///< displacement from where the place would be, at each time
    int vertex = 0;                    ///< the one taken

    bool is_held(double time) const { return time >= times.front() && time < times.back(); }
    /// Straight between keys.
    Vector3d move_at(double time) const;
};

/// Keys of each handle in order of time.
/// \throw InvalidInput  times that do not rise from grab over the moves to release
std::vector<HandleTrack> handle_tracks(const std::vector<ShellHandle>& handles);

}  // namespace cutis
