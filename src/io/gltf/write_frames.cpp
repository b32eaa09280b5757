#include "io/gltf/write_frames.h"

namespace cutis {

void FrameStore::append(const MatrixX3d& positions, const MatrixX2d& uv) {
    CoordinateStore::append(positions.data(), static_cast<size_t>(positions.size()));
    if (uv_count_ > 0) {
        CoordinateStore::append(uv.data(), static_cast<size_t>(uv.size()));
    }
}

void FrameStore::read_positions(int frame, MatrixX3d& positions) {
    positions.resize(vertex_count_, 3);
    read_coordinates(frame, 0, vertex_count_ * 3, positions.data());
}

void FrameStore::read_uv(int frame, MatrixX2d& uv) {
    uv.resize(uv_count_, 2);
    read_coordinates(frame, vertex_count_ * 3, uv_count_ * 2, uv.data());
}

}  // namespace cutis
