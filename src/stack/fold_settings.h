#pragma once

#include "cutis/stack/fold_layer.h"

namespace cutis {

/// Refuses what would have no effect: more likely a mistake than a wish.
void check_together(const FoldLayerOptions& options);

/// The cross-section a layer asks for.
FoldProfile profile_of(const FoldLayerOptions& options);

/// Curves take profiles and widths in turn.
void share_looks(const FoldLayerOptions& options, std::vector<FoldCurve>& curves);

/// Lengths of the curves of joints, in turn; empty: that of the layer.
std::vector<double> curve_lengths(const FoldLayerOptions& options);

}  // namespace cutis
