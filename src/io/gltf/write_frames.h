#pragma once

#include "cutis/core/types.h"
#include "io/store/coordinates.h"

namespace cutis {

/// All frames of a bake on disk: of each frame first the coordinates of the positions, then those
/// of the UVs where they move.
class FrameStore : public CoordinateStore {
public:
    FrameStore(const std::filesystem::path& beside, int vertex_count, int moving_uv_count)
        : CoordinateStore(beside, static_cast<std::size_t>(vertex_count) * 3 +
                                      static_cast<std::size_t>(moving_uv_count) * 2),
          vertex_count_(vertex_count),
          uv_count_(moving_uv_count) {}

    void append(const MatrixX3d& positions, const MatrixX2d& uv);

    int vertex_count() const { return vertex_count_; }
    int uv_count() const { return uv_count_; }
    int coordinate_count() const { return vertex_count_ * 3 + uv_count_ * 2; }

    void read_positions(int frame, MatrixX3d& positions);
    void read_uv(int frame, MatrixX2d& uv);

private:
    int vertex_count_;
    int uv_count_;
};

}  // namespace cutis
