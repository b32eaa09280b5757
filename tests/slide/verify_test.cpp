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

TEST(slide_verify, impossible_input_is_survived_with_the_same_bits_for_any_threads) {
    test::expect_cases(verify::verify_slide_robustness);
}

}  // namespace
}  // namespace cutis
