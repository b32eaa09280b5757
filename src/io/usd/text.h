#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace cutis {

/// Indentation of a property of a mesh, and of what stands inside it.
inline const std::string usda_member = "        ";
inline const std::string usda_inner = "            ";

/// `name` as a USD identifier that is not yet in `taken`.
std::string usd_identifier(const std::string& name, const std::string& otherwise, std::set<std::string>& taken);

/// In quotes, with escapes.
std::string usd_string(const std::string& text);

/// [(x,y,z),...] or, for width 1, [x,...].
void append_tuples(std::string& text, const double* values, size_t count, int width);

void append_integers(std::string& text, const std::vector<int>& values);

}  // namespace cutis
