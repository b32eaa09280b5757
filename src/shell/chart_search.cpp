#include "shell/chart_search.h"

#include <algorithm>
#include <array>
#include <limits>

namespace cutis {

namespace {

constexpr double border_tolerance = 1e-9;  // of a barycentric weight

BoxGrid boxes_of(const MatrixX2d& uv, const MatrixX3i& triangles) {
    MatrixX3d lower = MatrixX3d::Zero(triangles.rows(), 3);
    MatrixX3d upper = MatrixX3d::Zero(triangles.rows(), 3);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto a = uv.row(triangles(f, 0));
        const auto b = uv.row(triangles(f, 1));
        const auto c = uv.row(triangles(f, 2));
        lower.row(f).head<2>() = a.cwiseMin(b).cwiseMin(c);
        upper.row(f).head<2>() = a.cwiseMax(b).cwiseMax(c);
    }
    return {lower, upper};
}

}  // namespace

ChartSearch::ChartSearch(const MatrixX2d& uv, const MatrixX3i& triangles)
    : uv_(uv), triangles_(triangles), grid_(boxes_of(uv, triangles)) {
    std::vector<int> chart_of_corner;
    const int charts = find_pieces(triangles, static_cast<int>(uv.rows()), chart_of_corner);
    border_.resize(static_cast<size_t>(charts));
    struct Side {
        int low, high, triangle, side;
        int facing;  // of its triangle in the UV plane: 1, -1, or 0 without area
        bool goes_on_in(const Side& other) const {
            return low == other.low && high == other.high && facing == other.facing;
        }
    };
    std::vector<Side> sides;
    sides.reserve(3 * static_cast<size_t>(triangles.rows()));
    for (int f = 0; f < triangles.rows(); ++f) {
        chart_.push_back(chart_of_corner[triangles(f, 0)]);
        const double area = double_area(f);
        const int facing = area > 0.0 ? 1 : area < 0.0 ? -1 : 0;
        for (int k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(triangles(f, k), triangles(f, (k + 1) % 3));
            sides.push_back({low, high, f, k, facing});
        }
    }
    const auto key = [](const Side& s) { return std::array<int, 5>{s.low, s.high, s.facing, s.triangle, s.side}; };
    std::sort(sides.begin(), sides.end(), [&](const Side& a, const Side& b) { return key(a) < key(b); });
    // Where a chart is folded over in the plane it ends just as it does at a seam; a chart that is
    // closed (a plain projection of a ball) ends nowhere else.
    for (size_t s = 0; s < sides.size(); ++s) {
        const bool goes_on =
            (s > 0 && sides[s].goes_on_in(sides[s - 1])) || (s + 1 < sides.size() && sides[s].goes_on_in(sides[s + 1]));
        if (!goes_on) {
            border_[chart_of(sides[s].triangle)].push_back({sides[s].triangle, sides[s].side});
        }
    }
}

double ChartSearch::double_area(int triangle) const {
    const Vector2d ab = corner(triangle, 1) - corner(triangle, 0);
    const Vector2d ac = corner(triangle, 2) - corner(triangle, 0);
    return ab.x() * ac.y() - ab.y() * ac.x();
}

bool ChartSearch::find(const Vector2d& place, ShellPoint& out) const {
    const Eigen::Vector3i cell = grid_.cell_of({place.x(), place.y(), 0.0});
    for (const int* f = grid_.begin(cell); f != grid_.end(cell); ++f) {
        const Vector2d a = corner(*f, 0);
        const Vector2d ab = corner(*f, 1) - a;
        const Vector2d ac = corner(*f, 2) - a;
        const double area = ab.x() * ac.y() - ab.y() * ac.x();
        if (area == 0.0) {
            continue;
        }
        const Vector2d ap = place - a;
        const double v = (ap.x() * ac.y() - ap.y() * ac.x()) / area;
        const double w = (ab.x() * ap.y() - ab.y() * ap.x()) / area;
        if (v >= -border_tolerance && w >= -border_tolerance && v + w <= 1.0 + border_tolerance) {
            out.triangle = *f;
            out.barycentric = Vector3d(1.0 - v - w, v, w).cwiseMax(0.0);
            out.barycentric /= out.barycentric.sum();
            return true;
        }
    }
    return false;
}

Vector2d ChartSearch::nearest_on_border(int chart, const Vector2d& place, ShellPoint& out) const {
    double nearest = std::numeric_limits<double>::infinity();
    Vector2d best = place;
    for (const BorderEdge& edge : border_[chart]) {
        const Vector2d from = corner(edge.triangle, edge.side);
        const Vector2d along = corner(edge.triangle, edge.side + 1) - from;
        const double length = along.squaredNorm();
        const double t = length > 0.0 ? std::clamp((place - from).dot(along) / length, 0.0, 1.0) : 0.0;
        const double distance = (from + t * along - place).squaredNorm();
        if (distance < nearest) {
            nearest = distance;
            best = from + t * along;
            out.triangle = edge.triangle;
            out.barycentric.setZero();
            out.barycentric[edge.side] = 1.0 - t;
            out.barycentric[(edge.side + 1) % 3] = t;
        }
    }
    return best;
}

}  // namespace cutis
