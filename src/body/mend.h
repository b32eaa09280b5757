#pragma once

#include "cutis/body/skinning.h"
#include "cutis/core/types.h"

namespace cutis {

/// Gives places that are no number, or lie ten thousand times further off than the mesh is large,
/// the mean of the neighbours that have one.
/// \param triangles  indices in range
/// \return  how many; -1 where no vertex has a place
int mend_positions(const MatrixX3i& triangles, MatrixX3d& positions);

/// Weights that are no number or below zero, or whose joint does not exist, count as none; a vertex
/// left without any takes those of its nearest neighbour that has some.
/// \param positions  finite
/// \return  how many vertices took a neighbour's
int mend_weights(const MatrixX3d& positions, const MatrixX3i& triangles, int joint_count, SkinWeights& weights);

}  // namespace cutis
