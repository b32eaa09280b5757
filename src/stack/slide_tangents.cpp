#include "slide_tangents.h"

#include <cmath>

namespace cutis {

void SlideTangents::fill(const MatrixX3d& positions, const MatrixX2d& uv, std::vector<double>& out) {
    const Eigen::Index count = art_->positions.rows();
    const std::vector<int>& vertex_of_corner = surface_->mesh().vertex_of_corner;
    out.assign(static_cast<size_t>(3 * count), 0.0);
    normals_.setZero(count, 3);
    for (int f = 0; f < static_cast<int>(art_->triangles.rows()); ++f) {
        const int* corner = vertex_of_corner.data() + 3 * static_cast<std::ptrdiff_t>(f);
        if (corner[0] < 0 || corner[1] < 0 || corner[2] < 0) {
            continue;
        }
        const Vector3d a = positions.row(corner[0]);
        const Vector3d ab = positions.row(corner[1]).transpose() - a;
        const Vector3d ac = positions.row(corner[2]).transpose() - a;
        const Vector2d at = uv.row(art_->uv_triangles(f, 0));
        const Vector2d to_b = uv.row(art_->uv_triangles(f, 1)).transpose() - at;
        const Vector2d to_c = uv.row(art_->uv_triangles(f, 2)).transpose() - at;
        // dP/du of the map that takes the UV triangle to this one.
        const double turn = to_b[0] * to_c[1] - to_b[1] * to_c[0];
        const Vector3d along = (turn < 0.0 ? -1.0 : 1.0) * (to_c[1] * ab - to_b[1] * ac);
        const Vector3d normal = ab.cross(ac);
        const double length = along.norm();
        for (int k = 0; k < 3; ++k) {
            const int v = art_->triangles(f, k);
            normals_.row(v) += normal;
            if (turn != 0.0 && length > 0.0) {
                Vector3d::Map(out.data() + 3 * v) += along * (normal.norm() / length);
            }
        }
    }
    for (Eigen::Index v = 0; v < count; ++v) {
        Eigen::Map<Vector3d> tangent(out.data() + 3 * v);
        const double normal2 = normals_.row(v).squaredNorm();
        if (normal2 > 0.0) {
            tangent -= normals_.row(v).transpose() * (normals_.row(v).dot(tangent) / normal2);
        }
        const double length = tangent.norm();
        constexpr double cancelled = 1e-9;
        tangent *= length * length > cancelled * cancelled * normal2 && length > 0.0 ? 1.0 / length : 0.0;
    }
}

}  // namespace cutis
