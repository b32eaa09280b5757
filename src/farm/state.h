#pragma once

#include <sys/types.h>

#include <optional>
#include <unordered_set>

#include "cutis/farm/run.h"

namespace cutis::farm {

/// How tasks stand, as files of a plan's folder that several machines change without asking each other. Every change is
/// one rename or link of something that was made under a name of its own, so that each is seen whole or not at all and
/// only one of two wins:
///   done/3f/HASH/         results of a task: a work folder, renamed. Nothing in it changes any more.
///   work/3f/HASH.WORKER/  of one try of one worker
///   claims/3f/HASH        who is at work on it, touched now and then. It saves double work; the result needs it not.
///   failed/3f/HASH.N      a try that failed
class State {
public:
    explicit State(std::filesystem::path folder) : folder_(std::move(folder)) {}

    std::filesystem::path done_folder(std::uint64_t hash) const;
    bool is_done(std::uint64_t hash) const;
    /// The same, asking the server anew: NFS remembers for a while that something was not there.
    bool is_surely_done(std::uint64_t hash) const;
    /// The same for many: all are listed once.
    bool knows_done(std::uint64_t hash);

    /// A folder for a try of this process.
    std::filesystem::path make_work_folder(std::uint64_t hash) const;
    /// Those of earlier tries, whoever made them.
    std::vector<std::filesystem::path> other_work_folders(std::uint64_t hash) const;
    /// Makes a work folder the result. \return false: another worker was first
    bool commit(const std::filesystem::path& work, std::uint64_t hash) const;
    /// Takes away what tries of a done task left.
    void clean(std::uint64_t hash) const;

    /// \return whether this process has the task now. \throw IoError
    bool claim(std::uint64_t hash, double stale) const;
    void touch_claim(std::uint64_t hash) const;
    void release(std::uint64_t hash) const;

    void fail(std::uint64_t hash, const Failure& failure) const;
    std::vector<Failure> failures(std::uint64_t hash) const;

    const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path claim_path(std::uint64_t hash) const;
    bool is_dead(std::uint64_t hash, const std::string& owner, double stale) const;

    std::filesystem::path folder_;
    std::optional<std::unordered_set<std::uint64_t>> done_;
};

/// Seconds since a file was touched, by the clock of the server; below 0: not there.
double age_on_server(const std::filesystem::path& path);

}  // namespace cutis::farm
