#pragma once

#include <filesystem>
#include <memory>

#include "cutis/stack/sink.h"

namespace cutis {

/// Point cache of LightWave, read by Blender, Maya and others.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | header             | big-endian int32 frames, int32 points                                  |
/// | times              | big-endian float32, seconds of body time, one per frame                |
/// | positions          | big-endian float32 x y z, vertices in the order of the source file     |
/// | details            | NAME.DETAIL.mdd each, and the mesh it moves as NAME.DETAIL.rest.obj    |
/// | finer mesh         | NAME.rest.obj, where the body is not shown on the vertices of its file |
/// | UVs, channels,     | not written: the format has no place for them (see pc2_write.h)        |
/// | lines              |                                                                        |
///
/// All files appear when finish() is called.
///
/// \param path  the file; its folder must exist
std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& path);

}  // namespace cutis
