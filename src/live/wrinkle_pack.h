#pragma once

#include "cutis/core/parallel.h"
#include "live/frame_pack.h"

// Wrinkles for a page's shader. Where they lie does not change while they grow and fade: that is one map of normals,
// for wrinkles that are equally high everywhere; how high they are is a number per vertex and frame.

namespace cutis {

/// With the meshes: the map, x and y of its normals as bytes, rows from the bottom. Nothing where no layer wrinkles.
void pack_wrinkle_map(const BakeInfo& info, const Workers& workers, FramePack& pack);

/// With every frame: heights in those of the map.
void pack_wrinkle_heights(const BakeInfo& info, const Frame& frame, FramePack& pack);

}  // namespace cutis
