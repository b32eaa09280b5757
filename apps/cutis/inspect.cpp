#include "cutis/io/inspect.h"

#include <iostream>
#include <optional>

#include "console.h"
#include "cutis/actors/actors.h"
#include "cutis/core/options.h"
#include "report.h"
#include "run.h"
#include "suggest.h"
#include "verbs.h"

namespace cutis::app {

namespace {

Json vector_json(const Vector3d& v) {
    return {v.x(), v.y(), v.z()};
}

/// What layers can do with a mesh.
const char* state_of(const MeshSummary& mesh) {
    return mesh.welded_vertices == 0 ? "left plain" : mesh.is_repaired ? "repaired" : "usable";
}

Json summary_json(const FileSummary& file) {
    Json meshes = Json::array();
    for (const MeshSummary& mesh : file.meshes) {
        meshes.push_back({{"name", mesh.name},
                          {"vertices", mesh.vertices},
                          {"triangles", mesh.triangles},
                          {"polygons", mesh.polygons},
                          {"primitives", mesh.primitives},
                          {"welded_vertices", mesh.welded_vertices},
                          {"closed", mesh.is_closed},
                          {"boundary_loops", mesh.boundary_loops},
                          {"connected_parts", mesh.connected_parts},
                          {"joints", mesh.joints},
                          {"influences", mesh.influences},
                          {"uv", mesh.has_uv},
                          {"morph_targets", mesh.morph_targets},
                          {"attributes", mesh.attributes},
                          {"box_min", vector_json(mesh.box_min)},
                          {"box_max", vector_json(mesh.box_max)},
                          {"state", state_of(mesh)},
                          {"repairs", mesh.repairs},
                          {"problems", mesh.problems}});
    }
    Json clips = Json::array();
    for (const ClipSummary& clip : file.clips) {
        clips.push_back({{"name", clip.name},
                         {"start", clip.start},
                         {"end", clip.end},
                         {"channels", clip.channels},
                         {"keys", clip.keys}});
    }
    Json json = {{"version", CUTIS_VERSION}, {"path", file.path}, {"kind", file.kind},
                 {"bytes", file.bytes},      {"meshes", meshes},  {"nodes", file.nodes},
                 {"joints", file.joints},    {"clips", clips},    {"notes", file.notes}};
    if (file.cache_frames > 0) {
        json["cache"] = {{"vertices", file.cache_vertices}, {"frames", file.cache_frames}, {"rate", file.cache_rate}};
    }
    if (file.kind == "scene") {
        json["scene"] = {
            {"inputs", file.inputs}, {"layers", file.layers}, {"formats", file.formats}, {"frames", file.frames}};
    }
    return json;
}

std::string size_text(const Vector3d& size) {
    return short_number(size.x()) + " x " + short_number(size.y()) + " x " + short_number(size.z());
}

void print_meshes(const FileSummary& file) {
    std::vector<std::vector<std::string>> rows = {
        {"mesh", "vertices", "triangles", "welded", "surface", "parts", "joints", "UVs", "size", "layers"}};
    for (const MeshSummary& mesh : file.meshes) {
        const std::string surface = mesh.welded_vertices == 0 ? "not known"
                                    : mesh.is_closed          ? "closed"
                                                     : "open, " + std::to_string(mesh.boundary_loops) + " rims";
        rows.push_back({mesh.name, std::to_string(mesh.vertices), std::to_string(mesh.triangles),
                        std::to_string(mesh.welded_vertices), surface, std::to_string(mesh.connected_parts),
                        std::to_string(mesh.joints), mesh.has_uv ? "yes" : "no", size_text(mesh.box_max - mesh.box_min),
                        state_of(mesh)});
    }
    std::cout << table_text(rows);
    for (const MeshSummary& mesh : file.meshes) {
        if (!mesh.morph_targets.empty()) {
            std::cout << mesh.name << ": morph targets " << word_list(mesh.morph_targets) << '\n';
        }
        if (!mesh.attributes.empty()) {
            std::cout << mesh.name << ": attributes " << word_list(mesh.attributes) << '\n';
        }
        for (const std::string& repair : mesh.repairs) {
            std::cout << mesh.name << ": repair: " << repair << '\n';
        }
        for (const std::string& problem : mesh.problems) {
            std::cout << mesh.name << ": left plain, layers cannot work on it: " << problem << '\n';
        }
    }
}

void print_summary(const FileSummary& file) {
    std::cout << file.path << ": " << file.kind << ", " << file.bytes << " bytes\n";
    if (file.kind == "scene") {
        std::cout << "reads " << word_list(file.inputs) << "; layers: " << word_list(file.layers) << "; writes "
                  << file.frames << " frames as " << word_list(file.formats) << '\n';
    }
    if (!file.meshes.empty()) {
        print_meshes(file);
    }
    if (!file.joints.empty()) {
        std::cout << file.joints.size() << " joints: " << word_list(file.joints) << '\n';
    }
    if (!file.clips.empty()) {
        std::vector<std::vector<std::string>> rows = {{"clip", "from s", "to s", "channels", "keys"}};
        for (const ClipSummary& clip : file.clips) {
            rows.push_back({clip.name, short_number(clip.start), short_number(clip.end), std::to_string(clip.channels),
                            std::to_string(clip.keys)});
        }
        std::cout << table_text(rows);
    }
    if (file.cache_frames > 0) {
        std::cout << file.cache_frames << " frames of " << file.cache_vertices << " vertices, rate "
                  << short_number(file.cache_rate) << '\n';
    }
    for (const std::string& note : file.notes) {
        std::cout << "note: " << note << '\n';
    }
}

Json suggestion_json(const Suggestion& found) {
    Json clips = Json::array();
    for (const ClipScore& clip : found.clips) {
        clips.push_back({{"name", clip.name},
                         {"seconds", clip.seconds},
                         {"strain", clip.strain},
                         {"speed", clip.speed},
                         {"score", clip.score},
                         {"moment", clip.moment}});
    }
    Json patches = Json::array();
    for (const Patch& patch : found.anatomy.patches) {
        patches.push_back({{"island", patch.island},
                           {"mesh", patch.mesh},
                           {"material", patch.material},
                           {"share", patch.share},
                           {"tissue", name_of(patch.tissue)},
                           {"why", patch.why}});
    }
    Json parts = Json::array();
    for (const SoftPart& part : found.anatomy.parts) {
        parts.push_back({{"kind", name_of(part.kind)}, {"joint", part.name}});
    }
    Json islands = Json::array();
    for (const Island& island : found.islands) {
        islands.push_back({{"region", concat("island:", islands.size() + 1)},
                           {"share", island.share},
                           {"triangles", island.triangles},
                           {"mesh", island.mesh},
                           {"material", island.material},
                           {"tissue", name_of(island.tissue)}});
    }
    return {{"build", name_of(found.anatomy.build)},
            {"size_as_posed", vector_json(found.box)},
            {"height", found.anatomy.height},
            {"unit", found.unit},
            {"head", found.anatomy.head},
            {"clips", clips},
            {"patches", patches},
            {"islands", islands},
            {"parts", parts},
            {"layers", found.layers},
            {"frames", found.frames},
            {"estimated_seconds", found.cost.seconds},
            {"estimated_memory_mb", found.cost.megabytes},
            {"words", found.words},
            {"doubts", found.doubts}};
}

void print_suggestion(const Suggestion& found) {
    std::cout << "size as posed " << size_text(found.box) << (found.unit.empty() ? " units" : " " + found.unit) << '\n';
    if (!found.clips.empty()) {
        std::vector<std::vector<std::string>> rows = {{"clip", "seconds", "strain", "speed", "most at s"}};
        for (const ClipScore& clip : found.clips) {
            rows.push_back({clip.name.empty() ? "(its motion)" : clip.name, short_number(clip.seconds),
                            short_number(clip.strain), short_number(clip.speed), short_number(clip.moment)});
        }
        std::cout << "how much each clip moves, most first (strain: mean range of the smaller stretch; speed: sizes "
                     "per second)\n"
                  << table_text(rows);
    }
    if (found.islands.size() > 1) {
        constexpr size_t most = 12;
        std::vector<std::vector<std::string>> rows = {{"region", "area %", "triangles", "mesh", "material", "is"}};
        for (size_t i = 0; i < std::min(most, found.islands.size()); ++i) {
            const Island& island = found.islands[i];
            rows.push_back({concat("island:", i + 1), short_number(100.0 * island.share),
                            std::to_string(island.triangles), island.mesh, island.material, name_of(island.tissue)});
        }
        std::cout << found.islands.size() << " islands, largest first (--json has all)\n" << table_text(rows);
    }
    std::cout << "a bake without a scene:\n" << suggestion_text(found);
}

}  // namespace

void add_inspect(CLI::App& program, Action& action) {
    struct Flags {
        std::string file;
        bool json = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("inspect", "show what is in a file: meshes, joints, clips, ranges, problems");
    verb->add_option("FILE", flags->file, ".glb .gltf .obj .pc2 .mdd .bvh .toml")->required();
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->callback([flags, &action] {
        action = [flags] {
            const FileSummary summary = reading<FileSummary>([&] { return inspect_file(flags->file, load_actor); });
            std::optional<Suggestion> found;
            std::string refusal;
            if (is_character(flags->file) && !summary.meshes.empty()) {
                try {
                    found = suggest_scene(flags->file, {}, {}, load_actor);
                } catch (const InvalidInput& error) {
                    refusal = error.what();
                }
            }
            if (flags->json) {
                Json json = summary_json(summary);
                if (found) {
                    json["suggestion"] = suggestion_json(*found);
                }
                std::cout << json_text(json);
                return exit_good;
            }
            print_summary(summary);
            if (found) {
                print_suggestion(*found);
            } else if (!refusal.empty()) {
                std::cout << "problem: a bake refuses it: " << refusal << '\n';
            }
            return exit_good;
        };
    });
}

}  // namespace cutis::app
