#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cutis {

/// Whole file in memory.
/// \throw IoError       missing, unreadable, a folder
/// \throw InvalidInput  larger than `max_bytes`
std::vector<unsigned char> read_file(const std::filesystem::path& path,
                                     std::uintmax_t max_bytes = std::uintmax_t{4} << 30);

/// A file that appears whole or not at all: written beside its final name, renamed by commit().
/// Without commit() (an exception, a kill) the old file, or none, stays. A full disk throws and
/// leaves nothing behind.
class AtomicFile {
public:
    /// \throw IoError  the folder does not exist or cannot be written
    explicit AtomicFile(const std::filesystem::path& final_path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(const void* data, std::size_t bytes);
    void write(std::string_view text) { write(text.data(), text.size()); }

    /// Overwrites bytes already written (a header that holds a count), then returns to the end.
    void rewrite(std::uintmax_t offset, const void* data, std::size_t bytes);

    const std::filesystem::path& path() const { return final_path_; }
    std::uintmax_t size() const { return size_; }

    /// Flushes to disk without renaming yet: after this, commit() fails only where the name itself
    /// cannot be taken.
    void flush();
    /// Flushes to disk and renames. \return bytes written
    std::uintmax_t commit();

private:
    [[noreturn]] void fail(const char* action);

    std::filesystem::path final_path_;
    std::filesystem::path temporary_path_;
    std::FILE* file_ = nullptr;
    std::uintmax_t size_ = 0;
};

/// Removes what killed programs left behind in a folder: files begun by AtomicFile that nobody
/// writes any more. Files that are being written are locked and stay. \return how many
int remove_abandoned_parts(const std::filesystem::path& folder);

/// Removes what this program is writing in a folder: for one that is about to end at once.
void remove_own_parts(const std::filesystem::path& folder);

/// Extension in lower case, without the dot.
std::string extension_of(const std::filesystem::path& path);

/// `inner` as a path below `folder`.
/// \throw InvalidInput  absolute, or leads out of the folder (.., a link)
std::filesystem::path path_inside(const std::filesystem::path& folder, const std::string& inner);

}  // namespace cutis
