#include "core/dense.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/math.h"

namespace cutis {

Eigen::MatrixXd matrix_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return a * b;
}

Eigen::MatrixXd gram_matrix(const Eigen::MatrixXd& a) {
    return a.transpose() * a;
}

namespace {

// Q^T A Q = T, tridiagonal, by Householder reflections (Golub and Van Loan 8.3.1): A's lower half becomes Q, whose
// columns are stored as they are; `diagonal` and `beside` (T's subdiagonal, in places 1 to n - 1) are filled. Plain
// loops over columns: Eigen's own decompositions take many seconds to compile.
void tridiagonalize(Eigen::MatrixXd& a, VectorXd& diagonal, VectorXd& beside) {
    const Eigen::Index n = a.rows();
    VectorXd p(n);
    std::vector<VectorXd> mirrors;  // v of I - 2 v v^T, |v| = 1, or empty
    for (Eigen::Index k = 0; k + 2 < n; ++k) {
        const Eigen::Index count = n - k - 1;
        VectorXd v = a.col(k).tail(count);
        const double length = v.norm();
        const double target = v[0] > 0.0 ? -length : length;
        v[0] -= target;
        const double norm = v.norm();
        if (!(norm > 0.0) || !(v.tail(count - 1).cwiseAbs().maxCoeff() > 0.0)) {
            beside[k + 1] = a(k + 1, k);
            mirrors.emplace_back();
            continue;
        }
        v /= norm;
        beside[k + 1] = target;
        // The remaining block B becomes B - 2 v w^T - 2 w v^T with w = B v - (v . B v) v; only its lower half is kept.
        p.head(count).setZero();
        for (Eigen::Index j = 0; j < count; ++j) {
            const double* column = &a(k + 1, k + 1 + j);
            double sum = column[j] * v[j];
            for (Eigen::Index i = j + 1; i < count; ++i) {
                p[i] += column[i] * v[j];
                sum += column[i] * v[i];
            }
            p[j] += sum;
        }
        const double middle = v.dot(p.head(count));
        for (Eigen::Index j = 0; j < count; ++j) {
            p[j] -= middle * v[j];
        }
        for (Eigen::Index j = 0; j < count; ++j) {
            double* column = &a(k + 1, k + 1 + j);
            for (Eigen::Index i = j; i < count; ++i) {
                column[i] -= 2.0 * (v[i] * p[j] + p[i] * v[j]);
            }
        }
        mirrors.push_back(std::move(v));
    }
    diagonal = a.diagonal();
    if (n > 1) {
        beside[n - 1] = a(n - 1, n - 2);
    }
    a.setIdentity();
    for (Eigen::Index k = static_cast<Eigen::Index>(mirrors.size()) - 1; k >= 0; --k) {
        const VectorXd& v = mirrors[k];
        for (Eigen::Index j = k + 1; v.size() > 0 && j < n; ++j) {
            double* column = &a(k + 1, j);
            double sum = 0.0;
            for (Eigen::Index i = 0; i < v.size(); ++i) {
                sum += v[i] * column[i];
            }
            for (Eigen::Index i = 0; i < v.size(); ++i) {
                column[i] -= 2.0 * sum * v[i];
            }
        }
    }
}

void turn_columns(double* x, double* y, Eigen::Index count, double c, double s) {
    for (Eigen::Index r = 0; r < count; ++r) {
        const double old = x[r];
        x[r] = c * old - s * y[r];
        y[r] = s * old + c * y[r];
    }
}

// Implicit QL steps with Wilkinson's shift (Golub and Van Loan 8.3.3, run upwards), which turn the vectors along.
bool diagonalize(VectorXd& diagonal, VectorXd& beside, Eigen::MatrixXd& vectors) {
    constexpr int most_steps = 60;  // for one value; 2 are usual
    const Eigen::Index n = diagonal.size();
    // Against the whole matrix: the noise beside many values of 0 would never be small against its neighbours.
    const double negligible =
        std::numeric_limits<double>::epsilon() * (diagonal.cwiseAbs() + beside.cwiseAbs()).maxCoeff();
    for (Eigen::Index low = 0; low < n; ++low) {
        for (int step = 0;; ++step) {
            Eigen::Index high = low;
            while (high + 1 < n && std::abs(beside[high + 1]) > negligible) {
                ++high;
            }
            if (high == low) {
                break;
            }
            if (step == most_steps) {
                return false;
            }
            const double e = beside[low + 1];
            const double half = (diagonal[low + 1] - diagonal[low]) / (2.0 * e);
            double g = diagonal[high] - diagonal[low] + e / (half + std::copysign(math::hypot(half, 1.0), half));
            double s = 1.0;
            double c = 1.0;
            double shift = 0.0;
            bool has_split = false;
            for (Eigen::Index i = high - 1; i >= low && !has_split; --i) {
                const double f = s * beside[i + 1];
                const double b = c * beside[i + 1];
                const double r = math::hypot(f, g);
                if (i + 2 < n) {
                    beside[i + 2] = r;
                }
                if (r == 0.0) {  // the matrix falls apart here
                    diagonal[i + 1] -= shift;
                    has_split = true;
                    break;
                }
                s = f / r;
                c = g / r;
                const double inner = diagonal[i + 1] - shift;
                const double outer = (diagonal[i] - inner) * s + 2.0 * c * b;
                shift = s * outer;
                diagonal[i + 1] = inner + shift;
                g = c * outer - b;
                turn_columns(&vectors(0, i), &vectors(0, i + 1), n, c, s);
            }
            if (!has_split) {
                diagonal[low] -= shift;
                beside[low + 1] = g;
            }
            if (high + 1 < n) {
                beside[high + 1] = 0.0;
            }
        }
    }
    return true;
}

}  // namespace

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
    const Eigen::Index n = matrix.rows();
    SymmetricEigen found{VectorXd(n), matrix, matrix.allFinite()};
    VectorXd beside = VectorXd::Zero(n);
    if (!found.has_converged) {
        return found;
    }
    tridiagonalize(found.vectors, found.values, beside);
    found.has_converged = diagonalize(found.values, beside, found.vectors);
    for (Eigen::Index i = 0; i < n; ++i) {  // smallest first
        Eigen::Index least = i;
        for (Eigen::Index j = i + 1; j < n; ++j) {
            least = found.values[j] < found.values[least] ? j : least;
        }
        if (least != i) {
            std::swap(found.values[i], found.values[least]);
            found.vectors.col(i).swap(found.vectors.col(least));
        }
    }
    return found;
}

namespace {

struct SingularParts {
    Eigen::MatrixXd left;   // columns of length sigma
    Eigen::MatrixXd right;  // columns of length 1
    VectorXd values;        // in the columns' order
};

// One-sided Jacobi (Hestenes 1958): pairs of columns are turned until all are orthogonal. Small
// singular values come out as accurate as large ones.
SingularParts orthogonalize_columns(Eigen::MatrixXd a) {
    constexpr int most_sweeps = 60;  // 6 to 10 are usual
    constexpr double orthogonal = 1e-15;
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
                const double t = std::copysign(1.0, theta) / (std::abs(theta) + math::hypot(theta, 1.0));
                const double c = 1.0 / std::sqrt(t * t + 1.0);
                turn_columns(&a(0, p), &a(0, q), a.rows(), c, t * c);
                turn_columns(&v(0, p), &v(0, q), v.rows(), c, t * c);
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
    std::stable_sort(order.begin(), order.end(),
                     [&](Eigen::Index i, Eigen::Index j) { return parts.values[i] > parts.values[j]; });
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
                         static_cast<double>(std::max(matrix.rows(), matrix.cols())) * parts.values.maxCoeff();
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
