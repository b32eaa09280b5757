// The quick groups of `cutis verify slide` as tests: the same checks, written once.
#include <gtest/gtest.h>

#include "../../verify/slide_derivatives.cpp"
#include "../../verify/slide_robustness.cpp"
#include "../../verify/slide_shapes.cpp"

namespace cutis::verify {
namespace {

void expect_all(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        EXPECT_TRUE(one.pass) << one.name << ": " << one.value << ", limit " << one.limit << ' '
                              << one.unit;
    }
}

TEST(slide_verify, derivatives_and_constraints_hold) {
    expect_all(verify_slide_derivatives());
}

TEST(slide_verify, impossible_input_is_survived_with_the_same_bits_for_any_threads) {
    expect_all(verify_slide_robustness());
}

}  // namespace
}  // namespace cutis::verify
