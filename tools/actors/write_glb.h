#pragma once

#include <string>

#include "cutis/body/rig.h"

namespace cutis::actor {

/// A character as the bytes of a GLB file that any engine reads and load_actor brings back.
///
/// glTF knows one index per vertex, so vertices are cut along UV seams and between parts; the
/// attribute `_VERTEX` keeps the number each had before. A part is a primitive with a material of
/// its name. Everything is stored as float32; joints are first put on places that float32 holds, so
/// that bind matrices and nodes agree exactly. Expects what the makers here give: joints that are
/// not rotated at rest, one skin, parts that share no UVs.
std::string glb_of(const Character& character);

}  // namespace cutis::actor
