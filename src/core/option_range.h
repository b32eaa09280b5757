#pragma once

#include <string>

#include "cutis/core/options.h"

namespace cutis {

/// Whether a number is finite and in a range.
bool is_inside(const Range& range, double number);

/// "a number from 0 to 1".
std::string expected_number(const Range& range);

}  // namespace cutis
