#pragma once

#include "cutis/stack/layer.h"

namespace cutis {

/// The layer of skin that slides and stretches over the body (docs/slide.md).
LayerKind slide_layer_kind();

}  // namespace cutis
