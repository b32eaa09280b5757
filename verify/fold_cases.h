#pragma once

#include <vector>

#include "verify/verify.h"

namespace cutis::verify {

Case fold_at_most(std::string name, double value, double limit, std::string unit, std::string source);
Case fold_at_least(std::string name, double value, double limit, std::string unit, std::string source);

std::vector<Case> verify_fold_lines();      ///< the scalar problem and rails in the plane
std::vector<Case> verify_fold_tube();       ///< a bending tube
std::vector<Case> verify_fold_character();  ///< the dancer

}  // namespace cutis::verify
