#pragma once

#include <Eigen/Core>
#include <string>

namespace cutis {

/// One row per vertex (or triangle); row-major, so that a vertex is three neighbouring numbers.
using MatrixX2d = Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor>;
using MatrixX3d = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;
using MatrixX3i = Eigen::Matrix<int, Eigen::Dynamic, 3, Eigen::RowMajor>;

using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// "1 2 3", for messages.
std::string text_of(const Eigen::Ref<const VectorXd>& vector);

}  // namespace cutis
