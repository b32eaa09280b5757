#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis::verify {

/// Triangles of a surface that pass through others with which they share no corner.
struct Crossings {
    int pairs = 0;
    std::vector<unsigned char> is_crossing;  // per triangle
};

/// Every pair whose boxes meet, by edges against triangles.
/// \param corner  #F x 3: triangles; vertices at the same place at rest must have one number
Crossings find_crossings(const MatrixX3i& corner, const MatrixX3d& positions);

/// Triangles with one number for vertices at the same place: seams of a texture are no borders of the cloth.
MatrixX3i joined_at(const MatrixX3i& triangles, const MatrixX3d& rest);

/// Triangles that cross once folded, further than `width` from any that cross without folds.
int far_crossings(const Crossings& plain, const Crossings& folded, const MatrixX3i& triangles, const MatrixX3d& base,
                  double width);

}  // namespace cutis::verify
