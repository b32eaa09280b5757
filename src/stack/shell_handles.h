#pragma once

#include <string>
#include <vector>

#include "cutis/core/options.h"

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

/// A step of a drag.
struct ShellMove {
    double time = 0.0;
    Vector3d by = Vector3d::Zero();
};

Options describe(ShellMove& move);

/// A hold on the detail as a scene gives it.
struct ShellHandle {
    std::string name = "handle";
    Vector3d at = Vector3d::Zero();
    double grab = 0.0;
    double release = 1.0;
    std::vector<ShellMove> moves;
};

Options describe(ShellHandle& handle);

/// Keys of each handle in order of time.
/// \throw InvalidInput  times that do not rise from grab over the moves to release
std::vector<HandleTrack> handle_tracks(const std::vector<ShellHandle>& handles);

}  // namespace cutis
