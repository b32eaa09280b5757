#include "cutis/core/error.h"
#include "fold/sleeve.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using namespace test;

std::vector<FoldPose> poses(const Sleeve& sleeve) {
    return {sleeve.pose(0.0), sleeve.pose(30.0), sleeve.pose(60.0)};
}

std::vector<FoldCurve> curves_of(const Sleeve& sleeve, const FoldJointOptions& options = {}) {
    std::vector<std::string> notes;
    return find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, poses(sleeve), options, 0.05,
                             notes);
}

FoldOptions exact_options() {
    FoldOptions options;
    options.gate = 0.0;
    options.guard = false;
    options.look.width = Painted(0.03);
    options.look.pre_stretch = 0.0;
    return options;
}

double length_of(const MatrixX3d& p) {
    return (p.bottomRows(p.rows() - 1) - p.topRows(p.rows() - 1)).rowwise().norm().sum();
}

TEST(FoldCurves, the_bending_joint_is_found_on_its_inner_side) {
    const Sleeve sleeve;
    const std::vector<FoldCurve> curves = curves_of(sleeve);
    ASSERT_EQ(curves.size(), 1u);
    EXPECT_EQ(curves[0].name, "lower");
    for (const FoldCurve::Piece& piece : curves[0].pieces) {
        SurfacePoint point;
        point.triangle = piece.triangle;
        point.barycentric = piece.from;
        const Vector3d place = position_at(sleeve.shape.positions, sleeve.topology.triangles(), point);
        EXPECT_GT(place.x(), 0.07);  // the side to which the arm bends
        EXPECT_NEAR(place.z(), 0.5, 0.25);
    }
    FoldJointOptions options;
    options.length = 0.1;
    double length = 0.0;
    const std::vector<FoldCurve> shorter = curves_of(sleeve, options);
    ASSERT_EQ(shorter.size(), 1u);
    for (const FoldCurve::Piece& piece : shorter[0].pieces) {
        SurfacePoint from{piece.triangle, piece.from};
        SurfacePoint to{piece.triangle, piece.to};
        length += (position_at(sleeve.shape.positions, sleeve.topology.triangles(), to) -
                   position_at(sleeve.shape.positions, sleeve.topology.triangles(), from))
                      .norm();
    }
    EXPECT_NEAR(length, 0.1, 0.05);  // whole pieces
}

TEST(FoldCurves, compressed_lines_have_their_exact_length_on_the_mesh) {
    const Sleeve sleeve;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, curves_of(sleeve), 0.05, exact_options());
    MatrixX3d base;
    const MatrixX3d folded = sleeve.folded(solver, 45.0, Workers(1), &base);
    int compressed = 0;
    for (int l = 0; l < solver.line_count(); ++l) {
        const FoldSolver::Line before = solver.line(l, base);
        const FoldSolver::Line after = solver.line(l, folded);
        EXPECT_NEAR(before.target, 0.03, 0.012);
        if (length_of(before.points) < before.target) {
            ++compressed;
            EXPECT_NEAR(length_of(after.points) / after.target, 1.0, 1e-13);
        }
    }
    EXPECT_GE(compressed, 3);
    EXPECT_LT(solver.report().worst_residual, 1e-14);
    // Folds fade out over their reach (Ly et al. 2017 section 5.2), and only one side of the tube has them.
    const VectorXd weights = solver.weights();
    EXPECT_GT(weights.maxCoeff(), 0.95);
    for (Eigen::Index v = 0; v < folded.rows(); ++v) {
        if (std::abs(solver.rest()(v, 1)) > 0.06 || solver.rest()(v, 0) < 0.0) {
            EXPECT_EQ(weights[v], 0.0);
            EXPECT_EQ(folded.row(v), base.row(v));
        }
    }
}

TEST(FoldCurves, a_curve_may_have_a_profile_and_a_width_of_its_own) {
    const Sleeve sleeve;
    std::vector<FoldCurve> curves = curves_of(sleeve);
    FoldSolver blob(sleeve.topology, sleeve.shape.positions, curves, 0.05, exact_options());
    const MatrixX3d round = sleeve.folded(blob, 45.0, Workers(1));
    curves[0].profile = FoldProfile::sharp();
    FoldSolver sharp(sleeve.topology, sleeve.shape.positions, curves, 0.05, exact_options());
    EXPECT_GT((sleeve.folded(sharp, 45.0, Workers(1)) - round).cwiseAbs().maxCoeff(), 1e-4);
    curves[0].width = 0.06;
    const FoldSolver wide(sleeve.topology, sleeve.shape.positions, curves, 0.05, exact_options());
    EXPECT_NEAR(wide.line_count(), 0.5 * sharp.line_count(), 1.0);
    curves[0].width = 1e-4;
    expect_error<InvalidInput>(
        [&] { FoldSolver(sleeve.topology, sleeve.shape.positions, curves, 0.05, exact_options()); },
        {"width", "0.001"});
}

TEST(FoldCurves, turning_the_whole_skeleton_changes_no_curve) {
    const Sleeve sleeve;
    const std::vector<FoldPose> poses = {sleeve.pose(20.0), sleeve.pose(60.0)};
    std::vector<FoldPose> turned = poses;
    const Eigen::Affine3d turn =
        Eigen::Translation3d(3.0, -1.0, 2.0) * Eigen::AngleAxisd(2.2, Vector3d(1, -1, 0.3).normalized());
    for (FoldPose& pose : turned) {
        for (Eigen::Affine3d& matrix : pose.matrices) {
            matrix = turn * matrix;
        }
        pose.positions = (pose.positions * turn.linear().transpose()).rowwise() + turn.translation().transpose();
    }
    std::vector<std::string> notes;
    const auto found = [&](const std::vector<FoldPose>& clip) {
        return find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, clip, {}, 0.05, notes);
    };
    const std::vector<FoldCurve> one = found(poses);
    const std::vector<FoldCurve> other = found(turned);
    ASSERT_EQ(one.size(), 1u);
    ASSERT_EQ(other.size(), 1u);
    ASSERT_EQ(one[0].pieces.size(), other[0].pieces.size());
    EXPECT_NEAR(one[0].centre, other[0].centre, 1e-9);
    for (size_t i = 0; i < one[0].pieces.size(); ++i) {
        EXPECT_EQ(one[0].pieces[i].triangle, other[0].pieces[i].triangle);
        EXPECT_LT((one[0].pieces[i].from - other[0].pieces[i].from).norm(), 1e-9);
    }
}

TEST(FoldCurves, a_joint_that_does_not_bend_is_noted_and_an_unknown_one_refused) {
    const Sleeve sleeve;
    FoldJointOptions options;
    options.joints = {"lower"};
    std::vector<std::string> notes;
    const auto find = [&](const std::vector<FoldPose>& clip) {
        return find_joint_curves(sleeve.topology, sleeve.shape.positions, sleeve.joints, clip, options, 0.05, notes);
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
    expect_error<InvalidInput>([&] { fold_curve_from_chain(sleeve.topology, {0, 1}); }, {"at least 3", "2"});
    expect_error<InvalidInput>([&] { fold_curve_from_chain(sleeve.topology, {0, 1, 500}); }, {"edge", "500"});
    expect_error<InvalidInput>([&] { fold_curve_from_chain(sleeve.topology, {0, 1, 0}); }, {"twice"});
    expect_error<InvalidInput>([&] { fold_curve_from_chain(sleeve.topology, {0, 1, -4}); }, {"-4"});
}

}  // namespace
}  // namespace cutis
