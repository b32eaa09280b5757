#include "cutis/fold/profile.h"

#include <limits>

#include "cutis/core/error.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using test::expect_error;

TEST(FoldProfile, the_blob_is_the_cubic_of_the_paper) {
    const FoldProfile blob = FoldProfile::blob();
    for (double x = -1.2; x <= 1.2; x += 0.01) {
        const double a = std::abs(x);
        const double expected = a < 1.0 ? 1.0 - 3.0 * a * a + 2.0 * a * a * a : 0.0;
        EXPECT_NEAR(blob.at(x), expected, 1e-15);
    }
}

TEST(FoldProfile, every_profile_is_one_at_the_crest_zero_outside_and_leaves_the_surface_smoothly) {
    for (const FoldProfile& plain : {FoldProfile::blob(), FoldProfile::flat(), FoldProfile::sharp(),
                                     FoldProfile::sampled({0.0, 0.1, 0.5, 1.0, 0.5, 0.1, 0.0})}) {
        for (const double lean : {-0.4, 0.0, 0.3}) {
            const FoldProfile profile = plain.shaped(0.5, lean);
            EXPECT_NEAR(profile.at(lean), 1.0, 1e-15);
            EXPECT_EQ(profile.at(1.0), 0.0);
            EXPECT_EQ(profile.at(-1.0), 0.0);
            EXPECT_EQ(profile.at(2.0), 0.0);
            const double h = 1e-6;
            EXPECT_LT(profile.at(1.0 - h) / h, 1e-4);
            EXPECT_LT(profile.at(-1.0 + h) / h, 1e-4);
            for (double x = -1.0; x <= 1.0; x += 0.01) {
                EXPECT_GE(profile.at(x), 0.0);
                EXPECT_LE(profile.at(x), 1.0 + 1e-15);
            }
        }
    }
}

TEST(FoldProfile, flat_is_flatter_and_sharp_is_sharper_than_the_blob) {
    for (double x = 0.02; x < 0.4; x += 0.02) {
        EXPECT_GT(FoldProfile::flat().at(x), FoldProfile::blob().at(x));
        EXPECT_LT(FoldProfile::sharp().at(x), FoldProfile::blob().at(x));
    }
}

TEST(FoldProfile, a_sampled_profile_passes_through_its_samples_without_overshoot) {
    const std::vector<double> heights = {0.0, 2.0, 2.0, 0.5, 4.0, 0.0};
    const FoldProfile profile = FoldProfile::sampled(heights);
    for (size_t i = 0; i < heights.size(); ++i) {
        EXPECT_NEAR(profile.at(-1.0 + 0.4 * static_cast<double>(i)), heights[i] / 4.0, 1e-15);
    }
    for (double x = -0.6; x <= -0.2; x += 0.01) {
        EXPECT_NEAR(profile.at(x), 0.5, 1e-15);  // between two equal samples
    }
}

TEST(FoldProfile, bad_samples_are_refused_with_their_index) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    expect_error<InvalidInput>([] { FoldProfile::sampled({0.0, 1.0}); }, {"at least 3", "2"});
    expect_error<InvalidInput>([] { FoldProfile::sampled({0.0, 1.0, -0.5, 0.0}); }, {"sample 2", "-0.5"});
    expect_error<InvalidInput>([&] { FoldProfile::sampled({0.0, nan, 0.5, 0.0}); }, {"sample 1", "nan"});
    expect_error<InvalidInput>([] { FoldProfile::sampled({0.1, 1.0, 0.0}); }, {"sample 0", "0.1"});
    expect_error<InvalidInput>([] { FoldProfile::sampled({0.0, 1.0, 0.2}); }, {"sample 2", "0.2"});
    expect_error<InvalidInput>([] { FoldProfile::sampled({0.0, 0.0, 0.0}); }, {"above 0"});
    expect_error<InvalidInput>([] { FoldProfile::blob().shaped(1.5, 0.0); }, {"1.5"});
    expect_error<InvalidInput>([] { FoldProfile::blob().shaped(0.0, 0.7); }, {"0.7"});
}

}  // namespace
}  // namespace cutis
