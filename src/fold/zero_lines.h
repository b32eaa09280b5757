#pragma once

#include <vector>

#include "cutis/mesh/surface_point.h"

namespace cutis::fold_detail {

/// A line on a mesh, a point at every side it crosses.
struct SurfaceLine {
    std::vector<SurfacePoint> points;
    bool is_closed = false;  // the last point is the first again
};

/// Lines where a value per vertex is 0, each in order.
std::vector<SurfaceLine> zero_lines(const Topology& topology, const VectorXd& value);

}  // namespace cutis::fold_detail
