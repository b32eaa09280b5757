#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace cutis {

/// Numbers as the facts of a page show them.
std::string with_digits(double value);
std::string in_length(double metres);
std::string in_thousands(std::uintmax_t value);

/// "energy (J)" -> {"energy", "J"}
std::pair<std::string, std::string> name_and_unit(const std::string& text);

}  // namespace cutis
