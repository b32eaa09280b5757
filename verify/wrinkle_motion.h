#pragma once

#include "verify/verify.h"

namespace cutis::verify {

/// A part of verify_wrinkle.
void add_wrinkles_of_a_hand(std::vector<Case>& cases);

}  // namespace cutis::verify
