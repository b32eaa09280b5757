#include "farm/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <random>

#include "cutis/core/error.h"
#include "cutis/farm/run.h"

namespace cutis::farm {

namespace fs = std::filesystem;

std::string node_name() {
    char name[256] = {};
    gethostname(name, sizeof(name) - 1);
    std::string text = name;
    for (char& c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') {
            c = '-';
        }
    }
    return text.empty() ? "node" : text;
}

const std::string& own_token() {
    static std::string token;
    static pid_t owner = 0;
    if (owner != getpid()) {  // a forked process is another one
        owner = getpid();
        std::random_device random;
        token = node_name() + "-" + std::to_string(owner) + "-" + hex(random()).substr(8);
    }
    return token;
}

std::string hex(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
    return text;
}

bool from_hex(std::string_view text, std::uint64_t& number) {
    if (text.size() != 16) {
        return false;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + 16, number, 16);
    return error == std::errc() && end == text.data() + 16;
}

fs::path shard(const fs::path& folder, std::uint64_t hash) {
    return folder / hex(hash).substr(0, 2);
}

void throw_io(const fs::path& path, const std::string& what, int reason) {
    std::string advice;
    if (reason == EACCES || reason == EPERM || reason == EROFS) {
        advice = concat("; let user ", getuid(), " of this node write there");
    } else if (reason == ENOSPC || reason == EDQUOT) {
        advice = "; make room there";
    }
    throw IoError(concat(node_name(), ": ", path.string(), ": ", what, " (", std::strerror(reason), ")", advice));
}

std::vector<std::string> names_in_folder(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        names.push_back(it->path().filename().string());
    }
    if (error && error.value() != ENOENT) {
        throw_io(folder, "cannot be read", error.value());
    }
    return names;
}

void for_each_sharded(const fs::path& folder, const std::function<void(const std::string&)>& visit) {
    for (const std::string& one : names_in_folder(folder)) {
        for (const std::string& name : names_in_folder(folder / one)) {
            visit(name);
        }
    }
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw_io(folder, "folder cannot be made", error.value());
    }
}

std::string small_text(const fs::path& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    std::string text;
    if (file < 0) {
        return text;
    }
    char buffer[4096];
    for (ssize_t got = 0; (got = read(file, buffer, sizeof(buffer))) > 0;) {
        text.append(buffer, static_cast<size_t>(got));
    }
    close(file);
    return text;
}

std::string line_of(const std::string& text, const std::string& name) {
    const std::string key = name + ": ";
    size_t at = text.rfind(key, 0) == 0 ? 0 : text.find("\n" + key);
    if (at == std::string::npos) {
        return "";
    }
    at += (at == 0 && text.rfind(key, 0) == 0 ? 0 : 1) + key.size();
    return text.substr(at, text.find('\n', at) - at);
}

void publish(const fs::path& path, const std::string& text) {
    static std::atomic<unsigned> count{0};
    const std::string temporary = path.string() + "." + own_token() + "-" + std::to_string(count.fetch_add(1)) + ".new";
    const auto fail = [&](const char* what) {
        const int reason = errno;
        unlink(temporary.c_str());
        throw_io(path, what, reason);
    };
    const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) {
        fail("cannot be written");
    }
    for (size_t done = 0; done < text.size();) {
        const ssize_t put = write(file, text.data() + done, text.size() - done);
        if (put < 0 && errno != EINTR) {
            close(file);
            fail("cannot be written");
        }
        done += put > 0 ? static_cast<size_t>(put) : 0;
    }
    // NFS says at the end whether everything arrived.
    if (fsync(file) != 0) {
        close(file);
        fail("cannot be written");
    }
    if (close(file) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
        fail("cannot be put in place");
    }
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '\t' || c == '\n') {
            out += '\\';
            out += c == '\\' ? '\\' : c == '\t' ? 't' : 'n';
        } else {
            out += c;
        }
    }
    return out;
}

std::vector<std::string> split_escaped(const std::string& line) {
    std::vector<std::string> words(1);
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\t') {
            words.emplace_back();
        } else if (line[i] == '\\' && i + 1 < line.size()) {
            ++i;
            words.back() += line[i] == 't' ? '\t' : line[i] == 'n' ? '\n' : line[i];
        } else {
            words.back() += line[i];
        }
    }
    return words;
}

}  // namespace cutis::farm
