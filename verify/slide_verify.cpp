#include "verify/slide_shapes.h"

namespace cutis::verify {

std::vector<Case> verify_slide(bool whole_clips) {
    std::vector<Case> cases;
    for (const auto group : {verify_slide_derivatives, verify_slide_statics, verify_slide_dynamics,
                             verify_slide_robustness, verify_slide_bits, verify_slide_face}) {
        const std::vector<Case> more = group();
        cases.insert(cases.end(), more.begin(), more.end());
    }
    for (const auto group : {verify_slide_calm, verify_slide_characters}) {
        const std::vector<Case> more = group(whole_clips);
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

}  // namespace cutis::verify
