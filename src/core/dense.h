#pragma once

#include <Eigen/Core>

#include "cutis/core/types.h"

// Dense decompositions and products as plain functions: each is compiled once, in dense.cpp. Eigen
// would otherwise instantiate them in every file that uses one, several seconds each.

namespace cutis {

/// a b
Eigen::MatrixXd matrix_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
/// a^T a
Eigen::MatrixXd gram_matrix(const Eigen::MatrixXd& a);

struct SymmetricEigen {
    VectorXd values;          ///< smallest first
    Eigen::MatrixXd vectors;  ///< columns, orthonormal
    bool has_converged = false;
};
/// Eigenvalues and vectors of a symmetric matrix; its lower half is read.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);
/// The three eigenvalues of a symmetric matrix, smallest first.
Vector3d symmetric_eigenvalues(const Eigen::Matrix3d& matrix);

struct RightSingular {
    VectorXd values;          ///< largest first
    Eigen::MatrixXd vectors;  ///< right singular vectors as columns (thin); 0 beside a value of 0
};
RightSingular right_singular(const Eigen::MatrixXd& matrix);

/// The 3 x 3 map of least squares with from * map nearest to `to`.
Eigen::Matrix3d linear_map_between(const MatrixX3d& from, const MatrixX3d& to);
/// Moore-Penrose inverse, for any rank.
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix);

/// points * matrix: each row times a 3 x 3 matrix.
MatrixX3d rows_times(const MatrixX3d& points, const Eigen::Matrix3d& matrix);

}  // namespace cutis
