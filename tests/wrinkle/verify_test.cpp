// `verify wrinkle` as a test: the same checks, written once.
#include "verify/verify.h"
#include "support/proofs.h"

namespace cutis {
namespace {

TEST(WrinkleVerify, maps_take_up_compression_and_show_no_seams_drift_or_pops) {
    test::expect_cases(verify::verify_wrinkle);
}

}  // namespace
}  // namespace cutis
