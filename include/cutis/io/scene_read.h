#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/core/progress.h"
#include "cutis/stack/layer.h"
#include "cutis/stack/scene.h"

namespace cutis {

/// A scene from a TOML file; its tables and keys are those of `cutis bake --print-defaults`.
/// \throw IoError       missing or unreadable
/// \throw InvalidInput  not TOML, unknown table or key (names the nearest known one), wrong type,
///                      out of range, unknown layer, no or several sources; begins with
///                      file:line:column where there is one place
/// \param kinds  layers a scene may name
Scene read_scene(const std::filesystem::path& path, const std::vector<LayerKind>& kinds = layer_kinds());

/// The same from text, without the checks on the whole (check_scene).
/// \param file  name for messages
Scene parse_scene(const std::string& text, const std::string& file,
                  const std::vector<LayerKind>& kinds = layer_kinds());

/// Reads the mesh files that options of layers name, those of all wedges included; read_scene has
/// done it.
/// \throw IoError, InvalidInput  as read_obj
void load_layer_meshes(Scene& scene, const std::vector<LayerKind>& kinds = layer_kinds());

/// What a path of a scene refers to: relative to the scene's folder; $DATA/ stands for the folder of
/// characters that the environment's CUTIS_DATA names (default ../shared/data).
/// \throw IoError  nothing there (only for $DATA)
std::filesystem::path scene_path(const Scene& scene, const std::string& path);

/// Paths of the files a scene reads, the scene itself first; an OBJ sequence as its pattern.
std::vector<std::filesystem::path> scene_inputs(const Scene& scene);

/// Files whose bytes a scene's result depends on, but for the scene file itself: sequences one by one, with the
/// buffers and pictures that a .gltf names.
/// \throw IoError  a .gltf that cannot be read, no file of a sequence
std::vector<std::filesystem::path> scene_files(const Scene& scene);

/// A built-in character by its name: `load_actor` of cutis/actors/actors.h, or one's own.
using ActorLoader = std::function<Character(const std::string& name)>;

/// Reads the files a scene names and makes its body.
/// \param warn  what an OBJ reader left out; further notes are in the body's source
/// \param actors  finds the key `actor`; without it a scene that names an actor is refused
/// \throw IoError, InvalidInput  as check_scene, the readers and make_body do
Body load_body(const Scene& scene, const WarningCallback& warn = {}, const ActorLoader& actors = {});

}  // namespace cutis
