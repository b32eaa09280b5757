#pragma once

#include "curve/flesh.h"
#include "cutis/stack/curve_layer.h"

namespace cutis {

/// Flesh for a surface.
/// \throw InvalidInput  names that do not exist, values out of range
std::unique_ptr<Flesh> make_flesh(const LayerInput& ground, const CurveBody& body,
                                  const CurveLayerOptions& options, const LayerMeshes& meshes);

}  // namespace cutis
