#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "cutis/body/skinning.h"

namespace cutis::skinning_detail {

/// Vertices a thread takes at once: small enough that a second pass finds them in the cache, a
/// multiple of four.
constexpr int chunk_vertices = 2048;

/// One 4 x 3+1 block of doubles per joint: columns of a 3 x 4 matrix, each padded to four.
using JointColumns = Eigen::Matrix<double, 16, Eigen::Dynamic>;

/// Raw arrays of a skinning call.
struct Streams {
    const double* rest = nullptr;
    const std::uint16_t* joints = nullptr;
    const double* weights = nullptr;
    double* out = nullptr;
    int influences = 0;
};

/// Sizes, finiteness of the matrices; gives `out` its size.
/// \throw InvalidInput
Streams check_and_size(const MatrixX3d& rest, const SkinWeights& weights, const std::vector<Eigen::Affine3d>& matrices,
                       MatrixX3d& out);

/// \throw InvalidInput  a joint index of these vertices has no matrix
void check_joints(const Streams& streams, int begin, int end, int joint_count);

void set_columns(JointColumns& columns, Eigen::Index joint, const Eigen::Matrix<double, 3, 4>& m);

/// Linear blend of vertices [begin, end).
void blend_vertices(const Streams& streams, const JointColumns& columns, int begin, int end);

}  // namespace cutis::skinning_detail
