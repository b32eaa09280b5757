// Groups of `verify fold` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/fold_cases.h"

namespace cutis {
namespace {

TEST(FoldVerify, lines_in_the_plane_hold_their_length) {
    test::expect_cases(verify::verify_fold_lines);
}

TEST(FoldVerify, lines_on_a_bending_tube_are_exact) {
    test::expect_cases(verify::verify_fold_tube);
}

TEST(FoldVerify, slow_garments_hold_their_length_and_do_not_pop) {
    test::expect_cases(verify::verify_fold_character);
}

}  // namespace
}  // namespace cutis
