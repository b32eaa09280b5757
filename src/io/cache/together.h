#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/io/files.h"
#include "cutis/stack/sink.h"

namespace cutis {

/// FOLDER/NAME.pc2 and "scales.rest.obj" -> FOLDER/NAME.scales.rest.obj
std::filesystem::path beside(const std::filesystem::path& path, const std::string& ending);

/// Puts files that belong together in place: all are safe on disk before the first is renamed, so
/// that a full disk leaves none of them.
std::vector<OutputFile> commit_together(const std::string& format,
                                        const std::vector<std::unique_ptr<AtomicFile>>& files);

}  // namespace cutis
