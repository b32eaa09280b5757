#include "slide_uv.h"

#include <algorithm>

#include "slide/locate.h"

namespace cutis {

MatrixX3i uv_corners(const SimulationSurface& surface, const ArtMesh& art) {
    const MatrixX3i& triangles = surface.topology().triangles();
    const RepairedMesh& mesh = surface.mesh();
    MatrixX3i corners = MatrixX3i::Constant(triangles.rows(), 3, -1);
    for (int f = 0; f < static_cast<int>(triangles.rows()) && art.uv_triangles.rows() > 0; ++f) {
        const int a = mesh.art_triangle[static_cast<size_t>(f)];
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 3; ++c) {
                if (mesh.vertex_of_corner[3 * static_cast<size_t>(a) + static_cast<size_t>(c)] == triangles(f, k)) {
                    corners(f, k) = art.uv_triangles(a, c);
                }
            }
        }
    }
    return corners;
}

SlideUv::SlideUv(const LayerInput& ground)
    : art_(ground.art), surface_(ground.surface), uv_corners_(uv_corners(*surface_, *art_)) {
    if (!has_uv()) {
        return;
    }
    const Topology& topology = surface_->topology();
    const int count = topology.triangle_count();
    vertex_of_uv_.assign(static_cast<size_t>(art_->uv.rows()), -1);
    triangle_of_uv_.assign(static_cast<size_t>(art_->uv.rows()), -1);
    for (int f = 0; f < count; ++f) {
        for (int k = 0; k < 3; ++k) {
            if (const int t = uv_corners_(f, k); t >= 0) {
                vertex_of_uv_[static_cast<size_t>(t)] = topology.triangles()(f, k);
                triangle_of_uv_[static_cast<size_t>(t)] = f;
            }
        }
    }
    // Neighbours that use the same UVs along the shared side.
    next_.setConstant(count, 3, -1);
    for (int f = 0; f < count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const int g = topology.neighbour(f, k);
            if (g < 0) {
                continue;
            }
            int shared = 0;
            for (int c = 0; c < 3; ++c) {
                const int t = uv_corners_(g, c);
                shared += t == uv_corners_(f, k) || t == uv_corners_(f, (k + 1) % 3) ? 1 : 0;
            }
            next_(f, k) = shared == 2 ? g : -1;
        }
    }
}

void SlideUv::update(const std::vector<SurfacePoint>& points, const MatrixX3d& material, const Workers& workers,
                     MatrixX2d& uv) const {
    const MatrixX3i& triangles = surface_->topology().triangles();
    const MatrixX3d& rest = surface_->rest();
    uv = art_->uv;
    workers.for_chunks(static_cast<int>(uv.rows()), 512, [&](int begin, int end) {
        for (int t = begin; t < end; ++t) {
            const int v = vertex_of_uv_[static_cast<size_t>(t)];
            if (v < 0) {
                continue;
            }
            const SurfacePoint& at = points[static_cast<size_t>(v)];
            const Vector3d target = material.row(v);
            // Within the corner's own chart: downhill towards the material, never over a seam.
            int triangle = triangle_of_uv_[static_cast<size_t>(t)];
            const auto nearest = [&](int f, double& square) {
                return nearest_in_triangle(target, rest.row(triangles(f, 0)), rest.row(triangles(f, 1)),
                                           rest.row(triangles(f, 2)), square);
            };
            double square = 0.0;
            nearest(triangle, square);
            for (int move = 0; move < 200 && triangle != at.triangle; ++move) {
                int better = -1;
                for (int k = 0; k < 3; ++k) {
                    const int g = next_(triangle, k);
                    if (g == at.triangle) {
                        better = g;
                        break;
                    }
                    double other = 0.0;
                    if (g >= 0 && (nearest(g, other), other < square)) {
                        square = other;
                        better = g;
                    }
                }
                if (better < 0) {
                    break;
                }
                triangle = better;
            }
            Vector3d weights = at.barycentric;
            if (triangle != at.triangle) {
                // Beyond the seam: the chart's last triangle goes on as a plane.
                const Vector3d a = rest.row(triangles(triangle, 0));
                const Vector3d ab = rest.row(triangles(triangle, 1)).transpose() - a;
                const Vector3d ac = rest.row(triangles(triangle, 2)).transpose() - a;
                const double d00 = ab.squaredNorm();
                const double d01 = ab.dot(ac);
                const double d11 = ac.squaredNorm();
                const double determinant = std::max(d00 * d11 - d01 * d01, 1e-12 * d00 * d11);
                const Vector3d ap = target - a;
                const double p0 = ap.dot(ab);
                const double p1 = ap.dot(ac);
                constexpr double furthest = 4.0;  // triangles
                const double b =
                    determinant > 0.0 ? std::clamp((d11 * p0 - d01 * p1) / determinant, -furthest, furthest) : 0.0;
                const double c =
                    determinant > 0.0 ? std::clamp((d00 * p1 - d01 * p0) / determinant, -furthest, furthest) : 0.0;
                weights = Vector3d(1.0 - b - c, b, c);
            }
            uv.row(t).setZero();
            for (int k = 0; k < 3; ++k) {
                uv.row(t) += weights[k] * art_->uv.row(uv_corners_(triangle, k));
            }
        }
    });
}

}  // namespace cutis
