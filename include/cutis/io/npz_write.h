#pragma once

#include <filesystem>
#include <memory>

#include "cutis/core/options.h"
#include "cutis/stack/sink.h"

namespace cutis {

struct NpzOptions {
    bool use_float32 = false;  ///< halves positions, UVs and channels; default: the exact doubles
};

Options describe(NpzOptions& options);

/// NumPy archive for researchers: `numpy.load("NAME.npz")`.
///
/// | array              | shape and type                                                         |
/// |--------------------|------------------------------------------------------------------------|
/// | positions          | frames x vertices x 3, float64 (float32 by option), metres             |
/// | rest               | vertices x 3, float64                                                  |
/// | triangles          | triangles x 3, int32                                                   |
/// | polygon_sizes      | polygons, int32; only where the source has polygons                    |
/// | uv                 | entries x 2, float64, v up: UVs of the source, where there are any     |
/// | uv_triangles       | triangles x 3, int32 into uv; -1 for a corner without UV               |
/// | uv_frames          | frames x entries x 2, only where UVs move                              |
/// | channel_NAME       | frames x vertices, or frames x vertices x width                        |
/// | detail_NAME_...    | positions, rest, triangles, polygon_sizes, uv, uv_triangles and        |
/// |                    | channel_NAME of a detail, as above                                     |
/// | lines_NAME         | frames x points x 3: lines and dots that layers show                   |
/// | lines_NAME_segments | segments x 2, int32 into the points; none: dots                        |
/// | times, frames      | seconds of body time, float64; frame numbers, int32                    |
/// | fps                | one float64                                                            |
///
/// Stored without compression, zip64 where an array or the file passes 4 GB, no time stamps: the
/// same bake gives the same bytes.
///
/// \param path  the file; its folder must exist
std::unique_ptr<FrameSink> make_npz_sink(const std::filesystem::path& path,
                                         const NpzOptions& options = {});

}  // namespace cutis
