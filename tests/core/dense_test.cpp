#include "core/dense.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "core/geometry.h"

namespace cutis {
namespace {

TEST(Dense, the_pseudo_inverse_of_a_matrix_without_rank_keeps_what_it_has) {
    Eigen::MatrixXd a(3, 3);
    a << 2, 1, 1, 1, 2, 2, 1, 2, 2;  // the last two rows are one
    const Eigen::MatrixXd p = pseudo_inverse(a);
    EXPECT_LT((a * p * a - a).norm(), 1e-13);
    EXPECT_LT((p * a * p - p).norm(), 1e-13);
    EXPECT_LT((a * p - (a * p).transpose()).norm(), 1e-13);
}

TEST(Dense, a_mirrored_cloud_is_fitted_by_a_rotation_never_by_a_mirror) {
    const Eigen::Matrix3d turn = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).matrix();
    EXPECT_LT((polar_decomposition(turn * Vector3d(3, 2, 1).asDiagonal()).rotation - turn).norm(),
              1e-14);
    const Eigen::Matrix3d mirrored = polar_decomposition(Vector3d(3, 2, -1).asDiagonal()).rotation;
    EXPECT_LT((mirrored - Eigen::Matrix3d::Identity()).norm(), 1e-14);
}

TEST(Dense, a_linear_map_between_rows_is_found_again) {
    MatrixX3d from(5, 3);
    from << 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 2, 0, -1;
    Eigen::Matrix3d map;
    map << 1, 2, 0, 0, 1, 5, 3, 0, 1;
    EXPECT_LT((linear_map_between(from, rows_times(from, map)) - map).norm(), 1e-13);
}

TEST(Dense, eigenvalues_come_smallest_first_and_solve_the_matrix) {
    Eigen::Matrix3d a;
    a << 2, -1, 0, -1, 2, -1, 0, -1, 2;  // 2 - sqrt 2, 2, 2 + sqrt 2
    const Vector3d expected(2.0 - std::sqrt(2.0), 2.0, 2.0 + std::sqrt(2.0));
    EXPECT_LT((symmetric_eigenvalues(a) - expected).norm(), 1e-14);
    const SymmetricEigen all = symmetric_eigen(a);
    EXPECT_TRUE(all.has_converged);
    EXPECT_LT((a * all.vectors - all.vectors * all.values.asDiagonal()).norm(), 1e-14);
    EXPECT_LT((gram_matrix(a) - a * a).norm(), 1e-14);
}

TEST(Dense, an_indefinite_system_is_solved) {
    Eigen::MatrixXd a(3, 3);
    a << 0, 1, 1, 1, 0, 1, 1, 1, 0;
    const Eigen::MatrixXd x = pseudo_inverse(a);
    EXPECT_LT((matrix_product(a, x) - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-14);
    const RightSingular svd = right_singular(a);
    EXPECT_NEAR(svd.values[0], 2.0, 1e-14);
    EXPECT_NEAR(svd.values[2], 1.0, 1e-14);
}

}  // namespace
}  // namespace cutis
