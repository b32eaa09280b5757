#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

using MatrixX4d = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;

/// A named value per vertex.
struct ChannelData {
    std::string unit;            ///< "m", "1", "N/m"; "1" for ratios
    int width = 1;               ///< numbers per vertex: 1 scalar, 3 direction
    std::vector<double> values;  ///< #A * width
};

/// A mesh that a layer adds to the body (scales, straps), at one time.
struct DetailFrame {
    MatrixX3d positions;                          ///< as many as its DetailMesh has, metres
    MatrixX3d normals;                            ///< unit, per vertex; empty: not given
    std::map<std::string, ChannelData> channels;  ///< per vertex of the detail
    /// Where its DetailMesh has copies: place and rotation (quaternion w x y z, unit) of each.
    MatrixX3d copy_positions;
    MatrixX4d copy_rotations;
};

/// One output time: plain data, everything on the artist's vertices (BakeInfo::mesh: those of the
/// body, or of the refined mesh where a layer made one).
struct Frame {
    int number = 0;            ///< as the user counts them, first frame of the bake = 1
    double time = 0.0;         ///< seconds of body time
    MatrixX3d positions;       ///< #A x 3, metres
    MatrixX3d body_positions;  ///< #A x 3, before layers, where a sink asks for it and a layer
                               ///< moves vertices; empty: the same as positions
    /// Per layer, where body_positions are filled: by how much it moved each art vertex, #A * 3,
    /// metres; empty where it moves none. positions = body_positions + their sum, to rounding where
    /// no layer refines.
    std::vector<std::vector<double>> shares;
    MatrixX2d uv;  ///< #T x 2 when UVs move this frame; empty: as in the rest mesh
    std::map<std::string, ChannelData> channels;
    std::vector<DetailFrame> details;       ///< one per BakeInfo::details
    std::vector<MatrixX3d> lines;           ///< points of each of BakeInfo::lines, metres
    std::map<std::string, double> numbers;  ///< of the whole frame, unit in the name: "energy (J)"
    std::vector<std::pair<std::string, double>> stage_seconds;  ///< spent on it: body, each layer
};

}  // namespace cutis
