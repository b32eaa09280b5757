#pragma once

#include "fold/folds.h"
#include "mesh/fine_mesh.h"

namespace cutis::fold_detail {

/// Refines triangles of an even mesh until their edges fit.
/// \param too_long  per triangle of it: its edges over those that folds need; 0: no folds here
FineMesh make_fold_mesh(const Topology& base, const FineMesh& even, const std::vector<double>& too_long,
                        const FoldOptions& options, std::vector<std::string>& notes);

/// The uniform mesh of one level (numbered like LoopSubdivision) with corrected control points.
FineMesh make_uniform_mesh(const Topology& base, int level);

/// Lowest level whose median edge is at most `length`, as far as there are at most `most`
/// triangles.
int level_for_edge(const Topology& base, const MatrixX3d& rest, double length, int most);

}  // namespace cutis::fold_detail
