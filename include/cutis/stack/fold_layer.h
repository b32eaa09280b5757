#pragma once

#include <memory>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/fold/folds.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// Cross-section of folds.
enum class FoldShape { blob, flat, sharp, custom };

/// A fold layer.
struct FoldLayerOptions {
    FoldOptions solver;
    Region where = "all";
    FoldShape profile = FoldShape::blob;
    std::vector<double> profile_heights;
    double poses_per_second = 6.0;
    int random_poses = 60;
    bool use_normals = false;
};

Options describe(FoldLayerOptions& options);

/// Tight cloth that folds where skinning would shrink it (docs/fold.md).
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_fold_layer(FoldLayerOptions options, const LayerInput& ground);

}  // namespace cutis
