#include "io/store/spool.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cutis/core/error.h"

namespace cutis {

SpoolFile::SpoolFile(const std::filesystem::path& beside) : beside_(beside) {
    std::string name = beside.string() + ".spoolXXXXXX";
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) {
        fail("written");
    }
    unlink(name.c_str());
    file_ = fdopen(descriptor, "w+b");
    if (file_ == nullptr) {
        close(descriptor);
        fail("written");
    }
}

SpoolFile::SpoolFile(std::FILE* file, std::filesystem::path path, std::uintmax_t size)
    : beside_(std::move(path)), file_(file), size_(size) {
    if (std::fseek(file_, static_cast<long>(size), SEEK_SET) != 0) {
        fail("read");
    }
}

SpoolFile::~SpoolFile() {
    std::fclose(file_);
}

void SpoolFile::fail(const char* action) const {
    throw IoError(
        concat(beside_.string(), ": scratch space beside it cannot be ", action, " (", std::strerror(errno), ")"));
}

void SpoolFile::append(const void* data, std::size_t bytes) {
    if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) {
        fail("written");
    }
    size_ += bytes;
    is_flushed_ = false;
}

void SpoolFile::read(std::uintmax_t offset, void* data, std::size_t bytes) {
    flush();
    // pread leaves the stream's own position at the end, where append() needs it.
    char* target = static_cast<char*>(data);
    while (bytes > 0) {
        const ssize_t got = pread(fileno(file_), target, bytes, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            fail("read");
        }
        target += got;
        offset += static_cast<std::uintmax_t>(got);
        bytes -= static_cast<std::size_t>(got);
    }
}

void SpoolFile::flush() {
    if (is_flushed_) {
        return;
    }
    if (std::fflush(file_) != 0) {
        fail("written");
    }
    is_flushed_ = true;
}

void SpoolFile::sync() {
    flush();
    if (fsync(fileno(file_)) != 0) {
        fail("written");
    }
}

void SpoolFile::copy_to(AtomicFile& file) {
    std::vector<char> buffer(std::size_t{1} << 20);
    for (std::uintmax_t offset = 0; offset < size_;) {
        const auto bytes = static_cast<std::size_t>(std::min<std::uintmax_t>(buffer.size(), size_ - offset));
        read(offset, buffer.data(), bytes);
        file.write(buffer.data(), bytes);
        offset += bytes;
    }
}

void CoordinateStore::append(const double* numbers, std::size_t count) {
    spool_->append(numbers, count * sizeof(double));
}

void CoordinateStore::read_coordinates(int frame, int first, int count, double* out) {
    const std::uintmax_t position =
        static_cast<std::uintmax_t>(frame) * static_cast<std::uintmax_t>(numbers_per_frame_) +
        static_cast<std::uintmax_t>(first);
    spool_->read(position * sizeof(double), out, static_cast<std::size_t>(count) * sizeof(double));
}

}  // namespace cutis
