#include "core/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace cutis {

Eigen::MatrixXd matrix_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return a * b;
}

Eigen::MatrixXd gram_matrix(const Eigen::MatrixXd& a) {
    return a.transpose() * a;
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
    return {solver.eigenvalues(), solver.eigenvectors(), solver.info() == Eigen::Success};
}

Vector3d symmetric_eigenvalues(const Eigen::Matrix3d& matrix) {
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly)
        .eigenvalues();
}

RightSingular right_singular(const Eigen::MatrixXd& matrix) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinV);
    return {svd.singularValues(), svd.matrixV()};
}

Eigen::Matrix3d kabsch_rotation(const Eigen::Matrix3d& covariance) {
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(covariance,
                                                Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector3d signs = Vector3d::Ones();
    signs.z() = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
    return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

Eigen::MatrixXd solve_dense(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return Eigen::FullPivLU<Eigen::MatrixXd>(a).solve(b);
}

Eigen::Matrix3d linear_map_between(const MatrixX3d& from, const MatrixX3d& to) {
    const Eigen::Matrix3d square = from.transpose() * from;
    return square.ldlt().solve((from.transpose() * to).eval());
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix) {
    return matrix.completeOrthogonalDecomposition().pseudoInverse();
}

MatrixX3d rows_times(const MatrixX3d& points, const Eigen::Matrix3d& matrix) {
    return points * matrix;
}

}  // namespace cutis
