#pragma once

#include <memory>
#include <vector>

#include "cutis/stack/sink.h"
#include "io/store/spool.h"

namespace cutis {

/// An array of numbers that every frame brings, always of the same size.
enum class Stored {
    positions,
    normals,
    uv,
    copy_positions,
    copy_rotations,
    plain_positions,
    channel,  ///< by its place in MeshInfo::channels
    share,    ///< by the place of its layer
    line,     ///< by its place in BakeInfo::lines
    numbers,
    stages,
};

/// Frames of a bake on disk, as doubles: checked and written once, read by every output that needs
/// them again and by checkpoints. Memory does not grow with the number of frames.
class FrameStore {
public:
    /// Scratch space that goes away with this, made beside an output when something is wanted.
    explicit FrameStore(std::filesystem::path beside) : beside_(std::move(beside)) {}
    /// Whole frames in a file that stays; `size` bytes of it are frames already.
    FrameStore(std::FILE* file, const std::filesystem::path& path, std::uint64_t size);

    /// What frames will hold. Every output calls it; the first call counts.
    /// \throw InvalidInput  announcements that cannot be written
    void begin(const BakeInfo& info, const std::string& who);

    /// This array will be read again. After begin(), before the first frame.
    void want(Stored what, size_t mesh = 0, size_t index = 0);
    /// Place of its first number within a frame. \throw std::out_of_range  not wanted
    int first(Stored what, size_t mesh = 0, size_t index = 0) const;

    /// A frame by its place in the bake, from 0. Every output hands it over; the first one counts.
    /// \throw InvalidInput  it does not bring what was announced, or numbers that are not finite
    void take(const Frame& frame, int index, const std::string& who);

    int frame_count() const { return frames_taken_; }
    std::uint64_t bytes() const;
    /// Everything taken is on the disk itself.
    void sync();

    /// A frame as it came: all arrays, where the store holds whole frames.
    /// \return false: damaged
    bool read(int index, Frame& frame);
    CoordinateStore& numbers() { return *numbers_; }

private:
    struct Array {
        Stored what;
        size_t mesh;
        size_t index;
        size_t count;
        bool is_wanted = false;
        size_t first = 0;
    };

    void lay_out();
    void open();
    const Array& find(Stored what, size_t mesh, size_t index) const;
    const double* data(const Frame& frame, const Array& array) const;
    double* room(Frame& frame, const Array& array) const;

    std::filesystem::path beside_;
    bool holds_whole_frames_ = false;
    bool has_begun_ = false;
    BakeInfo info_;
    std::vector<Array> arrays_;
    size_t record_ = 0;  // numbers of a frame
    int frames_taken_ = 0;
    std::unique_ptr<SpoolFile> file_;  // of whole frames, until their size is known
    std::unique_ptr<CoordinateStore> numbers_;
    std::vector<double> buffer_;
};

}  // namespace cutis
