#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis {

/// Makes a GLB of an FBX file. \return notes
/// \throw InvalidInput  not FBX
using FbxConverter =
    std::function<std::vector<std::string>(const std::filesystem::path& fbx, const std::filesystem::path& glb)>;

/// How read_character() reads FBX: `cutis` sets one that starts the program cutis-fbx (`make fbx`). Called once,
/// before any file is read.
void set_fbx_converter(FbxConverter converter);

/// A character from any file that has a skeleton: glTF and GLB as read_gltf() does, VRM (a GLB: its spring bones stay
/// in the document and are offered to flesh by suggest_scene()), FBX, which goes through a GLB of its own:
///
/// | in the file     | read as                                                                     |
/// |-----------------|-----------------------------------------------------------------------------|
/// | axes, units     | Y up, metres: put into nodes and geometry, no node is scaled for it         |
/// | models          | nodes of the same names and hierarchy; pivots and geometric transforms too  |
/// | meshes          | a primitive per material; polygons as triangles; normals, two sets of UVs,  |
/// |                 | a vertex for each difference of them                                        |
/// | skins           | joints and bind matrices; the eight strongest weights of a vertex           |
/// | blend shapes    | morph targets with their names and weights                                  |
/// | animation       | one clip for each stack: turns, places, sizes and weights, at the keys and, |
/// |                 | between those of curves, 60 a second                                        |
/// | materials       | base colour, metal, roughness, light; pictures of colour and normals, those |
/// |                 | in the file or beside it (also in textures and NAME.fbm)                    |
/// | cameras, lights | not read                                                                    |
///
/// \throw IoError, InvalidInput  as read_gltf; FBX without a converter
Character read_character(const std::filesystem::path& path);

/// Endings of such files, without the dot: "glb" ...
bool is_character_ending(const std::string& ending);

}  // namespace cutis
