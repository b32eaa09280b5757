#include "curve/pose_keys.h"

#include "core/dense.h"
#include "cutis/core/error.h"

namespace cutis {

PoseKeys::PoseKeys(const std::vector<VectorXd>& poses) {
    require(!poses.empty(), "pose keys: expected at least one example, found none");
    const auto count = static_cast<Eigen::Index>(poses.size());
    const Eigen::Index length = poses[0].size();
    Eigen::MatrixXd rows(count, length);
    for (Eigen::Index i = 0; i < count; ++i) {
        const VectorXd& pose = poses[i];
        if (pose.size() != length || !pose.allFinite()) {
            throw InvalidInput(concat("pose keys: expected ", length, " finite numbers, example ", i, " has ",
                                      pose.size(), pose.allFinite() ? "" : ", not all finite"));
        }
        rows.row(i) = pose;
    }
    constexpr double same = 1e-4;  // radians
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
            require((rows.row(i) - rows.row(j)).norm() >= same,
                    "pose keys: expected examples at different poses, found ", j, " and ", i, " alike");
        }
    }
    origin_ = rows.row(0);
    const Eigen::MatrixXd spread = rows.rowwise() - origin_.transpose();
    Eigen::Index span = 0;
    if (count > 1) {
        const RightSingular svd = right_singular(spread);
        while (span < svd.values.size() && svd.values[span] > 1e-3 * svd.values[0]) {
            ++span;
        }
        basis_ = svd.vectors.leftCols(span);
    } else {
        basis_.resize(length, 0);
    }
    centres_ = matrix_product(spread, basis_);
    low_ = centres_.colwise().minCoeff();
    high_ = centres_.colwise().maxCoeff();
    const Eigen::Index size = count + 1 + span;
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(size, size);
    for (Eigen::Index i = 0; i < count; ++i) {
        for (Eigen::Index j = 0; j < count; ++j) {
            const double r = (centres_.row(i) - centres_.row(j)).norm();
            system(i, j) = r * r * r;
        }
        system(i, count) = system(count, i) = 1.0;
        system.row(i).tail(span) = centres_.row(i);
        system.col(i).tail(span) = centres_.row(i).transpose();
    }
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(size, count);
    right.topRows(count).setIdentity();
    solution_ = matrix_product(pseudo_inverse(system), right);
    require(solution_.allFinite() && (matrix_product(system, solution_) - right).cwiseAbs().maxCoeff() <= 1e-6,
            "pose keys: expected examples at clearly different poses");
    place_.resize(span);
    kernel_.resize(size);
}

void PoseKeys::weigh(const VectorXd& pose, VectorXd& weights) const {
    for (Eigen::Index c = 0; c < place_.size(); ++c) {
        place_[c] = basis_.col(c).dot(pose - origin_);
    }
    place_ = place_.cwiseMax(low_).cwiseMin(high_);
    const Eigen::Index count = centres_.rows();
    for (Eigen::Index i = 0; i < count; ++i) {
        double square = 0.0;
        for (Eigen::Index c = 0; c < place_.size(); ++c) {
            const double d = place_[c] - centres_(i, c);
            square += d * d;
        }
        kernel_[i] = square * std::sqrt(square);
    }
    kernel_[count] = 1.0;
    kernel_.tail(place_.size()) = place_;
    weights.resize(count);
    weights.noalias() = solution_.transpose().lazyProduct(kernel_);
}

}  // namespace cutis
