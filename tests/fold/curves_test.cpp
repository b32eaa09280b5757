#include "cutis/core/error.h"
#include "fold/sleeve.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using namespace test;

FoldCurveOptions curve_options() {
    FoldCurveOptions options;
    options.look.width = 0.03;
    options.look.pre_stretch = 0.0;
    options.reach = 0.06;
    return options;
}

std::vector<FoldPose> poses(const Sleeve& sleeve) {
    return {sleeve.pose(0.0), sleeve.pose(30.0), sleeve.pose(60.0)};
}

TEST(FoldCurves, the_bending_joint_is_found_on_its_inner_side_by_section_and_by_marching) {
    const Sleeve sleeve;
    for (const bool use_marching : {false, true}) {
        FoldJointOptions options;
        options.use_marching = use_marching;
        std::vector<std::string> notes;
        const std::vector<FoldCurve> curves =
            find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, poses(sleeve),
                              options, 0.05, notes);
        ASSERT_EQ(curves.size(), 1u);
        EXPECT_EQ(curves[0].name, "lower");
        for (const FoldCurve::Piece& piece : curves[0].pieces) {
            SurfacePoint point;
            point.triangle = piece.triangle;
            point.barycentric = piece.from;
            const Vector3d place =
                position_at(sleeve.shape.positions, sleeve.topology.triangles(), point);
            EXPECT_GT(place.x(), 0.07);  // the side to which the arm bends
            EXPECT_NEAR(place.z(), 0.5, 0.25);
        }
        const FoldPattern pattern = fold_pattern_from_curves(
            sleeve.topology, sleeve.shape.positions, curves, curve_options());
        FoldSolver solver(sleeve.topology, sleeve.shape.positions, pattern, {});
        sleeve.folded(solver, 45.0, Workers(1));
        EXPECT_GT(solver.report().highest, 0.003);
    }
}

TEST(FoldCurves, a_curve_with_a_profile_of_its_own_folds_by_that_one) {
    const Sleeve sleeve;
    std::vector<std::string> notes;
    std::vector<FoldCurve> curves = find_joint_curves(
        sleeve.topology, sleeve.shape.positions, sleeve.joints, poses(sleeve), {}, 0.05, notes);
    ASSERT_EQ(curves.size(), 1u);
    curves.push_back(curves[0]);
    curves[1].profile = FoldProfile::sharp();
    const FoldPattern pattern =
        fold_pattern_from_curves(sleeve.topology, sleeve.shape.positions, curves, curve_options());
    for (const FoldPattern::Fold& fold : pattern.folds) {
        // At half its width: 1 - 3/4 + 2/8 for the blob, (1/2)^2 (1 + 1/4) for the sharp one.
        const double height = pattern.profiles[static_cast<size_t>(fold.profile)].at(0.5);
        EXPECT_NEAR(height, fold.curve == 0 ? 0.5 : 0.3125, 1e-12);
    }
    EXPECT_EQ(pattern.folds.back().curve, 1);
}

TEST(FoldCurves, widths_and_lengths_may_differ_from_curve_to_curve) {
    const Sleeve sleeve;
    std::vector<std::string> notes;
    FoldJointOptions options;
    std::vector<FoldCurve> curves;
    for (const double length : {0.12, 0.24}) {
        options.lengths = {length};
        const std::vector<FoldCurve> found =
            find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, poses(sleeve),
                              options, 0.05, notes);
        ASSERT_EQ(found.size(), 1u);
        curves.push_back(found[0]);
    }
    curves[1].width = 0.02;
    const FoldPattern pattern =
        fold_pattern_from_curves(sleeve.topology, sleeve.shape.positions, curves, curve_options());
    double length[2] = {0.0, 0.0};
    for (const FoldPattern::Fold& fold : pattern.folds) {
        length[fold.curve] += fold.width;
        EXPECT_NEAR(fold.width, fold.curve == 0 ? 0.03 : 0.02, 0.006);
    }
    EXPECT_NEAR(length[1], 2.0 * length[0], 0.06);
    curves[1].width = 1e-4;
    expect_error<InvalidInput>(
        [&] {
            fold_pattern_from_curves(sleeve.topology, sleeve.shape.positions, curves,
                                     curve_options());
        },
        {"width", "0.001"});
}

TEST(FoldCurves, a_joint_that_does_not_bend_is_noted_and_an_unknown_one_refused) {
    const Sleeve sleeve;
    FoldJointOptions options;
    options.joints = {"lower"};
    std::vector<std::string> notes;
    const auto find = [&](const std::vector<FoldPose>& clip) {
        return find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, clip,
                                 options, 0.05, notes);
    };
    EXPECT_TRUE(find({sleeve.pose(0.0), sleeve.pose(5.0)}).empty());
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("lower"), std::string::npos);
    options.joints = {"elbow"};
    expect_error<InvalidInput>([&] { find(poses(sleeve)); }, {"upper, lower, end", "elbow"});
    // Nobody was named: which swings most, and by how much, helps to choose least_swing.
    options.joints.clear();
    notes.clear();
    EXPECT_TRUE(find({sleeve.pose(0.0), sleeve.pose(5.0)}).empty());
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("(the most: lower by 5)"), std::string::npos) << notes[0];
}

TEST(FoldCurves, chains_must_be_three_joined_vertices_or_more) {
    const Sleeve sleeve;
    expect_error<InvalidInput>(
        [&] {
            fold_curve_from_chain(sleeve.topology, {0, 1});
        },
        {"at least 3", "2"});
    expect_error<InvalidInput>(
        [&] {
            fold_curve_from_chain(sleeve.topology, {0, 1, 500});
        },
        {"edge", "500"});
    expect_error<InvalidInput>(
        [&] {
            fold_curve_from_chain(sleeve.topology, {0, 1, 0});
        },
        {"twice"});
    expect_error<InvalidInput>([&] { fold_curve_from_chain(sleeve.topology, {0, 1, -4}); }, {"-4"});
}

TEST(FoldCurves, rails_that_meet_a_hole_are_left_out_and_noted) {
    // The same sleeve with a window in its inner side, beside the curve.
    const Sleeve whole;
    std::vector<int> kept;
    std::vector<int> number(static_cast<size_t>(whole.shape.positions.rows()), -1);
    for (int f = 0; f < whole.shape.triangles.rows(); ++f) {
        Vector3d middle = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            middle += whole.shape.positions.row(whole.shape.triangles(f, k)).transpose() / 3.0;
        }
        if (!(middle.x() > 0.0 && middle.y() > 0.03 && std::abs(middle.z() - 0.5) < 0.05)) {
            kept.push_back(f);
        }
    }
    MatrixX3i triangles(static_cast<Eigen::Index>(kept.size()), 3);
    std::vector<int> old;
    for (size_t i = 0; i < kept.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            const int v = whole.shape.triangles(kept[i], k);
            int& n = number[static_cast<size_t>(v)];
            if (n < 0) {
                n = static_cast<int>(old.size());
                old.push_back(v);
            }
            triangles(static_cast<Eigen::Index>(i), k) = n;
        }
    }
    MatrixX3d rest(static_cast<Eigen::Index>(old.size()), 3);
    for (size_t v = 0; v < old.size(); ++v) {
        rest.row(static_cast<Eigen::Index>(v)) = whole.shape.positions.row(old[v]);
    }
    const Topology topology(triangles, static_cast<int>(rest.rows()));
    ASSERT_EQ(topology.boundary_loops().size(), 3u);
    std::vector<int> chain;
    for (int ring = 8; ring <= 32; ++ring) {  // straight along the tube at y = 0
        int best = -1;
        for (int v = 0; v < rest.rows(); ++v) {
            if (std::abs(rest(v, 2) - ring / 40.0) < 1e-9 && rest(v, 0) > 0.0 &&
                std::abs(rest(v, 1)) < 1e-9) {
                best = v;
            }
        }
        ASSERT_GE(best, 0);
        chain.push_back(best);
    }
    const FoldPattern pattern = fold_pattern_from_curves(
        topology, rest, {fold_curve_from_chain(topology, chain)}, curve_options());
    EXPECT_FALSE(pattern.empty());
    ASSERT_FALSE(pattern.notes.empty());
    EXPECT_NE(pattern.notes[0].find("left out"), std::string::npos);
    FoldSolver solver(topology, rest, pattern, {});
    EXPECT_GT(solver.bound_vertex_count(), 0);
}

TEST(FoldCurves, a_painted_field_gives_a_fold_between_multiples_of_the_width) {
    const Sleeve sleeve;
    FoldFieldOptions options;
    options.look.width = 0.05;
    options.look.irregularity = 0.0;
    VectorXd field = sleeve.shape.positions.col(2);
    for (Eigen::Index v = 0; v < field.size(); ++v) {
        if (sleeve.shape.positions(v, 2) < 0.3 || sleeve.shape.positions(v, 2) > 0.7) {
            field[v] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    const FoldPattern pattern =
        fold_pattern_from_paint(sleeve.topology, sleeve.shape.positions, field, options);
    ASSERT_FALSE(pattern.empty());
    for (size_t i = 0; i < pattern.points.size(); ++i) {
        const double z =
            position_at(sleeve.shape.positions, sleeve.topology.triangles(), pattern.points[i]).z();
        const double place =
            static_cast<double>(i % static_cast<size_t>(pattern.segments + 1)) / pattern.segments;
        const double folds = z / 0.05 - place;
        EXPECT_NEAR(folds, std::round(folds), 0.05);
    }
}

TEST(FoldRails, arrays_that_do_not_fit_are_refused) {
    FoldRailSet set;
    set.segments = 4;
    set.rest = MatrixX3d::Random(5, 3);
    set.profile = VectorXd::Zero(5);
    set.pre_stretch = VectorXd::Zero(1);
    set.share = VectorXd::Ones(1);
    set.partner = {-1};
    set.plane = {-1};
    EXPECT_NO_THROW(FoldRails(set, {}));
    FoldRailSet bad = set;
    bad.profile[0] = 0.5;
    expect_error<InvalidInput>([&] { FoldRails(bad, {}); }, {"rail 0", "both ends"});
    bad = set;
    bad.rest.setZero();
    expect_error<InvalidInput>([&] { FoldRails(bad, {}); }, {"rail 0", "length above 0"});
    bad = set;
    bad.partner = {3};
    expect_error<InvalidInput>([&] { FoldRails(bad, {}); }, {"partner", "3"});
    FoldRailOptions options;
    options.gate = 0.9;
    expect_error<InvalidInput>([&] { FoldRails(set, options); }, {"gate", "0.9"});
}

}  // namespace
}  // namespace cutis
