#include "run.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <mutex>

#include "console.h"
#include "cutis/actors/actors.h"
#include "cutis/io/checkpoint.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_read.h"
#include "cutis/live/bake_recording.h"
#include "cutis/stack/cost.h"
#include "report.h"
#include "verbs.h"

namespace cutis::app {

namespace fs = std::filesystem;

namespace {

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Of this program alone: getrusage counts what the one that started it had, too.
double peak_memory_mb() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind("VmHWM:", 0) == 0) {
            return std::strtod(line.c_str() + 6, nullptr) / 1024.0;  // kilobytes
        }
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_maxrss) / 1024.0;
}

// Folders being written into: one, or those of wedges under way.
std::mutex open_folders_mutex;
std::vector<fs::path> open_folders;

// Makes the output folder; takes it away again where the bake leaves nothing in it.
class OutputFolder {
public:
    explicit OutputFolder(const fs::path& path) : path_(path) {
        std::error_code error;
        if (fs::exists(path, error) && !fs::is_directory(path, error)) {
            throw InvalidInput(concat(path.string(), ": expected a folder to write into, found a file"));
        }
        was_made_ = fs::create_directories(path, error);
        if (error) {
            throw IoError(concat(path.string(), ": folder cannot be made (", error.message(), ")"));
        }
        remove_abandoned_parts(path);  // of a bake that was killed
        const std::lock_guard lock(open_folders_mutex);
        open_folders.push_back(path);
    }
    ~OutputFolder() {
        {
            const std::lock_guard lock(open_folders_mutex);
            open_folders.erase(std::find(open_folders.begin(), open_folders.end(), path_));
        }
        std::error_code ignored;
        if (was_made_ && fs::is_empty(path_, ignored)) {
            fs::remove(path_, ignored);
        }
    }
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

private:
    fs::path path_;
    bool was_made_ = false;
};

// A single frame converted to OBJ stands under the name the user gave.
void drop_frame_number(const fs::path& target, std::vector<OutputFile>& outputs) {
    if (outputs.size() != 1) {
        return;
    }
    std::error_code error;
    fs::rename(outputs.front().path, target, error);
    if (error) {
        throw IoError(concat(target.string(), ": cannot be written (", error.message(), ")"));
    }
    outputs.front().path = target.string();
}

std::unique_ptr<CheckpointFolder> open_checkpoint(const Scene& scene, const Body& body, const RunOptions& options,
                                                  RunReport& report) {
    if (options.checkpoint_every == 0 && !options.resume) {
        return nullptr;
    }
    auto folder = std::make_unique<CheckpointFolder>(
        options.folder / ("." + options.name + ".checkpoint"), fingerprint_of(scene, body, CUTIS_VERSION),
        options.resume ? CheckpointFolder::Begin::resume : CheckpointFolder::Begin::anew);
    if (options.resume && folder->past() == nullptr) {
        report.notes.emplace_back("No checkpoint to resume from: the bake started from the beginning");
    }
    return folder;
}

double half_of_memory() {
    return 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

int parse_frame(const std::string& text, const std::string& whole) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    require(error == std::errc() && end == text.data() + text.size() && number >= 1 && number <= max_frames,
            "--frames: expected A-B with 1 <= A <= B <= ", max_frames, ", found \"", whole, "\"");
    return number;
}

/// Nothing is refused for its time, but nobody should wait unwarned.
void warn_of_long_bake(double seconds) {
    constexpr double patience = 60.0;
    if (seconds > patience) {
        std::cerr << "cutis: this will take about " << rough_time(seconds)
                  << " of one processor; fewer frames (--frames), less to fold (--budget) or fewer layers take less\n";
    }
}

}  // namespace

double parse_memory(const std::string& text) {
    if (text.empty()) {
        return 0.0;
    }
    double number = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string unit(end, text.data() + text.size());
    const size_t power = unit.empty() ? 0 : 1 + std::string("kMGT").find(unit.front());
    require(error == std::errc() && number > 0.0 && unit.size() <= 1 && power <= 4,
            "--memory: expected a size like 4G or 500M, found \"", text, "\"");
    return number * std::pow(1024.0, static_cast<double>(power));
}

void end_at_once() {
    const std::lock_guard lock(open_folders_mutex);
    for (const fs::path& folder : open_folders) {
        remove_own_parts(folder);
        std::error_code ignored;
        if (fs::is_empty(folder, ignored)) {
            fs::remove(folder, ignored);
        }
    }
    std::fprintf(stderr,
                 "\ncutis: interrupted by signal %d within a frame or file; unfinished output was removed (earlier "
                 "checkpoints remain)\n",
                 caught_signal());
    std::_Exit(exit_signal + caught_signal());
}

void set_frames(const std::string& text, Scene& scene) {
    if (text.empty()) {
        return;
    }
    const size_t dash = text.find('-');
    scene.first_frame = parse_frame(text.substr(0, dash), text);
    scene.last_frame = scene.first_frame;
    if (dash != std::string::npos) {
        const std::string last = text.substr(dash + 1);
        scene.last_frame = last.empty() ? 0 : parse_frame(last, text);
    }
    if (scene.last_frame != 0 && scene.last_frame < scene.first_frame) {
        parse_frame("", text);
    }
}

std::string output_name(const fs::path& path) {
    std::string name = path.stem().string();
    for (char& c : name) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\' || c == '*') {
            c = '_';
        }
    }
    if (name.empty() || name.front() == '.' || name.front() == '-') {
        name.insert(name.begin(), '_');
    }
    return name;
}

namespace {

/// Names of the clips that a scene asks for.
std::vector<std::string> wanted_clips(const Scene& scene) {
    Scene one = scene;
    one.body.clips.clear();
    const Body body = reading<Body>([&] { return load_body(one, {}, load_actor); });
    std::vector<std::string> all;
    for (const Clip& clip : body.source().character->clips) {
        all.push_back(clip.name);
    }
    std::vector<std::string> names;
    for (const std::string& name : scene.body.clips) {
        const bool is_known = std::find(all.begin(), all.end(), name) != all.end();
        require(name == "*" || is_known, "[body] clips: expected clips of the file (",
                all.empty() ? std::string("it has none") : word_list(all), "), found \"", name, "\"");
        if (name == "*") {
            names.insert(names.end(), all.begin(), all.end());
        } else {
            names.push_back(name);
        }
    }
    require(!names.empty(), "[body] clips: expected a file with clips, found one without");
    for (const std::string& name : names) {
        require(std::count(names.begin(), names.end(), name) == 1, "[body] clips: expected each once, found \"", name,
                "\" twice");
    }
    return names;
}

/// A file name for a clip.
std::string clip_file_name(const std::string& clip) {
    std::string name = clip;
    for (char& c : name) {
        const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
        c = is_plain || static_cast<unsigned char>(c) >= 0x80 ? c : '_';
    }
    return name;
}

/// Each clip for itself, and one report of them all.
RunReport bake_clips(const Scene& scene, const RunOptions& options, const ProgressCallback& progress) {
    const std::vector<std::string> names = wanted_clips(scene);
    const OutputFolder folder(options.folder);
    const std::shared_ptr<GlbClips> together =
        gather_glb_clips(options.folder / (options.name + ".glb"), static_cast<int>(names.size()));
    RunReport all;
    all.bake.frames = {1, 0};
    for (size_t i = 0; i < names.size(); ++i) {
        Scene one = scene;
        one.body.clips.clear();
        one.body.options.clip = names[i];
        RunOptions own = options;
        own.name = options.name + "." + clip_file_name(names[i]);
        own.glb_clips = together;
        RunReport report = bake_scene(one, own, progress);
        const std::string place = "clip \"" + names[i] + "\": ";
        for (std::vector<std::string>* notes : {&report.notes, &report.bake.notes}) {
            for (const std::string& note : *notes) {
                const bool is_known = std::find(all.notes.begin(), all.notes.end(), note) != all.notes.end();
                if (notes == &report.notes && !is_known) {
                    all.notes.push_back(note);
                } else if (notes != &report.notes) {
                    all.bake.notes.push_back(place + note);
                }
            }
        }
        all.bake.notes.push_back(concat(place, report.bake.frames.count(), " frames"));
        all.bake.frames.last += report.bake.frames.count();
        all.bake.frames_done += report.bake.frames_done;
        all.bake.cancelled = report.bake.cancelled;
        all.bake.stage_seconds.insert(all.bake.stage_seconds.end(), report.bake.stage_seconds.begin(),
                                      report.bake.stage_seconds.end());
        all.bake.outputs.insert(all.bake.outputs.end(), report.bake.outputs.begin(), report.bake.outputs.end());
        all.bake.layers = std::move(report.bake.layers);
        all.bake.vertices = report.bake.vertices;
        all.bake.estimated_seconds += report.bake.estimated_seconds;
        all.bake.estimated_bytes = std::max(all.bake.estimated_bytes, report.bake.estimated_bytes);
        all.inputs = report.inputs;
        all.fps = report.fps;
        all.threads = report.threads;
        all.vertices = report.vertices;
        all.triangles = report.triangles;
        all.read_seconds += report.read_seconds;
        all.total_seconds += report.total_seconds;
        all.peak_memory_mb = report.peak_memory_mb;
        all.has_checkpoint = report.has_checkpoint;
        if (all.bake.cancelled || caught_signal() != 0) {
            break;
        }
    }
    return all;
}

}  // namespace

RunReport bake_scene(const Scene& scene, const RunOptions& options, const ProgressCallback& progress) {
    if (!scene.body.clips.empty()) {
        return bake_clips(scene, options, progress);
    }
    const auto begin = std::chrono::steady_clock::now();
    RunReport report;
    report.fps = scene.fps;
    report.inputs = scene_inputs(scene);
    const WarningCallback warn = [&](std::string_view note) { report.notes.emplace_back(note); };
    const Body body = reading<Body>([&] { return load_body(scene, warn, load_actor); });
    report.read_seconds = seconds_since(begin);
    report.vertices = static_cast<int>(body.mesh().positions.rows());
    report.triangles = static_cast<int>(body.mesh().triangles.rows());
    report.notes.insert(report.notes.end(), body.source().notes.begin(), body.source().notes.end());
    frames_of(body, scene);  // refuses bad frames before a folder is made

    const OutputFolder folder(options.folder);
    const std::unique_ptr<CheckpointFolder> checkpoint = open_checkpoint(scene, body, options, report);
    SinkOptions chosen;
    chosen.html.title = options.title;
    chosen.glb.bones = options.bones;
    chosen = sink_options(scene, chosen);
    chosen.frames = checkpoint != nullptr ? checkpoint->frames() : nullptr;
    chosen.glb_clips = options.glb_clips;
    const std::vector<std::unique_ptr<FrameSink>> sinks =
        make_sinks(scene.output.formats, options.folder, options.name, chosen);
    const Workers workers(options.threads);
    report.threads = workers.threads();
    if (caught_signal() == 0) {
        const BakeControls controls = {&workers,
                                       progress,
                                       nullptr,
                                       checkpoint.get(),
                                       options.checkpoint_every,
                                       options.memory > 0.0 ? options.memory : half_of_memory(),
                                       warn_of_long_bake};
        report.bake = scene.recording.steps > 0 ? bake_recording(scene, load_actor, sinks, controls)
                                                : bake(body, scene, sinks, controls);
    }
    report.has_checkpoint = report.bake.is_kept && report.bake.cancelled;
    if (checkpoint != nullptr && !report.bake.outputs.empty()) {
        checkpoint->remove();
    }
    report.total_seconds = seconds_since(begin);
    report.peak_memory_mb = peak_memory_mb();
    return report;
}

int run_bake(const Scene& scene, const RunOptions& options) {
    catch_signals();
    const bool is_patient = options.checkpoint_every > 0 || options.resume;
    ProgressDisplay progress(options.json ? stderr : stdout, end_at_once, is_patient);
    RunReport report = bake_scene(scene, options, progress.callback());
    if (caught_signal() != 0 && report.bake.outputs.empty()) {
        std::cerr << "cutis: stopped by signal " << caught_signal()
                  << (report.has_checkpoint ? ", a checkpoint was written: --resume continues from it\n"
                                            : ", nothing was written\n");
        return exit_signal + caught_signal();
    }
    if (!options.single_obj.empty()) {
        drop_frame_number(options.single_obj, report.bake.outputs);
    }
    const Json json = report_json(report);
    if (options.use_report_file) {
        AtomicFile file(options.folder / "report.json");
        file.write(json_text(json));
        file.commit();
    }
    std::cout << (options.json ? json_text(json) : report_text(report));
    return exit_good;
}

}  // namespace cutis::app
