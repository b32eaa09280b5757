#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis::mesh_internal {

/// For each vertex the one it is merged into: itself, or a lower index of the same group.
/// \param is_used   vertices that take part; others stand for themselves
/// \param distance  same units as positions; 0: exact matches only (-0.0 equals 0.0)
std::vector<int> weld(const MatrixX3d& positions, const std::vector<unsigned char>& is_used,
                      const std::vector<int>& group, double distance);

}  // namespace cutis::mesh_internal
