#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

#include "cutis/io/files.h"

namespace cutis {

/// Scratch space on disk beside an output, for what must be read again before the end. It has no
/// name once opened, so that it goes away with the program however that ends.
class SpoolFile {
public:
    /// \throw IoError  the folder of `beside` cannot be written
    explicit SpoolFile(const std::filesystem::path& beside);
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;

    void append(const void* data, std::size_t bytes);
    void append(std::string_view text) { append(text.data(), text.size()); }
    /// \throw IoError  fewer bytes there
    void read(std::uintmax_t offset, void* data, std::size_t bytes);
    void copy_to(AtomicFile& file);

    std::uintmax_t size() const { return size_; }

private:
    [[noreturn]] void fail(const char* action) const;

    std::filesystem::path beside_;
    std::FILE* file_ = nullptr;
    std::uintmax_t size_ = 0;
    bool is_flushed_ = true;
};

}  // namespace cutis
