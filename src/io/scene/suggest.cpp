#include "cutis/io/suggest.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "body/motion_test.h"
#include "core/printable.h"
#include "core/text.h"
#include "cutis/core/error.h"
#include "cutis/stack/cost.h"
#include "cutis/stack/simulation_surface.h"
#include "io/picture/body_pictures.h"
#include "io/scene/spring_bones.h"
#include "stack/regions.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

constexpr double suggested_fps = 30.0;
constexpr int most_frames = 120;       // of a long clip
constexpr double least_share = 0.002;  // of the area: what is named in words
constexpr double least_cloth = 0.02;   // of the area: folds on cloth alone

std::string percent(double share) {
    return concat(static_cast<int>(std::lround(100.0 * share)), " %");
}

std::string digits(double value) {
    const bool is_large = std::abs(value) >= 1000.0 && std::abs(value) < 1e9;
    return is_large ? std::to_string(std::llrint(value)) : rounded_text(value, 3);  // no exponent
}

/// Control characters of names from files do not reach a terminal.
std::string shown(const std::string& name) {
    return printable(name, true);
}

std::string build_words(Build build) {
    switch (build) {
        case Build::human:
            return "A person";
        case Build::biped:
            return "A creature on two legs";
        case Build::quadruped:
            return "A four-legged animal";
        case Build::insect:
            return "A creature of many legs";
        case Build::swimmer:
            return "A swimmer or flyer";
        case Build::tube:
            return "One long body without limbs";
        case Build::other:
            break;
    }
    return "A body of unknown kind";
}

/// The kind of body that a preset says it is; empty: none.
std::string build_of_preset(const std::string& preset) {
    static const std::map<std::string, std::string> builds = {
        {"human", "human"}, {"quadruped", "quadruped"}, {"creature", "biped"}, {"face", "other"}};
    const auto found = builds.find(preset);
    return found == builds.end() ? std::string() : found->second;
}

class Suggester {
public:
    Suggester(const SuggestOptions& options, const Body& body) : options_(options), body_(body) {
        out_.anatomy = find_anatomy(body);
        out_.clips = score_clips(body, out_.anatomy);
        springs_ = find_spring_bones(body);
        if (!options.clip.empty()) {
            std::stable_partition(out_.clips.begin(), out_.clips.end(),
                                  [&](const ClipScore& clip) { return clip.name == options.clip; });
        }
    }

    Suggestion run(const std::string& source_lines) {
        try {
            find_islands();
        } catch (const InvalidInput& refused) {
            out_.doubts.push_back(concat("whether layers can work on this surface: ", refused.what()));
        }
        describe_size();
        describe_tissues();
        describe_parts();
        describe_motion();
        const std::string layers = choose_layers();
        const std::string output = output_lines();
        out_.frames = frames_;
        out_.cost = expected_cost(costs_, static_cast<double>(body_.mesh().positions.rows()), frames_, budget());
        out_.words.push_back(concat("A bake of its ", frames_, " frames takes about ", rough_time(out_.cost.seconds),
                                    " of one processor."));
        Text text;
        for (const std::string& sentence : out_.words) {
            text << "# " << sentence << '\n';
        }
        for (const std::string& doubt : out_.doubts) {
            text << "# In doubt: " << doubt << '\n';
        }
        text << "\n[body]\n" << source_lines;
        if (!out_.clips.empty() && !out_.clips.front().name.empty()) {
            text << "clip = " << quoted_text(out_.clips.front().name) << "  # the one that shows most";
            if (out_.clips.size() > 1) {
                text << "; next " << quoted_text(out_.clips[1].name);
            }
            text << '\n';
        }
        if (const std::string build = build_of_preset(options_.preset); !build.empty()) {
            text << "build = " << quoted_text(build) << "  # --preset\n";
        }
        text << "fps = " << suggested_fps
             << "\nleave_out = true  # a layer that refuses this body is left out with a note\n# skin = [\"MATERIAL\"] "
                " # a material or mesh; also cloth, hair, rigid: corrects what was found\n"
             << layers << output;
        out_.scene = text.str();
        return std::move(out_);
    }

private:
    void describe_size() {
        MatrixX3d posed;
        body_.positions(0.0, TimeSampling::exact, Workers(1), posed);
        if (posed.rows() > 0) {
            out_.box = (posed.colwise().maxCoeff() - posed.colwise().minCoeff()).transpose();
        }
        const Anatomy& found = out_.anatomy;
        const double height = found.height;
        if (found.build == Build::human) {
            out_.unit = height > 0.5 && height < 3.0      ? "m"
                        : height > 50.0 && height < 300.0 ? "cm"
                        : height > 500.0 && height < 3000 ? "mm"
                                                          : "";
        }
        const std::string meshes = [&] {
            const auto& character = body_.source().character;
            const size_t count = character ? character->meshes.size() : 1;
            return count > 1 ? concat(", ", count, " meshes treated as one") : std::string();
        }();
        out_.words.push_back(concat(
            build_words(found.build), ", ", digits(height), out_.unit.empty() ? " units" : " " + out_.unit, " high",
            found.build == Build::human && out_.unit.empty() ? " (no usual unit; all lengths are in proportion)" : "",
            meshes, "."));
        if (found.build == Build::other) {
            out_.doubts.emplace_back("the kind of body; --preset human, quadruped, creature, cloth or face sets it");
        }
    }

    void find_islands() {
        const SimulationSurface surface = SimulationSurface::repaired(body_, {});
        const std::vector<int> number = island_numbers(surface);
        std::map<std::pair<int, int>, double> areas;  // island and patch
        double whole = 0.0;
        for (int f = 0; f < surface.topology().triangle_count(); ++f) {
            const auto corners = surface.topology().triangles().row(f);
            const Vector3d a = surface.rest().row(corners[0]);
            const double area = 0.5 * (surface.rest().row(corners[1]).transpose() - a)
                                          .cross(surface.rest().row(corners[2]).transpose() - a)
                                          .norm();
            const auto island = static_cast<size_t>(number[static_cast<size_t>(corners[0])]);
            const int art = surface.mesh().art_triangle[static_cast<size_t>(f)];
            out_.islands.resize(std::max(out_.islands.size(), island));
            out_.islands[island - 1].share += area;
            ++out_.islands[island - 1].triangles;
            areas[{static_cast<int>(island), out_.anatomy.patch_of_triangle[static_cast<size_t>(art)]}] += area;
            whole += area;
        }
        std::map<int, double> largest;
        for (const auto& [key, area] : areas) {
            if (area > largest[key.first]) {
                largest[key.first] = area;
                const Patch& patch = out_.anatomy.patches[static_cast<size_t>(key.second)];
                Island& island = out_.islands[static_cast<size_t>(key.first) - 1];
                island.mesh = patch.mesh;
                island.material = patch.material;
                island.tissue = patch.tissue;
            }
        }
        for (Island& island : out_.islands) {
            island.share /= std::max(whole, 1e-300);
        }
    }

    void describe_tissues() {
        const Anatomy& found = out_.anatomy;
        for (const Tissue tissue : {Tissue::skin, Tissue::cloth, Tissue::hair, Tissue::rigid}) {
            std::map<std::string, std::pair<double, std::string>> shares;  // name to share and reason of the largest
            std::map<std::string, double> largest;
            for (const Patch& patch : found.patches) {
                if (patch.tissue == tissue) {
                    const std::string name =
                        shown(patch.is_prop || patch.material.empty() ? patch.mesh : patch.material);
                    auto& [share, why] = shares[name];
                    share += patch.share;
                    if (patch.share >= largest[name]) {
                        largest[name] = patch.share;
                        why = patch.why;
                    }
                }
            }
            std::vector<std::pair<double, std::string>> order;
            for (const auto& [name, value] : shares) {
                order.emplace_back(-value.first, name);
            }
            std::sort(order.begin(), order.end());
            if (order.empty()) {
                continue;
            }
            std::vector<std::string> names;
            for (const auto& [minus, name] : order) {
                if (names.size() < 5 && (names.empty() || -minus > least_share)) {
                    names.push_back(name);
                }
            }
            if (names.size() < order.size()) {
                names.push_back(concat(order.size() - names.size(), " more"));
            }
            static const std::map<Tissue, std::string> starts = {{Tissue::skin, "Skin"},
                                                                 {Tissue::cloth, "Cloth"},
                                                                 {Tissue::hair, "Hair, which follows"},
                                                                 {Tissue::rigid, "Rigid, which follows"}};
            out_.words.push_back(concat(starts.at(tissue), " (", percent(found.share(tissue)), "): ", word_list(names),
                                        "; ", order.front().second, ": ", shares[order.front().second].second, "."));
            for (const auto& [minus, name] : order) {
                const bool is_weak = shares[name].second.find("no colour to tell by") != std::string::npos ||
                                     shares[name].second.find("not of the skin's colour") != std::string::npos;
                if (-minus > 0.05 && is_weak && out_.doubts.size() < 3) {
                    out_.doubts.push_back(concat("whether ", name, " is ", name_of(tissue), "; ",
                                                 tissue == Tissue::skin ? "cloth" : "skin", " = [", quoted_text(name),
                                                 "] in [body] changes it"));
                }
            }
        }
    }

    void describe_parts() {
        const Anatomy& found = out_.anatomy;
        std::map<std::string, int> counts;
        for (const SoftPart& part : found.parts) {
            ++counts[name_of(part.kind)];
        }
        std::vector<std::string> words;
        for (const auto& [kind, count] : counts) {
            words.push_back(count > 1 ? concat(count, " ", kind, "s") : kind);
        }
        if (!words.empty()) {
            parts_ = word_list(words);
        }
        if (found.stray_joints > 0) {
            out_.words.push_back(concat(found.stray_joints, found.stray_joints == 1 ? " joint hangs" : " joints hang",
                                        " elsewhere in the file (feet on IK joints): attached by the surface."));
        }
    }

    void describe_motion() {
        if (out_.clips.empty()) {
            out_.words.emplace_back("It has no clip and nothing moves it: layers that need motion have no effect.");
        } else if (!bends()) {
            out_.words.emplace_back(
                out_.anatomy.share(Tissue::rigid) > 0.999
                    ? "Its pieces move without changing shape, so there is nothing for layers to do."
                    : "It moves as one piece: nothing changes its shape, so there is nothing for layers to do.");
        } else if (out_.clips.front().name.empty()) {
            const ClipScore& best = out_.clips.front();
            const auto& character = body_.source().character;
            const bool is_test = body_.rig() != nullptr && character && options_.clip.empty() &&
                                 std::all_of(character->clips.begin(), character->clips.end(), holds_still);
            const char* test = character && !character->clips.empty()
                                   ? "Its clips hold one pose each: joints swing in turn for "
                                   : "No clip: joints swing in turn for ";
            out_.words.push_back(concat(is_test ? test : "Its own motion of ", digits(best.seconds),
                                        is_test ? " s; a real motion shows more." : " s is used.", " Picture at ",
                                        digits(best.moment), " s."));
        } else {
            const ClipScore& best = out_.clips.front();
            out_.words.push_back(
                concat("Clip '", shown(best.name), "' (", digits(best.seconds), " s)",
                       out_.clips.size() > 1 ? concat(", ahead of '", shown(out_.clips[1].name), "'") : std::string(),
                       ": the surface changes shape most in it. Picture at ", digits(best.moment), " s."));
        }
    }

    /// Does the chosen clip change the shape?
    bool bends() const { return !out_.clips.empty() && out_.clips.front().strain > 1e-6; }

    bool wants(const std::string& kind, bool fits) const {
        return options_.layers.empty()
                   ? fits
                   : std::find(options_.layers.begin(), options_.layers.end(), kind) != options_.layers.end();
    }

    std::string choose_layers() {
        const Anatomy& found = out_.anatomy;
        const bool has_cloth = found.share(Tissue::cloth) > least_cloth && options_.preset != "cloth";
        const bool has_skin = found.share(Tissue::skin) > least_cloth && options_.preset != "cloth";
        const bool moves = bends();
        const bool is_face = options_.preset == "face";
        if (!springs_.version.empty()) {
            out_.words.push_back(concat("VRM ", springs_.version, " spring bones: ", springs_.chains, " chains, ",
                                        springs_.colliders.size(),
                                        " colliders; they stay in the file, and flesh starts from their values."));
        }
        Text text;
        std::vector<std::string> used;
        const bool is_skin = !has_cloth && options_.preset != "cloth";
        const bool is_sleek = is_skin && found.build == Build::swimmer;
        const bool has_room = !is_skin || (!is_coarse() && !is_sleek);
        if (wants("curve", moves && !found.parts.empty() && !is_face && options_.preset != "cloth")) {
            text << "\n[[layer]]\nkind = \"curve\"  # flesh on " << (parts_.empty() ? "what is soft" : parts_)
                 << "\n# parts = [\"tail\"]  # keeps only these kinds\n"
                 << (is_sleek && springs_.version.empty()
                         ? "frequency = 2.5  # tails and fins lag: what sleek bodies show\ninertia = 0.7\n"
                         : "")
                 << spring_bone_lines(springs_);
            add_layer("curve");
            used.push_back(concat("curve on ", parts_.empty() ? "what is soft" : parts_));
        }
        if (moves && !has_room && !is_face && options_.layers.empty()) {
            out_.words.push_back(concat(
                "No folds: ",
                is_sleek ? std::string("bodies that swim or fly are sleek")
                         : concat(body_.mesh().triangles.rows(), " triangles are too coarse for wrinkles of skin"),
                "; --layers fold adds them anyway."));
        }
        if (wants("fold", moves && !is_face && has_room)) {
            text << "\n[[layer]]\nkind = \"fold\"\nwhere = " << (has_cloth ? "\"cloth\"" : "\"soft\"")
                 << "  # widths follow from the girth of each limb\n"
                 << (is_skin ? gentle_skin() : "")
                 << "poses = \"clip\"  # folds for this motion; \"all\": for others, too\n"
                 << "most_vertices = " << budget() << "  # --budget\n";
            add_layer("fold");
            used.push_back(
                concat("fold on ", has_cloth ? "cloth" : "all that is soft", ", at most ", budget(), " vertices"));
        }
        if (wants("slide", moves && has_skin)) {
            text << "\n[[layer]]\nkind = \"slide\"  # rigid parts and hair stay on the body: leave_rigid\n";
            if (has_cloth && has_skin) {
                text << "pins = \"cloth\"  # cloth stays on the body, skin slides\n";
            }
            add_layer("slide");
            used.emplace_back(has_cloth && has_skin ? "slide on skin" : "slide");
        }
        // Only where asked for: most characters' UVs are palettes or share a picture between places, which maps cannot
        // use.
        if (wants("wrinkle", false)) {
            const bool has_uv = has_uv_area(body_.mesh());
            text << "\n[[layer]]\nkind = \"wrinkle\"  # "
                 << (has_uv ? "normal maps where skin is pressed together\n"
                            : "a finer mesh where skin is pressed together\ndisplace = true  # no UVs for maps\n")
                 << (is_face ? "skin = \"forehead\"\n" : "");
            add_layer("wrinkle");
            used.emplace_back("wrinkles on skin");
        }
        if (wants("shell", false)) {
            text << "\n[[layer]]\nkind = \"shell\"\ndetail = \"scale\"\n";
            add_layer("shell");
            used.emplace_back("shell with scales");
        }
        out_.words.push_back(used.empty() ? "No layers: the character as it is." : "Layers: " + word_list(used) + ".");
        return text.str();
    }

    void add_layer(const char* kind) {
        costs_.emplace_back(kind);
        out_.layers.emplace_back(kind);
    }

    /// Skin gives way before it folds, more of it where a lively clip would fold it everywhere, and its folds are low.
    std::string gentle_skin() const {
        constexpr double lively = 0.1;
        return std::string("cloth = \"skin\"\nheight_cap = 0.28  # in widths: wrinkles, not pleats\nfields = 1\n") +
               (!out_.clips.empty() && out_.clips.front().strain > lively
                    ? "pre_stretch = 0.45  # skin gives way before it folds\n"
                    : "");
    }

    /// Limbs of few triangles show wrinkles of skin as wide as themselves: none are better.
    bool is_coarse() const {
        constexpr Eigen::Index least_triangles = 800;
        return out_.anatomy.parts.size() > 2 && body_.mesh().triangles.rows() < least_triangles;
    }

    /// Vertices for folds, in proportion to the body's own.
    int budget() const {
        constexpr int least = 16000, most = 60000, per_triangle = 4;
        const auto own = static_cast<int>(std::min<Eigen::Index>(body_.mesh().triangles.rows(), most));
        return options_.budget > 0 ? options_.budget : std::clamp(per_triangle * own, least, most);
    }

    std::string output_lines() {
        Text text;
        text << "\n[output]\nformats = [\"glb\", \"html\"]\n";
        const double seconds = out_.clips.empty() ? 0.0 : out_.clips.front().seconds;
        const int frames = static_cast<int>(std::floor(seconds * suggested_fps + 1e-6)) + 1;
        int last = frames;
        if (frames > most_frames) {
            const int shows = static_cast<int>(out_.clips.front().moment * suggested_fps) + 31;
            last = std::min(frames, std::max(most_frames, shows));
            if (last < frames) {
                text << "last_frame = " << last << "  # of " << frames << "; 0: the whole clip\n";
            }
        }
        frames_ = last;
        if (!out_.clips.empty()) {
            const ClipScore& best = out_.clips.front();
            text << "\n[output.html]  # seen from where most happens, when most happens\ncamera = ["
                 << digits(best.view.x()) << ", " << digits(best.view.y()) << ", " << digits(best.view.z())
                 << "]\nfollow = true\npaint = \"skin\"  # its own colours: a checker would hide folds\nchannels = "
                    "false  # heat maps would make the page large\nclasses = true  # paints that show "
                    "what is skin, cloth, hair, rigid\nstills = ["
                 << digits(std::clamp(best.moment * suggested_fps / std::max(1, last - 1), 0.0, 1.0)) << "]\n";
        }
        return text.str();
    }

    const SuggestOptions& options_;
    const Body& body_;
    Suggestion out_;
    std::string parts_;
    int frames_ = 1;                                    // that the scene bakes
    std::vector<std::string> costs_ = {"glb", "html"};  // formats and layers that it has
    SpringBones springs_;
};

void check_words(const std::vector<std::string>& given, const std::vector<std::string>& known, const char* what) {
    for (const std::string& word : given) {
        require(std::find(known.begin(), known.end(), word) != known.end(), what, ": expected ", word_list(known, "or"),
                ", found \"", word, "\"");
    }
}

}  // namespace

const std::vector<std::string>& suggest_presets() {
    static const std::vector<std::string> names = {"human", "quadruped", "creature", "cloth", "face"};
    return names;
}

Suggestion suggest_scene(const std::string& character, const fs::path& folder, const SuggestOptions& options,
                         const ActorLoader& actors) {
    std::vector<std::string> kinds = {"none"};
    for (const LayerKind& kind : layer_kinds()) {
        kinds.push_back(kind.kind);
    }
    check_words(options.layers, kinds, "--layers");
    if (!options.preset.empty()) {
        check_words({options.preset}, suggest_presets(), "--preset");
    }
    Scene scene;
    std::string lines;
    if (character.starts_with("actor:")) {
        scene.body.actor = character.substr(6);
        lines = concat("actor = ", quoted_text(scene.body.actor), "\n");
    } else {
        const fs::path path = folder.empty() ? fs::path(character) : fs::proximate(character, folder);
        const bool is_obj = fs::path(character).extension() == ".obj";
        (is_obj ? scene.body.mesh_file : scene.body.file) = character;
        lines = concat(is_obj ? "mesh = " : "file = ", quoted_text(path.generic_string()), "\n");
    }
    scene.body.options.clip = options.clip;
    scene.body.options.build = build_of_preset(options.preset);
    Body body = load_body(scene, {}, actors);
    paint_picture_colours(body);
    return Suggester(options, body).run(lines);
}

}  // namespace cutis
