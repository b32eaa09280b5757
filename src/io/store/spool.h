#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cutis/io/files.h"

namespace cutis {

/// Scratch space on disk beside an output, for what must be read again before the end. It has no
/// name once opened, so that it goes away with the program however that ends.
class SpoolFile {
public:
    /// \throw IoError  the folder of `beside` cannot be written
    explicit SpoolFile(const std::filesystem::path& beside);
    /// A file with a name, opened for reading and writing; it is closed with this.
    /// \param size  bytes of it that count
    SpoolFile(std::FILE* file, std::filesystem::path path, std::uintmax_t size);
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;

    void append(const void* data, std::size_t bytes);
    void append(std::string_view text) { append(text.data(), text.size()); }
    /// \throw IoError  fewer bytes there
    void read(std::uintmax_t offset, void* data, std::size_t bytes);
    void copy_to(AtomicFile& file);
    /// Afterwards several threads may read at a time.
    void flush();
    /// Everything is on the disk itself.
    void sync();

    std::uintmax_t size() const { return size_; }

private:
    [[noreturn]] void fail(const char* action) const;

    std::filesystem::path beside_;
    std::FILE* file_ = nullptr;
    std::uintmax_t size_ = 0;
    bool is_flushed_ = true;
};

/// Numbers of every frame of a bake on disk, the same count in each; readable as a range of
/// numbers of one frame.
class CoordinateStore {
public:
    CoordinateStore(const std::filesystem::path& beside, std::size_t numbers_per_frame)
        : CoordinateStore(std::make_unique<SpoolFile>(beside), numbers_per_frame) {}
    CoordinateStore(std::unique_ptr<SpoolFile> file, std::size_t numbers_per_frame)
        : spool_(std::move(file)), numbers_per_frame_(numbers_per_frame) {}

    /// Adds numbers to the frame being written; a frame is whole when it has all of them.
    void append(const double* numbers, std::size_t count);

    /// Frames that are whole.
    int frame_count() const { return static_cast<int>(spool_->size() / sizeof(double) / numbers_per_frame_); }
    std::size_t numbers_per_frame() const { return numbers_per_frame_; }

    /// `count` numbers of a frame from `first` on.
    void read_coordinates(int frame, int first, int count, double* out);
    SpoolFile& file() { return *spool_; }

private:
    std::unique_ptr<SpoolFile> spool_;
    std::size_t numbers_per_frame_;
};

}  // namespace cutis
