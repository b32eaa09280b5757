#include "glb_write_frames.h"

namespace cutis {

void FrameStore::append(const MatrixX3d& positions, const MatrixX2d& uv) {
    spool_.append(positions.data(), static_cast<size_t>(positions.size()) * sizeof(double));
    if (uv_count_ > 0) {
        spool_.append(uv.data(), static_cast<size_t>(uv.size()) * sizeof(double));
    }
    ++frame_count_;
}

void FrameStore::read_coordinates(int frame, int first, int count, double* out) {
    const std::uintmax_t position =
        static_cast<std::uintmax_t>(frame) * static_cast<std::uintmax_t>(coordinate_count()) +
        static_cast<std::uintmax_t>(first);
    spool_.read(position * sizeof(double), out, static_cast<size_t>(count) * sizeof(double));
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
