#pragma once

#include <string>
#include <vector>

#include "cutis/fold/profile.h"
#include "cutis/mesh/surface_point.h"

namespace cutis {

/// Where folds are, on the mesh they were found on. Made by fold_pattern_from_field,
/// fold_pattern_from_curves and fold_pattern_from_paint; FoldSolver makes it move.
///
/// A fold is a strip of cloth. Rails cross it from one edge to the other (the direction in which it
/// is compressed); each rail has a height of its own, and the cloth between rails lies between
/// them. One rail alone, with a wide `fade`, is the paper's fold line.
struct FoldPattern {
    struct Fold {
        int curve = 0;       ///< folds of one curve (or one field) tile it; curves add up
        double width = 0.0;  ///< metres between its edges, for refinement and reports
        double fade = 0.0;   ///< metres beyond its outermost rails over which it fades out
        int profile = 0;     ///< index into profiles
    };
    struct Rail {
        int fold = 0;
        bool is_joined = false;    ///< the cloth between this rail and the next belongs to the fold
        double pre_stretch = 0.0;  ///< >= 0
        double share = 1.0;        ///< 0 .. 1
        int partner = -1;          ///< rail of the next fold that begins where this one ends
        int joint = -1;            ///< index of the joint whose plane it must not pass
    };

    int segments = 12;                 ///< of each rail, 2 .. 64
    std::vector<Fold> folds;           ///
    std::vector<Rail> rails;           ///< sorted by fold, then across it
    std::vector<SurfacePoint> points;  ///< #rails * (segments + 1), points of the base mesh
    std::vector<FoldProfile> profiles = {FoldProfile::blob()};
    std::vector<std::string> notes;  ///< what was left out and why, for the report

    bool empty() const { return rails.empty(); }
};

/// Refuses what FoldSolver could not use.
/// \throw InvalidInput  names fold or rail
void check_pattern(const FoldPattern& pattern, const Topology& base);

}  // namespace cutis
