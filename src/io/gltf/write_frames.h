#pragma once

#include "cutis/core/types.h"
#include "io/store/modes.h"

namespace cutis {

/// Frames of one mesh in the store of a bake: positions, and UVs where they move.
struct GlbFrames {
    CoordinateStore* store = nullptr;
    int first_position = 0;
    int vertex_count = 0;
    int first_uv = 0;
    int uv_count = 0;

    int frame_count() const { return store->frame_count(); }
    int coordinate_count() const { return vertex_count * 3 + uv_count * 2; }

    void read_positions(int frame, MatrixX3d& positions) const {
        positions.resize(vertex_count, 3);
        store->read_coordinates(frame, first_position, vertex_count * 3, positions.data());
    }
    /// As the artist counts v, from the bottom of the picture.
    void read_uv(int frame, MatrixX2d& uv) const {
        uv.resize(uv_count, 2);
        store->read_coordinates(frame, first_uv, uv_count * 2, uv.data());
    }
};

}  // namespace cutis
