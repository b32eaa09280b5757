#include "support/allocations.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <memory>

#if CUTIS_COUNTS_ALLOCATIONS

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
