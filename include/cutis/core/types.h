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

/// A value per vertex of one mesh.
struct ChannelInfo {
    std::string name;            ///< no other channel of its mesh has it
    std::string unit = "1";      ///< "m", "N/m"; "1" for ratios and directions
    int width = 1;               ///< numbers per vertex, 1 to 16: 1 scalar, 3 direction
    double neutral = 0.0;        ///< value of a scalar where nothing happens: 1 for stretches; colours
                                 ///< are measured from it
    bool for_renderers = false;  ///< places on the rest shape (width 3) where renderers look up
                                 ///< solid textures; no picture by itself
};

/// "1 2 3", for messages.
std::string text_of(const Eigen::Ref<const VectorXd>& vector);

}  // namespace cutis
