#pragma once

#include <filesystem>
#include <memory>

#include "cutis/stack/sink.h"

namespace cutis {

/// One Wavefront OBJ per frame.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | file names         | NAME.0001.obj: the frame number with at least four digits              |
/// | positions          | `v`, float32, shortest decimals that read back the same                |
/// | UVs                | `vt`, those of the frame where they move                               |
/// | polygons           | `f v/vt`, as in the source file, not triangulated                      |
/// | parts              | `g` and, where the part has a material, `usemtl` (no .mtl file)        |
/// | details            | further objects (`o NAME`) of every file; a part without a material    |
/// |                    | gets one of the detail's name, so that the body's ends there           |
/// | normals, channels, | not written                                                            |
/// | lines              |                                                                        |
///
/// All files appear when finish() is called; before that they stand in a hidden folder beside.
///
/// \param path  FOLDER/NAME.obj; the frame number goes in before the last dot
std::unique_ptr<FrameSink> make_obj_sink(const std::filesystem::path& path);

}  // namespace cutis
