#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"
#include "cutis/stack/layer_stack.h"
#include "live/session_parts.h"
#include "live/wrinkle_pack.h"

// A step, and the frame that tells of it.

namespace cutis {

/// What a recording says was done at this step.
void Session::Parts::play_recorded() {
    while (now->played < now->recorded.size() && now->recorded[now->played].step <= static_cast<double>(steps)) {
        const Json command = now->recorded[now->played++].command;
        try {
            run(command);
            note(command);
        } catch (const std::exception& error) {
            problem = failed = concat("[recording] command ", now->played, ": ", error.what());
        }
    }
}

bool Session::Parts::step() {
    failed.clear();
    if (!now) {
        return false;
    }
    finish_preparation();
    play_recorded();
    const bool goes_on =
        plays || poses || now->hands->are_busy() || steps < static_cast<long>(now->scene.recording.steps);
    if (!goes_on && fresh_steps == 0) {
        return false;
    }
    fresh_steps = std::max(0, fresh_steps - 1);
    const double dt = speed * now->dt();
    if (plays) {
        const double duration = now->clip->duration();
        clip_time += dt;
        if (duration <= 0.0) {
            clip_time = 0.0;
        } else if (clip_time > duration && (!now->clip->is_looping() || now->clip->seam_is_jump())) {
            clip_time = std::fmod(clip_time, duration);
            is_cut = true;
        }
    }
    session_clock += dt;
    ++steps;
    LiveKey key;
    key.clock = session_clock;
    key.clip = clip_time;
    key.is_cut = is_cut;
    now->hands->fill(dt, key);
    now->motion->record(std::move(key));
    if (is_cut) {
        now->stack->start_anew();
        is_cut = false;
    }
    try {
        now->stack->advance_to(session_clock, dt, now->frame);
        for (const MeshFrame& mesh : now->frame.meshes) {
            if (!std::isfinite(mesh.positions.sum())) {
                throw SolverFailure("a position is not finite: layers restart");
            }
        }
    } catch (const std::exception& error) {
        problem = failed = error.what();
        is_cut = true;  // layers start anew with the next step, which says what was wrong
        return false;
    }
    pack();
    return true;
}

void Session::Parts::pack() {
    const BakeInfo& info = now->stack->info();
    packed.begin();
    has_announced = announces;
    Json head = {{"step", steps},
                 {"ack", ack},
                 {"time", now->clip->duration() > 0.0 ? std::fmod(clip_time, now->clip->duration()) : 0.0},
                 {"clock", session_clock},
                 {"duration", now->clip->duration()},
                 {"playing", plays}};
    if (announces) {
        ++version;
        head["meshes"] = pack_meshes(info, packed);
        Json layers = Json::array();
        for (const LayerInfo& layer : info.layers) {
            layers.push_back({{"kind", layer.kind},
                              {"name", layer.name},
                              {"firstMesh", layer.first_mesh},
                              {"meshCount", layer.mesh_count}});
        }
        head["layers"] = std::move(layers);
        pack_wrinkle_map(info, *options.workers, packed);
        announces = false;
    }
    head["version"] = version;
    if (!problem.empty()) {
        head["problem"] = problem;
        problem.clear();
    }
    Json times = Json::array();
    for (const double seconds : now->frame.stage_seconds) {
        times.push_back(options.measures ? 1000.0 * seconds : 0.0);
    }
    head["ms"] = std::move(times);
    for (size_t m = 0; m < info.meshes.size(); ++m) {
        const MeshFrame& mesh = now->frame.meshes[m];
        if (mesh.positions.rows() != info.meshes[m].vertex_count()) {
            continue;  // of a layer that was never on
        }
        packed.add_places({{"kind", "positions"}, {"mesh", m}}, mesh.positions, options.packs);
        if (mesh.uv.rows() > 0 && info.meshes[m].uv_moves()) {
            packed.add({{"kind", "uv"}, {"mesh", m}},
                       std::vector<float>(mesh.uv.data(), mesh.uv.data() + mesh.uv.size()));
        }
        if (m == 0 && shows_plain && mesh.plain_positions.rows() == mesh.positions.rows()) {
            packed.add_places({{"kind", "plain"}, {"mesh", m}}, mesh.plain_positions, options.packs);
        }
        for (size_t c = 0; c < info.meshes[m].channels.size(); ++c) {
            const ChannelInfo& about = info.meshes[m].channels[c];
            const bool is_heat = about.name == channel && about.width == 1;
            if (is_heat || (about.name == direction && about.width == 3)) {
                packed.add({{"kind", is_heat ? "channel" : "direction"},
                            {"mesh", m},
                            {"name", about.name},
                            {"neutral", about.neutral},
                            {"unit", about.unit}},
                           std::vector<float>(mesh.channels[c].begin(), mesh.channels[c].end()));
            }
        }
    }
    pack_wrinkle_heights(info, now->frame, packed);
    const MatrixX3d joints = now->hands->joint_places(session_clock);
    if (joints.rows() > 0) {
        packed.add_places({{"kind", "joints"}, {"mesh", 0}}, joints, false);
    }
    packed.end(std::move(head));
}

}  // namespace cutis
