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
/// | UVs, channels      | not written: the format has no place for them (see pc2_write.h)        |
///
/// \param path  the file; its folder must exist
std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& path);

}  // namespace cutis
