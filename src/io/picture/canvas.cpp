#include "io/picture/canvas.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "slide/locate.h"
#include "stack/slide_uv.h"

namespace cutis {

UvSurface::UvSurface(const Body& body)
    : surface(SimulationSurface::repaired(body, {})), art(&body.mesh()), corners(uv_corners(surface, *art)) {}

Eigen::Matrix<double, 3, 2> pixel_corners(const UvSurface& uv, int f, const Picture& picture) {
    Eigen::Matrix<double, 3, 2> corners;
    for (int k = 0; k < 3; ++k) {
        corners.row(k) = uv.art->uv.row(uv.corners(f, k));
    }
    const Eigen::RowVector2d middle = corners.colwise().mean();
    corners.rowwise() -= Eigen::RowVector2d(std::floor(middle[0]), std::floor(middle[1]));
    corners.col(1) = 1.0 - corners.col(1).array();
    return corners * Vector2d(picture.width, picture.height).asDiagonal();
}

std::vector<int> covering_triangles(const UvSurface& uv, const std::vector<int>& triangles, const Picture& picture) {
    std::vector<int> cover(static_cast<size_t>(picture.width) * static_cast<size_t>(picture.height), -1);
    for (const int f : triangles) {
        for_pixels(pixel_corners(uv, f, picture), picture, [&](int x, int y, const Vector3d&) {
            cover[static_cast<size_t>(y) * static_cast<size_t>(picture.width) + static_cast<size_t>(x)] = f;
        });
    }
    return cover;
}

namespace {

Vector3d level(double x, double y) {
    return {x, y, 0.0};
}

/// The nearest chart of every pixel between charts.
class ChartDistance {
public:
    ChartDistance(const UvSurface& uv, const std::vector<int>& triangles, const Picture& picture)
        : picture_(picture),
          cover_(covering_triangles(uv, triangles, picture)),
          nearest_(cover_),
          square_(cover_.size(), -1.0),
          corners_(static_cast<size_t>(uv.corners.rows())) {
        for (const int f : triangles) {
            corners_[static_cast<size_t>(f)] = pixel_corners(uv, f, picture);
        }
        for (size_t i = 0; i < cover_.size(); ++i) {
            square_[i] = cover_[i] >= 0 ? 0.0 : -1.0;
        }
        // Each pixel asks its neighbours which triangle is nearest to them, in both directions.
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                ask(x, y, {{-1, 0}, {-1, -1}, {0, -1}, {1, -1}});
            }
            for (int x = picture.width; x-- > 0;) {
                ask(x, y, {{1, 0}});
            }
        }
        for (int y = picture.height; y-- > 0;) {
            for (int x = picture.width; x-- > 0;) {
                ask(x, y, {{1, 0}, {1, 1}, {0, 1}, {-1, 1}});
            }
            for (int x = 0; x < picture.width; ++x) {
                ask(x, y, {{-1, 0}});
            }
        }
    }

    bool is_covered(size_t i) const { return cover_[i] >= 0; }
    int nearest(size_t i) const { return nearest_[i]; }
    double square(size_t i) const { return square_[i]; }

private:
    struct Step {
        int x, y;
    };

    void ask(int x, int y, std::initializer_list<Step> steps) {
        const size_t i = index(x, y);
        for (const Step& step : steps) {
            const int nx = x + step.x;
            const int ny = y + step.y;
            if (cover_[i] >= 0 || nx < 0 || ny < 0 || nx >= picture_.width || ny >= picture_.height) {
                continue;
            }
            const int f = nearest_[index(nx, ny)];
            if (f < 0 || f == nearest_[i]) {
                continue;
            }
            const Eigen::Matrix<double, 3, 2>& c = corners_[static_cast<size_t>(f)];
            double square = 0.0;
            nearest_in_triangle(level(x + 0.5, y + 0.5), level(c(0, 0), c(0, 1)), level(c(1, 0), c(1, 1)),
                                level(c(2, 0), c(2, 1)), square);
            const double reach = std::max(picture_.width, picture_.height) / 16.0;
            if (square < reach * reach && (nearest_[i] < 0 || square < square_[i])) {
                nearest_[i] = f;
                square_[i] = square;
            }
        }
    }
    size_t index(int x, int y) const {
        return static_cast<size_t>(y) * static_cast<size_t>(picture_.width) + static_cast<size_t>(x);
    }

    const Picture& picture_;
    std::vector<int> cover_, nearest_;
    std::vector<double> square_;                        // pixels
    std::vector<Eigen::Matrix<double, 3, 2>> corners_;  // of each triangle
};

/// Downhill over the surface from a triangle to the point nearest to a target.
SurfacePoint nearest_from(const UvSurface& uv, int f, const Vector3d& target) {
    const MatrixX3i& triangles = uv.surface.topology().triangles();
    const MatrixX3d& rest = uv.surface.rest();
    const auto nearest = [&](int g, double& square) {
        return nearest_in_triangle(target, rest.row(triangles(g, 0)), rest.row(triangles(g, 1)),
                                   rest.row(triangles(g, 2)), square);
    };
    double square = 0.0;
    SurfacePoint best = {f, nearest(f, square)};
    for (bool has_moved = true; has_moved;) {
        has_moved = false;
        const int from = best.triangle;
        for (int k = 0; k < 3; ++k) {
            for (const int g : uv.surface.topology().triangles_around(triangles(from, k))) {
                double other = 0.0;
                const Vector3d weights = nearest(g, other);
                if (other < square && uv.has_uv(g)) {
                    square = other;
                    best = {g, weights};
                    has_moved = true;
                }
            }
        }
    }
    return best;
}

void put(const Eigen::Vector4d& colour, unsigned char* pixel) {
    for (int k = 0; k < 4; ++k) {
        pixel[k] = static_cast<unsigned char>(std::lround(std::clamp(colour[k], 0.0, 255.0)));
    }
}

}  // namespace

void continue_over_seams(const UvSurface& uv, const std::vector<int>& triangles, Picture& picture) {
    const ChartDistance charts(uv, triangles, picture);
    const auto for_free = [&](const std::function<void(int, int, int, double)>& fill) {
        for (int y = 0; y < picture.height; ++y) {
            for (int x = 0; x < picture.width; ++x) {
                const size_t i = static_cast<size_t>(y) * static_cast<size_t>(picture.width) + static_cast<size_t>(x);
                if (!charts.is_covered(i) && charts.nearest(i) >= 0) {
                    fill(x, y, charts.nearest(i), charts.square(i));
                }
            }
        }
    };
    // A border of two pixels first: what is read near a chart's end must not mix with the background.
    Picture inner = picture;
    for_free([&](int x, int y, int f, double square) {
        if (square < 4.0) {
            const Eigen::Matrix<double, 3, 2> c = pixel_corners(uv, f, picture);
            double unused = 0.0;
            const Vector3d weights = nearest_in_triangle(level(x + 0.5, y + 0.5), level(c(0, 0), c(0, 1)),
                                                         level(c(1, 0), c(1, 1)), level(c(2, 0), c(2, 1)), unused);
            const Vector2d at = c.transpose() * (0.98 * weights + 0.02 * Vector3d::Constant(1.0 / 3.0));
            const int px = std::clamp(static_cast<int>(at[0]), 0, picture.width - 1);
            const int py = std::clamp(static_cast<int>(at[1]), 0, picture.height - 1);
            std::copy_n(picture.at(px, py), 4, inner.at(x, y));
        }
    });
    const MatrixX3i& corners = uv.surface.topology().triangles();
    const MatrixX3d& rest = uv.surface.rest();
    for_free([&](int x, int y, int f, double) {
        const Eigen::Matrix<double, 3, 2> c = pixel_corners(uv, f, picture);
        const Vector2d u = c.row(1) - c.row(0);
        const Vector2d v = c.row(2) - c.row(0);
        const Vector2d p = Vector2d(x + 0.5, y + 0.5) - c.row(0).transpose();
        const double area = u[0] * v[1] - u[1] * v[0];
        const double b = (p[0] * v[1] - p[1] * v[0]) / area;
        const double w = (u[0] * p[1] - u[1] * p[0]) / area;
        const Vector3d target =
            (1.0 - b - w) * rest.row(corners(f, 0)) + b * rest.row(corners(f, 1)) + w * rest.row(corners(f, 2));
        const Vector2d at = uv.uv_at(nearest_from(uv, f, target));
        put(inner.sample(at[0] * picture.width, (1.0 - at[1]) * picture.height), picture.at(x, y));
    });
}

}  // namespace cutis
