// Groups of `verify shell` as tests: the same checks, written once.
#include "support/proofs.h"
#include "verify/shell_cases.h"

namespace cutis {
namespace {

TEST(ShellVerifyTest, split_and_safe_offset_hold) {
    test::expect_cases(verify::shell::offset_cases);
}
TEST(ShellVerifyTest, slow_no_real_mesh_has_an_inverted_prism) {
    test::expect_cases(verify::shell::data_cases);
}
TEST(ShellVerifyTest, equilibrium_matches_its_closed_forms) {
    test::expect_cases(verify::shell::equilibrium_cases);
}
TEST(ShellVerifyTest, vibration_is_exact_and_limited_by_piece) {
    test::expect_cases(verify::shell::vibration_cases);
}
TEST(ShellVerifyTest, handles_match_a_new_factor_and_converge_as_derived) {
    test::expect_cases(verify::shell::handle_cases);
}

}  // namespace
}  // namespace cutis
