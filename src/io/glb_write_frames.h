#pragma once

#include <vector>

#include "cutis/core/types.h"
#include "write_spool.h"

namespace cutis {

/// All frames of a bake on disk: of each frame first the coordinates of the positions, then those
/// of the UVs where they move. Readable frame by frame, or a range of coordinates over all frames.
class FrameStore {
public:
    FrameStore(const std::filesystem::path& beside, int vertex_count, int moving_uv_count)
        : spool_(beside), vertex_count_(vertex_count), uv_count_(moving_uv_count) {}

    void append(const MatrixX3d& positions, const MatrixX2d& uv);

    int frame_count() const { return frame_count_; }
    int vertex_count() const { return vertex_count_; }
    int uv_count() const { return uv_count_; }
    int coordinate_count() const { return vertex_count_ * 3 + uv_count_ * 2; }

    void read_positions(int frame, MatrixX3d& positions);
    void read_uv(int frame, MatrixX2d& uv);
    /// `count` coordinates from `first` on.
    void read_coordinates(int frame, int first, int count, double* out);

private:
    SpoolFile spool_;
    int vertex_count_;
    int uv_count_;
    int frame_count_ = 0;
};

}  // namespace cutis
