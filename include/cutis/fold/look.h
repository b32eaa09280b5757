#pragma once

#include "cutis/core/types.h"
#include "cutis/fold/profile.h"

namespace cutis {

/// How folds look, in an artist's words.
struct FoldLook {
    double width = 0.03;  ///< metres across one fold; 0.001 .. 10
    /// Cloth is worn this much longer than its own length: it gives way by that much before it
    /// folds. 0 .. 1
    double pre_stretch = 0.05;
    double taper = 1.5;         ///< widths over which a fold's ends run out. 0 .. 10
    double irregularity = 0.3;  ///< widths by which folds wander. 0 .. 1
    double sharpness = 0.0;     ///< of the crest, 0 round .. 1 a ridge
    double lean = 0.0;          ///< of the crest to one side, -0.5 .. 0.5
    FoldProfile profile = FoldProfile::blob();
    double rail_spacing = 0.4;  ///< widths between rails. 0.1 .. 2
    int rail_segments = 8;      ///< 4 .. 64
    VectorXd width_scale;       ///< painted, per base vertex, above 0; empty: 1
    VectorXd stretch_scale;     ///< painted, per base vertex, >= 0, times pre_stretch; empty: 1

    /// Without what costs length: taper and irregularity.
    FoldLook strict() const;
};

/// \throw InvalidInput  a number out of range, painted values of wrong size or sign (names them)
void check_look(const FoldLook& look, int vertex_count);

}  // namespace cutis
