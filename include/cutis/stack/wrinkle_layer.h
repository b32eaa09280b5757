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
    /// Move the vertices of a finer mesh instead of painting maps.
    bool displace = false;
    double mesh_edges = 6.0;     ///< a wavelength, of that mesh
    int mesh_vertices = 100000;  ///< of it; beyond them edges get longer
};

Options describe(WrinkleLayerOptions& options);

/// Wrinkles where skin is compressed (docs/wrinkles.md): channels, and maps over the UVs or a displaced finer mesh.
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_wrinkle_layer(WrinkleLayerOptions options, const LayerInput& ground);

}  // namespace cutis
