#pragma once

#include "verify/verify.h"

namespace cutis::verify {

/// A part of verify_wrinkle.
void add_wrinkles_of_people(std::vector<Case>& cases);

}  // namespace cutis::verify
