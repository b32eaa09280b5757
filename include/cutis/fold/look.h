#pragma once

#include <optional>

#include "cutis/core/options.h"
#include "cutis/fold/profile.h"

namespace cutis {

/// Cloth by name: a style to start from.
enum class FoldCloth { plain, jersey, denim, leather, skin };

/// How folds look, in an artist's words.
struct FoldStyle {
    FoldCloth cloth = FoldCloth::plain;
    /// Metres across one fold, per base vertex. None: from the girth of the limb.
    std::optional<Painted> width;
    Painted density = 1.0;  ///< folds per width, per base vertex
    /// Cloth is worn this much longer than its own length: it gives way by that much before it
    /// folds. Per base vertex.
    Painted pre_stretch = 0.05;
    Painted slack = 0.0;        ///< cloth is this much longer than the body, per base vertex
    double irregularity = 1.0;  ///< how much widths and heights of neighbours differ
    double sharpness = 0.0;     ///< of the crest: 0 round, 1 a ridge
    double sag = 0.0;           ///< of the crest towards the ground
    FoldProfile profile = FoldProfile::blob();

    /// With the values of its cloth in place of those that still have their default.
    FoldStyle of_cloth() const;
};

Options describe(FoldStyle& look);

}  // namespace cutis
