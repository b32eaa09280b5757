#pragma once

#include <string>
#include <vector>

namespace cutis {

/// "a", "b", "c": names in quotes, the one most like `wanted` first, at most a dozen.
std::string list_nearest_first(const std::string& wanted, std::vector<std::string> names);

}  // namespace cutis
