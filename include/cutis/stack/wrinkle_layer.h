#pragma once

#include <memory>

#include "cutis/core/options.h"
#include "cutis/stack/layer.h"
#include "cutis/wrinkle/options.h"

namespace cutis {

/// A wrinkle layer.
struct WrinkleLayerOptions {
    Region where = "skin";
    WrinkleOptions solver;
    double poses_per_second = 8.0;
    int map_size = 2048;
    int map_padding = 4;
};

Options describe(WrinkleLayerOptions& options);

/// Wrinkles where skin is compressed (docs/wrinkles.md). Moves no vertex: channels, and maps over the UVs.
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_wrinkle_layer(WrinkleLayerOptions options, const LayerInput& ground);

}  // namespace cutis
