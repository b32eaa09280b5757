#include <cmath>
#include <numbers>
#include <random>

#include "cutis/fold/profile.h"
#include "cutis/fold/solve.h"
#include "verify/fold_arm.h"
#include "verify/fold_cases.h"

// Lines in the plane: what Ly et al. 2017 prove.

namespace cutis::verify {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

double length_of(const MatrixX3d& q) {
    return (q.bottomRows(q.rows() - 1) - q.topRows(q.rows() - 1)).rowwise().norm().sum();
}

struct RandomFolds {
    double worst_residual = 0.0;
    double worst_complementarity = 0.0;
    double worst_root = 0.0;
    int most_iterations = 0;
};

// 3 to 59 segments, turning -1.5 to 1.5, compression 1e-6 to 0.63, noisy points.
RandomFolds random_folds(int count) {
    std::mt19937 random(17);
    const auto uniform = [&](double low, double high) {
        return low + (high - low) * (static_cast<double>(random()) / 4294967296.0);
    };
    const FoldProfile blob = FoldProfile::blob();
    RandomFolds found;
    for (int n = 0; n < count; ++n) {
        const int segments = 3 + static_cast<int>(random() % 57);
        const double turn = uniform(-1.5, 1.5);
        MatrixX3d points(segments + 1, 3);
        MatrixX3d offsets(segments + 1, 3);
        for (int i = 0; i <= segments; ++i) {
            const double x = -1.0 + 2.0 * i / segments;
            const double angle = 0.5 * turn * x;
            const double noise = 0.05 / segments;
            points.row(i) << 2.0 * std::sin(angle) / turn + uniform(-noise, noise),
                2.0 * (1.0 - std::cos(angle)) / turn + uniform(-noise, noise),
                uniform(-noise, noise);
            offsets.row(i) =
                blob.at(x) * Eigen::RowVector3d(-std::sin(angle), std::cos(angle), 0.0);
        }
        const double compression = std::pow(10.0, uniform(-6.0, -0.2));
        const double rest = length_of(points) / (1.0 - compression);
        const FoldHeight height = solve_fold(points, offsets, rest);
        found.worst_residual =
            std::max(found.worst_residual,
                     std::abs(length_of(points + height.height * offsets) - rest) / rest);
        found.worst_complementarity =
            std::max(found.worst_complementarity, std::abs(height.fischer_burmeister()) / rest);
        found.most_iterations = std::max(found.most_iterations, height.iterations);
        if (n % 10 == 0) {  // the same root by halving an interval
            double low = 0.0;
            double high = 50.0;
            for (int i = 0; i < 100; ++i) {
                const double middle = 0.5 * (low + high);
                (length_of(points + middle * offsets) < rest ? low : high) = middle;
            }
            found.worst_root = std::max(found.worst_root, std::abs(low - height.height));
        }
    }
    return found;
}

double height_with_two_more_roots() {
    const int segments = 400;
    MatrixX3d points(segments + 1, 3);
    MatrixX3d offsets(segments + 1, 3);
    for (int i = 0; i <= segments; ++i) {
        const double x = -1.0 + 2.0 * i / segments;
        const double angle = 0.3 * x;
        points.row(i) << std::sin(angle) / 0.3, (1.0 - std::cos(angle)) / 0.3, 0.0;
        offsets.row(i) =
            FoldProfile::blob().at(x) * Eigen::RowVector3d(-std::sin(angle), std::cos(angle), 0.0);
    }
    return solve_fold(points, offsets, 1.99).height;
}

FoldRailOptions strict_options(int passes) {
    FoldRailOptions options;
    options.mode = FoldMode::strict;
    options.distortion_passes = passes;
    options.limiter = false;
    return options;
}

/// Largest relative length error of compressed folds, and worst RMS of segment ratios.
struct ArmErrors {
    double length = 0.0;
    double segments = 0.0;
};
ArmErrors arm_errors(Skinning skinning, double angle, int passes) {
    FoldArm arm;
    arm.skinning = skinning;
    const Workers one(1);
    FoldRails rails(arm.rails(), strict_options(passes));
    MatrixX3d points;
    MatrixX3d normals;
    arm.bend(angle, points, normals);
    rails.solve(points, normals, {}, one);
    const MatrixX3d folded = points + rails.offsets();
    ArmErrors worst;
    const int per_rail = arm.segments + 1;
    for (int r = 0; r < arm.folds; ++r) {
        if (rails.compression()[r] <= 0.0) {
            continue;
        }
        const double rest = rails.rest_length(r);
        worst.length =
            std::max(worst.length,
                     std::abs(length_of(folded.middleRows(r * per_rail, per_rail)) - rest) / rest);
        double sum = 0.0;
        for (int i = 0; i < arm.segments; ++i) {
            const double size =
                (folded.row(r * per_rail + i + 1) - folded.row(r * per_rail + i)).norm();
            sum += std::pow(size / (rest / arm.segments) - 1.0, 2);
        }
        worst.segments = std::max(worst.segments, std::sqrt(sum / arm.segments));
    }
    return worst;
}

/// Ratio of the largest change of the offsets from frame to frame, when frames are halved.
double halving_ratio(const FoldRailOptions& options, double pre_stretch, int frames,
                     bool use_pairs = false) {
    FoldArm arm;
    // Where the base turns over (linear blend from 65 degrees on) its normals jump; the crest of a
    // merged fold stands right there.
    const double farthest = use_pairs ? 60.0 : 100.0;
    arm.pre_stretch = pre_stretch;
    FoldRailSet set = arm.rails();
    if (use_pairs) {
        for (size_t r = 1; r + 1 < set.partner.size(); r += 2) {
            set.partner[r] = static_cast<int>(r) + 1;  // across the joint as well
        }
    }
    const Workers one(1);
    FoldRails rails(set, options);
    double largest[2] = {0.0, 0.0};
    for (int half = 0; half < 2; ++half) {
        MatrixX3d points;
        MatrixX3d normals;
        MatrixX3d before;
        const int count = frames << half;
        for (int frame = 0; frame <= count; ++frame) {
            arm.bend(farthest * degree * frame / count, points, normals);
            rails.solve(points, normals, {arm.plane(farthest * degree * frame / count)}, one);
            if (frame > 0) {
                largest[half] =
                    std::max(largest[half], (rails.offsets() - before).rowwise().norm().maxCoeff());
            }
            before = rails.offsets();
        }
    }
    return largest[1] / largest[0];
}

struct Crossings {
    int runs = 0;
    int bases_that_cross = 0;
    int without_limiter = 0;  // runs
    int with_limiter = 0;     // crossings, of bases that do not cross
};
Crossings count_crossings() {
    Crossings count;
    const Workers one(1);
    for (const double bend : {40.0, 60.0, 80.0, 100.0, 120.0}) {
        for (const double width : {0.5, 1.0}) {
            for (const double blend : {1.0, 2.0}) {
                for (const double radius : {0.5, 1.0}) {
                    FoldArm arm;
                    arm.skinning = Skinning::dual_quaternion;
                    arm.fold_width = width;
                    arm.folds = width < 0.75 ? 12 : 6;
                    arm.blend = blend;
                    arm.radius = radius;
                    MatrixX3d points;
                    MatrixX3d normals;
                    arm.bend(bend * degree, points, normals);
                    ++count.runs;
                    if (self_crossings(points, arm.segments + 1) > 0) {
                        ++count.bases_that_cross;
                        continue;
                    }
                    for (const bool is_limited : {false, true}) {
                        FoldRailOptions options = strict_options(2);
                        options.limiter = is_limited;
                        FoldRails rails(arm.rails(), options);
                        rails.solve(points, normals, {arm.plane(bend * degree)}, one);
                        const int crossings =
                            self_crossings(points + rails.offsets(), arm.segments + 1);
                        (is_limited ? count.with_limiter : count.without_limiter) +=
                            is_limited ? crossings : (crossings > 0 ? 1 : 0);
                    }
                }
            }
        }
    }
    return count;
}

/// Merging: largest error of a pair's common length, over the whole transition.
double merged_length_error() {
    FoldArm arm;
    arm.folds = 2;
    arm.fold_width = 1.0;
    FoldRailSet set = arm.rails();
    set.partner[0] = 1;
    FoldRailOptions options = strict_options(2);
    options.merge_from = 0.1;
    options.merge_to = 0.3;
    const Workers one(1);
    FoldRails rails(set, options);
    double worst = 0.0;
    MatrixX3d points;
    MatrixX3d normals;
    for (int degrees = 1; degrees <= 90; ++degrees) {
        arm.bend(degrees * degree, points, normals);
        rails.solve(points, normals, {}, one);
        const MatrixX3d folded = points + rails.offsets();
        if (rails.compression().minCoeff() > 0.0) {
            const double length = length_of(folded.topRows(arm.segments + 1)) +
                                  length_of(folded.bottomRows(arm.segments + 1));
            const double rest = rails.rest_length(0) + rails.rest_length(1);
            worst = std::max(worst, std::abs(length - rest) / rest);
        }
    }
    return worst;
}

}  // namespace

std::vector<Case> verify_fold_lines() {
    const std::string notes = "convexity of tau; Ly et al. 2017 section 4.2";
    const RandomFolds random = random_folds(4000);
    std::vector<Case> cases = {
        fold_at_most("4000 random folds: length error", random.worst_residual, 1e-14,
                     "of the rest length", notes),
        fold_at_most("4000 random folds: Fischer-Burmeister residual", random.worst_complementarity,
                     2e-14, "of the rest length", "Ly et al. 2017 section 4.1"),
        fold_at_most("4000 random folds: Newton iterations", random.most_iterations, 16, "",
                     "monotone from the right"),
        fold_at_most("400 random folds: difference to bisection", random.worst_root, 1e-11, "m",
                     "tau has one root where tau(0) < 0"),
        fold_at_most("a concave line with two more roots stays at zero",
                     height_with_two_more_roots(), 0.0, "m", "tau(0) >= 0: X = 0"),
    };
    double length = 0.0;
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        for (int angle = 5; angle <= 120; angle += 5) {
            length = std::max(length, arm_errors(skinning, angle * degree, 2).length);
        }
    }
    cases.push_back(fold_at_most("arm bent 0 to 120 degrees, both skinnings: length error, strict",
                                 length, 1e-13, "of the rest length", "Ly et al. 2017 Eq. 2"));
    double even = 0.0;
    for (int angle = 10; angle <= 60; angle += 10) {
        even = std::max(even, arm_errors(Skinning::linear_blend, angle * degree, 2).segments);
    }
    cases.push_back(fold_at_most("segments of folds, linear blend up to 60 degrees, two passes",
                                 even, 0.03, "RMS of length ratios",
                                 "Ly et al. 2017 section 4.2, made stateless"));
    cases.push_back(fold_at_least("the same without correction",
                                  arm_errors(Skinning::linear_blend, 60 * degree, 0).segments, 0.2,
                                  "RMS of length ratios", "counter-proof"));
    FoldRailOptions gate;
    cases.push_back(fold_at_most("largest change per frame when frames are halved, 5 % gate",
                                 halving_ratio(gate, 0.0, 200), 0.55, "", "1/2 for smooth motion"));
    cases.push_back(fold_at_most("the same with 2 % pre-stretch", halving_ratio(gate, 0.02, 200),
                                 0.55, "", "1/2 for smooth motion"));
    FoldRailOptions limited = gate;
    limited.limiter = true;
    cases.push_back(fold_at_most("the same with limiter", halving_ratio(limited, 0.0, 200), 0.55,
                                 "", "projections on planes are continuous"));
    FoldRailOptions single = limited;
    single.tolerance.length = 1e-5;
    cases.push_back(fold_at_most("the same as bakes have it, in single precision",
                                 halving_ratio(single, 0.02, 200), 0.55, "",
                                 "1/2 for smooth motion"));
    FoldRailOptions merging = gate;
    merging.merge_from = 0.1;
    merging.merge_to = 0.35;
    cases.push_back(fold_at_most("the same with folds that merge, up to 60 degrees",
                                 halving_ratio(merging, 0.0, 200, true), 0.55, "",
                                 "1/2 for smooth motion"));
    cases.push_back(fold_at_least("the same in strict mode",
                                  halving_ratio(strict_options(2), 0.0, 200), 0.65, "",
                                  "square root onset: 0.71; counter-proof"));
    const Crossings crossings = count_crossings();
    cases.push_back(fold_at_least("bending arms whose folds cross without limiter",
                                  crossings.without_limiter, 3, "of 40", "counter-proof"));
    cases.push_back(fold_at_most("crossings with limiter where the base does not cross",
                                 crossings.with_limiter, 0, "", "end planes and joint plane"));
    cases.push_back(fold_at_most("two merging folds keep their common length, strict",
                                 merged_length_error(), 1e-12, "of the rest length",
                                 "mixture scaled by the same Newton"));
    return cases;
}

}  // namespace cutis::verify
