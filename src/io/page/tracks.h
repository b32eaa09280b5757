#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cutis/core/parallel.h"
#include "io/page/sections.h"
#include "io/store/modes.h"

namespace cutis {

/// Motion of points in the numbers that go into a page:
/// value(i, frame) = mean[i] + sum_k weights[frame * rank + k] * scales[k] * basis[k * size + i]
struct PackedMotion {
    int width = 3;
    int points = 0;
    int rank = 0;
    std::vector<float> mean;          ///< size = points * width
    std::vector<std::int16_t> basis;  ///< rank rows of size
    std::vector<double> scales;       ///< rank
    std::vector<float> weights;       ///< #frames rows of rank, each within -1 .. 1
    double max_error = 0.0;           ///< of a point, over all frames, against the true ones
};

/// Fewest modes, and the coarsest rounding, that meet the track's tolerance.
PackedMotion pack_motion(CoordinateStore& frames, const ModeTrack& track, const Workers& workers);

/// Everything that moves in a page, wherever its numbers are kept.
class PageTracks {
public:
    /// \param name  of the motion in the page, no other has it
    /// \return  number of the track
    std::size_t add(const std::string& name, int points, int width, double tolerance);
    /// Its numbers in every frame. Before pack().
    void read_from(std::size_t track, CoordinateStore& store, int first) {
        tracks_[track].store = &store;
        tracks_[track].place.first = first;
    }

    void set_tolerance(std::size_t track, double tolerance) { tracks_[track].place.tolerance = tolerance; }
    const std::string& name(std::size_t track) const { return tracks_[track].name; }

    /// Finds the modes of every track and puts them into sections. \return  meta.motions
    Json pack(PageSections& sections, const Workers& workers);

    /// After pack().
    int rank(std::size_t track) const { return tracks_[track].rank; }
    double max_error(std::size_t track) const { return tracks_[track].max_error; }

private:
    struct Track {
        std::string name;
        ModeTrack place;
        CoordinateStore* store = nullptr;
        int rank = 0;
        double max_error = 0.0;
    };

    std::vector<Track> tracks_;
};

}  // namespace cutis
