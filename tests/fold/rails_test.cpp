// What scales, holds and merges the offsets of rails: each rule alone on straight lines.

#include "cutis/fold/rails.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cutis/fold/profile.h"

namespace cutis {
namespace {

constexpr int segments = 16;
constexpr int points = segments + 1;

/// Rails of 1 m one after the other along x, folds towards z.
FoldRailSet rails_in_a_row(int count) {
    FoldRailSet set;
    set.segments = segments;
    set.rest.resize(count * points, 3);
    set.profile.resize(count * points);
    for (int r = 0; r < count; ++r) {
        for (int i = 0; i < points; ++i) {
            const double x = static_cast<double>(i) / segments;
            set.rest.row(r * points + i) << r + x, 0.0, 0.0;
            set.profile[r * points + i] =
                i == 0 || i == segments ? 0.0 : FoldProfile::blob().at(2.0 * x - 1.0);
        }
    }
    set.pre_stretch = VectorXd::Zero(count);
    set.share = VectorXd::Ones(count);
    set.partner.assign(static_cast<size_t>(count), -1);
    set.plane.assign(static_cast<size_t>(count), -1);
    return set;
}

/// The rails with lengths of their own, still one after the other.
MatrixX3d squeezed(const FoldRailSet& set, const std::vector<double>& lengths) {
    MatrixX3d base = set.rest;
    double start = 0.0;
    for (int r = 0; r < set.count(); ++r) {
        for (int i = 0; i < points; ++i) {
            base(r * points + i, 0) = start + lengths[static_cast<size_t>(r)] * i / segments;
        }
        start += lengths[static_cast<size_t>(r)];
    }
    return base;
}

FoldRailOptions plain(FoldMode mode) {
    FoldRailOptions options;
    options.mode = mode;
    options.distortion_passes = 0;
    options.height_cap = 0.0;
    options.limiter = false;
    options.tolerance.length = 1e-14;
    return options;
}

MatrixX3d solved(const FoldRailSet& set, const FoldRailOptions& options, const MatrixX3d& base,
                 const std::vector<FoldPlane>& planes = {}, const MatrixX3d* directions = nullptr) {
    FoldRails rails(set, options);
    const MatrixX3d up = Eigen::RowVector3d(0, 0, 2.5).replicate(base.rows(), 1);
    rails.solve(base, directions == nullptr ? up : *directions, planes, Workers(1));
    return rails.offsets();
}

double length_of(const MatrixX3d& line) {
    return (line.bottomRows(line.rows() - 1) - line.topRows(line.rows() - 1))
        .rowwise()
        .norm()
        .sum();
}

TEST(FoldRailRules, a_strict_rail_has_its_rest_length_and_the_shape_of_its_profile) {
    const FoldRailSet set = rails_in_a_row(1);
    const MatrixX3d base = squeezed(set, {0.7});
    const MatrixX3d offsets = solved(set, plain(FoldMode::strict), base);
    EXPECT_NEAR(length_of(base + offsets), 1.0, 1e-13);
    for (int i = 0; i < points; ++i) {
        EXPECT_NEAR(offsets(i, 2), offsets(segments / 2, 2) * set.profile[i], 1e-14);
        EXPECT_EQ(offsets(i, 0), 0.0);
    }
}

TEST(FoldRailRules, pre_stretch_is_length_given_up_before_folding) {
    FoldRailSet set = rails_in_a_row(1);
    set.pre_stretch[0] = 0.25;
    FoldRails rails(set, plain(FoldMode::strict));
    EXPECT_NEAR(rails.rest_length(0), 1.0 / 1.25, 1e-15);
    const MatrixX3d base = squeezed(set, {0.7});
    const MatrixX3d offsets = solved(set, plain(FoldMode::strict), base);
    EXPECT_NEAR(length_of(base + offsets), 0.8, 1e-13);
    EXPECT_EQ(solved(set, plain(FoldMode::strict), squeezed(set, {0.85})).norm(), 0.0);
}

TEST(FoldRailRules, below_the_gate_offsets_are_scaled_by_smoothstep_and_by_the_share_always) {
    FoldRailSet set = rails_in_a_row(1);
    for (const double compression : {0.01, 0.02, 0.049, 0.05, 0.2}) {
        const MatrixX3d base = squeezed(set, {1.0 - compression});
        set.share[0] = 1.0;
        const MatrixX3d strict = solved(set, plain(FoldMode::strict), base);
        set.share[0] = 0.3;
        const MatrixX3d gated = solved(set, plain(FoldMode::gate), base);
        const double t = std::min(1.0, compression / 0.05);
        EXPECT_LT((gated - 0.3 * t * t * (3.0 - 2.0 * t) * strict).cwiseAbs().maxCoeff(), 1e-12)
            << compression;
    }
}

TEST(FoldRailRules, heights_approach_their_cap_from_three_quarters_of_it_on) {
    const FoldRailSet set = rails_in_a_row(1);
    FoldRailOptions options = plain(FoldMode::gate);
    options.height_cap = 0.2;
    for (const double length : {0.98, 0.9, 0.6, 0.2}) {
        const MatrixX3d base = squeezed(set, {length});
        FoldRailOptions free = options;
        free.height_cap = 0.0;
        const double height = solved(set, free, base).col(2).maxCoeff();
        // Slope 1 at 0.15, 0.2 at infinity.
        const double expected =
            height <= 0.15 ? height : 0.2 - 0.05 * std::exp((0.15 - height) / 0.05);
        EXPECT_NEAR(solved(set, options, base).col(2).maxCoeff(), expected, 1e-12) << length;
    }
}

TEST(FoldRailRules, a_joint_plane_takes_away_what_would_pass_it) {
    FoldRailSet set = rails_in_a_row(1);
    set.plane[0] = 0;
    FoldRailOptions options = plain(FoldMode::strict);
    const MatrixX3d base = squeezed(set, {0.6});
    const MatrixX3d free = solved(set, options, base);
    options.limiter = true;
    for (const double sign : {1.0, -1.0}) {
        // A plane 5 cm above, whichever way its normal points: 98 % of the room may be used.
        const FoldPlane above{Vector3d(0.3, 0.0, 0.05), Vector3d(0.0, 0.0, 3.0 * sign)};
        const MatrixX3d held = solved(set, options, base, {above});
        ASSERT_GT(free.col(2).maxCoeff(), 0.06);
        for (int i = 0; i < points; ++i) {
            EXPECT_NEAR(held(i, 2), std::min(free(i, 2), 0.98 * 0.05), 1e-13) << i;
        }
        // Nearer than a hundredth of the fold it lets go in proportion.
        const FoldPlane near{Vector3d(0.3, 0.0, 0.005), Vector3d(0.0, 0.0, sign)};
        const MatrixX3d half = solved(set, options, base, {near});
        for (int i = 1; i < segments; ++i) {
            const double over = std::max(0.0, free(i, 2) - 0.98 * 0.005);
            EXPECT_NEAR(half(i, 2), free(i, 2) - 0.5 * over, 1e-13) << i;
        }
    }
}

TEST(FoldRailRules, folds_stay_between_the_planes_of_their_ends) {
    const FoldRailSet set = rails_in_a_row(1);
    const MatrixX3d base = squeezed(set, {0.4});
    // Directions lean outwards at both sides, upright at the ends themselves.
    MatrixX3d directions(points, 3);
    for (int i = 0; i < points; ++i) {
        const double lean = i == 0 || i == segments ? 0.0 : (i < segments / 2 ? -1.5 : 1.5);
        directions.row(i) << lean, 0.0, 1.0;
    }
    FoldRailOptions options = plain(FoldMode::strict);
    const MatrixX3d free = base + solved(set, options, base, {}, &directions);
    options.limiter = true;
    const MatrixX3d held = base + solved(set, options, base, {}, &directions);
    ASSERT_LT(free.col(0).minCoeff(), -0.01);  // counter-proof
    ASSERT_GT(free.col(0).maxCoeff(), 0.41);
    for (int i = 1; i < segments; ++i) {
        const double low = std::max(free(i, 0), 0.02 * base(i, 0));
        const double both = std::min(low, 0.4 - 0.02 * (0.4 - base(i, 0)));
        EXPECT_NEAR(held(i, 0), both, 1e-13) << i;
        EXPECT_NEAR(held(i, 2), free(i, 2), 1e-13) << i;
    }
}

TEST(FoldRailRules, end_planes_hold_the_direction_of_their_end) {
    const FoldRailSet set = rails_in_a_row(1);
    const MatrixX3d base = squeezed(set, {0.4});
    // The ends lean outwards, too: their planes lean with them.
    MatrixX3d directions(points, 3);
    for (int i = 0; i < points; ++i) {
        const double side = i < segments / 2 ? -1.0 : 1.0;
        directions.row(i) << side * (i == 0 || i == segments ? 0.5 : 3.0), 0.0, 1.0;
    }
    FoldRailOptions options = plain(FoldMode::strict);
    const MatrixX3d free = base + solved(set, options, base, {}, &directions);
    options.limiter = true;
    const MatrixX3d held = base + solved(set, options, base, {}, &directions);
    for (const int end : {0, segments}) {
        // Normal of the plane: across the end's direction, towards the fold.
        const double side = end == 0 ? 1.0 : -1.0;
        const Vector3d normal = Vector3d(side, 0.0, 0.5).normalized();
        double deepest = 0.0;
        for (int k = 1; k < segments / 2; ++k) {
            const int i = end == 0 ? k : segments - k;
            const double room = (base.row(i) - base.row(end)).dot(normal);
            const double kept = (free.row(i) - base.row(end)).dot(normal);
            deepest = std::min(deepest, kept);
            EXPECT_NEAR((held.row(i) - base.row(end)).dot(normal), std::max(kept, 0.02 * room),
                        1e-12)
                << i;
        }
        EXPECT_LT(deepest, -0.01);  // counter-proof
    }
}

TEST(FoldRailRules, segments_of_a_steep_fold_have_their_rest_proportions_after_two_passes) {
    const FoldRailSet set = rails_in_a_row(1);
    const MatrixX3d base = squeezed(set, {0.6});
    const auto spread = [&](int passes) {
        FoldRailOptions options = plain(FoldMode::strict);
        options.distortion_passes = passes;
        const MatrixX3d folded = base + solved(set, options, base);
        EXPECT_NEAR(length_of(folded), 1.0, 1e-12);
        double worst = 0.0;
        for (int i = 0; i < segments; ++i) {
            worst = std::max(worst,
                             std::abs((folded.row(i + 1) - folded.row(i)).norm() * segments - 1.0));
        }
        return worst;
    };
    EXPECT_GT(spread(0), 0.3);  // counter-proof
    EXPECT_LT(spread(2), 0.05);
}

FoldRailOptions merging() {
    FoldRailOptions options = plain(FoldMode::strict);
    options.merge_from = 0.1;
    options.merge_to = 0.3;
    return options;
}

TEST(FoldRailRules, a_merged_pair_is_one_blob_over_both_with_their_common_length) {
    FoldRailSet set = rails_in_a_row(2);
    set.partner[0] = 1;
    const MatrixX3d base = squeezed(set, {0.6, 0.5});
    const MatrixX3d offsets = solved(set, merging(), base);
    const MatrixX3d folded = base + offsets;
    EXPECT_NEAR(length_of(folded.topRows(points)) + length_of(folded.bottomRows(points)), 2.0,
                1e-12);
    const double top = offsets(segments, 2);  // where both meet
    EXPECT_GT(top, 0.3);
    for (int r = 0; r < 2; ++r) {
        for (int i = 0; i < points; ++i) {
            const double arc = 0.5 * (r + static_cast<double>(i) / segments);
            EXPECT_NEAR(offsets(r * points + i, 2), top * FoldProfile::blob().at(2.0 * arc - 1.0),
                        1e-12);
        }
    }
}

TEST(FoldRailRules, a_merged_pair_of_unequal_rails_is_one_blob_by_length) {
    FoldRailSet set = rails_in_a_row(2);
    set.partner[0] = 1;
    for (int i = 0; i < points; ++i) {  // the second is half as long
        set.rest(points + i, 0) = 1.0 + 0.5 * i / segments;
    }
    const MatrixX3d offsets = solved(set, merging(), squeezed(set, {0.6, 0.25}));
    const double top = offsets.col(2).maxCoeff();
    for (int r = 0; r < 2; ++r) {
        for (int i = 0; i < points; ++i) {
            const double part = static_cast<double>(i) / segments;
            const double arc = (r == 0 ? part : 1.0 + 0.5 * part) / 1.5;
            EXPECT_NEAR(offsets(r * points + i, 2) / top,
                        FoldProfile::blob().at(2.0 * arc - 1.0) / FoldProfile::blob().at(0.0), 0.01)
                << r << ' ' << i;
        }
    }
}

TEST(FoldRailRules, a_merged_pair_of_half_share_is_half_as_high) {
    FoldRailSet set = rails_in_a_row(2);
    set.partner[0] = 1;
    const MatrixX3d base = squeezed(set, {0.6, 0.5});
    const MatrixX3d whole = solved(set, merging(), base);
    set.share.setConstant(0.5);
    EXPECT_LT((solved(set, merging(), base) - 0.5 * whole).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(FoldRailRules, a_pair_with_one_stretched_rail_does_not_merge) {
    FoldRailSet set = rails_in_a_row(2);
    set.partner[0] = 1;
    // Compressed by a fifth together, but one of them is stretched.
    const MatrixX3d base = squeezed(set, {0.5, 1.1});
    const MatrixX3d merged = solved(set, merging(), base);
    set.partner[0] = -1;
    const MatrixX3d apart = solved(set, merging(), base);
    EXPECT_EQ(merged, apart);
    EXPECT_EQ(merged.bottomRows(points).norm(), 0.0);
    // Hardly compressed: a mixture that keeps the common length, near the two apart.
    set.partner[0] = 1;
    const MatrixX3d hardly = squeezed(set, {0.5, 0.99});
    const MatrixX3d mixed = hardly + solved(set, merging(), hardly);
    EXPECT_NEAR(length_of(mixed.topRows(points)) + length_of(mixed.bottomRows(points)), 2.0, 1e-12);
    set.partner[0] = -1;
    const MatrixX3d two = hardly + solved(set, merging(), hardly);
    // smoothstep(0.01 / 0.05) = 0.104 of the way at most.
    EXPECT_LT((mixed - two).rowwise().norm().maxCoeff(), 0.104 * two.col(2).maxCoeff() * 2.0);
    EXPECT_GT((mixed - two).rowwise().norm().maxCoeff(), 0.0);
}

}  // namespace
}  // namespace cutis
