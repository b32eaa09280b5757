#pragma once

#include "cutis/core/options.h"
#include "cutis/fold/profile.h"

namespace cutis {

/// How folds look, in an artist's words.
struct FoldStyle {
    Painted width = 0.03;  ///< metres across one fold, per base vertex
    /// Cloth is worn this much longer than its own length: it gives way by that much before it
    /// folds. Per base vertex.
    Painted pre_stretch = 0.05;
    double taper = 1.5;         ///< widths over which a fold's ends run out
    double irregularity = 0.3;  ///< widths by which folds wander
    double sharpness = 0.0;     ///< of the crest: 0 round, 1 a ridge
    double lean = 0.0;          ///< of the crest to one side
    FoldProfile profile = FoldProfile::blob();
    double rail_spacing = 0.4;  ///< widths between rails
    int rail_segments = 8;

    /// Without what costs length: taper and irregularity.
    FoldStyle strict() const;
};

Options describe(FoldStyle& look);

}  // namespace cutis
