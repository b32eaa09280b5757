#include "cutis/stack/bake.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "layer_stack.h"

namespace cutis {

namespace {

struct Seconds {
    double prepare = 0.0;
    double body = 0.0;
    std::vector<double> layers;
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
            throw SolverFailure(
                say("frame ", frame.number, ": expected finite positions, vertex ", v, " is not"));
        }
    }
}

void fill_report(const LayerStack& stack, const Seconds& seconds, BakeReport& report) {
    report.stage_seconds = {{"prepare", seconds.prepare}, {"body", seconds.body}};
    for (size_t i = 0; i < stack.size(); ++i) {
        report.stage_seconds.emplace_back(stack.info().layers[i].name, seconds.layers[i]);
        report.layers.push_back(stack.layer(i).report());
    }
    report.stage_seconds.emplace_back("write", seconds.write);
}

}  // namespace

FrameRange frames_of(const Body& body, const Scene& scene) {
    FrameRange range;
    range.first = scene.first_frame;
    range.last = scene.last_frame;
    if (range.first < 1) {
        throw InvalidInput(
            say("frames: expected a first frame of at least 1, found ", range.first));
    }
    if (range.last == 0) {
        // Keys sit on frames up to rounding of the file's float times.
        constexpr double rounding = 1e-4;
        const double intervals = body.duration() * scene.fps;
        const double last = body.is_looping() && body.duration() > 0.0
                                ? std::ceil(intervals - rounding)
                                : 1.0 + std::floor(intervals + rounding);
        if (!(last <= max_frames)) {
            throw InvalidInput(say("frames: expected at most ", max_frames, ", found ", last));
        }
        range.last = std::max(1, static_cast<int>(last));
    }
    if (range.last < range.first) {
        throw InvalidInput(say("frames: expected a first frame up to ", range.last,
                               " (the last one), found ", range.first));
    }
    if (range.count() > max_frames) {
        throw InvalidInput(say("frames: expected at most ", max_frames, ", found ", range.count()));
    }
    return range;
}

BakeReport bake(const Body& body, const Scene& scene,
                const std::vector<std::unique_ptr<FrameSink>>& sinks,
                const BakeControls& controls) {
    if (controls.workers == nullptr) {
        throw InvalidInput("bake: expected workers, found none");
    }
    BakeReport report;
    report.frames = frames_of(body, scene);
    Seconds seconds;
    seconds.layers.resize(scene.layers.size());

    // Preparing, the first frame and finishing files can take long: a caller hears of each.
    const auto begin_stage = [&](const std::string& stage) {
        report.cancelled =
            report.cancelled || (controls.progress && !controls.progress({stage, 0, 1, true}));
        return !report.cancelled;
    };
    std::unique_ptr<LayerStack> layers;
    {
        const StageClock clock(seconds.prepare);
        layers = std::make_unique<LayerStack>(
            body, scene, controls.kinds ? *controls.kinds : layer_kinds(), report.notes,
            [&](const LayerScene& layer) { return begin_stage("preparing " + layer.kind); });
        if (report.cancelled) {
            return report;
        }
        report.vertices = static_cast<int>(layers->art().positions.rows());
        BakeInfo info = layers->info();
        info.fps = scene.fps;
        info.first_frame = report.frames.first;
        info.frame_count = report.frames.count();
        info.sampling = scene.body.sampling;
        for (const auto& sink : sinks) {
            sink->begin(info);
        }
    }

    LayerStack& stack = *layers;

    // Memory needs its past: the pre-roll, and every frame before the first one asked for.
    const bool remembers = stack.any(&Layer::has_memory);
    const int pre_roll = remembers ? static_cast<int>(std::ceil(scene.pre_roll * scene.fps)) : 0;
    const int begin = remembers ? 1 - pre_roll : report.frames.first;
    const int total = report.frames.last - begin + 1;
    const auto time_of = [&](int number) { return (number - 1) / scene.fps; };

    const bool keep_body = stack.any(&Layer::changes_shape) &&
                           std::any_of(sinks.begin(), sinks.end(), [](const auto& sink) {
                               return sink->wants_body_positions();
                           });

    Frame frame = stack.info().empty_frame();
    const auto write = [&](const Frame& done) {
        const StageClock clock(seconds.write);
        for (const auto& sink : sinks) {
            sink->write(done);
        }
        ++report.frames_done;
    };
    int next = begin;
    if (controls.keeper != nullptr && controls.keeper->past() != nullptr) {
        const BakeState& past = *controls.keeper->past();
        if (past.frame < begin || past.frame > report.frames.last) {
            throw InvalidInput(say("saved state: expected a frame from ", begin, " to ",
                                   report.frames.last, ", found ", past.frame));
        }
        stack.restore(past.layers);
        Frame kept;
        while (controls.keeper->read_frame(kept)) {
            write(kept);
        }
        report.frames_resumed = report.frames_done;
        next = past.frame + 1;
    }
    double previous = time_of(next - 1);
    if (remembers && next == begin && !begin_stage("settling")) {
        return report;
    }
    for (int number = next; number <= report.frames.last; ++number) {
        frame.number = number;
        frame.time = time_of(number);
        {
            const StageClock clock(seconds.body);
            body.positions(frame.time, scene.body.sampling, *controls.workers,
                           frame.body().positions);
            frame.stage_seconds.front() = clock.elapsed();
        }
        const bool is_first = number == begin;
        LayerStep step;
        step.body = &body;
        step.workers = controls.workers;
        step.sampling = scene.body.sampling;
        step.from = is_first ? frame.time : previous;
        step.to = frame.time;
        step.reset = is_first || body.jumps_between(previous, frame.time);
        stack.advance(step, keep_body, frame, seconds.layers);
        previous = frame.time;
        if (number >= report.frames.first) {
            check_finite(frame);
            write(frame);
            if (controls.keeper != nullptr) {
                controls.keeper->keep(frame);
            }
        }
        report.cancelled = controls.progress &&
                           !controls.progress({number < report.frames.first ? "pre-roll" : "frame",
                                               number - begin + 1, total});
        const bool is_due =
            controls.keep_every > 0 && (number - begin + 1) % controls.keep_every == 0;
        if (controls.keeper != nullptr && (report.cancelled || is_due)) {
            controls.keeper->save({number, stack.save()});
            report.is_kept = true;
        }
        if (report.cancelled) {
            break;
        }
    }
    if (!report.cancelled) {
        const StageClock clock(seconds.write);
        if (controls.progress) {
            controls.progress({"writing", 0, 1, true});  // too late to stop: every frame is done
        }
        for (const auto& sink : sinks) {
            for (OutputFile& file : sink->finish()) {
                report.outputs.push_back(std::move(file));
            }
        }
    }
    fill_report(stack, seconds, report);
    return report;
}

}  // namespace cutis
