#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cutis/io/files.h"
#include "io/sink.h"

namespace cutis {

/// Files of a format that writes one or more a frame. They wait in a hidden folder beside their places until all are
/// there: a bake that is stopped leaves none.
class FileSequence {
public:
    /// \param path  folder and stem are those of the files
    FileSequence(std::string format, const std::filesystem::path& path);
    ~FileSequence();
    FileSequence(const FileSequence&) = delete;
    FileSequence& operator=(const FileSequence&) = delete;

    const std::string& stem() const { return stem_; }
    /// \throw IoError  the folder cannot be written
    void start();
    /// \param name  without folder
    void put(const std::string& name, const void* data, std::size_t bytes);
    void put(const std::string& name, const std::string& text) { put(name, text.data(), text.size()); }
    /// Moves all to their places.
    std::vector<OutputFile> complete();

private:
    void remove_staging();

    std::string format_;
    std::filesystem::path folder_;
    std::string stem_;
    std::filesystem::path staging_;
    bool is_staging_ = false;
    std::vector<OutputFile> files_;
};

/// A frame's number as file names have it: at least four digits.
std::string frame_digits(int number);

}  // namespace cutis
