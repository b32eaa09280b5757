#include "cutis/io/inspect.h"

#include <algorithm>
#include <cctype>

#include "cutis/core/error.h"
#include "cutis/io/bvh_read.h"
#include "cutis/io/character_read.h"
#include "cutis/io/files.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/repair.h"
#include "cutis/stack/bake.h"
#include "cutis/stack/layer.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

MeshSummary summarise(const ArtMesh& mesh, const std::vector<int>& weld_group = {}) {
    MeshSummary out;
    out.name = mesh.name;
    out.vertices = static_cast<int>(mesh.positions.rows());
    out.triangles = static_cast<int>(mesh.triangles.rows());
    out.polygons = mesh.polygon_sizes.empty() ? out.triangles : static_cast<int>(mesh.polygon_sizes.size());
    out.primitives = static_cast<int>(mesh.parts.size());
    out.has_uv = mesh.uv.rows() > 0;
    for (const auto& [name, values] : mesh.painted) {
        out.attributes.push_back(name);
    }
    if (out.vertices > 0) {
        out.box_min = mesh.positions.colwise().minCoeff().transpose();
        out.box_max = mesh.positions.colwise().maxCoeff().transpose();
    }
    try {
        const RepairedMesh clean = repair_mesh(mesh.positions, mesh.triangles, {}, weld_group);
        out.welded_vertices = clean.topology.vertex_count();
        out.is_closed = clean.topology.is_closed();
        out.boundary_loops = static_cast<int>(clean.topology.boundary_loops().size());
        out.connected_parts = clean.topology.part_count();
        out.repairs = clean.notes;
        out.is_repaired = clean.dropped_triangles + clean.duplicate_triangles + clean.flipped_triangles +
                              clean.crowded_edges + clean.split_vertices + clean.unused_vertices >
                          0;
    } catch (const InvalidInput& error) {
        out.problems.emplace_back(error.what());  // layers cannot work on it; a plain bake can
    }
    return out;
}

ClipSummary summarise(const Clip& clip) {
    ClipSummary out;
    out.name = clip.name;
    out.start = clip.start();
    out.end = clip.end();
    out.channels = static_cast<int>(clip.channels.size());
    for (const Channel& channel : clip.channels) {
        out.keys = std::max(out.keys, static_cast<int>(channel.times.size()));
    }
    return out;
}

void inspect_character(const Character& character, FileSummary& out) {
    out.nodes = static_cast<int>(character.skeleton.nodes.size());
    std::vector<char> is_joint(character.skeleton.nodes.size());
    for (const Skin& skin : character.skins) {
        for (const int joint : skin.joints) {
            is_joint[joint] = 1;
        }
    }
    for (size_t node = 0; node < is_joint.size(); ++node) {
        if (is_joint[node] != 0) {
            out.joints.push_back(character.skeleton.nodes[node].name);
        }
    }
    for (const MeshInstance& instance : character.meshes) {
        MeshSummary mesh = summarise(instance.mesh);
        mesh.name = instance.name;
        if (instance.skin >= 0) {
            mesh.joints = static_cast<int>(character.skins[instance.skin].joints.size());
            mesh.influences = instance.weights.influences;
        }
        for (const MorphTarget& target : instance.morphs) {
            mesh.morph_targets.push_back(target.name.empty() ? concat("#", mesh.morph_targets.size()) : target.name);
        }
        out.meshes.push_back(std::move(mesh));
    }
    for (const Clip& clip : character.clips) {
        out.clips.push_back(summarise(clip));
    }
    out.notes = character.notes;
}

void inspect_cache(const PointCache& cache, FileSummary& out) {
    out.cache_vertices = cache.vertex_count;
    out.cache_frames = cache.frame_count();
    out.cache_rate = cache.rate;
}

void inspect_bvh(const fs::path& path, FileSummary& out) {
    const BvhMotion motion = read_bvh(path);
    out.kind = "BVH";
    out.nodes = static_cast<int>(motion.skeleton.nodes.size());
    for (const Node& node : motion.skeleton.nodes) {
        out.joints.push_back(node.name);
    }
    out.clips.push_back(summarise(motion.clip));
}

/// The curves a scene's curve layers find, without baking.
void inspect_curves(const Scene& scene, const Body& body, FileSummary& out) {
    std::unique_ptr<SimulationSurface> surface;
    for (size_t i = 0; i < scene.layers.size(); ++i) {
        if (scene.layers[i].kind != "curve") {
            continue;
        }
        if (!surface) {
            RepairOptions options;
            options.weld_distance = scene.body.weld_distance;
            surface = std::make_unique<SimulationSurface>(scene.body.repair ? SimulationSurface::repaired(body, options)
                                                                            : SimulationSurface::as_it_is(body));
        }
        const LayerInput ground{&body, surface.get(), &body.mesh(), &body.source().rig.weights, scene.fps};
        const LayerReport found = scene.layers[i].plan->prepare(ground, scene.layers[i].meshes)->report();
        const auto number = [&](const char* name) { return found.numbers.at(name); };
        out.notes.push_back(concat("layer ", i + 1, ", curve: finds ", number("curves"), " curves of ", number("nodes"),
                                   " nodes on ", number("vertices"), " vertices, ", number("length (m)"), " m long, ",
                                   number("girth (m)"), " m round, ", number("flipped triangles"),
                                   " triangles inverted"));
    }
}

void inspect_scene(const fs::path& path, const ActorLoader& actors, FileSummary& out) {
    const Scene scene = read_scene(path);
    out.kind = "scene";
    for (const fs::path& input : scene_inputs(scene)) {
        out.inputs.push_back(input.string());
    }
    for (const LayerScene& layer : scene.layers) {
        out.layers.push_back(layer.kind);
    }
    out.formats = scene.output.formats;
    const Body body = load_body(
        scene, [&out](std::string_view note) { out.notes.emplace_back(note); }, actors);
    out.frames = frames_of(body, scene).count();
    out.meshes.push_back(summarise(body.mesh(), body.source().weld_group));
    out.meshes.back().joints = static_cast<int>(body.source().rig.node.size());
    inspect_curves(scene, body, out);
    out.notes.insert(out.notes.end(), body.source().notes.begin(), body.source().notes.end());
}

}  // namespace

FileSummary inspect_file(const fs::path& path, const ActorLoader& actors) {
    FileSummary out;
    out.path = path.string();
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    out.bytes = error ? 0 : bytes;
    const WarningCallback warn = [&](std::string_view note) { out.notes.emplace_back(note); };
    const std::string extension = extension_of(path);
    constexpr std::string_view actor = "actor:";
    if (actors && out.path.compare(0, actor.size(), actor) == 0) {
        out.kind = "actor";
        inspect_character(actors(out.path.substr(actor.size())), out);
    } else if (is_character_ending(extension)) {
        out.kind = extension == "fbx" ? "FBX" : extension == "vrm" ? "VRM" : "glTF";
        inspect_character(read_character(path), out);
    } else if (extension == "obj") {
        out.kind = "OBJ";
        out.meshes.push_back(summarise(read_obj(path, warn)));
    } else if (extension == "pc2") {
        out.kind = "PC2";
        inspect_cache(read_pc2(path), out);
    } else if (extension == "mdd") {
        out.kind = "MDD";
        inspect_cache(read_mdd(path), out);
    } else if (extension == "bvh") {
        inspect_bvh(path, out);
    } else if (extension == "toml") {
        inspect_scene(path, actors, out);
    } else {
        throw InvalidInput(concat(path.string(),
                                  ": expected .glb, .gltf, .obj, .pc2, .mdd, .bvh, "
                                  ".toml or actor:NAME, found \"",
                                  extension, "\""));
    }
    return out;
}

}  // namespace cutis
