#pragma once

#include <memory>

#include "curve/flesh.h"
#include "cutis/mesh/repair.h"
#include "verify/verify.h"

// Shared by the cases and the benchmarks of the curve layer.

namespace cutis::verify {

Case curve_at_most(std::string name, double value, double limit, std::string unit, std::string source);

/// Path of a file in the data folder (CUTIS_DATA, or ../shared/data); empty where it is not there.
std::string data_file(const std::string& relative);

/// A body with its welded surface.
struct LoadedBody {
    std::unique_ptr<Body> body;
    std::unique_ptr<RepairedMesh> mesh;
    CurveBody view;
};
LoadedBody load_body(const std::string& file, const std::string& mesh, const std::string& clip);
LoadedBody loaded_body(Body body);

std::vector<Case> curve_form_cases();    ///< closed forms
std::vector<Case> curve_part_cases();    ///< limbs of real characters
std::vector<Case> curve_border_cases();  ///< swinging parts: no tear at their cuts, volume kept
/// Whole animals, all parts found. \param all  every character of the folders, else six
std::vector<Case> curve_whole_cases(bool all);
std::vector<Case> curve_twist_cases();      ///< limbs that twist
std::vector<Case> curve_collision_cases();  ///< flesh that meets something

}  // namespace cutis::verify
