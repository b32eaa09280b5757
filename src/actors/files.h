#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cutis/body/rig.h"

namespace cutis::actor {

/// Bytes of every file of the folder actors, by its name without extension; the build puts them
/// into the library (cmake/EmbedFiles.cmake).
const std::map<std::string, std::string_view>& embedded_actors();

/// A character that is kept as a file, with the vertices its maker gave it: glTF cuts them along UV
/// seams and between parts, `_VERTEX` says which are one.
Character read_actor_file(const std::string& name);

/// The same from the bytes of a file.
Character read_actor_file(std::string_view bytes, const std::string& name);

}  // namespace cutis::actor
