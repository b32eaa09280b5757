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
    EXPECT_LT((polar_decomposition(turn * Vector3d(3, 2, 1).asDiagonal()).rotation - turn).norm(), 1e-14);
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

TEST(Dense, eigenvectors_of_a_matrix_of_low_rank_are_orthonormal_and_diagonalize_it) {
    const int size = 60;
    const Eigen::MatrixXd half = Eigen::MatrixXd::NullaryExpr(size / 3, size, [](Eigen::Index r, Eigen::Index c) {
        return std::sin(1.0 + 7.0 * double(r) + 0.9 * double(c * r));
    });
    const Eigen::MatrixXd a = gram_matrix(half);
    const SymmetricEigen all = symmetric_eigen(a);
    EXPECT_TRUE(all.has_converged);
    EXPECT_LT((a * all.vectors - all.vectors * all.values.asDiagonal()).norm(), 1e-13 * a.norm());
    EXPECT_LT((gram_matrix(all.vectors) - Eigen::MatrixXd::Identity(size, size)).norm(), 1e-13);
    EXPECT_LT(all.values.head(size - size / 3).cwiseAbs().maxCoeff(), 1e-13 * a.norm());
    EXPECT_NEAR(all.values.sum(), a.trace(), 1e-12 * a.trace());
}

TEST(Dense, a_matrix_that_is_diagonal_already_is_only_sorted) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(4, 4);
    a.diagonal() << 3.0, 1.0, 2.0, 1.0;
    const SymmetricEigen all = symmetric_eigen(a);
    EXPECT_TRUE(all.has_converged);
    EXPECT_EQ(all.values, Eigen::Vector4d(1.0, 1.0, 2.0, 3.0));
    a(2, 1) = a(1, 2) = std::nan("");
    EXPECT_FALSE(symmetric_eigen(a).has_converged);
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
