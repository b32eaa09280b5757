#include "io/file_sequence.h"

#include <unistd.h>

#include "cutis/core/error.h"

namespace cutis {

namespace fs = std::filesystem;

FileSequence::FileSequence(std::string format, const fs::path& path)
    : format_(std::move(format)),
      folder_(path.parent_path()),
      stem_(path.stem().string()),
      staging_(folder_ / concat(".", stem_, ".", format_, ".part", getpid())) {}

FileSequence::~FileSequence() {
    remove_staging();
}

void FileSequence::start() {
    std::error_code error;
    fs::create_directory(staging_, error);
    if (error) {
        throw IoError(
            concat((folder_ / stem_).string(), ".*.", format_, ": cannot be written (", error.message(), ")"));
    }
    is_staging_ = true;
}

void FileSequence::put(const std::string& name, const void* data, std::size_t bytes) {
    AtomicFile file(staging_ / name);
    file.write(data, bytes);
    files_.push_back({format_, name, file.commit(), {}});
}

std::vector<OutputFile> FileSequence::complete() {
    for (OutputFile& file : files_) {
        const fs::path final_path = folder_ / file.path;
        std::error_code error;
        fs::rename(staging_ / file.path, final_path, error);
        if (error) {
            throw IoError(concat(final_path.string(), ": cannot be put in place (", error.message(), ")"));
        }
        file.path = final_path.string();
    }
    remove_staging();
    return files_;
}

void FileSequence::remove_staging() {
    if (is_staging_) {
        std::error_code ignored;
        fs::remove_all(staging_, ignored);
        is_staging_ = false;
    }
}

std::string frame_digits(int number) {
    std::string digits = std::to_string(number);
    return digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
}

}  // namespace cutis
