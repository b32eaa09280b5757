#include <algorithm>
#include <cctype>

#include "body/retarget.h"
#include "cutis/core/error.h"
#include "cutis/core/options.h"
#include "cutis/io/bvh_read.h"
#include "cutis/io/character_read.h"
#include "cutis/io/files.h"
#include "cutis/io/formats.h"
#include "cutis/io/inspect.h"
#include "cutis/io/obj_read.h"
#include "cutis/io/point_cache_read.h"
#include "cutis/io/scene_read.h"
#include "io/picture/body_pictures.h"
#include "io/scene/body_classes.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

bool is_sequence(const std::string& path) {
    return path.find('*') != std::string::npos;
}

// Relative paths in "uri" keys. Only their bytes count here: the reader says what is wrong with the rest.
void add_named_by_gltf(const fs::path& gltf, std::vector<fs::path>& files) {
    const std::vector<unsigned char> bytes = read_file(gltf);
    const std::string text(bytes.begin(), bytes.end());
    const std::string key = "\"uri\"";
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
        at = text.find_first_not_of(" \t\r\n:", at + key.size());
        if (at == std::string::npos || text[at] != '"' || text.compare(at + 1, 5, "data:") == 0) {
            continue;
        }
        std::string name;
        for (++at; at < text.size() && text[at] != '"'; ++at) {
            const bool is_code = text[at] == '%' && at + 2 < text.size() && std::isxdigit(text[at + 1]) != 0 &&
                                 std::isxdigit(text[at + 2]) != 0;
            at += text[at] == '\\' ? 1 : 0;
            name += is_code ? static_cast<char>(std::stoi(text.substr(at + 1, 2), nullptr, 16)) : text[at];
            at += is_code ? 2 : 0;
        }
        const fs::path path = gltf.parent_path() / name;
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) {
            files.push_back(path);
        }
    }
}

double cache_rate(const Scene& scene) {
    return scene.body.cache_rate > 0.0 ? scene.body.cache_rate : scene.fps;
}

PointCache load_cache(const Scene& scene, const WarningCallback& warn) {
    const fs::path path = scene_path(scene, scene.body.cache);
    if (is_sequence(scene.body.cache)) {
        return read_obj_sequence(path, cache_rate(scene), warn).cache;
    }
    const std::string extension = extension_of(path);
    if (extension == "pc2") {
        return read_pc2(path, cache_rate(scene));
    }
    if (extension == "mdd") {
        return read_mdd(path, scene.body.cache_rate);
    }
    throw InvalidInput(concat(path.string(), ": expected a .pc2, an .mdd or OBJ files with one * in the name"));
}

// The rest pose stands in the units and axes of the file it belongs to.
MatrixX3d load_rest(const Scene& scene, const Body& body, const WarningCallback& warn) {
    const Eigen::Index vertices = body.mesh().positions.rows();
    const fs::path path = scene_path(scene, scene.body.rest);
    const ArtMesh rest = read_obj(path, warn);
    if (rest.positions.rows() != vertices) {
        throw InvalidInput(
            concat(path.string(), ": expected ", vertices, " vertices as the body has, found ", rest.positions.rows()));
    }
    const double scale = body.source().to_metres.linear()(0, 0);
    return to_metres_y_up(rest.positions, scale, scene.body.options.up_axis);
}

Body load_mesh(const Scene& scene, const WarningCallback& warn) {
    const fs::path path = scene_path(scene, scene.body.mesh_file);
    ArtMesh mesh;
    PointCache cache;
    if (is_sequence(scene.body.mesh_file)) {
        ObjSequence sequence = read_obj_sequence(path, cache_rate(scene), warn);
        mesh = std::move(sequence.mesh);
        cache = std::move(sequence.cache);
    } else {
        mesh = read_obj(path, warn);
    }
    if (!scene.body.cache.empty()) {
        cache = load_cache(scene, warn);
    }
    return make_body(mesh, std::move(cache), scene.body.options);
}

Character find_actor(const Scene& scene, const ActorLoader& actors) {
    if (!actors) {
        throw InvalidInput(concat(scene_place(scene.file, 0, 0),
                                  "[body] actor: expected a program with "
                                  "built-in characters, found one without; hand load_actor of "
                                  "cutis/actors/actors.h to load_body"));
    }
    return actors(scene.body.actor);
}

// A BVH file, or one clip of another character's file: the one that the scene names, else its first.
BvhMotion read_motion(const Scene& scene) {
    const fs::path path = scene_path(scene, scene.body.motion);
    const std::string extension = extension_of(path);
    if (!is_character_ending(extension)) {
        return read_bvh(path);
    }
    Character moving = read_character(path);
    const std::string& wanted = scene.body.options.clip;
    for (Clip& clip : moving.clips) {
        if (wanted.empty() || clip.name == wanted) {
            return {std::move(moving.skeleton), std::move(clip), 0.0};
        }
    }
    throw InvalidInput(concat(path.string(), ": expected ", wanted.empty() ? "a clip" : "the clip \"" + wanted + "\"",
                              ", found ", moving.clips.size(), " clips", wanted.empty() ? "" : " of other names"));
}

/// Weights stay where the node of the same name has as many morph targets.
void drop_weights_of_others(const Character& character, Clip& clip) {
    std::erase_if(clip.channels, [&](const Channel& channel) {
        return channel.target == ChannelTarget::morph_weights &&
               std::none_of(character.meshes.begin(), character.meshes.end(), [&](const MeshInstance& mesh) {
                   return mesh.node == channel.node && static_cast<int>(mesh.morphs.size()) == channel.width;
               });
    });
}

Body load_character(const Scene& scene, const WarningCallback& warn, const ActorLoader& actors) {
    const BodyOptions& options = scene.body.options;
    const auto load_source = [&] {
        return scene.body.actor.empty() ? read_character(scene_path(scene, scene.body.file))
                                        : find_actor(scene, actors);
    };
    if (scene.body.motion.empty()) {
        return make_body(std::make_shared<const Character>(load_source()), options);
    }
    auto character = std::make_shared<Character>(load_source());
    const BvhMotion motion = read_motion(scene);
    RetargetedClip moved = retarget_clip(motion.skeleton, motion.clip, character->skeleton);
    if (warn) {
        constexpr size_t most_names = 8;
        std::vector<std::string> missing = moved.unmatched_source;
        const size_t more = missing.size() > most_names ? missing.size() - most_names : 0;
        missing.resize(missing.size() - more);
        if (more > 0) {
            missing.push_back(concat(more, " more"));
        }
        warn(concat("motion: ", moved.matched_joints, " of ", motion.skeleton.nodes.size(),
                    " joints match one of the character by name, ",
                    moved.is_same_skeleton ? std::string("and its rest pose: keys are taken as they are")
                                           : concat("translation times ", moved.translation_scale),
                    missing.empty() ? "" : "; the character lacks " + word_list(missing)));
    }
    drop_weights_of_others(*character, moved.clip);
    // The motion is the only clip left: no name of the file's own can be mistaken for it.
    character->clips = {std::move(moved.clip)};
    return make_body(std::move(character), options);
}

}  // namespace

Body load_body(const Scene& scene, const WarningCallback& warn, const ActorLoader& actors) {
    check_scene(scene);
    require(scene.body.clips.empty(), scene_place(scene.file, 0, 0), "[body] clips: expected one clip here, found ",
            scene.body.clips.size(), "; `cutis bake` takes several");
    Body body = scene.body.mesh_file.empty() ? load_character(scene, warn, actors) : load_mesh(scene, warn);
    if (!scene.body.rest.empty()) {
        body.set_rest_pose(load_rest(scene, body, warn));
    }
    const std::vector<std::string>& formats = scene.output.formats;
    const bool shows_classes =
        std::find(formats.begin(), formats.end(), "html") != formats.end() && sink_options(scene).html.use_classes;
    if (!scene.layers.empty() || shows_classes) {
        paint_picture_colours(body);
    }
    paint_texture_masks(scene, body);
    if (shows_classes) {
        paint_classes(body, scene.body.weld_distance);
    }
    paint_body(scene, body, warn);
    return body;
}

std::vector<fs::path> scene_inputs(const Scene& scene) {
    std::vector<fs::path> inputs;
    if (!scene.file.empty()) {
        inputs.emplace_back(scene.file);
    }
    const BodyScene& body = scene.body;
    for (const std::string* path : {&body.file, &body.mesh_file, &body.cache, &body.motion, &body.rest}) {
        if (!path->empty()) {
            inputs.push_back(scene_path(scene, *path));
        }
    }
    for (const DecalScene& decal : scene.decals) {
        if (decal.image != compass) {
            inputs.push_back(scene_path(scene, decal.image));
        }
    }
    for (const std::string& name : texture_mask_files(scene)) {
        inputs.push_back(scene_path(scene, name));
    }
    for (const LayerScene& layer : scene.layers) {
        if (layer.plan) {
            for (const std::string& name : named_files(layer.plan->options())) {
                inputs.push_back(scene_path(scene, name));
            }
        }
    }
    return inputs;
}

std::vector<fs::path> scene_files(const Scene& scene) {
    std::vector<fs::path> files;
    for (const fs::path& input : scene_inputs(scene)) {
        if (input == scene.file) {
            continue;
        }
        if (is_sequence(input.filename().string())) {
            const std::vector<fs::path> sequence = obj_sequence_files(input);
            files.insert(files.end(), sequence.begin(), sequence.end());
            continue;
        }
        files.push_back(input);
        if (extension_of(input) == "gltf") {
            add_named_by_gltf(input, files);
        }
    }
    return files;
}

}  // namespace cutis
