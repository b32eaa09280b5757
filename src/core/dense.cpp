#include "core/dense.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

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

namespace {

struct SingularParts {
    Eigen::MatrixXd left;   // columns of length sigma
    Eigen::MatrixXd right;  // columns of length 1
    VectorXd values;        // in the columns' order
};

// One-sided Jacobi (Hestenes 1958): pairs of columns are turned until all are orthogonal. Small
// singular values come out as accurate as large ones. Plain loops: Eigen's own decompositions take
// many seconds to compile.
SingularParts orthogonalize_columns(Eigen::MatrixXd a) {
    constexpr int most_sweeps = 60;  // 6 to 10 are usual
    constexpr double orthogonal = 1e-15;
    const auto turn = [](double* x, double* y, Eigen::Index count, double c, double s) {
        for (Eigen::Index r = 0; r < count; ++r) {
            const double old = x[r];
            x[r] = c * old - s * y[r];
            y[r] = s * old + c * y[r];
        }
    };
    Eigen::MatrixXd v = Eigen::MatrixXd::Identity(a.cols(), a.cols());
    bool has_turned = true;
    for (int sweep = 0; sweep < most_sweeps && has_turned; ++sweep) {
        has_turned = false;
        for (Eigen::Index p = 0; p < a.cols(); ++p) {
            for (Eigen::Index q = p + 1; q < a.cols(); ++q) {
                double pp = 0.0;
                double qq = 0.0;
                double pq = 0.0;
                for (Eigen::Index r = 0; r < a.rows(); ++r) {
                    pp += a(r, p) * a(r, p);
                    qq += a(r, q) * a(r, q);
                    pq += a(r, p) * a(r, q);
                }
                if (!(std::abs(pq) > orthogonal * std::sqrt(pp * qq))) {
                    continue;
                }
                has_turned = true;
                const double theta = (qq - pp) / (2.0 * pq);
                const double t =
                    std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0);
                turn(&a(0, p), &a(0, q), a.rows(), c, t * c);
                turn(&v(0, p), &v(0, q), v.rows(), c, t * c);
            }
        }
    }
    VectorXd values(a.cols());
    for (Eigen::Index i = 0; i < a.cols(); ++i) {
        values[i] = a.col(i).norm();
    }
    return {std::move(a), std::move(v), std::move(values)};
}

}  // namespace

Vector3d symmetric_eigenvalues(const Eigen::Matrix3d& matrix) {
    return symmetric_eigen(matrix).values;
}

RightSingular right_singular(const Eigen::MatrixXd& matrix) {
    const bool is_wide = matrix.cols() > matrix.rows();  // fewer columns are quicker
    const SingularParts parts = orthogonalize_columns(is_wide ? matrix.transpose() : matrix);
    const Eigen::Index count = parts.values.size();
    std::vector<Eigen::Index> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
        return parts.values[i] > parts.values[j];
    });
    RightSingular result{VectorXd(count), Eigen::MatrixXd::Zero(matrix.cols(), count)};
    for (Eigen::Index k = 0; k < count; ++k) {
        const Eigen::Index i = order[k];
        const double value = parts.values[i];
        result.values[k] = value;
        if (!is_wide) {
            result.vectors.col(k) = parts.right.col(i);
        } else if (value > 0.0) {
            result.vectors.col(k) = parts.left.col(i) / value;
        }
    }
    return result;
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix) {
    const SingularParts parts = orthogonalize_columns(matrix);
    const double least = std::numeric_limits<double>::epsilon() *
                         static_cast<double>(std::max(matrix.rows(), matrix.cols())) *
                         parts.values.maxCoeff();
    Eigen::MatrixXd weighted = Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols());
    for (Eigen::Index i = 0; i < parts.values.size(); ++i) {
        if (parts.values[i] > least) {
            weighted.col(i) = parts.left.col(i) / (parts.values[i] * parts.values[i]);
        }
    }
    return matrix_product(parts.right, weighted.transpose());
}

Eigen::Matrix3d linear_map_between(const MatrixX3d& from, const MatrixX3d& to) {
    return matrix_product(pseudo_inverse(from), to);
}

MatrixX3d rows_times(const MatrixX3d& points, const Eigen::Matrix3d& matrix) {
    return points * matrix;
}

}  // namespace cutis
