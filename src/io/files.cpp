#include "cutis/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>

#include "cutis/core/error.h"

namespace cutis {

namespace fs = std::filesystem;

std::vector<unsigned char> read_file(const fs::path& path, std::uintmax_t max_bytes) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        throw IoError(concat(path.string(), ": no such file"));
    }
    if (fs::is_directory(path, error)) {
        throw IoError(concat(path.string(), ": expected a file, found a folder"));
    }
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
    if (!file) {
        throw IoError(concat(path.string(), ": cannot be opened (", std::strerror(errno), ")"));
    }
    // Read until the end rather than trusting a size: pipes and growing files have none.
    std::vector<unsigned char> bytes;
    size_t used = 0;
    while (true) {
        bytes.resize(std::max<size_t>(size_t{1} << 16, used * 2));
        const size_t got = std::fread(bytes.data() + used, 1, bytes.size() - used, file.get());
        used += got;
        if (used > max_bytes) {
            throw InvalidInput(concat(path.string(), ": expected at most ", max_bytes, " bytes"));
        }
        if (got == 0) {
            break;
        }
    }
    if (std::ferror(file.get()) != 0) {
        throw IoError(concat(path.string(), ": cannot be read (", std::strerror(errno), ")"));
    }
    bytes.resize(used);
    return bytes;
}

namespace {

/// No other file being written has this name, not even one that will get the same final name.
fs::path temporary_name(const fs::path& final_path) {
    static std::atomic<unsigned> count{0};
    return final_path.string() + ".part" + std::to_string(getpid()) + "-" + std::to_string(count.fetch_add(1));
}

/// Does the name end as temporary_name makes it: .partNUMBER-NUMBER?
bool is_temporary_name(const std::string& name) {
    const size_t at = name.rfind(".part");
    if (at == std::string::npos) {
        return false;
    }
    const std::string numbers = name.substr(at + 5);
    const size_t dash = numbers.find('-');
    return dash != std::string::npos && dash > 0 && dash + 1 < numbers.size() &&
           std::all_of(numbers.begin(), numbers.end(), [](char c) { return c == '-' || (c >= '0' && c <= '9'); });
}

/// Tells others that the file is being written. False where somebody took it for abandoned and
/// removed it before the lock was there. A file system without locks is taken at its word.
bool lock(std::FILE* file) {
    flock(fileno(file), LOCK_EX | LOCK_NB);
    struct stat status = {};
    return fstat(fileno(file), &status) != 0 || status.st_nlink > 0;
}

}  // namespace

int remove_abandoned_parts(const fs::path& folder) {
    int removed = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (!is_temporary_name(entry.path().filename().string()) || !entry.is_regular_file(error)) {
            continue;
        }
        const int file = open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0) {
            continue;
        }
        if (flock(file, LOCK_EX | LOCK_NB) == 0 && std::remove(entry.path().c_str()) == 0) {
            ++removed;
        }
        close(file);
    }
    return removed;
}

void remove_own_parts(const fs::path& folder) {
    const std::string own = ".part" + std::to_string(getpid()) + "-";
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (is_temporary_name(name) && name.find(own) != std::string::npos) {
            std::remove(entry.path().c_str());
        }
    }
}

AtomicFile::AtomicFile(const fs::path& final_path) : final_path_(final_path) {
    for (int attempt = 0; attempt < 10; ++attempt) {
        temporary_path_ = temporary_name(final_path);
        file_ = std::fopen(temporary_path_.c_str(), "wb");
        if (file_ == nullptr) {
            break;
        }
        if (lock(file_)) {
            return;
        }
        std::fclose(file_);
        file_ = nullptr;
    }
    throw IoError(concat(final_path_.string(), ": cannot be written (", std::strerror(errno), ")"));
}

AtomicFile::~AtomicFile() {
    if (file_ != nullptr) {
        std::fclose(file_);
        std::remove(temporary_path_.c_str());
    }
}

void AtomicFile::fail(const char* action) {
    const std::string reason = std::strerror(errno);
    if (file_ != nullptr) {
        std::fclose(file_);
        file_ = nullptr;
    }
    std::remove(temporary_path_.c_str());
    throw IoError(concat(final_path_.string(), ": cannot be ", action, " (", reason, ")"));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
    if (bytes != 0 && std::fwrite(data, 1, bytes, file_) != bytes) {
        fail("written");
    }
    size_ += bytes;
}

void AtomicFile::rewrite(std::uintmax_t offset, const void* data, std::size_t bytes) {
    if (fseeko(file_, static_cast<off_t>(offset), SEEK_SET) != 0 || std::fwrite(data, 1, bytes, file_) != bytes ||
        fseeko(file_, 0, SEEK_END) != 0) {
        fail("written");
    }
}

void AtomicFile::flush() {
    if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) {
        fail("written");
    }
}

std::uintmax_t AtomicFile::commit() {
    flush();
    std::FILE* closing = file_;
    file_ = nullptr;
    if (std::fclose(closing) != 0 || std::rename(temporary_path_.c_str(), final_path_.c_str()) != 0) {
        fail("put in place");
    }
    return size_;
}

fs::path path_inside(const fs::path& folder, const std::string& inner) {
    const fs::path relative(inner);
    if (relative.is_absolute() || inner.find('\0') != std::string::npos) {
        throw InvalidInput(concat("path '", inner, "': expected a path below ", folder.string()));
    }
    const fs::path base = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder);
    fs::path full = fs::weakly_canonical(base / relative);
    const auto [base_end, ignored] = std::mismatch(base.begin(), base.end(), full.begin(), full.end());
    if (base_end != base.end()) {
        throw InvalidInput(concat("path '", inner, "' leads out of ", folder.string(), "; expected a path below it"));
    }
    return full;
}

std::string extension_of(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    if (!extension.empty()) {
        extension.erase(0, 1);
    }
    for (char& c : extension) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return extension;
}

}  // namespace cutis
