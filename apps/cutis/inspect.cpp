#include "cutis/io/inspect.h"

#include <iostream>

#include "console.h"
#include "cutis/actors/actors.h"
#include "cutis/core/options.h"
#include "report.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace {

using nlohmann::ordered_json;

ordered_json vector_json(const Vector3d& v) {
    return {v.x(), v.y(), v.z()};
}

ordered_json summary_json(const FileSummary& file) {
    ordered_json meshes = ordered_json::array();
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
                          {"repairs", mesh.repairs},
                          {"problems", mesh.problems}});
    }
    ordered_json clips = ordered_json::array();
    for (const ClipSummary& clip : file.clips) {
        clips.push_back({{"name", clip.name},
                         {"start", clip.start},
                         {"end", clip.end},
                         {"channels", clip.channels},
                         {"keys", clip.keys}});
    }
    ordered_json json = {{"version", CUTIS_VERSION}, {"path", file.path}, {"kind", file.kind},
                         {"bytes", file.bytes},      {"meshes", meshes},  {"nodes", file.nodes},
                         {"joints", file.joints},    {"clips", clips},    {"notes", file.notes}};
    if (file.cache_frames > 0) {
        json["cache"] = {{"vertices", file.cache_vertices},
                         {"frames", file.cache_frames},
                         {"rate", file.cache_rate}};
    }
    if (file.kind == "scene") {
        json["scene"] = {{"inputs", file.inputs},
                         {"layers", file.layers},
                         {"formats", file.formats},
                         {"frames", file.frames}};
    }
    return json;
}

std::string size_text(const Vector3d& size) {
    return short_number(size.x()) + " x " + short_number(size.y()) + " x " + short_number(size.z());
}

void print_meshes(const FileSummary& file) {
    std::vector<std::vector<std::string>> rows = {
        {"mesh", "vertices", "triangles", "welded", "surface", "parts", "joints", "UVs", "size"}};
    for (const MeshSummary& mesh : file.meshes) {
        const std::string surface = mesh.welded_vertices == 0 ? "unusable"
                                    : mesh.is_closed
                                        ? "closed"
                                        : "open, " + std::to_string(mesh.boundary_loops) + " rims";
        rows.push_back({mesh.name, std::to_string(mesh.vertices), std::to_string(mesh.triangles),
                        std::to_string(mesh.welded_vertices), surface,
                        std::to_string(mesh.connected_parts), std::to_string(mesh.joints),
                        mesh.has_uv ? "yes" : "no", size_text(mesh.box_max - mesh.box_min)});
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
            std::cout << mesh.name << ": problem: " << problem << '\n';
        }
    }
}

void print_summary(const FileSummary& file) {
    std::cout << file.path << ": " << file.kind << ", " << file.bytes << " bytes\n";
    if (file.kind == "scene") {
        std::cout << "reads " << word_list(file.inputs) << "; layers: " << word_list(file.layers)
                  << "; writes " << file.frames << " frames as " << word_list(file.formats) << '\n';
    }
    if (!file.meshes.empty()) {
        print_meshes(file);
    }
    if (!file.joints.empty()) {
        std::cout << file.joints.size() << " joints: " << word_list(file.joints) << '\n';
    }
    if (!file.clips.empty()) {
        std::vector<std::vector<std::string>> rows = {
            {"clip", "from s", "to s", "channels", "keys"}};
        for (const ClipSummary& clip : file.clips) {
            rows.push_back({clip.name, short_number(clip.start), short_number(clip.end),
                            std::to_string(clip.channels), std::to_string(clip.keys)});
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

}  // namespace

void add_inspect(CLI::App& program, Action& action) {
    struct Flags {
        std::string file;
        bool json = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand(
        "inspect", "say what is in a file: meshes, joints, clips, ranges, problems");
    verb->add_option("FILE", flags->file, ".glb .gltf .obj .pc2 .mdd .bvh .toml")->required();
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->callback([flags, &action] {
        action = [flags] {
            const FileSummary summary =
                reading<FileSummary>([&] { return inspect_file(flags->file, load_actor); });
            if (flags->json) {
                std::cout << json_text(summary_json(summary));
            } else {
                print_summary(summary);
            }
            return exit_good;
        };
    });
}

}  // namespace cutis::app
