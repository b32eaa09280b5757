#include "shell_handles.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr Range key_times = {-1e7, 1e7};  // seconds

}  // namespace

// One entry is one option.
// clang-format off
Options describe(ShellMove& o) {
    return {
        {.name = "time", .field = &o.time, .about = "body time; moves in a straight line in between",
         .unit = "s", .range = key_times},
        {.name = "by", .field = &o.by, .about = "displacement from where the place would be without the handle",
         .unit = "m"},
    };
}

Options describe(ShellHandle& o) {
    return {
        {.name = "name", .field = &o.name, .about = "for messages"},
        {.name = "at", .field = &o.at,
         .about = "takes the detail vertex nearest to this place of the rest pose, of those that "
                  "stand out by a quarter of the shell's height", .unit = "m"},
        {.name = "grab", .field = &o.grab, .about = "time at which it takes hold", .unit = "s", .range = key_times},
        {.name = "release", .field = &o.release, .about = "time at which it lets go", .unit = "s",
         .range = key_times},
        {.name = "moves", .field = tables(o.moves),
         .about = "where it is dragged, each a table with time and by"},
    };
}
// clang-format on

Vector3d HandleTrack::move_at(double time) const {
    const auto next = std::upper_bound(times.begin(), times.end(), time);
    if (next == times.begin()) {
        return moves.front();
    }
    if (next == times.end()) {
        return moves.back();
    }
    const auto i = static_cast<size_t>(next - times.begin());
    const double t = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return (1.0 - t) * moves[i - 1] + t * moves[i];
}

std::vector<HandleTrack> handle_tracks(const std::vector<ShellHandle>& handles) {
    std::vector<HandleTrack> tracks;
    for (const ShellHandle& handle : handles) {
        std::vector<ShellMove> keys = {{handle.grab, Vector3d::Zero()}};
        keys.insert(keys.end(), handle.moves.begin(), handle.moves.end());
        keys.push_back({handle.release, keys.back().by});
        HandleTrack track;
        track.name = handle.name;
        track.pick = handle.at;
        for (const ShellMove& key : keys) {
            if (!track.times.empty() && !(key.time > track.times.back())) {
                throw InvalidInput(concat("[[layer]] shell: handle \"", handle.name,
                                          "\": expected times that rise from grab over the moves to "
                                          "release, found ",
                                          key.time, " s after ", track.times.back(), " s"));
            }
            track.times.push_back(key.time);
            track.moves.push_back(key.by);
        }
        tracks.push_back(track);
    }
    return tracks;
}

}  // namespace cutis
