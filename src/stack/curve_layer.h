#pragma once

#include "cutis/stack/layer.h"

namespace cutis {

/// Curve flesh as a layer of a bake. See docs/curve.md for its settings.
LayerKind curve_layer_kind();

}  // namespace cutis
