#pragma once

#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/surface_point.h"

namespace cutis::fold_detail {

/// A line on a mesh, as points with arc length.
struct SurfaceLine {
    std::vector<SurfacePoint> points;
    std::vector<double> arc;
    bool is_closed = false;  // the last point is the first again
};

/// Lines where `value` equals `level`, within the triangles that take part, each in order.
std::vector<SurfaceLine> isolines(const MatrixX3d& positions, const Topology& topology,
                                  const std::vector<unsigned char>& is_active,
                                  const VectorXd& value, double level);

/// The point of a line at an arc length; the triangle is the one of the segment it lies in.
SurfacePoint point_along(const SurfaceLine& line, double arc);

}  // namespace cutis::fold_detail
