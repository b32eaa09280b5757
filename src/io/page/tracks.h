#pragma once

#include <memory>

#include "io/page/motion.h"
#include "io/page/sections.h"

namespace cutis {

/// Everything that moves in a page, as numbers of every frame on disk: tracks are added, then
/// opened; then every frame appends the numbers of all tracks in their order.
class PageTracks {
public:
    using Json = PageSections::Json;

    /// \param name  of the motion in the page, no other has it
    /// \return  number of the track
    /// \throw InvalidInput  more numbers per frame than a page can hold
    std::size_t add(const std::string& name, int points, int width, double tolerance);
    void open(const std::filesystem::path& beside);
    void append(const double* numbers, std::size_t count) { store_->append(numbers, count); }

    void set_tolerance(std::size_t track, double tolerance) {
        tracks_[track].place.tolerance = tolerance;
    }
    const std::string& name(std::size_t track) const { return tracks_[track].name; }

    /// Finds the modes of every track and puts them into sections. \return  meta.motions
    Json pack(PageSections& sections);

    /// After pack().
    int rank(std::size_t track) const { return tracks_[track].rank; }
    double max_error(std::size_t track) const { return tracks_[track].max_error; }

private:
    struct Track {
        std::string name;
        ModeTrack place;
        int rank = 0;
        double max_error = 0.0;
    };

    std::vector<Track> tracks_;
    std::size_t numbers_per_frame_ = 0;
    std::unique_ptr<CoordinateStore> store_;
};

}  // namespace cutis
