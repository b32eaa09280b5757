#pragma once

#include <filesystem>
#include <memory>

#include "cutis/stack/sink.h"

namespace cutis {

/// Point cache of 3ds Max, read by Blender's Mesh Cache modifier among others.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | header             | `POINTCACHE2\0`, version 1, points, first frame, rate 1, samples       |
/// | positions          | little-endian float32 x y z, vertices in the order of the source file  |
/// | UVs that move      | a second file NAME.uv.pc2: one point per polygon corner, corners in    |
/// |                    | the order of the source file, x = u, y = v (up), z = 0                 |
/// | UVs that stand     | not written: they are those of the source                              |
/// | details            | NAME.DETAIL.pc2 each, and the mesh it moves as NAME.DETAIL.rest.obj    |
/// | finer mesh         | NAME.rest.obj, where the body is not shown on the vertices of its file |
/// | channels, lines    | not written: the format has no place for them                          |
///
/// Polygon corners are what Blender calls loops: a mesh with one vertex per loop, moved by the UV
/// file, is sampled by loop index to get the UVs back (Object Info, Sample Index, Store Named
/// Attribute). A corner without UV gets 0 0 0. All files appear when finish() is called.
///
/// \param path  the file, name ending in .pc2 by custom; its folder must exist
std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& path);

}  // namespace cutis
