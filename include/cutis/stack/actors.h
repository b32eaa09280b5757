#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis {

/// Names of the built-in characters, for `actor = "..."` and `cutis demo`.
std::vector<std::string> actor_names();

/// A built-in character: mesh, UVs, skeleton, weights and one clip, made by code.
/// \throw InvalidInput  no such actor; lists what there is
std::shared_ptr<const Character> make_actor(const std::string& name);

}  // namespace cutis
