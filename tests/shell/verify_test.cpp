// Every case of `cutis verify shell`, as tests.
#include "../../verify/shell_data_verify.cpp"
#include "../../verify/shell_handles_verify.cpp"
#include "../../verify/shell_motion_verify.cpp"
#include "../../verify/shell_shapes.cpp"
#include "../../verify/shell_verify.cpp"

#include <gtest/gtest.h>

namespace cutis {
namespace {

void expect_all_pass(const std::vector<verify::Case>& cases) {
    EXPECT_FALSE(cases.empty());
    for (const verify::Case& one : cases) {
        EXPECT_TRUE(one.pass) << one.name << ": " << one.value << ", limit " << one.limit << ' '
                              << one.unit << " (" << one.source << ")";
    }
}

TEST(ShellVerifyTest, split_and_safe_offset_hold) {
    expect_all_pass(verify::shell::offset_cases());
}
TEST(ShellVerifyTest, no_real_mesh_has_an_inverted_prism) {
    expect_all_pass(verify::shell::data_cases());
}
TEST(ShellVerifyTest, equilibrium_matches_its_closed_forms) {
    expect_all_pass(verify::shell::equilibrium_cases());
}
TEST(ShellVerifyTest, vibration_is_exact_and_limited_by_piece) {
    expect_all_pass(verify::shell::vibration_cases());
}
TEST(ShellVerifyTest, handles_match_a_new_factor_and_converge_as_derived) {
    expect_all_pass(verify::shell::handle_cases());
}

}  // namespace
}  // namespace cutis
