#include "cutis/live/bake_recording.h"

#include "cutis/core/error.h"
#include "cutis/live/session.h"

namespace cutis {

namespace {

/// Sinks were told what frames hold and keep pointers to it.
void check_same(const BakeInfo& told, const LayerStack& before, const LayerStack& after, int step) {
    bool is_same = &before == &after && after.info().meshes.size() == told.meshes.size();
    for (size_t m = 0; is_same && m < told.meshes.size(); ++m) {
        is_same = after.info().meshes[m].art == told.meshes[m].art;
    }
    require(is_same, "[recording] step ", step,
            ": expected the meshes of the beginning, found others (a command there "
            "prepares a layer again or changes the clip); save the scene as it is then, and record again");
}

}  // namespace

BakeReport bake_recording(const Scene& scene, const ActorLoader& actors,
                          const std::vector<std::unique_ptr<FrameSink>>& sinks, const BakeControls& controls) {
    require(controls.workers != nullptr, "bake: expected workers, found none");
    require(controls.keeper == nullptr, "[recording]: expected a bake without checkpoints: it begins at its beginning");
    const int steps = scene.recording.steps;
    BakeReport report;
    report.frames = {scene.first_frame, scene.last_frame == 0 ? steps : scene.last_frame};
    require(report.frames.first >= 1 && report.frames.last <= steps && report.frames.count() >= 1,
            "frames: expected some of the ", steps, " steps recorded, found ", report.frames.first, " to ",
            report.frames.last);
    if (controls.progress && !controls.progress({"preparing", 0, 1, true})) {
        report.cancelled = true;
        return report;
    }
    SessionOptions options;
    options.workers = controls.workers;
    options.actors = actors;
    options.folder = scene.folder;
    options.keeps_past = true;
    Session session(options);
    const Json opened = session.open(scene);
    require(!opened.contains("error"), opened["error"].as_text());
    const LayerStack* const layers = session.layers();
    BakeInfo info = layers->info();
    bool keeps_plain = false;
    for (const auto& sink : sinks) {
        keeps_plain = keeps_plain || (layers->changes_shape() && sink->wants_body_positions());
    }
    session.apply({{"do", "show"}, {"plain", keeps_plain}});
    info.first_frame = report.frames.first;
    info.frame_count = report.frames.count();
    info.workers = controls.workers;
    info.meshes.front().has_plain = keeps_plain;
    report.vertices = info.meshes.front().vertex_count();
    report.stage_seconds = {{"body", 0.0}};
    for (const LayerInfo& layer : info.layers) {
        report.stage_seconds.emplace_back(layer.name, 0.0);
    }
    for (const auto& sink : sinks) {
        sink->begin(info);
    }
    for (int step = 1; step <= report.frames.last; ++step) {
        const bool has_stepped = session.step();
        if (!session.problem().empty() || !has_stepped) {
            throw SolverFailure(concat("[recording] step ", step, ": ", session.problem()));
        }
        check_same(info, *layers, *session.layers(), step);
        Frame frame = *session.state();
        frame.number = step;
        for (size_t i = 0; i < report.stage_seconds.size(); ++i) {
            report.stage_seconds[i].second += frame.stage_seconds[i];
        }
        if (step >= report.frames.first) {
            for (const auto& sink : sinks) {
                sink->write(frame);
            }
            ++report.frames_done;
        }
        if (controls.progress && !controls.progress({"frame", step, report.frames.last})) {
            report.cancelled = true;
            return report;
        }
    }
    for (size_t i = 0; i < layers->size(); ++i) {
        report.layers.push_back(layers->layer(i).report());
    }
    for (const auto& sink : sinks) {
        for (OutputFile& file : sink->finish()) {
            report.outputs.push_back(std::move(file));
        }
    }
    return report;
}

}  // namespace cutis
