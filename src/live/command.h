#pragma once

#include <string>

#include "cutis/core/types.h"
#include "cutis/io/json.h"
#include "cutis/stack/frame.h"

namespace cutis {

/// Numbers of a command. \throw InvalidInput  another kind of value, out of range; names the key
double number_in(const Json& command, const char* key, double lowest, double highest);
/// Below `count`.
int index_in(const Json& command, const char* key, size_t count);
Vector3d vector_in(const Json& command, const char* key);

/// Of every number of a frame, as hexadecimal digits.
std::string hash_of(const Frame& frame);

}  // namespace cutis
