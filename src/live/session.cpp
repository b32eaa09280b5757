#include "cutis/live/session.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/layer_stack.h"
#include "live/command.h"
#include "live/session_parts.h"
#include "live/values.h"

namespace cutis {

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

}  // namespace cutis
