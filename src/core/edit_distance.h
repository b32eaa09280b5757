#pragma once

#include <string>

namespace cutis {

/// Levenshtein distance with swapped neighbours counted once: the most common typo.
int edit_distance(const std::string& a, const std::string& b);

}  // namespace cutis
