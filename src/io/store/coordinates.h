#pragma once

#include <cstddef>

#include "io/store/spool.h"

namespace cutis {

/// Numbers of every frame of a bake on disk, the same count in each; readable as a range of
/// numbers of one frame.
class CoordinateStore {
public:
    CoordinateStore(const std::filesystem::path& beside, std::size_t numbers_per_frame)
        : spool_(beside), numbers_per_frame_(numbers_per_frame) {}

    /// Adds numbers to the frame being written; a frame is whole when it has all of them.
    void append(const double* numbers, std::size_t count);

    /// Frames that are whole.
    int frame_count() const {
        return static_cast<int>(spool_.size() / sizeof(double) / numbers_per_frame_);
    }
    std::size_t numbers_per_frame() const { return numbers_per_frame_; }

    /// `count` numbers of a frame from `first` on.
    void read_coordinates(int frame, int first, int count, double* out);

private:
    SpoolFile spool_;
    std::size_t numbers_per_frame_;
};

}  // namespace cutis
