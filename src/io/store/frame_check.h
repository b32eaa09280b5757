#pragma once

#include <string>

#include "cutis/stack/sink.h"

namespace cutis {

/// What cannot be written is refused before the first frame. \param who  start of messages
/// \throw InvalidInput
void check_announced(const BakeInfo& info, const std::string& who);

/// A frame must bring what was announced, in finite numbers, so that a format's own code sees good
/// numbers only. \param index  of the frame, from 0
/// \throw InvalidInput
void check_frame(const BakeInfo& info, const Frame& frame, int index, const std::string& who);

/// UVs of a mesh in a frame: those it brings, or at rest.
inline const MatrixX2d& uv_of(const MeshInfo& mesh, const MeshFrame& frame) {
    return frame.uv.rows() > 0 ? frame.uv : mesh.art->uv;
}

}  // namespace cutis
