#include "cutis/stack/bake.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

namespace {

// Adds the seconds spent in a scope to one stage.
class StageClock {
public:
    explicit StageClock(double& seconds) : seconds_(seconds) {}
    ~StageClock() { seconds_ += elapsed(); }
    double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
    StageClock(const StageClock&) = delete;
    StageClock& operator=(const StageClock&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    Clock::time_point begin_ = Clock::now();
};

struct Seconds {
    double prepare = 0.0;
    double body = 0.0;
    std::vector<double> layers;
    double write = 0.0;
};

// Layers with everything they need from frame to frame.
struct LayerStack {
    std::vector<std::unique_ptr<Layer>> layers;
    std::unique_ptr<SimulationSurface> surface;
    MatrixX3d before;  // simulation vertices as the body has them
    MatrixX3d after;   // the same with all layers

    bool any(bool (Layer::*question)() const) const {
        for (const auto& layer : layers) {
            if ((layer.get()->*question)()) {
                return true;
            }
        }
        return false;
    }

    void advance(const LayerStep& step, Frame& frame, std::vector<double>& seconds) {
        if (layers.empty()) {
            return;
        }
        surface->gather(frame.positions, before);
        after = before;
        for (size_t i = 0; i < layers.size(); ++i) {
            const StageClock clock(seconds[i]);
            layers[i]->advance(step, after, frame);
            frame.stage_seconds[i + 1].second = clock.elapsed();
        }
        surface->scatter(before, after, frame.positions);
    }
};

LayerStack prepare_layers(const Body& body, const Scene& scene, const std::vector<LayerKind>& kinds,
                          BakeReport& report) {
    LayerStack stack;
    if (scene.layers.empty()) {
        return stack;
    }
    RepairOptions options;
    options.weld_distance = scene.body.weld_distance;
    stack.surface = std::make_unique<SimulationSurface>(
        scene.body.repair ? SimulationSurface::repaired(body, options)
                          : SimulationSurface::as_it_is(body));
    for (const std::string& note : stack.surface->mesh().notes) {
        report.notes.push_back(note);
    }
    for (const LayerScene& layer : scene.layers) {
        stack.layers.push_back(plan_layer(layer, scene.file, kinds)->prepare(*stack.surface, body));
    }
    return stack;
}

void check_finite(const Frame& frame) {
    // A sum is finite unless one number is not; only then the culprit is worth a search.
    if (std::isfinite(frame.positions.sum())) {
        return;
    }
    for (Eigen::Index v = 0; v < frame.positions.rows(); ++v) {
        if (!frame.positions.row(v).allFinite()) {
            throw SolverFailure(
                say("frame ", frame.number, ": expected finite positions, vertex ", v, " is not"));
        }
    }
}

void fill_report(const LayerStack& stack, const Scene& scene, const Seconds& seconds,
                 BakeReport& report) {
    report.stage_seconds = {{"prepare", seconds.prepare}, {"body", seconds.body}};
    for (size_t i = 0; i < stack.layers.size(); ++i) {
        report.stage_seconds.emplace_back(scene.layers[i].kind, seconds.layers[i]);
        report.layers.push_back(stack.layers[i]->report());
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

    LayerStack stack;
    {
        const StageClock clock(seconds.prepare);
        stack =
            prepare_layers(body, scene, controls.kinds ? *controls.kinds : layer_kinds(), report);
        const BakeInfo info{&body,
                            scene.fps,
                            report.frames.first,
                            report.frames.count(),
                            stack.any(&Layer::changes_shape),
                            stack.any(&Layer::changes_uv),
                            scene.body.sampling};
        for (const auto& sink : sinks) {
            sink->begin(info);
        }
    }

    // Memory needs its past: the pre-roll, and every frame before the first one asked for.
    const bool remembers = stack.any(&Layer::has_memory);
    const int pre_roll = remembers ? static_cast<int>(std::ceil(scene.pre_roll * scene.fps)) : 0;
    const int begin = remembers ? 1 - pre_roll : report.frames.first;
    const int total = report.frames.last - begin + 1;

    const bool keep_body = stack.any(&Layer::changes_shape) &&
                           std::any_of(sinks.begin(), sinks.end(), [](const auto& sink) {
                               return sink->wants_body_positions();
                           });

    Frame frame;
    frame.stage_seconds.emplace_back("body", 0.0);
    for (const LayerScene& layer : scene.layers) {
        frame.stage_seconds.emplace_back(layer.kind, 0.0);
    }
    double previous = 0.0;
    for (int number = begin; number <= report.frames.last; ++number) {
        frame.number = number;
        frame.time = (number - 1) / scene.fps;
        {
            const StageClock clock(seconds.body);
            body.positions(frame.time, scene.body.sampling, *controls.workers, frame.positions);
            frame.stage_seconds.front().second = clock.elapsed();
        }
        if (keep_body) {
            frame.body_positions = frame.positions;
        }
        const bool is_first = number == begin;
        const LayerStep step{&body,
                             controls.workers,
                             scene.body.sampling,
                             is_first ? frame.time : previous,
                             frame.time,
                             is_first || body.jumps_between(previous, frame.time)};
        stack.advance(step, frame, seconds.layers);
        previous = frame.time;
        if (number >= report.frames.first) {
            check_finite(frame);
            const StageClock clock(seconds.write);
            for (const auto& sink : sinks) {
                sink->write(frame);
            }
            ++report.frames_done;
        }
        if (controls.progress &&
            !controls.progress(
                {number < report.frames.first ? "pre-roll" : "frame", number - begin + 1, total})) {
            report.cancelled = true;
            break;
        }
    }
    if (!report.cancelled) {
        const StageClock clock(seconds.write);
        for (const auto& sink : sinks) {
            for (OutputFile& file : sink->finish()) {
                report.outputs.push_back(std::move(file));
            }
        }
    }
    fill_report(stack, scene, seconds, report);
    return report;
}

}  // namespace cutis
