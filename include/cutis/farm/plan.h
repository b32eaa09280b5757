#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cutis/io/scene_read.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/scene.h"

/// Many shots on many machines: a plan is a folder of tasks that any machine can run.
namespace cutis::farm {

/// Of the files in a plan's folder.
inline constexpr int plan_format = 1;

enum class TaskKind : char {
    whole = 'w',  ///< a shot in one go
    chain = 'c',  ///< frames of a shot with memory: begins where the task before it ended; the last one writes
    part = 'p',   ///< frames of a shot without memory, in any order
    join = 'j',   ///< writes what all parts of a shot made
};

/// One unit of work. Its number is its place in the plan, from 0.
struct Task {
    std::uint64_t hash = 0;  ///< of everything it reads: the same number means the same result
    std::int64_t shot = 0;   ///< where its shot is in the plan's file
    TaskKind kind = TaskKind::whole;
    int chunk = 0;  ///< of its shot, from 0
    int chunks = 1;
    int first_frame = 0;  ///< made by this task; 0: all of the shot, or none (join)
    int last_frame = 0;
    double seconds = 0.0;  ///< estimated
    double megabytes = 0.0;

    /// Gives the results of its shot.
    bool is_last() const { return kind == TaskKind::join || chunk + 1 == chunks; }
};

/// A file that tasks read.
struct Input {
    std::string path;
    std::uint64_t hash = 0;
};

/// What tasks belong to: one scene, one combination of its wedge, or one clip on a character.
struct Shot {
    std::string scene;                 ///< path of the file
    int wedge = -1;                    ///< which combination; -1: a scene without
    int wedges = 0;                    ///< how many there are
    std::string label;                 ///< of the combination
    std::string name;                  ///< of the output files
    std::string folder;                ///< of its results, below where they are collected
    std::string motion;                ///< BVH or GLB file put onto the body
    std::string clip;                  ///< the body's own, where the scene names none
    bool is_training = false;          ///< also writes the skeleton's motion
    std::vector<std::string> formats;  ///< instead of the scene's
    std::uint64_t values = 0;          ///< hash of the scene's values
    std::vector<Input> inputs;
};

/// A plan's folder, open for reading. What it costs to read a task does not grow with the plan.
class Plan {
public:
    /// \throw IoError       cannot be read
    /// \throw InvalidInput  not a plan, or one of another version
    explicit Plan(const std::filesystem::path& folder);
    ~Plan();
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;

    const std::filesystem::path& folder() const { return folder_; }
    /// Changes when the plan is remade.
    const std::string& made() const { return made_; }
    std::int64_t size() const { return size_; }
    Task task(std::int64_t number) const;
    Shot shot(const Task& task) const;
    /// All tasks, for those who want to know about all.
    std::vector<Task> tasks() const;
    /// Tasks that must be done before: numbers first .. last - 1; of a chain only the one before.
    std::pair<std::int64_t, std::int64_t> needs(std::int64_t number, const Task& task) const;

private:
    struct Files;
    std::filesystem::path folder_;
    std::string made_;
    std::int64_t size_ = 0;
    std::unique_ptr<Files> files_;
};

/// Options of a plan.
struct PlanOptions {
    std::vector<std::string> sources;  ///< scenes, characters, folders, patterns
    std::string clips;  ///< folder of BVH or GLB files, or "own": a task a clip for the one character in sources
    std::vector<std::string> formats;  ///< instead of the scenes'
    int chunk = 0;                     ///< frames of a chunk; 0: what takes about a quarter of an hour
    SuggestOptions suggest;            ///< for characters
    ActorLoader actors;
    std::string version;  ///< of the program
};

/// What planning did.
struct PlanReport {
    std::int64_t tasks = 0;
    std::int64_t shots = 0;
    std::int64_t done = 0;  ///< of the tasks, by an earlier run with the same content
    double seconds = 0.0;   ///< estimated, of one processor, of what is left to do
    double largest_mb = 0.0;
};

/// Makes or remakes a plan: what has the same content stays done. Others see the old plan or the new one.
/// \throw InvalidInput  names every source that cannot be used, and why; nothing changes then
/// \throw IoError
PlanReport make_plan(const std::filesystem::path& folder, const PlanOptions& options);

/// The scene of a shot, ready to be baked, checked to be what was planned.
/// \throw InvalidInput  something changed since: names the file
/// \throw IoError       something is missing here
Scene planned_scene(const Shot& shot, const std::string& version);

}  // namespace cutis::farm
