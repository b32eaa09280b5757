#include "cutis/live/session.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/layer_stack.h"
#include "live/beside.h"
#include "live/command.h"
#include "live/frame_pack.h"
#include "live/open_scene.h"
#include "live/values.h"

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

Session::Session(SessionOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
Session::~Session() = default;

bool Session::step() {
    return parts_->step();
}
const std::vector<unsigned char>& Session::frame() const {
    return parts_->packed.bytes();
}
bool Session::announces() const {
    return parts_->has_announced;
}
double Session::interval() const {
    return parts_->now ? parts_->now->dt() : 1.0 / 30.0;
}
const Frame* Session::state() const {
    return parts_->now ? &parts_->now->frame : nullptr;
}

const LayerStack* Session::layers() const {
    return parts_->now ? parts_->now->stack.get() : nullptr;
}
const std::string& Session::problem() const {
    return parts_->failed;
}

Json Session::open(const std::string& scene, const std::filesystem::path& folder) {
    try {
        parts_->show_scene(read_open_scene(scene, folder, false, parts_->options));
        return {{"ok", true}};
    } catch (const std::exception& error) {
        return {{"error", error.what()}};
    }
}

Json Session::open(const Scene& scene) {
    try {
        parts_->show_scene(open_scene(scene, parts_->options));
        return {{"ok", true}};
    } catch (const std::exception& error) {
        return {{"error", error.what()}};
    }
}

Json Session::apply(const Json& command) {
    Json answer;
    try {
        answer = parts_->run(command);
        answer["ok"] = true;
        const std::string& what = command["do"].as_text();
        static const std::set<std::string> asks = {"hello", "describe", "save", "record", "show", "hash"};
        if (asks.count(what) == 0) {
            if (!answer.contains("pending")) {  // else when it takes effect
                parts_->note(command);
            }
            parts_->fresh_steps = std::max(parts_->fresh_steps, 1);
        }
    } catch (const std::bad_alloc&) {
        answer = Json{{"error", "not enough memory"}};
    } catch (const std::exception& error) {
        answer = Json{{"error", error.what()}};
    }
    const Json& number = command["seq"];
    if (number.is_number()) {
        answer["seq"] = number;
        parts_->ack = number.as_number();
    }
    return answer;
}

Json Session::take_file(const std::string& name, std::span<const unsigned char> bytes) {
    try {
        const bool is_plain = !name.empty() && name.size() < 200 && name.front() != '.' &&
                              name.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
        require(is_plain, "file: expected a plain name, found ", quoted_text(name));
        AtomicFile file(parts_->options.folder / name);
        file.write(bytes.data(), bytes.size());
        file.commit();
        return {{"ok", true}, {"name", name}};
    } catch (const std::exception& error) {
        return {{"error", error.what()}};
    }
}

Json Session::Parts::run(const Json& command) {
    require(command.is_object() && command["do"].is_text(), "command: expected an object with \"do\", found ",
            command.dump().substr(0, 80));
    const std::string& what = command["do"].as_text();
    if (what == "hello") {
        announces = true;
        fresh_steps = std::max(fresh_steps, 1);
        Json answer = {{"version", 1}, {"isOpen", now != nullptr}, {"demos", Json::array()}};
        for (const auto& [name, text] : options.demos) {
            answer["demos"].push_back(name);
        }
        answer["characters"] = options.characters;
        return answer;
    }
    if (what == "open") {
        std::string text = command["scene"].as_text();
        std::string name;
        if (command.contains("demo")) {
            const auto demo = options.demos.find(command["demo"].as_text());
            require(demo != options.demos.end(), "demo: there is none named ", command["demo"].dump());
            name = demo->first;
            text = demo->second;
        } else if (command.contains("character")) {
            const std::string& file = command["character"].as_text();
            require(file.find_first_of("/\\") == std::string::npos && !file.empty(),
                    "character: expected the name of a file that was handed in, or actor:NAME, found ",
                    quoted_text(file));
            const bool is_actor = file.compare(0, 6, "actor:") == 0;
            const Suggestion suggested =
                suggest_scene(is_actor ? file : (options.folder / file).string(), options.folder, {}, options.actors);
            text = suggested.scene;
        }
        require(!text.empty(), "open: expected scene, demo or character");
        std::unique_ptr<OpenScene> next = read_open_scene(text, options.folder, true, options);
        next->demo = name;
        show_scene(std::move(next));
        return describe_all();
    }
    require(now != nullptr, what, ": nothing is open");
    if (what == "clock") {
        return clock(command);
    }
    if (what == "set") {
        return set(command);
    }
    if (what == "layer") {
        const int layer = index_in(command, "layer", now->plans.size());
        require(command["on"].is_boolean(), "on: expected true or false");
        now->stack->set_on(static_cast<size_t>(layer), command["on"].as_boolean());
        return Json::object();
    }
    if (what == "clip") {
        return change_clip(command);
    }
    if (what == "show") {
        return show(command);
    }
    if (what == "describe") {
        return describe_all();
    }
    if (what == "save") {
        return {{"scene", saved(command.contains("hands") && command["hands"].as_boolean())}};
    }
    if (what == "record") {
        return {{"steps", steps}, {"commands", record}};
    }
    if (what == "hash") {  // two engines that agree on it have made the same bits
        return {{"step", steps}, {"hash", hash_of(now->frame)}};
    }
    if (what == "grab") {
        Hand hand;
        hand.mesh = static_cast<size_t>(index_in(command, "mesh", now->stack->info().meshes.size()));
        const MeshInfo& mesh = now->stack->info().meshes[hand.mesh];
        hand.vertex = index_in(command, "vertex", static_cast<size_t>(mesh.vertex_count()));
        hand.tool = command.contains("tool") ? command["tool"].as_text() : "auto";
        hand.is_instead = command.contains("instead") && command["instead"].as_boolean();
        hand.radius = command.contains("radius") ? number_in(command, "radius", 0.0, 1e6) : 0.0;
        return now->hands->grab(static_cast<int>(number_in(command, "id", 0, 1e6)), hand, now->frame);
    }
    if (what == "move") {
        now->hands->move(static_cast<int>(number_in(command, "id", 0, 1e6)), vector_in(command, "by"));
        return Json::object();
    }
    if (what == "release") {
        now->hands->release(static_cast<int>(number_in(command, "id", 0, 1e6)));
        return Json::object();
    }
    if (what == "straighten") {  // joints go back to the clip
        now->hands->forget_turns();
        return Json::object();
    }
    throw InvalidInput(concat("command: there is none named ", quoted_text(what)));
}

void Session::Parts::show_scene(std::unique_ptr<OpenScene> next) {
    next->hands = std::make_unique<Hands>(*next->body, *next->stack);
    forget_preparations();
    now = std::move(next);
    now->stack->keep_plain(shows_plain);
    clip_time = 0.0;
    session_clock = 0.0;
    is_cut = true;
    announces = true;
    fresh_steps = 2;
    problem.clear();
    steps = 0;
    record = Json::array();
    if (now->scene.recording.steps > 0) {  // it says itself what the clock does
        plays = true;
        poses = false;
        speed = 1.0;
    }
    if (!plays || poses || speed != 1.0) {  // as it was left by the scene before
        note({{"do", "clock"}, {"play", plays}, {"pose", poses}, {"speed", speed}});
    }
}

Json Session::Parts::clock(const Json& command) {
    if (command.contains("speed")) {
        speed = number_in(command, "speed", 0.01, 4.0);
    }
    if (command.contains("play")) {
        plays = command["play"].as_boolean();
    }
    if (command.contains("pose")) {
        poses = command["pose"].as_boolean();
    }
    if (command.contains("time")) {
        const double time = number_in(command, "time", 0.0, std::max(now->clip->duration(), 0.0));
        // Further than a few frames nobody moved it there.
        is_cut = is_cut || std::abs(time - clip_time) > 4.0 * now->dt();
        clip_time = time;
    }
    return Json::object();
}

Json Session::Parts::set(const Json& command) {
    const auto i = static_cast<size_t>(index_in(command, "layer", now->plans.size()));
    const std::string& key = command["key"].as_text();
    LayerScene changed = now->scene.layers[i];
    put_value(changed.values, command);
    const std::shared_ptr<LayerPlan> plan = plan_layer(changed, "");
    const Options all = plan->options();
    const auto option = std::find_if(all.begin(), all.end(), [&](const Option& one) { return one.name == key; });
    require(option != all.end() && is_key(*option), "key: there is none named ", quoted_text(key));
    require(!option->is_file || named_files(all) == named_files(now->plans[i]->options()),
            "key: files are read when a scene is opened");
    const bool is_live = option->change == Change::live && now->stack->change(i, *plan, key);
    const bool is_beside = command.contains("beside") && command["beside"].as_boolean();
    if (!is_live && !is_beside && (coming || now->prepare_seconds[i] > options.patience)) {
        prepare_beside(command);
        return {{"prepared", true}, {"pending", true}};
    }
    if (is_live) {
        now->hands->hold_again();
        if (coming) {
            coming->since.push_back(command);
        }
    }
    changed.plan = plan;
    if (is_beside && !is_live) {  // as one was that came from beside
        Scene scene = now->scene;
        scene.layers[i] = std::move(changed);
        take(open_scene(scene, options));
        return {{"prepared", true}};
    }
    if (!is_live) {
        prepare_again(i, plan);
    }
    now->plans[i] = plan;
    now->scene.layers[i] = std::move(changed);
    return {{"prepared", !is_live}};
}

/// On another thread, while the layers that are there go on; one at a time, the last value of each option.
void Session::Parts::prepare_beside(const Json& command) {
    const auto is_same = [&](const Json& other) {
        return other["layer"].as_number() == command["layer"].as_number() &&
               other["key"].as_text() == command["key"].as_text();
    };
    waiting.erase(std::remove_if(waiting.begin(), waiting.end(), is_same), waiting.end());
    waiting.push_back(command);
    begin_preparation();
}

void Session::Parts::begin_preparation() {
    if (coming || waiting.empty()) {
        return;
    }
    coming = std::make_unique<Preparation>();
    coming->command = waiting.front();
    waiting.erase(waiting.begin());
    Scene scene = now->scene;
    LayerScene& layer = scene.layers[static_cast<size_t>(coming->command["layer"].as_index())];
    put_value(layer.values, coming->command);
    for (LayerScene& any : scene.layers) {
        any.plan.reset();  // it makes its own: these are in use
    }
    coming->job = std::make_unique<Beside<std::unique_ptr<OpenScene>>>(
        [scene = std::move(scene), &given = options] { return open_scene(scene, given); });
}

/// What has come takes effect in the step that begins, and is noted there.
void Session::Parts::finish_preparation() {
    if (!coming || !coming->job->is_done()) {
        return;
    }
    const std::unique_ptr<Preparation> done = std::move(coming);
    try {
        take(done->job->result());
        Json command = done->command;
        command["beside"] = true;
        note(command);
        for (const Json& later : done->since) {  // set live meanwhile
            set(later);
        }
    } catch (const std::exception& error) {
        problem = concat("set ", done->command["key"].as_text(), ": ", error.what());
    }
    fresh_steps = std::max(fresh_steps, 1);
    begin_preparation();
}

void Session::Parts::forget_preparations() {
    waiting.clear();
    coming.reset();
}

void Session::Parts::take(std::unique_ptr<OpenScene> next) {
    next->stack->keep_plain(shows_plain);
    take_place_of(*next, *now);
    now = std::move(next);
    announces = true;
}

void Session::Parts::prepare_again(size_t layer, const std::shared_ptr<LayerPlan>& plan) {
    struct ShownClip {
        explicit ShownClip(LiveMotion& motion) : motion_(motion) { motion_.show_clip(true); }
        ~ShownClip() { motion_.show_clip(false); }
        ShownClip(const ShownClip&) = delete;
        ShownClip& operator=(const ShownClip&) = delete;
        LiveMotion& motion_;
    } shown(*now->motion);
    std::unique_ptr<Layer> next = plan->prepare(now->stack->ground(layer), now->scene.layers[layer].meshes);
    if (now->stack->replace(layer, next)) {
        now->frame = now->stack->info().empty_frame();
    } else {
        next.reset();
        // Layers above stand on another mesh.
        const std::shared_ptr<LayerPlan> before = now->plans[layer];
        std::unique_ptr<LayerStack> old = std::move(now->stack);
        try {
            now->plans[layer] = plan;
            add_layers(*now, options);
        } catch (...) {
            now->plans[layer] = before;
            now->stack = std::move(old);
            throw;
        }
        now->stack->keep_plain(shows_plain);
        take_over_layers(*now, *now, *old);
    }
    now->hands->move_to(*now->body, *now->stack);
    announces = true;
}

Json Session::Parts::change_clip(const Json& command) {
    const std::string& name = command["name"].as_text();
    const Character* character = now->clip->source().character.get();
    require(character != nullptr, "clip: expected a character with clips, found none");
    const bool is_known = std::any_of(character->clips.begin(), character->clips.end(),
                                      [&](const Clip& clip) { return clip.name == name; });
    require(is_known, "clip: there is none named ", quoted_text(name));
    forget_preparations();
    // The body is another one, and so is everything that was laid out on its motion.
    auto next = std::make_unique<OpenScene>();
    next->text = now->text;
    next->demo = now->demo;
    next->scene = now->scene;
    next->scene.body.options.clip = name;
    next->clip.emplace(load_body(next->scene, {}, options.actors));
    next->motion = std::make_shared<LiveMotion>(*next->clip, options.keeps_past);
    next->body.emplace(make_live_body(*next->clip, next->motion));
    next->plans = now->plans;
    next->recorded = now->recorded;
    next->played = now->played;
    add_layers(*next, options);
    const Json past = record;
    const long made = steps;
    show_scene(std::move(next));
    record = past;
    steps = made;
    return describe_all();
}

Json Session::Parts::show(const Json& command) {
    if (command.contains("plain")) {
        shows_plain = command["plain"].as_boolean();
        now->stack->keep_plain(shows_plain);
    }
    if (command.contains("channel")) {
        channel = command["channel"].as_text();
    }
    if (command.contains("direction")) {
        direction = command["direction"].as_text();
    }
    fresh_steps = std::max(fresh_steps, 1);
    return Json::object();
}

Json Session::Parts::describe_all() const {
    Json all = describe_scene(*now);
    all["speed"] = speed;
    all["play"] = plays;
    all["pose"] = poses;
    return all;
}

std::string Session::Parts::saved(bool with_hands) const {
    if (with_hands) {
        const std::string text = with_recording(now->text, steps, record);
        parse_scene(text, "saved scene");
        return text;
    }
    std::vector<std::pair<std::string, Table>> layers;
    for (const LayerScene& layer : now->scene.layers) {
        layers.emplace_back(layer.kind, layer.values);
    }
    std::string text = with_layers(without_tables(now->text, "recording"), layers);
    parse_scene(text, "saved scene");  // never hands out what `cutis bake` would refuse
    return text;
}

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
    const MatrixX3d joints = now->hands->joint_places(session_clock);
    if (joints.rows() > 0) {
        packed.add_places({{"kind", "joints"}, {"mesh", 0}}, joints, false);
    }
    packed.end(std::move(head));
}

}  // namespace cutis
