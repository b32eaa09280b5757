#pragma once

#include <vector>

#include "cutis/body/rig.h"
#include "io/gltf/write_document.h"

namespace cutis {

/// A mesh that asks for materials.
struct PaintedMesh {
    const std::vector<MeshPart>* parts = nullptr;
    bool has_uv = false;
};

/// Puts the materials that parts name into the document, each once, with the textures, samplers,
/// pictures and extensions these need and nothing else.
///
/// Textures that ask for UVs the mesh will not have, or whose picture is missing, are left out.
/// A material that the library does not know becomes a plain one of that name.
/// \param library  may be null
/// \return  material of each part of each mesh, -1: none
/// \throw InvalidInput  the library is not what its header says
std::vector<std::vector<int>> add_materials(GlbDocument& document, const MaterialLibrary* library,
                                            const std::vector<PaintedMesh>& meshes);

}  // namespace cutis
