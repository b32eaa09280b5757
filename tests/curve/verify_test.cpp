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

TEST(curve_verify, swinging_parts_do_not_tear_at_their_cuts_and_keep_their_volume) {
    test::expect_cases(verify::curve_border_cases);
}

TEST(curve_verify, whole_animals_have_no_seam_between_their_parts) {
    test::expect_cases([] { return verify::curve_whole_cases(false); });
}

TEST(curve_verify, slow_whole_animals_of_all_characters_have_no_seam) {
    test::expect_cases([] { return verify::curve_whole_cases(true); });
}

TEST(curve_verify, a_twisting_limb_keeps_its_girth) {
    test::expect_cases(verify::curve_twist_cases);
}

TEST(curve_verify, flesh_stays_out_of_what_it_meets_and_loops_close) {
    test::expect_cases(verify::curve_collision_cases);
}

}  // namespace
}  // namespace cutis
