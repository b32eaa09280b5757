#pragma once

#include <cmath>

#include "cutis/stack/simulation_surface.h"
#include "io/picture/picture.h"

namespace cutis {

/// A body's surface and the UVs of its triangles.
struct UvSurface {
    SimulationSurface surface;
    const ArtMesh* art;
    MatrixX3i corners;  ///< #F x 3: UV of each corner, -1: none

    explicit UvSurface(const Body& body);
    bool has_uv(int f) const { return corners.row(f).minCoeff() >= 0; }
    Vector2d uv_at(const SurfacePoint& point) const { return interpolate(art->uv, corners, point); }
};

/// Corners of a triangle in pixels of a picture; UVs beyond 0 .. 1 repeat it, so the triangle's
/// middle is brought into it.
Eigen::Matrix<double, 3, 2> pixel_corners(const UvSurface& uv, int f, const Picture& picture);

/// Calls paint(x, y, weights) for every pixel whose centre lies in a triangle; x and y within the
/// picture, which repeats.
template <class Paint>
void for_pixels(const Eigen::Matrix<double, 3, 2>& corners, const Picture& picture, Paint paint) {
    const auto low = corners.colwise().minCoeff();
    const auto high = corners.colwise().maxCoeff();
    const Vector2d u = corners.row(1) - corners.row(0);
    const Vector2d v = corners.row(2) - corners.row(0);
    const double area = u[0] * v[1] - u[1] * v[0];
    if (area == 0.0 || high[0] - low[0] > 4.0 * picture.width || high[1] - low[1] > 4.0 * picture.height) {
        return;  // a tiled picture is not one of this triangle alone
    }
    const auto wrapped = [](int at, int count) { return ((at % count) + count) % count; };
    for (int y = static_cast<int>(std::floor(low[1])); y <= static_cast<int>(high[1]); ++y) {
        for (int x = static_cast<int>(std::floor(low[0])); x <= static_cast<int>(high[0]); ++x) {
            const Vector2d p(x + 0.5 - corners(0, 0), y + 0.5 - corners(0, 1));
            const double b = (p[0] * v[1] - p[1] * v[0]) / area;
            const double c = (u[0] * p[1] - u[1] * p[0]) / area;
            constexpr double edge = -1e-9;
            if (b >= edge && c >= edge && 1.0 - b - c >= edge) {
                paint(wrapped(x, picture.width), wrapped(y, picture.height), Vector3d(1.0 - b - c, b, c));
            }
        }
    }
}

/// Triangle whose UVs cover each pixel, -1: none.
std::vector<int> covering_triangles(const UvSurface& uv, const std::vector<int>& triangles, const Picture& picture);

/// Fills what lies between charts as far as 1/16 of the picture's side: each chart goes on over its
/// border as a plane, and shows there what lies on the surface below that plane, whichever chart
/// it belongs to. What slides over a seam then finds its colours there.
void continue_over_seams(const UvSurface& uv, const std::vector<int>& triangles, Picture& picture);

}  // namespace cutis
