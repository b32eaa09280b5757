#pragma once

#include <vector>

#include "cutis/body/rig.h"
#include "glb_write_document.h"

namespace cutis {

/// Puts the materials that `parts` name into the document, with the textures, samplers, pictures
/// and extensions these need and nothing else.
///
/// Textures that ask for UVs the file will not have, or whose picture is missing, are left out.
/// A material that the library does not know becomes a plain one of that name.
/// \param library  may be null
/// \return  material of each part, -1: none
/// \throw InvalidInput  the library is not what its header says
std::vector<int> add_materials(GlbDocument& document, const MaterialLibrary* library,
                               const std::vector<MeshPart>& parts, bool has_uv);

}  // namespace cutis
