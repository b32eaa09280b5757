// The step loop must not allocate.

#include "curve/curve_solver.h"

#include <gtest/gtest.h>
#include "curve/pose_keys.h"
#include "support/allocations.h"
#include "support/shapes.h"

#if CUTIS_COUNTS_ALLOCATIONS

namespace cutis {
namespace {

TEST(allocations, are_counted_and_an_advance_makes_none) {
    long before = allocation_count();
    { const MatrixX3d matrix = MatrixX3d::Zero(10, 3); }
    EXPECT_GE(allocation_count() - before, 1);

    const test::Shape shape = test::open_cylinder(16, 30, 0.05, 0.4);
    const Topology topology(shape.triangles, static_cast<int>(shape.positions.rows()));
    const CurvePart part = lay_curves(whole_surface(shape.positions, topology), -1, -1, {});
    SkinWeights weights;
    weights.influences = 2;
    for (int v = 0; v < shape.positions.rows(); ++v) {
        weights.joints.insert(weights.joints.end(), {0, 1});
        weights.weights.insert(weights.weights.end(), {0.5, 0.5});
    }
    const SkinnedNodes nodes(part, shape.positions, weights, 2);
    std::vector<Eigen::Affine3d> joints(2, Eigen::Affine3d::Identity());
    const PoseKeys keys({VectorXd::Zero(3), VectorXd::Ones(3)});
    const MatrixX3d bulge = MatrixX3d::Constant(part.rows(), 3, 0.01);
    VectorXd pose = VectorXd::Zero(3);
    VectorXd example_weights;
    const Workers workers(1);
    const auto sample = [&](double time, CurveDrive& drive) {
        joints[1].translation().x() = std::sin(7.0 * time);
        pose[0] = time;
        keys.weigh(pose, example_weights);
        nodes.fill(joints, drive.frames);
        nodes.baseline(Skinning::dual_quaternion, joints, workers, drive.followed);
        drive.shape = example_weights[1] * bulge;
    };
    CurveSolver solver(part, {});
    CurveDrive now;
    MatrixX3d out;
    MatrixX3d moved(part.transfer.count(), 3);
    const auto frame = [&](int number) {
        solver.advance(number / 24.0, sample, workers);
        sample(number / 24.0, now);
        solver.displacement(number / 24.0, now.frames, workers, out);
        part.transfer.apply(out, workers, moved);
    };
    solver.reset(0.0, sample, workers);
    frame(1);
    before = allocation_count();
    for (int number = 2; number < 20; ++number) {
        frame(number);
    }
    EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace cutis
#endif
