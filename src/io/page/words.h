#pragma once

#include <cstdint>
#include <string>

namespace cutis {

/// Numbers as the facts of a page show them.
std::string with_digits(double value);
std::string in_length(double metres);
std::string in_thousands(std::uintmax_t value);

}  // namespace cutis
