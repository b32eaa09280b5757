#pragma once

#include <string>
#include <vector>

#include "cutis/core/types.h"

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

/// Reads keys as a scene writes them, one text each, in any order:
///   "NAME SECONDS grab X Y Z"   takes the detail vertex nearest to X Y Z of the rest pose,
///                               of those that stand out by a quarter of the shell's height
///   "NAME SECONDS by X Y Z"     drags it by X Y Z metres
///   "NAME SECONDS release"      lets it go
/// \throw InvalidInput  a text that is none of these, a track without grab or release, times that
///                      do not rise
std::vector<HandleTrack> read_handle_tracks(const std::vector<std::string>& keys);

}  // namespace cutis
