// Groups of `verify fold` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/fold_cases.h"

namespace cutis {
namespace {

TEST(FoldVerify, lines_in_the_plane_hold_their_length) {
    test::expect_cases(verify::verify_fold_lines);
}

TEST(FoldVerify, a_bending_tube_folds_as_derived) {
    test::expect_cases(verify::verify_fold_tube);
}

TEST(FoldVerify, slow_dancers_fold_without_going_below_or_turning_over) {
    test::expect_cases(verify::verify_fold_character);
}

}  // namespace
}  // namespace cutis
