#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/fold/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// Cross-section of folds.
enum class FoldShape { blob, flat, sharp, custom };

/// A curve along vertices of the artist's mesh.
struct FoldChain {
    std::vector<int> vertices;
};

Options describe(FoldChain& chain);

/// How the folds of a curve differ from those of the layer.
struct FoldCurveLook {
    enum class Shape { layer, blob, flat, sharp, custom };
    Shape profile = Shape::layer;
    std::optional<double> width;  ///< metres; none: that of the layer
};

Options describe(FoldCurveLook& look);

/// A fold layer.
struct FoldLayerOptions {
    enum class Layout { stripes, paper };
    Layout layout = Layout::stripes;
    FoldOptions solver;
    FoldJointOptions joints;            ///< paper
    std::vector<FoldChain> chains;      ///< paper: instead of joints
    std::vector<FoldCurveLook> curves;  ///< paper: curves take them in turn
    std::optional<double> reach;        ///< paper: metres to each side of a curve
    Region where = "all";
    FoldShape profile = FoldShape::blob;
    std::vector<double> profile_heights;
    /// Poses that folds are laid out from: those of every clip and random ones, or of the clip that is baked.
    enum class Poses { all, clip };
    Poses poses = Poses::all;
    double poses_per_second = 6.0;
    int random_poses = 60;
    bool use_normals = false;
};

Options describe(FoldLayerOptions& options);

/// Tight cloth that folds where skinning would shrink it (docs/fold.md).
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_fold_layer(FoldLayerOptions options, const LayerInput& ground);

}  // namespace cutis
