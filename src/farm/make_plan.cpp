#include <glob.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/hash.h"
#include "cutis/core/error.h"
#include "cutis/farm/plan.h"
#include "cutis/farm/run.h"
#include "cutis/io/checkpoint.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/cost.h"
#include "cutis/stack/wedge.h"
#include "farm/files.h"
#include "farm/plan_file.h"
#include "farm/state.h"

namespace cutis::farm {

namespace fs = std::filesystem;

namespace {

/// Hashes of a shot: of what its simulation reads, and of what its outputs read beside that.
struct ShotHash {
    std::uint64_t simulation = 0;
    std::uint64_t whole = 0;
};

/// What a combination of a wedge chose, in words: with the scene's own values it says everything.
using Choices = std::vector<std::pair<std::string, std::string>>;

std::uint64_t values_hash(const Fingerprint& values, const Choices& choices) {
    Hash64 hash;
    for (const auto& [name, value] : values) {
        hash.add_text(name).add_number(value);
    }
    for (const auto& [key, value] : choices) {
        hash.add_text(key).add_text(value);
    }
    return hash.value();
}

// Values of a scene; where a clip came from is no part of them, its bytes are.
Fingerprint shot_values(const Scene& scene, const Shot& shot, const std::string& version) {
    if (shot.motion.empty()) {
        return fingerprint_of_values(scene, version);
    }
    Scene plain = scene;
    plain.body.motion.clear();
    return fingerprint_of_values(plain, version);
}

// Frames that wait for such a format hold more.
bool wants_plain(const Scene& scene) {
    static const std::set<std::string> names = [] {
        std::set<std::string> wanting;
        for (const Format& format : formats()) {
            if (format.make("none." + format.name, {})->wants_body_positions()) {
                wanting.insert(format.name);
            }
        }
        return wanting;
    }();
    const std::vector<std::string>& chosen = scene.output.formats;
    return std::any_of(chosen.begin(), chosen.end(), [](const std::string& name) { return names.count(name) > 0; });
}

ShotHash shot_hash(const Fingerprint& values, const Choices& choices, bool wants_more, const Shot& shot) {
    Hash64 simulation;
    simulation.add_number(plan_format).add_number(wants_more);
    Hash64 outputs;
    for (const auto& [name, value] : values) {
        (name == "[output]" || name == "the range of frames" ? outputs : simulation).add_text(name).add_number(value);
    }
    for (const auto& [key, value] : choices) {
        (key.starts_with("output.") ? outputs : simulation).add_text(key).add_text(value);
    }
    for (const Input& input : shot.inputs) {
        simulation.add_number(input.hash);
    }
    ShotHash hash;
    hash.simulation = simulation.value();
    hash.whole = outputs.add_number(hash.simulation)
                     .add_text(shot.name)
                     .add_text("\n" + shot.label)
                     .add_number(shot.is_training)
                     .value();
    return hash;
}

Scene parse_scene_file(const std::string& path) {
    const std::vector<unsigned char> bytes = read_file(path);
    Scene scene = parse_scene(std::string(bytes.begin(), bytes.end()), path);
    scene.folder = fs::path(path).parent_path().string();
    check_scene(scene);
    return scene;
}

// What the plan changes of a scene.
void change_scene(const Shot& shot, Scene& scene) {
    if (shot.wedge >= 0) {
        add_page(scene);
    }
    if (!shot.motion.empty()) {
        scene.body.motion = shot.motion;
        scene.body.options.clip.clear();
    }
    if (!shot.clip.empty()) {
        scene.body.options.clip = shot.clip;
    }
    if (!shot.formats.empty()) {
        scene.output.formats = shot.formats;
        if (shot.wedge >= 0) {
            add_page(scene);
        }
    }
}

// Numbers for keys of layers change neither files nor frames, and the smallest and largest of them tell whether all
// may be chosen: ranges are intervals.
bool is_plain_wedge(const Wedge& wedge) {
    return !wedge.key.starts_with("body.") && !wedge.key.starts_with("output.") &&
           std::all_of(wedge.values.begin(), wedge.values.end(), [&](const Value& value) {
               return value.kind == wedge.values.front().kind &&
                      (value.kind == Value::Kind::integer || value.kind == Value::Kind::number);
           });
}

void check_plain_wedges(const Scene& plain, const std::vector<Wedge>& wedges) {
    for (const Wedge& wedge : wedges) {
        const auto less = [](const Value& a, const Value& b) { return a.number < b.number; };
        const auto [low, high] = std::minmax_element(wedge.values.begin(), wedge.values.end(), less);
        Wedge ends = wedge;
        ends.values = {*low, *high};
        wedge_scene(plain, {ends}, 0);
        wedge_scene(plain, {ends}, 1);
    }
}

struct BodyFacts {
    int vertices = 0;
    int frames = 1;
};

// "Frames: 240" and "Frame Time: 0.0333" of a BVH file, for an estimate.
int bvh_frames(const std::string& path, double fps) {
    const std::string text = small_text(path);
    const size_t count = text.find("Frames:");
    const size_t time = text.find("Frame Time:");
    if (count == std::string::npos || time == std::string::npos) {
        return 1;
    }
    const double seconds = std::atof(text.c_str() + count + 7) * std::atof(text.c_str() + time + 11);
    return std::max(1, static_cast<int>(std::min(seconds * fps, 1e7)));
}

// Clips of a file; a BVH file has one without a name.
std::vector<std::string> clip_names(const fs::path& file) {
    if (extension_of(file) == "bvh") {
        return {""};
    }
    std::vector<std::string> names;
    for (const Clip& clip : read_gltf(file).clips) {
        names.push_back(clip.name);
    }
    return names;
}

class Planner {
public:
    Planner(const fs::path& folder, const PlanOptions& options)
        : folder_(folder), options_(options), writer_(folder, options.version), state_(folder) {}

    void add_scene(const fs::path& path, const std::string& results) {
        const std::string file = fs::absolute(path).lexically_normal().string();
        Scene scene = parse_scene_file(file);
        const int wedges = scene.wedges.empty() ? 0 : wedge_count(scene);
        const std::vector<Wedge> choices = std::move(scene.wedges);
        scene.wedges.clear();
        Shot shot;
        shot.scene = file;
        shot.name = path.stem().string();
        shot.formats = options_.formats;
        shot.wedges = wedges;
        shot.wedge = wedges > 0 ? 0 : -1;
        change_scene(shot, scene);
        const bool is_plain = std::all_of(choices.begin(), choices.end(), is_plain_wedge);
        if (is_plain) {
            check_plain_wedges(scene, choices);
        }
        const Base base = base_of(scene, shot);
        for (int i = 0; i < std::max(1, wedges); ++i) {
            shot.wedge = wedges > 0 ? i : -1;
            shot.folder = wedges > 0 ? results + "/" + wedge_folder(i, wedges) : results;
            shot.label = wedge_label(choices, i);
            if (is_plain) {
                add_shot(shot, base, wedge_choices(choices, i));
            } else {
                Scene one = wedge_scene(scene, choices, i).scene;
                change_scene(shot, one);
                Base own = base_of(one, shot);
                own.values = base.values;
                add_shot(shot, own, wedge_choices(choices, i));
            }
        }
    }

    void add_character(const std::string& character, const std::string& results) {
        add_scene(suggested(character, results), results);
    }

    void add_clips(const std::string& character, const std::string& clips) {
        const std::string name = fs::path(character).stem().string();
        const fs::path path = suggested(character, name);
        const Scene scene = parse_scene_file(path.string());
        Shot shot;
        shot.scene = path.string();
        shot.is_training = true;
        shot.formats = options_.formats.empty() ? std::vector<std::string>{"pc2"} : options_.formats;
        const auto add = [&](const std::string& clip, const Base& base) {
            shot.name = fs::path(clip).filename().string();
            shot.folder = clip;
            add_shot(shot, base, {});
        };
        if (clips == "own") {
            const Character own =
                character.starts_with("actor:") ? options_.actors(character.substr(6)) : read_gltf(character);
            for (const Clip& clip : own.clips) {
                shot.clip = clip.name;
                Scene one = scene;
                change_scene(shot, one);
                add(clip.name, base_of(one, shot));
            }
        } else {
            require(fs::is_directory(clips), "--clips ", clips, ": no such folder");
            std::vector<fs::path> files;
            for (const auto& entry : fs::recursive_directory_iterator(clips)) {
                const std::string extension = extension_of(entry.path());
                if (extension == "bvh" || extension == "glb") {
                    files.push_back(entry.path());
                }
            }
            std::sort(files.begin(), files.end());
            Base base;
            bool is_known = false;  // what BVH files share
            for (const fs::path& file : files) {
                shot.motion = fs::absolute(file).lexically_normal().string();
                const std::string results = fs::relative(file, clips).replace_extension().string();
                const bool is_bvh = extension_of(file) == "bvh";
                const std::vector<std::string> names = clip_names(file);
                for (const std::string& clip : names) {
                    shot.clip = clip;
                    if (!is_known || !is_bvh || options_.chunk > 0) {
                        Scene one = scene;
                        change_scene(shot, one);
                        base = base_of(one, shot);
                        base.inputs.erase(std::remove_if(base.inputs.begin(), base.inputs.end(),
                                                         [&](const Input& input) { return input.path == shot.motion; }),
                                          base.inputs.end());
                        is_known = is_bvh;
                    }
                    if (is_bvh && options_.chunk <= 0) {
                        base.facts.frames = bvh_frames(shot.motion, base.scene.fps);
                    }
                    add(names.size() > 1 ? results + "/" + clip : results, base);
                }
            }
        }
        require(report_.shots > 0, "--clips ", clips,
                ": expected BVH or GLB files in a folder, or \"own\" for the clips of ", character, "; found none");
    }

    PlanReport finish() {
        report_.tasks = writer_.size();
        writer_.commit();
        return report_;
    }

private:
    // The scene for a character stands in the plan.
    fs::path suggested(const std::string& character, const std::string& name) {
        const bool is_file = !character.starts_with("actor:");
        const std::string source = is_file ? fs::absolute(character).lexically_normal().string() : character;
        const fs::path path = fs::absolute(folder_ / "scenes" / (name + ".toml")).lexically_normal();
        make_folder(path.parent_path());
        const Suggestion found = suggest_scene(source, path.parent_path(), options_.suggest, options_.actors);
        if (small_text(path) != found.scene) {
            publish(path, found.scene);
        }
        return path;
    }

    /// What shots of one scene share.
    struct Base {
        Scene scene;
        Fingerprint values;
        std::vector<Input> inputs;
        BodyFacts facts;
        bool wants_more = false;  // of frames that wait
    };

    Base base_of(const Scene& scene, const Shot& shot) {
        Base base;
        base.scene = scene;
        base.values = shot_values(scene, shot, options_.version);
        for (const fs::path& file : scene_files(scene)) {
            base.inputs.push_back(writer_.input(fs::absolute(file).lexically_normal().string()));
        }
        base.facts = facts_of(scene, base.inputs);
        base.wants_more = wants_plain(scene);
        return base;
    }

    // Vertices and frames of a body; the same body is loaded once.
    BodyFacts facts_of(const Scene& scene, const std::vector<Input>& inputs) {
        Scene values = scene;
        values.last_frame = 0;
        values.first_frame = 1;
        Hash64 key;
        key.add_number(hash_options(describe_body(values))).add_text(values.body.mesh_file).add_text(scene.folder);
        for (const Input& input : inputs) {
            key.add_number(input.hash);
        }
        auto found = bodies_.find(key.value());
        if (found == bodies_.end()) {
            const Body body = load_body(values, {}, options_.actors);
            const BodyFacts facts{static_cast<int>(body.mesh().positions.rows()), frames_of(body, values).count()};
            found = bodies_.emplace(key.value(), facts).first;
        }
        return found->second;
    }

    void add_shot(Shot shot, const Base& base, const Choices& choices) {
        const Scene& scene = base.scene;
        const BodyFacts& facts = base.facts;
        require(folders_.insert(shot.folder).second, shot.scene, ": its results would go into the folder \"",
                shot.folder, "\", as those of another shot; rename one");
        shot.inputs = base.inputs;
        if (!shot.motion.empty()) {
            shot.inputs.push_back(writer_.input(shot.motion));
        }
        shot.values = values_hash(base.values, choices);
        const ShotHash hash = shot_hash(base.values, choices, base.wants_more, shot);
        const int first = scene.first_frame;
        const int last = scene.last_frame > 0 ? scene.last_frame : facts.frames;
        require(last >= first, shot.scene, ": expected a first frame up to ", last, " (the last one), found ", first);
        const int frames = last - first + 1;
        const Cost cost = expected_scene_cost(scene, facts.vertices, frames);
        ++report_.shots;

        Task task;
        task.shot = writer_.add_shot(shot);
        task.megabytes = cost.megabytes;
        int chunk = options_.chunk;
        constexpr double long_shot = 1800.0;  // seconds
        if (chunk <= 0) {
            chunk = cost.seconds > long_shot ? std::max(1, static_cast<int>(frames * 0.5 * long_shot / cost.seconds))
                                             : frames;
        }
        const int chunks = (frames + chunk - 1) / chunk;
        if (chunks <= 1) {
            task.hash = Hash64().add_text("whole").add_number(hash.whole).value();
            task.seconds = cost.seconds;
            add_task(task);
            return;
        }
        const bool has_memory = std::any_of(scene.layers.begin(), scene.layers.end(),
                                            [](const LayerScene& layer) { return layer.kind != "fold"; });
        task.kind = has_memory ? TaskKind::chain : TaskKind::part;
        task.chunks = chunks + (has_memory ? 0 : 1);
        Hash64 parts;
        std::uint64_t before = 0;
        for (int i = 0; i < chunks; ++i) {
            task.chunk = i;
            task.first_frame = first + i * chunk;
            task.last_frame = std::min(last, task.first_frame + chunk - 1);
            task.seconds = cost.seconds * (task.last_frame - task.first_frame + 1) / frames;
            // A chunk in the middle does not depend on what is written at the end.
            task.hash = Hash64()
                            .add_text(has_memory ? "chain" : "part")
                            .add_number(task.is_last() ? hash.whole : hash.simulation)
                            .add_number(task.first_frame)
                            .add_number(task.last_frame)
                            .add_number(scene.first_frame)
                            .add_number(has_memory ? before : 0)
                            .value();
            before = task.hash;
            parts.add_number(task.hash);
            add_task(task);
        }
        if (!has_memory) {
            task.kind = TaskKind::join;
            task.chunk = chunks;
            task.first_frame = task.last_frame = 0;
            task.seconds = 0.1 * cost.seconds;
            task.hash = Hash64().add_text("join").add_number(hash.whole).add_number(parts.value()).value();
            add_task(task);
        }
    }

    void add_task(const Task& task) {
        writer_.add_task(task);
        if (state_.knows_done(task.hash)) {
            ++report_.done;
        } else {
            report_.seconds += task.seconds;
            report_.largest_mb = std::max(report_.largest_mb, task.megabytes);
        }
    }

    fs::path folder_;
    const PlanOptions& options_;
    PlanWriter writer_;
    State state_;
    PlanReport report_;
    std::map<std::uint64_t, BodyFacts> bodies_;
    std::set<std::string> folders_;
};

bool names_character(const fs::path& path) {
    const std::string extension = extension_of(path);
    return extension == "glb" || extension == "gltf" || extension == "obj";
}

/// A source and the folder of its results.
struct Source {
    std::string path;
    std::string results;
};

// Files of a folder that are scenes, or, where there are none, characters.
void add_folder(const fs::path& folder, std::vector<Source>& sources) {
    std::vector<fs::path> scenes;
    std::vector<fs::path> characters;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (extension_of(entry.path()) == "toml") {
            scenes.push_back(entry.path());
        } else if (names_character(entry.path())) {
            characters.push_back(entry.path());
        }
    }
    std::vector<fs::path>& files = scenes.empty() ? characters : scenes;
    require(!files.empty(), folder.string(), ": expected scenes (.toml) or characters in it, found none");
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        sources.push_back({file.string(), fs::relative(file, folder).replace_extension().string()});
    }
}

std::vector<Source> find_sources(const std::vector<std::string>& words) {
    std::vector<Source> sources;
    for (const std::string& word : words) {
        if (word.starts_with("actor:")) {
            sources.push_back({word, word.substr(6)});
            continue;
        }
        std::vector<std::string> paths = {word};
        if (word.find_first_of("*?[") != std::string::npos && !fs::exists(word)) {
            glob_t found = {};
            const int code = glob(word.c_str(), 0, nullptr, &found);
            paths.assign(found.gl_pathv, found.gl_pathv + (code == 0 ? found.gl_pathc : 0));
            globfree(&found);
            require(!paths.empty(), word, ": no file fits this pattern");
        }
        for (const std::string& path : paths) {
            if (!fs::exists(path)) {
                throw InvalidInput(concat(path, ": no such file or folder; expected scenes, characters or folders"));
            }
            if (fs::is_directory(path)) {
                add_folder(path, sources);
            } else {
                sources.push_back({path, fs::path(path).stem().string()});
            }
        }
    }
    // Shots of the same name are told apart by their folders.
    std::map<std::string, int> uses;
    for (const Source& source : sources) {
        ++uses[source.results];
    }
    for (Source& source : sources) {
        if (uses[source.results] > 1) {
            source.results = fs::absolute(source.path).parent_path().filename().string() + "/" + source.results;
        }
    }
    return sources;
}

}  // namespace

PlanReport make_plan(const fs::path& folder, const PlanOptions& options) {
    require(!options.sources.empty(), "farm plan: expected scenes, characters or folders");
    std::error_code error;
    if (fs::exists(folder / "plan", error)) {
        const Plan old(folder);  // refuses another version
    } else if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
        throw InvalidInput(concat(folder.string(), ": expected a new folder or a plan, found something else in it"));
    }
    const std::vector<Source> sources = find_sources(options.sources);
    const bool is_new = !fs::exists(folder, error);
    make_folder(folder);
    try {
        Planner planner(folder, options);
        if (!options.clips.empty()) {
            require(sources.size() == 1 && !options.sources.front().ends_with(".toml"),
                    "--clips: expected one character, found ", sources.size(), " sources, the first ",
                    sources.front().path);
            planner.add_clips(sources.front().path, options.clips);
            return planner.finish();
        }
        std::string wrong;
        int count = 0;
        for (const Source& source : sources) {
            try {
                if (source.path.starts_with("actor:") || names_character(source.path)) {
                    planner.add_character(source.path, source.results);
                } else {
                    planner.add_scene(source.path, source.results);
                }
            } catch (const Error& failure) {
                constexpr int most = 10;
                wrong += ++count <= most ? concat(count > 1 ? "\n" : "", failure.what()) : std::string();
            }
        }
        require(count == 0, wrong,
                count > 1 ? concat("\n", count, " of ", sources.size(), " sources cannot be used") : std::string(),
                "; nothing was planned");
        return planner.finish();
    } catch (...) {
        if (is_new) {
            fs::remove_all(folder, error);
        }
        throw;
    }
}

Scene planned_scene(const Shot& shot, const std::string& version) {
    const auto changed = [](const std::string& what) {
        throw InvalidInput(concat(what,
                                  " changed since the plan was made; `cutis farm plan` with the same sources "
                                  "plans again what depends on it"));
    };
    for (const Input& input : shot.inputs) {
        std::error_code error;
        if (!fs::exists(input.path, error)) {
            throw IoError(concat(node_name(), ": ", input.path, ": no such file on this node",
                                 error ? " (" + error.message() + ")" : "",
                                 "; mount its folder there, or plan with paths that every node sees"));
        }
        if (hash_of_file(input.path) != input.hash) {
            changed(node_name() + ": " + input.path);
        }
    }
    std::error_code error;
    if (!fs::exists(shot.scene, error)) {
        throw IoError(concat(node_name(), ": ", shot.scene, ": no such scene on this node",
                             error ? " (" + error.message() + ")" : "",
                             "; mount its folder there, or plan with paths that every node sees"));
    }
    Scene scene = parse_scene_file(shot.scene);
    const std::vector<Wedge> wedges = std::move(scene.wedges);
    scene.wedges.clear();
    change_scene(shot, scene);
    Choices choices;
    if (shot.wedge >= 0) {
        Scene counted;
        counted.wedges = wedges;
        if (wedges.empty() || wedge_count(counted) <= shot.wedge) {
            changed(shot.scene + ": [wedge]");
        }
        choices = wedge_choices(wedges, shot.wedge);
    }
    if (values_hash(shot_values(scene, shot, version), choices) != shot.values) {
        changed(shot.scene + " (or the version of cutis)");
    }
    if (shot.wedge >= 0) {
        scene = wedge_scene(scene, wedges, shot.wedge).scene;
        change_scene(shot, scene);
    }
    load_layer_meshes(scene);
    return scene;
}

}  // namespace cutis::farm
