#include "curve/turning.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/dense.h"
#include "core/geometry.h"
#include "core/math.h"

namespace cutis {

namespace {

/// The rotation that brings points nearest to others, by Horn's quaternion: flat rings have one, too.
Eigen::Quaterniond best_turn(const Eigen::Matrix3d& s) {
    Eigen::MatrixXd form(4, 4);
    form << s(0, 0) + s(1, 1) + s(2, 2), s(1, 2) - s(2, 1), s(2, 0) - s(0, 2), s(0, 1) - s(1, 0),  //
        s(1, 2) - s(2, 1), s(0, 0) - s(1, 1) - s(2, 2), s(0, 1) + s(1, 0), s(2, 0) + s(0, 2),      //
        s(2, 0) - s(0, 2), s(0, 1) + s(1, 0), s(1, 1) - s(0, 0) - s(2, 2), s(1, 2) + s(2, 1),      //
        s(0, 1) - s(1, 0), s(2, 0) + s(0, 2), s(1, 2) + s(2, 1), s(2, 2) - s(0, 0) - s(1, 1);
    const SymmetricEigen all = symmetric_eigen(form);
    Eigen::Index most = 0;
    all.values.maxCoeff(&most);
    const VectorXd q = all.vectors.col(most);
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
}

Vector3d turn_vector(const Eigen::Quaterniond& turn) {
    const double sine = turn.vec().norm();
    const double angle = 2.0 * math::atan2(sine, turn.w());
    return sine > 1e-12 ? Vector3d(turn.vec() * (angle / sine)) : Vector3d(2.0 * turn.vec());
}

Eigen::Matrix3d turn_of(const Vector3d& vector) {
    return quaternion_exp(0.5 * vector).toRotationMatrix();
}

}  // namespace

TurningShapes::TurningShapes(const MatrixX3d& rest, int curve_count)
    : rings_(static_cast<int>(rest.rows()) / curve_count), curve_count_(curve_count), rest_(rest) {
    centres_.resize(rings_, 3);
    axes_.resize(rings_, 3);
    for (int n = 0; n < rings_; ++n) {
        centres_.row(n) = rest.middleRows(n * curve_count, curve_count).colwise().mean();
    }
    // The axis by least squares over the rings near by: centres of a mesh's rings waver.
    const int reach = std::max(2, rings_ / 4);
    for (int n = 0; n < rings_; ++n) {
        const int begin = std::max(0, n - reach);
        const int end = std::min(rings_ - 1, n + reach);
        Vector3d along = Vector3d::Zero();
        for (int m = begin; m <= end; ++m) {
            along += (m - 0.5 * (begin + end)) * centres_.row(m).transpose();
        }
        axes_.row(n) = along.norm() > 0.0 ? along.normalized() : Vector3d::UnitY();
    }
}

RowMatrixXd TurningShapes::coordinates(const MatrixX3d& moved) const {
    RowMatrixXd found = RowMatrixXd::Zero(rings_, columns());
    const int turns = 3 * curve_count_;
    MatrixX3d centres(rings_, 3);
    for (int n = 0; n < rings_; ++n) {
        centres.row(n) = centres_.row(n) + moved.middleRows(n * curve_count_, curve_count_).colwise().mean();
    }
    double before = 0.0;
    for (int n = 0; n < rings_; ++n) {
        Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
        for (int c = 0; c < curve_count_; ++c) {
            const int row = n * curve_count_ + c;
            covariance +=
                (rest_.row(row) - centres_.row(n)).transpose() * (rest_.row(row) + moved.row(row) - centres.row(n));
        }
        const Eigen::Quaterniond turn = best_turn(covariance);
        const Vector3d axis = axes_.row(n);
        const Eigen::Quaterniond swing = least_turn(axis, turn * axis);
        const Eigen::Quaterniond rest = swing.conjugate() * turn;
        double twist = 2.0 * math::atan2(rest.vec().dot(axis), rest.w());
        twist += 2.0 * std::numbers::pi * std::round((before - twist) / (2.0 * std::numbers::pi));
        before = twist;
        found.row(n).segment<3>(turns) = turn_vector(swing).transpose();
        found(n, turns + 3) = twist;
        if (n + 1 < rings_) {
            const Vector3d step = centres.row(n + 1) - centres.row(n);
            found.row(n).segment<3>(turns + 4) =
                (swing.conjugate() * step).transpose() - (centres_.row(n + 1) - centres_.row(n));
        }
        found.row(n).segment<3>(turns + 7) = centres.row(0) - centres_.row(0);
        for (int c = 0; c < curve_count_; ++c) {
            const int row = n * curve_count_ + c;
            const Vector3d now = (rest_.row(row) + moved.row(row) - centres.row(n)).transpose();
            found.row(n).segment<3>(3 * c) = (turn.conjugate() * now).transpose() - (rest_.row(row) - centres_.row(n));
        }
    }
    return found;
}

void TurningShapes::displacements(const RowMatrixXd& coordinates, MatrixX3d& moved) const {
    moved.resize(rest_.rows(), 3);
    const int turns = 3 * curve_count_;
    Vector3d centre = (centres_.row(0) + coordinates.row(0).segment<3>(turns + 7)).transpose();
    for (int n = 0; n < rings_; ++n) {
        const Eigen::Matrix3d swing = turn_of(coordinates.row(n).segment<3>(turns));
        const Vector3d axis = axes_.row(n);
        const Eigen::Matrix3d turn = swing * turn_of(coordinates(n, turns + 3) * axis);
        for (int c = 0; c < curve_count_; ++c) {
            const int row = n * curve_count_ + c;
            const Vector3d inside =
                (rest_.row(row) - centres_.row(n) + coordinates.row(n).segment<3>(3 * c)).transpose();
            moved.row(row) = (centre + turn * inside).transpose() - rest_.row(row);
        }
        if (n + 1 < rings_) {
            const Vector3d step =
                (centres_.row(n + 1) - centres_.row(n) + coordinates.row(n).segment<3>(turns + 4)).transpose();
            centre += swing * step;
        }
    }
}

}  // namespace cutis
