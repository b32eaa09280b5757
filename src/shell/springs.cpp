#include "shell/springs.h"

#include <cmath>

#include "core/dense.h"
#include "cutis/core/error.h"

namespace cutis {

void LowRankSprings::set(int unknowns, std::span<const SpringRow> rows, const Solve& solve) {
    require(rows.size() <= static_cast<size_t>(most_springs), "shell handles: expected at most ", most_springs,
            ", found ", rows.size());
    starts_ = {0};
    indices_.clear();
    weights_.clear();
    const auto count = static_cast<Eigen::Index>(rows.size());
    std::vector<double> values(static_cast<size_t>(unknowns) * rows.size(), 0.0);
    for (size_t c = 0; c < rows.size(); ++c) {
        const SpringRow& row = rows[c];
        require(row.stiffness > 0.0 && !row.indices.empty(), "shell handles: handle ", c,
                " needs a stiffness above 0 and something to pull, found ", row.stiffness);
        for (size_t i = 0; i < row.indices.size(); ++i) {
            indices_.push_back(row.indices[i]);
            weights_.push_back(row.weights[i]);
            values[static_cast<size_t>(row.indices[i]) * rows.size() + c] += row.weights[i];
        }
        starts_.push_back(static_cast<int>(indices_.size()));
    }
    misses_.resize(count, 3);
    forces_.resize(count, 3);
    if (rows.empty()) {
        columns_.resize(0, 0);
        inverse_.resize(0, 0);
        return;
    }
    solve(values, static_cast<int>(count));
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    columns_ = Eigen::Map<const RowMajor>(values.data(), unknowns, count);
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index c = 0; c < count; ++c) {
        const auto row = static_cast<size_t>(c);
        for (int i = starts_[row]; i < starts_[row + 1]; ++i) {
            system.row(c) += weights_[i] * columns_.row(indices_[i]);
        }
        system(c, c) += std::isinf(rows[row].stiffness) ? 0.0 : 1.0 / rows[row].stiffness;
    }
    // Two exact handles on one point leave the system without rank: the pseudo-inverse then pulls
    // to the mean of their targets.
    inverse_ = pseudo_inverse(system);
    // r' = r - U^T Z M^-1 (r - t) with U^T Z = M - diag(1/k): dr'/dr = diag(1/k) M^-1.
    yielding_.clear();
    for (Eigen::Index c = 0; c < count; ++c) {
        const double stiffness = rows[static_cast<size_t>(c)].stiffness;
        yielding_.push_back(std::isinf(stiffness) ? 0.0 : inverse_(c, c) / stiffness);
    }
}

void LowRankSprings::apply(MatrixX3d& x, const MatrixX3d& targets) {
    if (count() == 0) {
        return;
    }
    for (int c = 0; c < count(); ++c) {
        const auto row = static_cast<size_t>(c);
        Vector3d reached = Vector3d::Zero();
        for (int i = starts_[row]; i < starts_[row + 1]; ++i) {
            reached += weights_[i] * x.row(indices_[i]).transpose();
        }
        misses_.row(c) = reached.transpose() - targets.row(c);
    }
    forces_.noalias() = inverse_.lazyProduct(misses_);
    for (Eigen::Index v = 0; v < x.rows(); ++v) {
        Eigen::RowVector3d change = Eigen::RowVector3d::Zero();
        for (int c = 0; c < count(); ++c) {
            change += columns_(v, c) * forces_.row(c);
        }
        x.row(v) -= change;
    }
}

}  // namespace cutis
