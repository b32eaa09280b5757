#include "farm/plan_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cutis/core/error.h"
#include "cutis/farm/run.h"
#include "cutis/io/checkpoint.h"
#include "farm/files.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

constexpr const char* first_line = "cutis farm plan ";
constexpr size_t task_bytes = 96;

std::string task_line(const Task& task) {
    char line[task_bytes + 32];
    const int length = std::snprintf(line, sizeof(line), "%016llx %12lld %c %7d %7d %8d %8d %12.2f %9.1f",
                                     static_cast<unsigned long long>(task.hash), static_cast<long long>(task.shot),
                                     static_cast<char>(task.kind), task.chunk, task.chunks, task.first_frame,
                                     task.last_frame, std::min(task.seconds, 1e8), std::min(task.megabytes, 1e6));
    std::string text(line, static_cast<size_t>(length));
    text.resize(task_bytes - 1, ' ');
    return text + '\n';
}

Task read_task_line(const char* text, const fs::path& folder) {
    Task task;
    unsigned long long hash = 0;
    long long shot = 0;
    char kind = 0;
    if (std::sscanf(text, "%16llx %12lld %c %7d %7d %8d %8d %12lf %9lf", &hash, &shot, &kind, &task.chunk, &task.chunks,
                    &task.first_frame, &task.last_frame, &task.seconds, &task.megabytes) != 9) {
        throw InvalidInput(concat(folder.string(), ": the plan's list of tasks is damaged; plan again"));
    }
    task.hash = hash;
    task.shot = shot;
    task.kind = static_cast<TaskKind>(kind);
    return task;
}

}  // namespace

PlanWriter::PlanWriter(const fs::path& folder, std::string version)
    : folder_(folder),
      version_(std::move(version)),
      made_(own_token()),
      task_file_(folder / ("tasks." + made_)),
      shot_file_(folder / ("shots." + made_)),
      input_file_(folder / ("inputs." + made_)) {}

const Input& PlanWriter::input(const std::string& path) {
    auto found = inputs_.find(path);
    if (found == inputs_.end()) {
        const Input input{path, hash_of_file(path)};
        found = inputs_.emplace(path, Known{input, static_cast<std::int64_t>(input_file_.size())}).first;
        input_file_.write(hex(input.hash) + "\t" + escaped(path) + "\n");
    }
    return found->second.input;
}

std::int64_t PlanWriter::add_shot(const Shot& shot) {
    const auto place = static_cast<std::int64_t>(shot_file_.size());
    std::string line;
    const auto add = [&](const std::string& word) { line += (line.empty() ? "" : "\t") + escaped(word); };
    add(shot.scene);
    add(std::to_string(shot.wedge));
    add(std::to_string(shot.wedges));
    add(shot.label);
    add(shot.name);
    add(shot.folder);
    add(shot.motion);
    add(shot.clip);
    add(shot.is_training ? "1" : "0");
    add(hex(shot.values));
    std::string formats;
    for (const std::string& format : shot.formats) {
        formats += (formats.empty() ? "" : ",") + format;
    }
    add(formats);
    for (const Input& one : shot.inputs) {
        input(one.path);
        add(std::to_string(inputs_.at(one.path).place));
    }
    shot_file_.write(line + "\n");
    return place;
}

void PlanWriter::add_task(const Task& task) {
    task_file_.write(task_line(task));
    ++tasks_;
}

void PlanWriter::commit() {
    task_file_.commit();
    shot_file_.commit();
    input_file_.commit();
    const std::string before = line_of(small_text(folder_ / "plan"), "made");
    publish(folder_ / "plan",
            concat(first_line, plan_format, "\nprogram: ", version_, "\nmade: ", made_, "\ntasks: ", tasks_, "\n"));
    // Workers may still read the plan before this one, but none older.
    for (const std::string& name : names_in_folder(folder_)) {
        for (const char* kind : {"tasks.", "shots.", "inputs."}) {
            if (name.rfind(kind, 0) == 0 && name != kind + made_ && name != kind + before) {
                std::error_code ignored;
                fs::remove(folder_ / name, ignored);
            }
        }
    }
}

struct Plan::Files {
    int tasks = -1;
    int shots = -1;
    int inputs = -1;
    ~Files() {
        for (const int file : {tasks, shots, inputs}) {
            if (file >= 0) {
                close(file);
            }
        }
    }
};

namespace {

// The line that begins at an offset.
std::string line_at(int file, std::int64_t offset) {
    std::string line;
    char buffer[512];
    while (true) {
        const ssize_t got = pread(file, buffer, sizeof(buffer), static_cast<off_t>(offset));
        if (got <= 0) {
            return line;
        }
        const void* end = std::memchr(buffer, '\n', static_cast<size_t>(got));
        if (end != nullptr) {
            return line.append(buffer, static_cast<size_t>(static_cast<const char*>(end) - buffer));
        }
        line.append(buffer, static_cast<size_t>(got));
        offset += got;
    }
}

}  // namespace

Plan::Plan(const fs::path& folder) : folder_(fs::absolute(folder).lexically_normal()), files_(new Files) {
    const fs::path path = folder_ / "plan";
    // A plan made anew takes away the files of the one before last: read again where that happens in between.
    for (int attempt = 0;; ++attempt) {
        std::error_code error;
        if (!fs::exists(path, error)) {
            throw InvalidInput(concat(node_name(), ": ", folder.string(), ": no plan there",
                                      error ? " (" + error.message() + ")" : "",
                                      "; `cutis farm plan SCENES -o FOLDER` makes one, and every node must see it"));
        }
        const std::vector<unsigned char> bytes = read_file(path, 1 << 16);
        const std::string text(bytes.begin(), bytes.end());
        const std::string expected = concat(first_line, plan_format, "\n");
        if (text.rfind(first_line, 0) != 0) {
            throw InvalidInput(concat(path.string(), ": not a plan of cutis farm"));
        }
        if (text.rfind(expected, 0) != 0) {
            throw InvalidInput(concat(path.string(), ": expected a plan of version ", plan_format, ", found \"",
                                      text.substr(0, text.find('\n')),
                                      "\"; plan into another folder with this program, or run it with the one that "
                                      "made it"));
        }
        made_ = line_of(text, "made");
        size_ = std::atoll(line_of(text, "tasks").c_str());
        files_->tasks = open((folder_ / ("tasks." + made_)).c_str(), O_RDONLY | O_CLOEXEC);
        files_->shots = open((folder_ / ("shots." + made_)).c_str(), O_RDONLY | O_CLOEXEC);
        files_->inputs = open((folder_ / ("inputs." + made_)).c_str(), O_RDONLY | O_CLOEXEC);
        if (files_->tasks >= 0 && files_->shots >= 0 && files_->inputs >= 0) {
            return;
        }
        const std::string reason = std::strerror(errno);
        files_.reset(new Files);
        if (attempt >= 5) {
            throw IoError(
                concat(node_name(), ": ", (folder_ / ("tasks." + made_)).string(), ": cannot be read (", reason, ")"));
        }
        usleep(200'000);
    }
}

Plan::~Plan() = default;

Task Plan::task(std::int64_t number) const {
    require(number >= 0 && number < size_, "task ", number, ": expected 0 to ", size_ - 1, " (", folder_.string(),
            " has ", size_, " tasks)");
    char line[task_bytes + 1] = {};
    if (pread(files_->tasks, line, task_bytes, static_cast<off_t>(number) * static_cast<off_t>(task_bytes)) !=
        static_cast<ssize_t>(task_bytes)) {
        throw IoError(concat(node_name(), ": ", folder_.string(), ": task ", number, " cannot be read"));
    }
    return read_task_line(line, folder_);
}

std::vector<Task> Plan::tasks() const {
    std::vector<Task> all;
    all.reserve(static_cast<size_t>(size_));
    constexpr size_t lines = 4096;
    std::vector<char> buffer(lines * task_bytes + 1);
    for (std::int64_t first = 0; first < size_; first += static_cast<std::int64_t>(lines)) {
        const size_t count = std::min(lines, static_cast<size_t>(size_ - first));
        if (pread(files_->tasks, buffer.data(), count * task_bytes, static_cast<off_t>(first) * task_bytes) !=
            static_cast<ssize_t>(count * task_bytes)) {
            throw IoError(concat(node_name(), ": ", folder_.string(), ": the list of tasks cannot be read to its end"));
        }
        for (size_t i = 0; i < count; ++i) {
            // Fields are cut off one by one: sscanf asks for the length of what it is given.
            const char saved = std::exchange(buffer[(i + 1) * task_bytes], '\0');
            all.push_back(read_task_line(buffer.data() + i * task_bytes, folder_));
            buffer[(i + 1) * task_bytes] = saved;
        }
    }
    return all;
}

Shot Plan::shot(const Task& task) const {
    const std::vector<std::string> words = split_escaped(line_at(files_->shots, task.shot));
    Shot shot;
    constexpr size_t fixed = 11;
    if (words.size() < fixed || !from_hex(words[9], shot.values)) {
        throw InvalidInput(concat(folder_.string(), ": the plan's list of shots is damaged; plan again"));
    }
    shot.scene = words[0];
    shot.wedge = std::atoi(words[1].c_str());
    shot.wedges = std::atoi(words[2].c_str());
    shot.label = words[3];
    shot.name = words[4];
    shot.folder = words[5];
    shot.motion = words[6];
    shot.clip = words[7];
    shot.is_training = words[8] == "1";
    for (size_t at = 0; at < words[10].size();) {
        const size_t end = std::min(words[10].find(',', at), words[10].size());
        shot.formats.push_back(words[10].substr(at, end - at));
        at = end + 1;
    }
    for (size_t i = fixed; i < words.size(); ++i) {
        const std::vector<std::string> fields = split_escaped(line_at(files_->inputs, std::atoll(words[i].c_str())));
        Input input;
        if (fields.size() != 2 || !from_hex(fields[0], input.hash)) {
            throw InvalidInput(concat(folder_.string(), ": the plan's list of inputs is damaged; plan again"));
        }
        input.path = fields[1];
        shot.inputs.push_back(std::move(input));
    }
    return shot;
}

std::pair<std::int64_t, std::int64_t> Plan::needs(std::int64_t number, const Task& task) const {
    switch (task.kind) {
        case TaskKind::chain:
            return {task.chunk > 0 ? number - 1 : number, number};
        case TaskKind::join:
            return {number - task.chunk, number};
        case TaskKind::whole:
        case TaskKind::part:
            break;
    }
    return {number, number};
}

}  // namespace cutis::farm
