// Folding must not allocate after its first call: counts operator new.

#include <atomic>
#include <cstdlib>
#include <new>

#include "fold/sleeve.h"

#if defined(__GNUC__) && !defined(__clang__)
// g++ inlines the delete below into callers and then misses the matching new.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace {
std::atomic<long> news = 0;
}

void* operator new(std::size_t size) {
    ++news;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace cutis {
namespace {

TEST(FoldAllocation, folding_allocates_nothing_after_the_first_call) {
    const test::Sleeve sleeve;
    FoldOptions options;
    options.guard = true;
    FoldSolver solver(sleeve.topology, sleeve.shape.positions, sleeve.field(), options);
    const Workers one(1);
    const FoldPose pose = sleeve.pose(50.0);
    MatrixX3d directions;
    MatrixX3d refined;
    const auto frame = [&] {
        turn_normals(sleeve.normals, sleeve.weights, pose.matrices, one, directions);
        solver.refine(pose.positions, one, refined);
        solver.fold(directions, {}, one, refined);
    };
    frame();
    const long before = news;
    frame();
    EXPECT_EQ(news - before, 0);
}

}  // namespace
}  // namespace cutis
