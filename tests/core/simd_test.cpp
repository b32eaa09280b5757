#include "core/simd.h"

#include <gtest/gtest.h>

#include "core/numbers.h"

namespace cutis {
namespace {

using simd::Doubles;
using simd::Floats;

TEST(Simd, larger_and_smaller_give_the_second_where_a_number_is_missing) {
    const Doubles a = {1.0, nan, 3.0, -1.0};
    const Doubles b = {2.0, 5.0, nan, -2.0};
    const Doubles high = simd::larger(a, b);
    const Doubles low = simd::smaller(a, b);
    EXPECT_EQ(high[0], 2.0);
    EXPECT_EQ(high[1], 5.0);
    EXPECT_TRUE(std::isnan(high[2]));
    EXPECT_EQ(high[3], -1.0);
    EXPECT_EQ(low[0], 1.0);
    EXPECT_EQ(low[1], 5.0);
    EXPECT_TRUE(std::isnan(low[2]));
    EXPECT_EQ(low[3], -2.0);
    EXPECT_EQ(simd::larger(1.0, 2.0), 2.0);  // one double obeys the same rule
    EXPECT_EQ(simd::larger(nan, 5.0), 5.0);
}

TEST(Simd, rows_become_columns_in_both_precisions) {
    Doubles d[4];
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            d[r][c] = 10.0 * r + c;
        }
    }
    simd::transpose(d);
    Floats f[8];
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            f[r][c] = static_cast<float>(10 * r + c);
        }
    }
    simd::transpose(f);
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            EXPECT_EQ(f[r][c], static_cast<float>(10 * c + r));
            if (r < 4 && c < 4) {
                EXPECT_EQ(d[r][c], 10.0 * c + r);
            }
        }
    }
}

TEST(Simd, coordinates_come_apart_and_together_again) {
    double from[12];
    for (int i = 0; i < 12; ++i) {
        from[i] = i;
    }
    Doubles x, y, z;
    simd::split_xyz(from, x, y, z);
    for (int v = 0; v < 4; ++v) {
        EXPECT_EQ(x[v], 3.0 * v);
        EXPECT_EQ(y[v], 3.0 * v + 1);
        EXPECT_EQ(z[v], 3.0 * v + 2);
    }
    double to[12] = {};
    simd::join_xyz(to, x, y, z);
    for (int i = 0; i < 12; ++i) {
        EXPECT_EQ(to[i], from[i]);
    }
}

TEST(Simd, records_are_gathered_and_scattered_by_index) {
    double records[24] = {};
    for (int i = 0; i < 24; ++i) {
        records[i] = i;
    }
    const int index[4] = {5, 0, 3, 2};
    const simd::Doubles3 v = simd::gather3(records, index);
    for (int l = 0; l < 4; ++l) {
        EXPECT_EQ(v.x[l], 4.0 * index[l]);
        EXPECT_EQ(v.y[l], 4.0 * index[l] + 1);
        EXPECT_EQ(v.z[l], 4.0 * index[l] + 2);
    }
    double out[24] = {};
    simd::scatter3(out, index, v);
    EXPECT_EQ(out[20], 20.0);
    EXPECT_EQ(out[21], 21.0);
    EXPECT_EQ(out[22], 22.0);
    EXPECT_EQ(out[23], 0.0);
    EXPECT_EQ(out[4], 0.0);  // record 1 is not among them
}

TEST(Simd, the_first_lanes_are_fresh_and_the_others_old) {
    const Floats fresh = simd::all<Floats>(1.0);
    const Floats old = simd::all<Floats>(2.0);
    for (int kept = 0; kept <= 8; ++kept) {
        const Floats mixed = simd::first_lanes(kept, fresh, old);
        for (int l = 0; l < 8; ++l) {
            EXPECT_EQ(mixed[l], l < kept ? 1.0f : 2.0f);
        }
    }
}

TEST(Simd, sums_signs_roots_and_inverses_are_those_of_each_lane) {
    const Doubles a = {1.0, 2.0, 3.0, 4.0};
    const Doubles s = simd::sums(a, 2.0 * a, -a, 0.5 * a);
    EXPECT_EQ(s[0], 10.0);
    EXPECT_EQ(s[1], 20.0);
    EXPECT_EQ(s[2], -10.0);
    EXPECT_EQ(s[3], 5.0);
    const Doubles turned = simd::turn_sign(a, Doubles{-0.5, 0.5, -0.0, 0.0});
    EXPECT_EQ(turned[0], -1.0);
    EXPECT_EQ(turned[1], 2.0);
    EXPECT_EQ(turned[2], -3.0);
    EXPECT_EQ(turned[3], 4.0);
    EXPECT_EQ(simd::inverse_root(a)[3], 0.5);
    EXPECT_EQ(simd::root(simd::all<Floats>(9.0))[5], 3.0f);
    EXPECT_EQ(simd::largest(a), 4.0);
    const auto [first, second] = simd::inverses(a, simd::all(8.0));
    EXPECT_EQ(first[3], 0.25);
    EXPECT_EQ(second[3], 0.125);
    EXPECT_TRUE(simd::any(a > simd::all(3.5)));
    EXPECT_FALSE(simd::any(a > simd::all(4.5)));
}

}  // namespace
}  // namespace cutis
