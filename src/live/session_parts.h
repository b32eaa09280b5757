#pragma once

#include "cutis/live/session.h"
#include "live/beside.h"
#include "live/frame_pack.h"
#include "live/open_scene.h"

// What a session is made of: commands (session.cpp), options (session_options.cpp), steps and frames
// (session_step.cpp).

namespace cutis {

struct Session::Parts {
    /// A scene that is being made on another thread with a new value.
    struct Preparation {
        Json command;
        std::vector<Json> since;  // live values set meanwhile
        std::unique_ptr<Beside<std::unique_ptr<OpenScene>>> job;
    };

    explicit Parts(SessionOptions given) : options(std::move(given)) {
        require(options.workers != nullptr, "session: expected workers, found none");
    }

    Json run(const Json& command);
    void show_scene(std::unique_ptr<OpenScene> next);
    Json clock(const Json& command);
    Json set(const Json& command);
    Json change_clip(const Json& command);
    Json show(const Json& command);
    Json describe_all() const;
    std::string saved(bool with_hands) const;
    void prepare_beside(const Json& command);
    void begin_preparation();
    void finish_preparation();
    void forget_preparations();
    void take(std::unique_ptr<OpenScene> next);
    void note(const Json& command) { record.push_back({{"step", steps}, {"command", command}}); }
    void play_recorded();
    void prepare_again(size_t layer, const std::shared_ptr<LayerPlan>& plan);
    bool step();
    void pack();

    SessionOptions options;
    std::unique_ptr<OpenScene> now;
    bool plays = true;
    bool poses = false;  // layers go on while the clip stands
    double speed = 1.0;
    double clip_time = 0.0;
    double session_clock = 0.0;
    long steps = 0;
    int fresh_steps = 0;  // to make even where everything stands
    bool is_cut = false;
    bool shows_plain = false;
    std::string channel;     // shown as heat
    std::string direction;   // shown as strokes
    bool announces = false;  // meshes with the next frame
    bool has_announced = false;
    int version = 0;
    double ack = 0.0;
    std::string problem;  // to be said with the next frame
    std::string failed;   // what the last step did
    Json record = Json::array();
    FramePack packed;
    std::unique_ptr<Preparation> coming;  // after what it reads
    std::vector<Json> waiting;
};

}  // namespace cutis
