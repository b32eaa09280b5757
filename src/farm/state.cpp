#include "farm/state.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cutis/core/error.h"
#include "farm/files.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void sync_folder(const fs::path& folder) {
    const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        fsync(file);
        close(file);
    }
}

}  // namespace

double age_on_server(const fs::path& path) {
    struct stat there = {};
    if (stat(path.c_str(), &there) != 0) {
        return -1.0;
    }
    // A file made now has the server's time, which may differ from this machine's.
    const fs::path now = path.parent_path() / ("now." + own_token());
    const int file = open(now.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) {
        return 0.0;  // a disk that takes no file says nothing about others
    }
    futimens(file, nullptr);
    struct stat here = {};
    const bool is_good = fstat(file, &here) == 0;
    close(file);
    unlink(now.c_str());
    return is_good ? std::max(0.0, static_cast<double>(here.st_mtim.tv_sec - there.st_mtim.tv_sec) +
                                       1e-9 * static_cast<double>(here.st_mtim.tv_nsec - there.st_mtim.tv_nsec))
                   : 0.0;
}

fs::path State::done_folder(std::uint64_t hash) const {
    return shard(folder_ / "done", hash) / hex(hash);
}

bool State::is_done(std::uint64_t hash) const {
    return access((done_folder(hash) / "report").c_str(), F_OK) == 0;
}

bool State::is_surely_done(std::uint64_t hash) const {
    if (is_done(hash)) {
        return true;
    }
    // A change of ours makes NFS clients forget what they knew about the folder.
    const fs::path folder = done_folder(hash).parent_path();
    const fs::path asked = folder / ("now." + own_token());
    if (mkdir(asked.c_str(), 0777) == 0) {
        rmdir(asked.c_str());
    }
    return is_done(hash);
}

bool State::knows_done(std::uint64_t hash) {
    if (!done_) {
        done_.emplace();
        for_each_sharded(folder_ / "done", [&](const std::string& name) {
            std::uint64_t one = 0;
            if (from_hex(name, one)) {
                done_->insert(one);
            }
        });
    }
    return done_->count(hash) > 0;
}

fs::path State::make_work_folder(std::uint64_t hash) const {
    static unsigned count = 0;
    const fs::path folder =
        shard(folder_ / "work", hash) / (hex(hash) + "." + own_token() + "-" + std::to_string(count++));
    make_folder(folder);
    return folder;
}

std::vector<fs::path> State::other_work_folders(std::uint64_t hash) const {
    std::vector<fs::path> found;
    const fs::path folder = shard(folder_ / "work", hash);
    for (const std::string& name : names_in_folder(folder)) {
        if (name.rfind(hex(hash) + ".", 0) == 0) {
            found.push_back(folder / name);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

bool State::commit(const fs::path& work, std::uint64_t hash) const {
    const fs::path target = done_folder(hash);
    make_folder(target.parent_path());
    sync_folder(work);
    if (std::rename(work.c_str(), target.c_str()) == 0) {
        sync_folder(target.parent_path());
        return true;
    }
    const int reason = errno;
    // Another worker was first, or the answer to our own rename was lost on its way and it was asked for twice.
    if (is_surely_done(hash)) {
        return line_of(small_text(target / "report"), "worker") == own_token();
    }
    throw_io(target, "results cannot be put in place", reason);
}

void State::clean(std::uint64_t hash) const {
    for (const fs::path& folder : other_work_folders(hash)) {
        std::error_code ignored;  // files that a slower worker still has open
        fs::remove_all(folder, ignored);
    }
    const fs::path failed = shard(folder_ / "failed", hash);
    for (const std::string& name : names_in_folder(failed)) {
        if (name.rfind(hex(hash) + ".", 0) == 0) {
            unlink((failed / name).c_str());
        }
    }
}

fs::path State::claim_path(std::uint64_t hash) const {
    return shard(folder_ / "claims", hash) / hex(hash);
}

bool State::is_dead(std::uint64_t hash, const std::string& owner, double stale) const {
    if (line_of(owner, "node") == node_name()) {
        const pid_t process = std::atoi(line_of(owner, "process").c_str());
        if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) {
            return true;
        }
    }
    // Slurm starts a job again only when it has ended what ran before.
    if (const std::string job = line_of(owner, "job"); !job.empty() && job == environment("SLURM_JOB_ID") &&
                                                       line_of(owner, "start") != environment("SLURM_RESTART_COUNT")) {
        return true;
    }
    return age_on_server(claim_path(hash)) > stale;
}

bool State::claim(std::uint64_t hash, double stale) const {
    const fs::path path = claim_path(hash);
    make_folder(path.parent_path());
    const fs::path own = path.string() + "." + own_token();
    publish(own, concat("worker: ", own_token(), "\nnode: ", node_name(), "\nprocess: ", getpid(),
                        "\njob: ", environment("SLURM_JOB_ID"), "\nstart: ", environment("SLURM_RESTART_COUNT"), "\n"));
    // A link is made or not, by the server; whether it was is seen by the number of names, should its answer be lost.
    const auto try_link = [&] {
        struct stat status = {};
        return link(own.c_str(), path.c_str()) == 0 || (stat(own.c_str(), &status) == 0 && status.st_nlink == 2);
    };
    errno = 0;
    bool has_it = try_link();
    const int reason = errno;
    if (!has_it && reason != EEXIST) {
        unlink(own.c_str());
        throw IoError(concat(node_name(), ": ", path.string(), ": a task cannot be claimed (", std::strerror(reason),
                             "); the plan must be on a disk with hard links"));
    }
    if (!has_it) {
        const std::string owner = small_text(path);
        if (is_dead(hash, owner, stale)) {
            // Whoever renames it away first may have it.
            const fs::path away = path.string() + ".dead." + own_token();
            if (std::rename(path.c_str(), away.c_str()) == 0) {
                if (small_text(away) != owner) {
                    // Not the dead one any more: give it back.
                    if (link(away.c_str(), path.c_str()) != 0) {
                        errno = 0;  // somebody else has it: the result does not depend on claims
                    }
                } else {
                    has_it = try_link();
                }
                unlink(away.c_str());
            }
        }
    }
    unlink(own.c_str());
    return has_it;
}

void State::touch_claim(std::uint64_t hash) const {
    utimensat(AT_FDCWD, claim_path(hash).c_str(), nullptr, 0);
}

void State::release(std::uint64_t hash) const {
    const fs::path path = claim_path(hash);
    if (line_of(small_text(path), "worker") == own_token()) {
        unlink(path.c_str());
    }
}

void State::fail(std::uint64_t hash, const Failure& failure) const {
    const fs::path folder = shard(folder_ / "failed", hash);
    make_folder(folder);
    static unsigned count = 0;
    publish(folder / (hex(hash) + "." + own_token() + "-" + std::to_string(count++)),
            concat("kind: ", failure.kind, "\nnode: ", failure.node, "\n", failure.message, "\n\n", failure.log));
}

std::vector<Failure> State::failures(std::uint64_t hash) const {
    std::vector<Failure> all;
    const fs::path folder = shard(folder_ / "failed", hash);
    for (const std::string& name : names_in_folder(folder)) {
        if (name.rfind(hex(hash) + ".", 0) != 0 || name.ends_with(".new")) {
            continue;
        }
        const std::string text = small_text(folder / name);
        Failure failure;
        failure.kind = line_of(text, "kind");
        failure.node = line_of(text, "node");
        size_t at = text.find('\n');
        at = at == std::string::npos ? at : text.find('\n', at + 1);
        if (at == std::string::npos) {
            continue;  // taken away in between
        }
        const size_t end = std::min(text.find("\n\n", at + 1), text.size());
        failure.message = text.substr(at + 1, end - at - 1);
        failure.log = end + 2 < text.size() ? text.substr(end + 2) : "";
        all.push_back(std::move(failure));
    }
    return all;
}

}  // namespace cutis::farm
