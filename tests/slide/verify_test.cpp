// Groups of `verify slide` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/slide_shapes.h"

namespace cutis {
namespace {

TEST(slide_verify, derivatives_and_constraints_hold) {
    test::expect_cases(verify::verify_slide_derivatives);
}

TEST(slide_verify, equilibria_are_those_known_exactly) {
    test::expect_cases(verify::verify_slide_statics);
}

TEST(slide_verify, waves_flow_and_coupling_are_those_known_exactly) {
    test::expect_cases(verify::verify_slide_dynamics);
}

TEST(slide_verify, bits_are_the_same_for_any_threads_and_after_a_restore) {
    test::expect_cases(verify::verify_slide_bits);
}

TEST(slide_verify, slow_lips_and_lids_glide_along_their_rims) {
    test::expect_cases(verify::verify_slide_face);
}

TEST(slide_verify, slow_impossible_input_is_survived) {
    test::expect_cases(verify::verify_slide_robustness);
}

TEST(slide_verify, slow_skin_of_real_characters_comes_to_rest_and_does_not_chatter) {
    test::expect_cases([] { return verify::verify_slide_calm(false); });
}

TEST(slide_verify, slow_clips_of_real_characters_are_survived_without_drift) {
    test::expect_cases([] { return verify::verify_slide_characters(false); });
}

}  // namespace
}  // namespace cutis
