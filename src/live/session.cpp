#include "cutis/live/session.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/hash.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/layer_stack.h"
#include "live/frame_pack.h"
#include "live/hands.h"
#include "live/live_motion.h"
#include "live/values.h"

namespace cutis {

namespace {

// Sliders that a page shows first.
const std::map<std::string, std::vector<std::string>>& first_options() {
    static const std::map<std::string, std::vector<std::string>> first = {
        {"curve", {"frequency", "damping", "inertia"}},
        {"fold", {"width", "gate", "height_cap"}},
        {"slide", {"stickiness", "young_modulus", "damping"}},
        {"shell", {"frequency", "damping", "base_stiffness"}},
    };
    return first;
}

double number_in(const Json& command, const char* key, double lowest, double highest) {
    const Json& value = command[key];
    require(value.is_number() && value.as_number() >= lowest && value.as_number() <= highest, key,
            ": expected a number from ", lowest, " to ", highest, ", found ", value.dump());
    return value.as_number();
}

int index_in(const Json& command, const char* key, size_t count) {
    const int index = command[key].as_index();
    require(index >= 0 && index < static_cast<int>(count), key, ": expected a number below ", count, ", found ",
            command[key].dump());
    return index;
}

Vector3d vector_in(const Json& command, const char* key) {
    constexpr double far = 1e6;
    const Json& value = command[key];
    require(value.is_array() && value.size() == 3, key, ": expected three numbers, found ", value.dump());
    Vector3d vector;
    for (int c = 0; c < 3; ++c) {
        require(value[c].is_number() && std::abs(value[c].as_number()) <= far, key, ": expected numbers of at most ",
                far, ", found ", value.dump());
        vector[c] = value[c].as_number();
    }
    return vector;
}

/// Of every number of a frame, as hexadecimal digits.
std::string hash_of(const Frame& frame) {
    Hash64 hash;
    for (const MeshFrame& mesh : frame.meshes) {
        hash.add_numbers(
            std::span<const double>(mesh.positions.data(), static_cast<size_t>(mesh.positions.size())));
        hash.add_numbers(std::span<const double>(mesh.uv.data(), static_cast<size_t>(mesh.uv.size())));
        for (const auto& channel : mesh.channels) {
            hash.add_numbers(std::span<const double>(channel));
        }
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[hash.value() >> shift & 15];
    }
    return digits;
}

/// Files that a page's scene names must be those that were handed in.
void check_inside(const Scene& scene, const std::filesystem::path& folder) {
    const std::string root = (folder / "").lexically_normal().string();
    for (const std::filesystem::path& input : scene_inputs(scene)) {
        if (input == scene.file) {
            continue;
        }
        const std::string path = input.lexically_normal().string();
        require(path.compare(0, root.size(), root) == 0, "scene: expected files that were handed in, found \"",
                input.generic_string(), "\"");
    }
}

}  // namespace

/// Everything of the scene that is open.
struct OpenScene {
    std::string text;
    std::string demo;  // its name, where it is one
    Scene scene;
    std::optional<Body> clip;  // as the scene has it
    std::shared_ptr<LiveMotion> motion;
    std::optional<Body> body;  // as the session moves it
    std::unique_ptr<LayerStack> stack;
    std::vector<std::shared_ptr<LayerPlan>> plans;
    Frame frame;
    std::unique_ptr<Hands> hands;

    double dt() const { return 1.0 / scene.fps; }
};

struct Session::Parts {
    explicit Parts(SessionOptions given) : options(std::move(given)) {
        require(options.workers != nullptr, "session: expected workers, found none");
    }

    Json run(const Json& command);
    std::unique_ptr<OpenScene> open(const std::string& text, const std::filesystem::path& folder, bool is_page);
    void add_layers(OpenScene& to) const;
    void show_scene(std::unique_ptr<OpenScene> next);
    Json clock(const Json& command);
    Json set(const Json& command);
    Json change_clip(const Json& command);
    Json show(const Json& command);
    Json describe_all() const;
    std::string saved() const;
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
    std::string channel;
    bool announces = false;  // meshes with the next frame
    bool has_announced = false;
    int version = 0;
    double ack = 0.0;
    std::string problem;
    Json record = Json::array();
    FramePack packed;
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

Json Session::open(const std::string& scene, const std::filesystem::path& folder) {
    try {
        parts_->show_scene(parts_->open(scene, folder, false));
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
            parts_->record.push_back({{"step", parts_->steps}, {"command", command}});
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
        std::unique_ptr<OpenScene> next = open(text, options.folder, true);
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
        return {{"scene", saved()}};
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

std::unique_ptr<OpenScene> Session::Parts::open(const std::string& text, const std::filesystem::path& folder,
                                                bool is_page) {
    auto next = std::make_unique<OpenScene>();
    next->text = text;
    next->scene = parse_scene(text, "scene");
    next->scene.folder = folder.string();
    check_scene(next->scene);
    require(next->scene.wedges.empty(), "scene: expected one without [wedge], found several in one");
    if (is_page) {
        check_inside(next->scene, folder);
    }
    next->scene.output.formats = {"glb"};  // nothing is written: what pages of a bake show need not be found
    load_layer_meshes(next->scene);
    next->clip.emplace(load_body(next->scene, {}, options.actors));
    next->motion = std::make_shared<LiveMotion>(*next->clip);
    next->body.emplace(make_live_body(*next->clip, next->motion));
    for (const LayerScene& layer : next->scene.layers) {
        next->plans.push_back(layer.plan ? layer.plan : plan_layer(layer, next->scene.file));
    }
    add_layers(*next);
    return next;
}

void Session::Parts::add_layers(OpenScene& to) const {
    StackOptions how;
    how.fps = to.scene.fps;
    how.sampling = to.scene.body.sampling;
    how.repair = to.scene.body.repair;
    how.weld_distance = to.scene.body.weld_distance;
    how.cut_distance = to.scene.body.cut_distance;
    how.look_ahead = 0;
    to.stack = std::make_unique<LayerStack>(*to.body, how, *options.workers);
    to.stack->ground();
    for (size_t i = 0; i < to.plans.size(); ++i) {
        to.stack->add(to.scene.layers[i].kind, to.plans[i]->prepare(to.stack->ground(), to.scene.layers[i].meshes));
    }
    to.stack->keep_plain(shows_plain);
    to.frame = to.stack->info().empty_frame();
}

void Session::Parts::show_scene(std::unique_ptr<OpenScene> next) {
    next->hands = std::make_unique<Hands>(*next->body, *next->stack);
    now = std::move(next);
    clip_time = 0.0;
    session_clock = 0.0;
    is_cut = true;
    announces = true;
    fresh_steps = 2;
    problem.clear();
    steps = 0;
    record = Json::array();
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
    if (command.contains("value") && (command["value"].is_boolean() || command["value"].is_number() ||
                                      command["value"].is_text() || !command["value"].empty())) {
        changed.values[key] = value_of(command["value"]);
    } else {
        changed.values.erase(key);  // its default
    }
    const std::shared_ptr<LayerPlan> plan = plan_layer(changed, "");
    const Options all = plan->options();
    const auto option = std::find_if(all.begin(), all.end(), [&](const Option& one) { return one.name == key; });
    require(option != all.end() && is_key(*option), "key: there is none named ", quoted_text(key));
    require(!option->is_file || named_files(all) == named_files(now->plans[i]->options()),
            "key: files are read when a scene is opened");
    const bool is_live = option->change == Change::live && now->stack->change(i, *plan, key);
    if (!is_live) {
        prepare_again(i, plan);
    }
    now->plans[i] = plan;
    now->scene.layers[i] = std::move(changed);
    now->scene.layers[i].plan = plan;
    return {{"prepared", !is_live}};
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
            add_layers(*now);
        } catch (...) {
            now->plans[layer] = before;
            now->stack = std::move(old);
            throw;
        }
        std::vector<int> same;
        for (size_t i = 0; i < now->plans.size(); ++i) {
            same.push_back(static_cast<int>(i));
            now->stack->set_on(i, old->layer(i).is_on());
        }
        now->stack->take_over(*old, same);
    }
    now->hands->move_to(*now->stack);
    announces = true;
}

Json Session::Parts::change_clip(const Json& command) {
    const std::string& name = command["name"].as_text();
    const Character* character = now->clip->source().character.get();
    require(character != nullptr, "clip: expected a character with clips, found none");
    const bool is_known = std::any_of(character->clips.begin(), character->clips.end(),
                                      [&](const Clip& clip) { return clip.name == name; });
    require(is_known, "clip: there is none named ", quoted_text(name));
    // The body is another one, and so is everything that was laid out on its motion.
    auto next = std::make_unique<OpenScene>();
    next->text = now->text;
    next->demo = now->demo;
    next->scene = now->scene;
    next->scene.body.options.clip = name;
    next->clip.emplace(load_body(next->scene, {}, options.actors));
    next->motion = std::make_shared<LiveMotion>(*next->clip);
    next->body.emplace(make_live_body(*next->clip, next->motion));
    next->plans = now->plans;
    add_layers(*next);
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
    fresh_steps = std::max(fresh_steps, 1);
    return Json::object();
}

Json Session::Parts::describe_all() const {
    Json layers = Json::array();
    for (size_t i = 0; i < now->plans.size(); ++i) {
        const LayerScene& layer = now->scene.layers[i];
        std::unique_ptr<LayerPlan> plain;
        for (const LayerKind& kind : layer_kinds()) {
            if (kind.kind == layer.kind) {
                plain = kind.plan();
            }
        }
        const auto first = first_options().find(layer.kind);
        layers.push_back(
            {{"kind", layer.kind},
             {"name", now->stack->info().layers[i].name},
             {"on", now->stack->layer(i).is_on()},
             {"options", options_json(now->plans[i]->options(), plain->options(),
                                      first == first_options().end() ? std::vector<std::string>() : first->second)}});
    }
    Json clips = Json::array();
    if (const Character* character = now->clip->source().character.get()) {
        for (const Clip& clip : character->clips) {
            clips.push_back(clip.name);
        }
    }
    Json joints = Json::array();
    if (const Rig* rig = now->clip->rig()) {
        for (size_t j = 0; j < rig->node.size(); ++j) {
            joints.push_back({{"name", rig->name[j]}, {"parent", rig->parent[j]}});
        }
    }
    return {{"layers", std::move(layers)},
            {"demo", now->demo},
            {"clips", std::move(clips)},
            {"clip", now->clip->source().clip.name},
            {"joints", std::move(joints)},
            {"duration", now->clip->duration()},
            {"fps", now->scene.fps},
            {"speed", speed},
            {"play", plays},
            {"pose", poses}};
}

std::string Session::Parts::saved() const {
    std::vector<std::pair<std::string, Table>> layers;
    for (const LayerScene& layer : now->scene.layers) {
        layers.emplace_back(layer.kind, layer.values);
    }
    std::string text = with_layers(now->text, layers);
    parse_scene(text, "saved scene");  // never hands out what `cutis bake` would refuse
    return text;
}

bool Session::Parts::step() {
    if (!now) {
        return false;
    }
    const bool goes_on = plays || poses || now->hands->are_busy();
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
                throw SolverFailure("a position is not finite: layers start anew");
            }
        }
    } catch (const std::exception& error) {
        problem = error.what();
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
            if (about.name == channel && about.width == 1) {
                packed.add({{"kind", "channel"},
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
