#pragma once

#include "cutis/body/rig.h"

namespace cutis::bench {

/// The same character of about so many triangles: its shortest edges collapse, or every triangle of as many as it takes
/// is cut in four. Seams, UVs, painted values and morph targets are gone: what is timed needs none.
/// \param triangles  of all meshes together
Character resized(const Character& character, int triangles);

}  // namespace cutis::bench
