#include "core/allocations.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <atomic>
#include <cstdlib>
#include <memory>

namespace {

std::atomic<long> allocations = 0;

}  // namespace

long allocation_count() {
    return allocations.load();
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// Eigen calls malloc itself, so that is what is counted; operator new ends there too.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}

// The counter itself, so that "no allocation" elsewhere can fail.
TEST(allocations, are_counted) {
    const long before = allocation_count();
    const auto number = std::make_unique<int>(3);
    EXPECT_EQ(allocation_count(), before + 1);
    EXPECT_EQ(*number, 3);
}

TEST(allocations, of_eigen_are_counted) {
    const long before = allocation_count();
    const Eigen::VectorXd numbers = Eigen::VectorXd::Ones(100);
    EXPECT_EQ(allocation_count(), before + 1);
    EXPECT_EQ(numbers.sum(), 100.0);
}

#endif
