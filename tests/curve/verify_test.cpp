// Groups of `verify curve` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/curve_cases.h"

namespace cutis {
namespace {

TEST(curve_verify, closed_forms_hold) {
    test::expect_cases(verify::curve_form_cases);
}

TEST(curve_verify, limbs_of_real_characters_are_mapped_and_moved) {
    test::expect_cases(verify::curve_part_cases);
}

}  // namespace
}  // namespace cutis
