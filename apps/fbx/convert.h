#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cutis::app {

/// FBX, binary or text, of versions 3000 to 7700, into a GLB that holds the same character.
///
/// What becomes of it stands in cutis/io/character_read.h.
///
/// \return what was left out or is missing
/// \throw InvalidInput  not FBX, broken, or of a version that is not known
std::vector<std::string> convert_fbx(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace cutis::app
