#pragma once

#include "cutis/stack/layer.h"

namespace cutis {

/// Detail in a shell as a layer of a bake. See docs/shell.md for its settings.
LayerKind shell_layer_kind();

}  // namespace cutis
