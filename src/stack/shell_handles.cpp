#include "shell_handles.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "cutis/core/error.h"

namespace cutis {

namespace {

struct Key {
    double time = 0.0;
    std::string verb;
    Vector3d at = Vector3d::Zero();
};

[[noreturn]] void refuse(const std::string& text) {
    throw InvalidInput(
        say("shell handles: expected \"NAME SECONDS grab X Y Z\", \"NAME SECONDS by "
            "X Y Z\" or \"NAME SECONDS release\", found \"",
            text, "\""));
}

}  // namespace

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

std::vector<HandleTrack> read_handle_tracks(const std::vector<std::string>& keys) {
    std::vector<std::string> names;
    std::map<std::string, std::vector<Key>> by_name;
    for (const std::string& text : keys) {
        std::istringstream words(text);
        std::string name;
        Key key;
        if (!(words >> name >> key.time >> key.verb) || !std::isfinite(key.time)) {
            refuse(text);
        }
        if (key.verb == "grab" || key.verb == "by") {
            if (!(words >> key.at[0] >> key.at[1] >> key.at[2]) || !key.at.allFinite()) {
                refuse(text);
            }
        } else if (key.verb != "release") {
            refuse(text);
        }
        std::string rest;
        if (words >> rest) {
            refuse(text);
        }
        if (by_name.find(name) == by_name.end()) {
            names.push_back(name);
        }
        by_name[name].push_back(key);
    }
    std::vector<HandleTrack> tracks;
    for (const std::string& name : names) {
        std::vector<Key>& own = by_name[name];
        std::stable_sort(own.begin(), own.end(),
                         [](const Key& a, const Key& b) { return a.time < b.time; });
        if (own.size() < 2) {
            throw InvalidInput(say("shell handles: '", name,
                                   "' has one key; it must begin with grab and end with release"));
        }
        HandleTrack track;
        track.name = name;
        for (size_t i = 0; i < own.size(); ++i) {
            const bool is_first = i == 0;
            const bool is_last = i + 1 == own.size();
            if ((own[i].verb == "grab") != is_first ||
                (own[i].verb == "release") != (is_last && !is_first)) {
                throw InvalidInput(say("shell handles: '", name,
                                       "' must begin with grab and end with release, and do "
                                       "neither in between (at ",
                                       own[i].time, " s)"));
            }
            if (!is_first && !(own[i].time > own[i - 1].time)) {
                throw InvalidInput(
                    say("shell handles: '", name, "' has two keys at ", own[i].time, " s"));
            }
            track.times.push_back(own[i].time);
            track.moves.push_back(own[i].verb == "by"     ? own[i].at
                                  : own[i].verb == "grab" ? Vector3d(Vector3d::Zero())
                                                          : track.moves.back());
        }
        track.pick = own.front().at;
        tracks.push_back(track);
    }
    return tracks;
}

}  // namespace cutis
