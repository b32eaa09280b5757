#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis {

/// glTF 2.0, text or binary, into a Character.
///
/// | in the file             | read as                                                          |
/// |-------------------------|------------------------------------------------------------------|
/// | .glb, .gltf             | told apart by content; JSON nested at most 64 deep               |
/// | buffers                 | binary chunk, base64 data URI, file in or below the own folder   |
/// | accessors               | f32, i8, u8, i16, u16, u32; normalised; interleaved; sparse;     |
/// |                         | without buffer view (zeros)                                      |
/// | nodes                   | all, parents first; TRS or matrix                                |
/// | scenes                  | meshes of `scene` (else the first; without scenes all nodes)     |
/// | meshes                  | one MeshInstance per node that shows one; its primitives one     |
/// |                         | after the other, a MeshPart each                                 |
/// | primitive modes         | triangles, strips, fans; points and lines noted and skipped      |
/// | POSITION                | f32, or integers (KHR_mesh_quantization)                         |
/// | TEXCOORD_0              | ArtMesh::uv with v up: v' = 1 - v                                |
/// | TEXCOORD_1 to 7         | ArtMesh::more_uv, where there is TEXCOORD_0; else noted          |
/// | COLOR_n, _NAME          | ArtMesh::painted: COLOR_n.r .g .b .a; _NAME, _NAME.x .y .z .w    |
/// | JOINTS_0/1, WEIGHTS_0/1 | up to 8 influences, made to sum to 1; further sets noted         |
/// | NORMAL, TANGENT         | not read: cutis computes normals from positions                  |
/// | morph targets           | POSITION; names of mesh.extras.targetNames; default weights of   |
/// |                         | the node, else of the mesh                                       |
/// | skins                   | joints, inverse bind matrices (identity where absent);           |
/// |                         | `skeleton` is not looked at                                      |
/// | animations              | translation, rotation, scale, weights; STEP, LINEAR, CUBICSPLINE |
/// | materials, images       | carried in MaterialLibrary; materials have unique names, those   |
/// |                         | MeshPart::material holds; a missing picture is a note; a texture |
/// |                         | on another UV set than TEXCOORD_0 is left out there and noted    |
/// | cameras, lights         | not read                                                         |
/// | EXT_meshopt_compression | read, where the program was built with meshoptimizer             |
/// | KHR_draco_mesh_compr.   | read, where the program was built with draco                     |
/// | all of it               | kept in SourceDocument: a GLB of the character is this document  |
/// |                         | with what changed                                                |
///
/// The node transform of a skinned mesh is ignored, as the standard says (MeshInstance::node is
/// still the node). Instances are named after the node, else the mesh, else mesh#N; a second `a`
/// becomes `a#2`. Unknown required extensions are refused by
/// name.
///
/// \throw InvalidInput  anything against the standard that matters here, with the place:
///                      `dancer.glb: accessors[12].count: expected ..., found ...`. Sizes are
///                      checked against the file before memory is taken.
/// \throw IoError       file or external buffer missing or unreadable
Character read_gltf(const std::filesystem::path& path);

/// Bytes of an external buffer or picture, by its relative path (percent signs already decoded).
/// Throws IoError where there is none.
using GltfLoader = std::function<std::vector<unsigned char>(const std::string& relative_path)>;

/// The same from memory. Without a loader external buffers are refused and external pictures noted.
/// \param source  name used in messages
Character read_gltf(std::span<const unsigned char> bytes, const std::string& source, const GltfLoader& loader = {});

}  // namespace cutis
