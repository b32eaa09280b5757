#pragma once

#include <unordered_map>

#include "cutis/farm/plan.h"
#include "cutis/io/files.h"

namespace cutis::farm {

/// Writes a plan's files. A plan is `plan` (its version, and the names of the others) and three files that never
/// change once they are named there:
///   tasks.X   a line of fixed length each: found by its number
///   shots.X   a line each, found by its offset; tasks of a shot share it
///   inputs.X  a line each with a file's hash, shared by all shots that read it
class PlanWriter {
public:
    PlanWriter(const std::filesystem::path& folder, std::string version);

    /// Hash of a file, read once.
    const Input& input(const std::string& path);
    /// \return where it stands
    std::int64_t add_shot(const Shot& shot);
    void add_task(const Task& task);
    std::int64_t size() const { return tasks_; }
    /// Others see the new plan from now on.
    void commit();

private:
    struct Known {
        Input input;
        std::int64_t place;
    };
    std::filesystem::path folder_;
    std::string version_;
    std::string made_;
    AtomicFile task_file_;
    AtomicFile shot_file_;
    AtomicFile input_file_;
    std::unordered_map<std::string, Known> inputs_;
    std::int64_t tasks_ = 0;
};

}  // namespace cutis::farm
