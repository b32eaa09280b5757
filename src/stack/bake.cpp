#include "cutis/stack/bake.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/stack/cost.h"
#include "cutis/stack/layer_stack.h"
#include "loop_settle.h"
#include "stage_clock.h"

namespace cutis {

namespace {

struct Seconds {
    double prepare = 0.0;
    std::vector<double> stages;  // body, layers
    double write = 0.0;
};

void check_finite(const Frame& frame) {
    const MatrixX3d& positions = frame.body().positions;
    // A sum is finite unless one number is not; only then the culprit is worth a search.
    if (std::isfinite(positions.sum())) {
        return;
    }
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        if (!positions.row(v).allFinite()) {
            throw SolverFailure(concat("frame ", frame.number, ": expected finite positions, vertex ", v, " is not"));
        }
    }
}

/// Does a bake go on without a layer that refuses this body? Where nobody chose anything of it, or the scene says so.
bool may_be_left_out(const Scene& scene, const LayerScene& entry) {
    return scene.body.leave_out || std::all_of(entry.values.begin(), entry.values.end(), [](const auto& value) {
               return value.first == "kind" || value.first == "detail";
           });
}

/// Prepares a layer on what the ones before it leave, and adds it.
/// \return why it is left out; empty: it is not
std::string add_layer(LayerStack& stack, const Scene& scene, const LayerScene& entry,
                      const std::vector<LayerKind>& kinds) {
    const std::shared_ptr<LayerPlan> plan = entry.plan ? entry.plan : plan_layer(entry, scene.file, kinds);
    const LayerInput& ground = stack.ground();
    std::unique_ptr<Layer> layer;
    try {
        layer = plan->prepare(ground, entry.meshes);
    } catch (const InvalidInput& error) {
        if (!may_be_left_out(scene, entry)) {
            throw;
        }
        return error.what();
    } catch (const SolverFailure& error) {  // nothing a scene could say differently
        return error.what();
    }
    try {
        stack.add(entry.kind, std::move(layer));
    } catch (const InvalidInput& error) {
        throw InvalidInput(concat(scene_place(scene.file, entry.line, entry.column), error.what()));
    }
    return {};
}

/// What preparing, running and writing will take, and what would take less where it is too much.
void estimate(LayerStack& stack, const Body& body, const Scene& scene, const BakeControls& controls,
              BakeReport& report) {
    constexpr double megabyte = 1048576.0;
    constexpr double program = 30.0 * megabyte;
    constexpr double of_body = 3000.0;   // bytes a vertex: file, mesh, weights, welded surface
    constexpr double of_frame = 3000.0;  // bytes a shown vertex: frames under way
    constexpr double of_output = 60.0;   // bytes a shown vertex and frame, while a page or GLB finds its modes
    double vertices = static_cast<double>(body.mesh().positions.rows());
    double bytes = program + of_body * vertices;
    double folds = 0.0;
    for (const LayerScene& entry : scene.layers) {
        const std::vector<LayerKind>& kinds = controls.kinds ? *controls.kinds : layer_kinds();
        const std::shared_ptr<LayerPlan> plan = entry.plan ? entry.plan : plan_layer(entry, scene.file, kinds);
        const LayerInput& ground = stack.ground();
        try {
            const LayerCost cost = plan->estimate(ground);
            bytes += cost.bytes;
            vertices = std::max(vertices, cost.vertices);
            folds = std::max(folds, cost.vertices);
        } catch (const InvalidInput& error) {
            if (!may_be_left_out(scene, entry)) {  // else preparing it says why
                throw InvalidInput(concat(scene_place(scene.file, entry.line, entry.column), error.what()));
            }
        }
    }
    const auto& formats = scene.output.formats;
    const bool keeps_all = std::any_of(formats.begin(), formats.end(),
                                       [](const std::string& name) { return name == "html" || name == "glb"; });
    const double frames = report.frames.count();
    const double output = keeps_all ? of_output * vertices * frames : 0.0;
    bytes += of_frame * vertices + output;
    report.estimated_bytes = bytes;
    report.estimated_seconds =
        expected_scene_cost(scene, static_cast<double>(body.mesh().positions.rows()), report.frames.count(), folds)
            .seconds;
    if (controls.memory <= 0.0 || bytes <= controls.memory) {
        return;
    }
    const auto in_gb = [](double value) { return concat(std::round(value / megabyte / 10.24) / 100.0, " GB"); };
    std::vector<std::string> helps;
    if (output > 0.3 * bytes) {
        helps.push_back(concat("fewer frames (", frames, " now)"));
        helps.emplace_back("formats that write frame by frame (pc2, npz, obj)");
    }
    if (folds > 0.0) {
        helps.push_back(concat("a smaller budget of folds (most_vertices; they take about ", std::round(folds), ")"));
    }
    helps.emplace_back("a coarser mesh");
    helps.emplace_back("a larger --memory");
    throw InvalidInput(concat("memory: expected a bake of at most ", in_gb(controls.memory), ", found one of about ",
                              in_gb(bytes), "; what helps: ", word_list(helps, "or")));
}

void fill_report(const LayerStack& stack, const Seconds& seconds, BakeReport& report) {
    report.stage_seconds = {{"prepare", seconds.prepare}, {"body", seconds.stages[0]}};
    for (size_t i = 0; i < stack.size(); ++i) {
        report.stage_seconds.emplace_back(stack.info().layers[i].name, seconds.stages[i + 1]);
        report.layers.push_back(stack.layer(i).report());
        const std::string unseen = report.frames_resumed == 0 ? stack.note_if_unseen(i) : "";
        if (!unseen.empty()) {
            report.layers.back().notes.push_back(unseen);
        }
    }
    report.stage_seconds.emplace_back("write", seconds.write);
    if (!stack.cuts().empty()) {
        report.notes.push_back(
            concat("The body jumps to frame ", stack.cuts().front(),
                   stack.cuts().size() > 1 ? concat(" and to ", stack.cuts().size() - 1, " more") : std::string(),
                   ": layers restart there (cut_distance of [body])"));
    }
}

}  // namespace

FrameRange frames_of(const Body& body, const Scene& scene) {
    FrameRange range;
    range.first = scene.first_frame;
    range.last = scene.last_frame;
    require(range.first >= 1, "frames: expected a first frame of at least 1, found ", range.first);
    if (range.last == 0 && scene.recording.steps > 0) {
        range.last = scene.recording.steps;
    }
    if (range.last == 0) {
        // Keys sit on frames up to rounding of the file's float times.
        constexpr double rounding = 1e-4;
        const double intervals = body.duration() * scene.fps;
        const double last = body.is_looping() && body.duration() > 0.0 ? std::ceil(intervals - rounding)
                                                                       : 1.0 + std::floor(intervals + rounding);
        require(last <= max_frames, "frames: expected at most ", max_frames, ", found ", last);
        range.last = std::max(1, static_cast<int>(last));
    }
    require(range.last >= range.first, "frames: expected a first frame up to ", range.last, " (the last one), found ",
            range.first);
    require(range.count() <= max_frames, "frames: expected at most ", max_frames, ", found ", range.count());
    return range;
}

BakeReport bake(const Body& body, const Scene& scene, const std::vector<std::unique_ptr<FrameSink>>& sinks,
                const BakeControls& controls) {
    require(controls.workers != nullptr, "bake: expected workers, found none");
    require(scene.recording.steps == 0, "[recording]: expected none here (`cutis bake` plays it), found one of ",
            scene.recording.steps, " steps");
    BakeReport report;
    report.frames = frames_of(body, scene);
    Seconds seconds;

    // Preparing, the first frame and finishing files can take long: a caller hears of each.
    const auto begin_stage = [&](const std::string& stage) {
        report.cancelled = report.cancelled || (controls.progress && !controls.progress({stage, 0, 1, true}));
        return !report.cancelled;
    };
    StackOptions options;
    options.fps = scene.fps;
    options.sampling = scene.body.sampling;
    options.repair = scene.body.repair;
    options.weld_distance = scene.body.weld_distance;
    options.cut_distance = scene.body.cut_distance;
    LayerStack stack(body, options, *controls.workers);
    {
        const StageClock clock(seconds.prepare);
        estimate(stack, body, scene, controls, report);
        if (controls.expects) {
            controls.expects(report.estimated_seconds);
        }
        std::vector<std::string> left_out;
        for (const LayerScene& entry : scene.layers) {
            if (!begin_stage("preparing " + entry.kind)) {
                return report;
            }
            const std::string why = add_layer(stack, scene, entry, controls.kinds ? *controls.kinds : layer_kinds());
            if (!why.empty()) {
                left_out.push_back(concat("layer ", entry.kind, " is left out: ", why));
            }
        }
        const bool keep_plain = stack.changes_shape() && std::any_of(sinks.begin(), sinks.end(), [](const auto& sink) {
                                    return sink->wants_body_positions();
                                });
        stack.keep_plain(keep_plain);
        report.notes = stack.notes();
        report.notes.insert(report.notes.end(), left_out.begin(), left_out.end());
        report.vertices = stack.info().meshes.front().vertex_count();
        BakeInfo info = stack.info();
        info.first_frame = report.frames.first;
        info.frame_count = report.frames.count();
        info.workers = controls.workers;
        info.meshes.front().has_plain = keep_plain;
        if (controls.keeper != nullptr) {
            controls.keeper->begin(info);
        }
        for (const auto& sink : sinks) {
            sink->begin(info);
        }
    }
    seconds.stages.resize(stack.size() + 1);

    // Stateful layers need their past: the pre-roll, and every frame before the first one asked
    // for.
    const bool remembers = stack.has_memory();
    const int cycle = remembers ? LoopSettler::frames_of_cycle(body, scene.fps) : 0;
    const int pre_roll = remembers && cycle == 0 ? static_cast<int>(std::ceil(scene.pre_roll * scene.fps)) : 0;
    const int begin = remembers ? 1 - pre_roll : report.frames.first;
    const int total = report.frames.last - begin + 1;

    Frame frame = stack.info().empty_frame();
    const auto write = [&](const Frame& done) {
        double spent = 0.0;
        {
            const StageClock clock(spent);
            for (const auto& sink : sinks) {
                sink->write(done);
            }
        }
        seconds.write += spent;
        ++report.frames_done;
    };
    // A body that loops has no beginning: its memory is that of cycles before, and the last frame leads to the first.
    LoopSettler loop(body, std::max(cycle, 1));
    if (cycle > 0) {
        const StageClock clock(seconds.prepare);
        if (!loop.settle(stack, [&](int number) { return begin_stage(concat("settling, cycle ", number)); })) {
            return report;
        }
        report.notes.push_back(loop.note());
    } else if (remembers && body.is_looping() && !body.seam_is_jump()) {
        report.notes.push_back(
            concat("loop: a cycle of ", body.duration() * scene.fps,
                   " frames is not a whole number of frames, so the loop does not close; another fps may help"));
    }
    int next = begin;
    if (controls.keeper != nullptr && controls.keeper->past() != nullptr) {
        const BakeState& past = *controls.keeper->past();
        require(past.frame >= begin && past.frame <= report.frames.last, "saved state: expected a frame from ", begin,
                " to ", report.frames.last, ", found ", past.frame);
        stack.restore(past.layers, cycle > 0 ? loop.place_of(past.frame) : past.frame);
        // The last one is the past of the next: rotations of copies keep their sign.
        while (controls.keeper->read_frame(frame)) {
            write(frame);
        }
        report.frames_resumed = report.frames_done;
        next = past.frame + 1;
    }
    if (remembers && cycle == 0 && next == begin && !begin_stage("settling")) {
        return report;
    }
    for (int number = next; number <= report.frames.last; ++number) {
        if (cycle > 0) {
            loop.advance(number, scene.fps, stack, frame);
        } else {
            stack.advance(number, frame);
        }
        for (size_t i = 0; i < seconds.stages.size(); ++i) {
            seconds.stages[i] += frame.stage_seconds[i];
        }
        if (number >= report.frames.first) {
            check_finite(frame);
            if (cycle > 0) {
                loop.blend(number, frame);
            }
            write(frame);
            if (controls.keeper != nullptr) {
                controls.keeper->keep(frame);
            }
        }
        report.cancelled = controls.progress && !controls.progress({number < report.frames.first ? "pre-roll" : "frame",
                                                                    number - begin + 1, total});
        const bool is_due = controls.keep_every > 0 && (number - begin + 1) % controls.keep_every == 0;
        if (controls.keeper != nullptr && (report.cancelled || is_due)) {
            controls.keeper->save({number, stack.save()});
            report.is_kept = true;
        }
        if (report.cancelled) {
            break;
        }
    }
    if (!report.cancelled) {
        double spent = 0.0;
        StageClock clock(spent);
        for (size_t i = 0; i < sinks.size(); ++i) {
            if (controls.progress) {  // too late to stop: every frame is done
                controls.progress(
                    {sinks.size() == 1 ? "writing" : concat("writing ", i + 1, " of ", sinks.size()), 0, 1, true});
            }
            for (OutputFile& file : sinks[i]->finish()) {
                report.outputs.push_back(std::move(file));
            }
        }
        clock.stop();
        seconds.write += spent;
    }
    fill_report(stack, seconds, report);
    return report;
}

}  // namespace cutis
