// Folding must not allocate after its first call: counts calls of malloc.

#include "fold/sleeve.h"

#include <gtest/gtest.h>
#include "support/allocations.h"

namespace cutis {
namespace {

TEST(FoldAllocation, folding_allocates_nothing_after_the_first_call) {
    const test::Sleeve sleeve;
    FoldSolver solver = sleeve.stripes();
    const SkinWeights fine = solver.refined_weights(sleeve.weights, 3);
    const Workers one(1);
    const FoldPose pose = sleeve.pose(50.0);
    MatrixX3d directions;
    MatrixX3d refined;
    const auto frame = [&] {
        turn_normals(solver.normals(), fine, pose.matrices, one, directions);
        solver.refine(pose.positions, one, refined);
        solver.fold(directions, one, refined);
    };
    frame();
    const long before = allocation_count();
    frame();
    EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace cutis
