#pragma once

#include "cutis/body/rig.h"

namespace cutis {

/// Several instances as one mesh: vertices and triangles one after the other, parts named
/// "instance/part". Attributes that some of them lack are filled: UVs with 0, painted values with
/// 0, colours with 1.
ArtMesh merge_meshes(const std::vector<const MeshInstance*>& instances);

}  // namespace cutis
