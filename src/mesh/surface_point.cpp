#include "cutis/mesh/surface_point.h"

#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

SurfacePoint point_at_vertex(const Topology& topology, int v) {
    require(v >= 0 && v < topology.vertex_count(), "vertex ", v, ": expected 0 to ", topology.vertex_count() - 1);
    SurfacePoint point;
    point.triangle = topology.triangles_around(v).front();
    point.barycentric.setZero();
    for (int k = 0; k < 3; ++k) {
        if (topology.triangles()(point.triangle, k) == v) {
            point.barycentric[k] = 1.0;
        }
    }
    return point;
}

void require_valid_point(const Topology& topology, const SurfacePoint& point) {
    require(point.triangle >= 0 && point.triangle < topology.triangle_count(), "surface point: names triangle ",
            point.triangle, ", expected 0 to ", topology.triangle_count() - 1);
    const Vector3d& b = point.barycentric;
    require(b.minCoeff() >= -1e-9 && std::abs(b.sum() - 1.0) <= 1e-6 && b.allFinite(), "surface point in triangle ",
            point.triangle, ": expected weights >= 0 that sum to 1, found ", b[0], ' ', b[1], ' ', b[2]);
}

}  // namespace cutis
