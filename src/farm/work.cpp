#include "farm/work.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/stack/bake.h"
#include "farm/chunk_store.h"
#include "farm/state.h"
#include "farm/thumbnail.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

// Chunks that write nothing still make what the outputs will ask for.
class WishSink final : public FrameSink {
public:
    explicit WishSink(bool wants) : wants_(wants) {}
    bool wants_body_positions() const override { return wants_; }
    void begin(const BakeInfo& /*info*/) override {}
    void write(const Frame& /*frame*/) override {}
    std::vector<OutputFile> finish() override { return {}; }

private:
    bool wants_;
};

// The latest state that an earlier try of the same task kept, copied: whoever made it may be at work still.
// \return its frame; none: nothing was kept
std::optional<int> take_over(const Work& work, const State& state) {
    fs::path best;
    int best_frame = 0;
    std::uint64_t best_bytes = 0;
    for (const fs::path& folder : state.other_work_folders(work.task.hash)) {
        std::error_code error;
        if (folder == work.folder || !fs::exists(folder / "state", error)) {
            continue;
        }
        try {
            const SavedState saved = read_state(folder / "state", {{"the task", work.task.hash}});
            const bool is_whole = fs::file_size(folder / "frames", error) >= saved.frame_bytes && !error;
            if (is_whole && (best.empty() || saved.state.frame > best_frame)) {
                best = folder;
                best_frame = saved.state.frame;
                best_bytes = saved.frame_bytes;
            }
        } catch (const Error&) {
            continue;  // of a worker that died while it wrote: frames are made again
        }
    }
    if (best.empty()) {
        return std::nullopt;
    }
    // Frames first: a state speaks of frames that are there.
    std::error_code error;
    fs::copy_file(best / "state", work.folder / "state.taken", error);
    if (!error) {
        fs::copy_file(best / "frames", work.folder / "frames", error);
    }
    if (!error) {
        fs::resize_file(work.folder / "frames", best_bytes, error);
    }
    if (!error) {
        fs::rename(work.folder / "state.taken", work.folder / "state", error);
    }
    if (error) {
        fs::remove(work.folder / "state.taken", error);
        fs::remove(work.folder / "frames", error);
        return std::nullopt;
    }
    std::printf("continues after frame %d of an earlier try\n", best_frame);
    return best_frame;
}

std::unique_ptr<ChunkStore> open_store(const Work& work, const Scene& scene, int last, const State& state) {
    const Task& task = work.task;
    ChunkStore::Options options;
    options.folder = work.folder;
    options.hash = task.hash;
    options.layers = static_cast<int>(scene.layers.size());
    options.has_memory = task.kind == TaskKind::chain || task.kind == TaskKind::whole;
    options.is_first = task.kind == TaskKind::whole || task.chunk == 0;
    options.first_frame = task.kind == TaskKind::join    ? last + 1
                          : task.kind == TaskKind::whole ? scene.first_frame
                                                         : task.first_frame;
    options.reads_all = task.is_last();
    // The last of a shot reads all before it; one in the middle of a chain the one before it.
    std::int64_t first = work.number;
    if (task.is_last()) {
        first = work.number - task.chunk;
    } else if (task.kind == TaskKind::chain && task.chunk > 0) {
        first = work.number - 1;
    }
    for (std::int64_t number = first; number < work.number; ++number) {
        options.before_hash = work.plan->task(number).hash;
        options.before.push_back(state.done_folder(options.before_hash));
    }
    return std::make_unique<ChunkStore>(std::move(options));
}

std::string report_lines(const BakeReport& report, int vertices) {
    std::string text = concat("frames: ", report.frames_done - report.frames_resumed, "\nvertices: ", vertices, "\n");
    double bytes = 0.0;
    for (const OutputFile& file : report.outputs) {
        bytes += static_cast<double>(file.bytes);
    }
    text += concat("bytes: ", bytes, "\n");
    for (const auto& [stage, seconds] : report.stage_seconds) {
        text += concat("seconds of ", stage, ": ", seconds, "\n");
    }
    for (const std::string& note : report.notes) {
        std::printf("note: %s\n", note.c_str());
    }
    for (const LayerReport& layer : report.layers) {
        for (const std::string& note : layer.notes) {
            std::printf("note: layer %s: %s\n", layer.kind.c_str(), note.c_str());
        }
    }
    return text;
}

// The skeleton's motion without layers: what a learned deformer reads beside the points.
void write_skeleton(const Body& body, Scene scene, const Shot& shot, const fs::path& folder, const Workers& workers) {
    scene.layers.clear();
    const auto sinks = make_sinks({"glb"}, folder, shot.name + ".skeleton", {});
    bake(body, scene, sinks, {&workers, {}, nullptr});
}

}  // namespace

std::string bake_task(const Work& work, const RunControls& controls, bool& was_stopped) {
    const Task& task = work.task;
    const Shot shot = work.plan->shot(task);
    const Scene scene = planned_scene(shot, controls.version);
    const Body body = load_body(
        scene, [](std::string_view note) { std::printf("note: %.*s\n", static_cast<int>(note.size()), note.data()); },
        controls.actors);
    const FrameRange range = frames_of(body, scene);
    const State state(work.plan->folder());
    std::unique_ptr<ChunkStore> store;
    if (task.kind != TaskKind::whole || task.seconds > controls.checkpoint) {
        const std::optional<int> taken = take_over(work, state);
        if (!task.is_last() && taken && *taken >= task.last_frame) {
            was_stopped = false;  // all was made, and the worker died before it could say so
            return concat("frames: 0\nvertices: ", body.mesh().positions.rows(), "\n");
        }
        store = open_store(work, scene, range.last, state);
    }
    SinkOptions chosen;
    chosen.html.title = shot.label;
    chosen = sink_options(scene, chosen);
    std::vector<std::unique_ptr<FrameSink>> sinks = make_sinks(scene.output.formats, work.folder, shot.name, chosen);
    if (task.is_last()) {
        sinks.push_back(make_thumbnail_sink(work.folder / "thumbnail.png"));
    } else {
        const bool wants =
            std::any_of(sinks.begin(), sinks.end(), [](const auto& sink) { return sink->wants_body_positions(); });
        sinks.clear();
        sinks.push_back(std::make_unique<WishSink>(wants));
    }
    const int end = task.is_last() ? range.last : task.last_frame;
    const ProgressCallback progress = [&](const Progress& at) {
        ++*work.steps;
        was_stopped = controls.stopped && controls.stopped() != 0;
        const bool is_end = !at.begins && range.last - at.total + at.done >= end && end < range.last;
        return !was_stopped && !is_end;
    };
    const Workers workers(controls.threads);
    const double frame_seconds = task.seconds / std::max(1, range.count());
    const int every = static_cast<int>(std::clamp(controls.checkpoint / std::max(frame_seconds, 1e-6), 1.0, 1e6));
    const BakeReport report =
        bake(body, scene, sinks, {&workers, progress, nullptr, store.get(), store == nullptr ? 0 : every});
    // A chunk in the middle ends with its last state, the last part of a shot with the shot.
    was_stopped = report.cancelled && !(end < range.last && store->saved_frame() == end);
    if (was_stopped) {
        return "";
    }
    if (!task.is_last()) {
        store->sync();
        require(store->frames_kept() == task.last_frame - task.first_frame + 1, "frames ", task.first_frame, " to ",
                task.last_frame, ": ", store->frames_kept(), " made; was the shot longer when it was planned?");
    }
    if (task.is_last()) {
        std::error_code ignored;
        fs::remove(work.folder / "state", ignored);
        fs::remove(work.folder / "frames", ignored);
        if (shot.is_training) {
            write_skeleton(body, scene, shot, work.folder, workers);
        }
    }
    return report_lines(report, report.vertices);
}

}  // namespace cutis::farm
