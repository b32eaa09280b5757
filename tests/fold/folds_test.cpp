#include "cutis/core/error.h"
#include "fold/sleeve.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

using namespace test;

double area(const MatrixX3d& positions, const Topology& topology) {
    return triangle_areas(positions, topology).sum();
}

TEST(Folds, a_rest_pose_stays_as_it_is) {
    const Sleeve sleeve;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), {});
    MatrixX3d base;
    const MatrixX3d folded = sleeve.folded(solver, 0.0, Workers(1), &base);
    EXPECT_EQ(folded, base);
    EXPECT_EQ(base, solver.rest());
}

TEST(Folds, a_bent_sleeve_folds_on_its_inner_side_only) {
    const Sleeve sleeve;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), {});
    MatrixX3d base;
    const MatrixX3d folded = sleeve.folded(solver, 50.0, Workers(1), &base);
    double inner = 0.0;
    double outer = 0.0;
    for (Eigen::Index v = 0; v < base.rows(); ++v) {
        double& side = solver.rest()(v, 0) > 0.0 ? inner : outer;
        side = std::max(side, (folded.row(v) - base.row(v)).norm());
    }
    EXPECT_GT(inner, 0.005);
    EXPECT_LT(outer, 0.1 * inner);
    EXPECT_GT(solver.report().compressed, 10);
    EXPECT_EQ(solver.report().not_converged, 0);
}

TEST(Folds, skin_below_a_garment_is_neither_refined_nor_folded_with_it) {
    const Sleeve sleeve;
    const Eigen::Index count = sleeve.shape.positions.rows();
    MatrixX3d rest(2 * count, 3);
    rest << sleeve.shape.positions, sleeve.shape.positions;
    rest.bottomRows(count).leftCols(2) *= 0.99;  // an arm 0.8 mm below the cloth
    const Eigen::Index triangle_count = sleeve.shape.triangles.rows();
    MatrixX3i triangles(2 * triangle_count, 3);
    triangles << sleeve.shape.triangles,
        (sleeve.shape.triangles.array() + static_cast<int>(count)).matrix();
    const FoldPattern pattern = sleeve.field();
    const FoldSolver alone(sleeve.topology, sleeve.shape.positions, pattern, {});
    const FoldSolver both(Topology(triangles, static_cast<int>(2 * count)), rest, pattern, {});
    EXPECT_GT(both.bound_vertex_count(), 100);
    EXPECT_EQ(both.bound_vertex_count(), alone.bound_vertex_count());
    EXPECT_EQ(both.topology().vertex_count(), alone.topology().vertex_count() + count);
}

TEST(Folds, refinement_keeps_the_area_and_passes_near_the_vertices) {
    const Sleeve sleeve(12, 20);
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(0.04), {});
    EXPECT_LT(solver.topology().vertex_count(), solver.uniform_vertex_count());
    EXPECT_NEAR(
        area(solver.rest(), solver.topology()) / area(sleeve.shape.positions, sleeve.topology), 1.0,
        0.02);
    // Loop alone would move vertices of such a tube inwards by some millimetres.
    const MatrixX3d moved =
        solver.rest().topRows(sleeve.shape.positions.rows()) - sleeve.shape.positions;
    EXPECT_LT(moved.rowwise().norm().maxCoeff(), 0.002);
}

TEST(Folds, any_frame_in_any_order_on_any_threads_has_the_same_bits) {
    const Sleeve sleeve;
    FoldOptions options;
    options.guard = true;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), options);
    const Workers one(1);
    const Workers two(2);
    const MatrixX3d at_40 = sleeve.folded(solver, 40.0, one);
    const MatrixX3d at_10 = sleeve.folded(solver, 10.0, one);
    sleeve.folded(solver, 60.0, two);
    EXPECT_EQ(sleeve.folded(solver, 10.0, two), at_10);
    EXPECT_EQ(sleeve.folded(solver, 40.0, two), at_40);
    FoldSolver afresh(sleeve.topology, sleeve.shape.positions, sleeve.field(), options);
    EXPECT_EQ(sleeve.folded(afresh, 40.0, one), at_40);
}

TEST(Folds, moving_the_whole_scene_moves_the_folds_along) {
    const Sleeve sleeve;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), {});
    const Workers one(1);
    const FoldPose pose = sleeve.pose(45.0);
    const Eigen::Matrix3d turn = some_rotation();
    MatrixX3d directions;
    MatrixX3d here;
    turn_normals(sleeve.normals, sleeve.weights, pose.matrices, one, directions);
    solver.refine(pose.positions, one, here);
    solver.fold(directions, {}, one, here);
    MatrixX3d there;
    MatrixX3d moved = pose.positions * turn.transpose();
    moved.col(1).array() += 3.0;
    solver.refine(moved, one, there);
    solver.fold(directions * turn.transpose(), {}, one, there);
    MatrixX3d expected = here * turn.transpose();
    expected.col(1).array() += 3.0;
    EXPECT_LT((there - expected).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Folds, weights_of_refined_vertices_sum_to_one_and_skin_like_the_subdivided_pose_at_rest) {
    const Sleeve sleeve;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), {});
    const SkinWeights fine = solver.refined_weights(sleeve.weights, 3);
    ASSERT_EQ(fine.vertex_count(), solver.topology().vertex_count());
    for (int v = 0; v < fine.vertex_count(); ++v) {
        double sum = 0.0;
        for (int k = 0; k < fine.influences; ++k) {
            sum += fine.weights[static_cast<size_t>(v * fine.influences + k)];
        }
        ASSERT_NEAR(sum, 1.0, 1e-14);
    }
    MatrixX3d skinned;
    skin_linear_blend(solver.rest(), fine, sleeve.bones(0.0), Workers(1), skinned);
    EXPECT_LT((skinned - solver.rest()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Folds, strict_rails_keep_their_length_and_gated_ones_nearly) {
    const Sleeve sleeve;
    FoldOptions options;
    options.rails.mode = FoldMode::strict;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(0.03, true), options);
    sleeve.folded(solver, 40.0, Workers(1));
    EXPECT_GT(solver.report().compressed, 10);
    EXPECT_LT(solver.report().worst_shortening, 1e-13);
    options.rails.mode = FoldMode::gate;
    options.rails.height_cap = 0.0;
    FoldSolver gated(sleeve.topology, sleeve.shape.positions, sleeve.field(0.03, true), options);
    sleeve.folded(gated, 40.0, Workers(1));
    EXPECT_LT(gated.report().worst_shortening, 0.05);
}

TEST(Folds, widths_the_mesh_cannot_resolve_are_refused_with_the_least_width) {
    const Sleeve sleeve;
    FoldOptions options;
    options.most_levels = 2;
    const FoldPattern pattern = sleeve.field(0.015);
    ASSERT_FALSE(pattern.empty());
    std::string words;
    try {
        FoldSolver(sleeve.topology, sleeve.shape.positions, pattern, options);
    } catch (const InvalidInput& refused) {
        words = refused.what();
    }
    const std::string least = "expected a width of at least ";
    ASSERT_NE(words.find(least), std::string::npos) << words;
    // What the message asks for is enough.
    const double width = std::stod(words.substr(words.find(least) + least.size()));
    const FoldPattern wide = sleeve.field(1.02 * width);
    EXPECT_FALSE(wide.empty());
    EXPECT_NO_THROW(FoldSolver(sleeve.topology, sleeve.shape.positions, wide, options));
}

TEST(Folds, a_surface_that_is_never_compressed_has_no_folds_and_says_so) {
    const Sleeve sleeve;
    const FoldPattern pattern =
        fold_pattern_from_field(sleeve.topology, sleeve.shape.positions,
                                {sleeve.shape.positions, 1.1 * sleeve.shape.positions}, {});
    EXPECT_TRUE(pattern.empty());
    ASSERT_FALSE(pattern.notes.empty());
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, pattern, {});
    MatrixX3d base;
    EXPECT_EQ(sleeve.folded(solver, 30.0, Workers(1), &base), base);
}

TEST(Folds, options_out_of_range_are_refused_with_their_names) {
    const Sleeve sleeve(8, 10);
    FoldFieldOptions options;
    options.look.width = 0.0;
    const auto make = [&] {
        fold_pattern_from_field(sleeve.topology, sleeve.shape.positions, sleeve.shapes(), options);
    };
    expect_error<InvalidInput>(make, {"width", "0.001", "found 0"});
    options.look.width = 0.03;
    options.look.width = VectorXd(VectorXd::Ones(5));
    expect_error<InvalidInput>(make, {"width", "painted values", "found 5"});
    options.look.width = 0.03;
    options.activity = 2.0;
    expect_error<InvalidInput>(make, {"activity", "2"});
    options.activity = 0.85;
    std::vector<MatrixX3d> poses = sleeve.shapes();
    poses[2](3, 1) = std::numeric_limits<double>::quiet_NaN();
    expect_error<InvalidInput>(
        [&] { fold_pattern_from_field(sleeve.topology, sleeve.shape.positions, poses, options); },
        {"pose 2", "finite"});
}

}  // namespace
}  // namespace cutis
