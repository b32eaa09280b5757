#pragma once

#include <filesystem>
#include <memory>

#include "cutis/stack/sink.h"

namespace cutis::farm {

/// A small picture of the frame in the middle, for pages that list many shots.
std::unique_ptr<FrameSink> make_thumbnail_sink(const std::filesystem::path& path);

}  // namespace cutis::farm
