#pragma once

#include "cutis/fold/folds.h"

namespace cutis::fold_detail {

/// The refined mesh with its way from the base.
struct FoldMesh {
    AdaptiveLoop mesh;
    Stencils base_rows;  // of the base's own vertices
    int base_count = 0;

    explicit FoldMesh(AdaptiveLoop loop, int vertices);

    /// Scratch of refine(): control points and what subdivision makes of the base vertices.
    struct Scratch {
        MatrixX3d control;
        MatrixX3d smoothed;
    };
    void refine(const MatrixX3d& base, const Workers& workers, Scratch& scratch, MatrixX3d& refined) const;
};

/// Refines triangles of an even mesh until their edges fit.
/// \param too_long  per triangle of it: its edges over those that folds need; 0: no folds here
FoldMesh make_fold_mesh(const Topology& base, const FoldMesh& even, const std::vector<double>& too_long,
                        const FoldOptions& options, std::vector<std::string>& notes);

/// The uniform mesh of one level (numbered like LoopSubdivision) with corrected control points.
FoldMesh make_uniform_mesh(const Topology& base, int level);

/// Lowest level whose median edge is at most `length`, as far as there are at most `most`
/// triangles.
int level_for_edge(const Topology& base, const MatrixX3d& rest, double length, int most);

}  // namespace cutis::fold_detail
