#pragma once

#include <string>
#include <vector>

#include "cutis/stack/layer.h"
#include "cutis/stack/scene.h"

namespace cutis {

/// One combination of the values a scene wants to try.
struct WedgeScene {
    std::string label;  ///< "stickiness 0.5, skinning dual-quaternion"
    Scene scene;        ///< without wedges
};

inline constexpr int max_wedges = 1000;

/// All combinations, the last wedge turning fastest. A scene without wedges gives itself.
/// \throw InvalidInput  a key that is not there, a value its key refuses, more than max_wedges; all
///                      with the place in the file
/// \param kinds  layers the scene may name
std::vector<WedgeScene> wedge_scenes(const Scene& scene,
                                     const std::vector<LayerKind>& kinds = layer_kinds());

}  // namespace cutis
