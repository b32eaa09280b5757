#include "mesh/triangle_grid.h"

#include <algorithm>
#include <cmath>

#include "mesh/ray_triangle.h"

namespace cutis {

namespace {

constexpr int most_cells_a_side = 256;

}  // namespace

BoxGrid::BoxGrid(const MatrixX3d& lower, const MatrixX3d& upper) {
    const Eigen::Index count = lower.rows();
    if (count == 0) {
        return;
    }
    origin_ = lower.colwise().minCoeff().transpose();
    const Vector3d extent = upper.colwise().maxCoeff().transpose() - origin_;
    // Cells about as long as the boxes, but not more of them than boxes can fill.
    const double mean_side = (upper - lower).rowwise().maxCoeff().mean();
    cell_ = std::max({mean_side, extent.maxCoeff() / most_cells_a_side, 1e-300});
    for (int k = 0; k < 3; ++k) {
        size_[k] = std::clamp(static_cast<int>(extent[k] / cell_) + 1, 1, most_cells_a_side + 1);
    }
    std::vector<size_t> counts(static_cast<size_t>(size_.prod()) + 1, 0);
    const auto for_cells = [&](auto&& visit) {
        for (Eigen::Index i = 0; i < count; ++i) {
            const Eigen::Vector3i low = cell_of(lower.row(i).transpose());
            const Eigen::Vector3i high = cell_of(upper.row(i).transpose());
            for (int z = low.z(); z <= high.z(); ++z) {
                for (int y = low.y(); y <= high.y(); ++y) {
                    for (int x = low.x(); x <= high.x(); ++x) {
                        visit(at({x, y, z}), static_cast<int>(i));
                    }
                }
            }
        }
    };
    for_cells([&](size_t cell, int) { ++counts[cell + 1]; });
    for (size_t i = 1; i < counts.size(); ++i) {
        counts[i] += counts[i - 1];
    }
    starts_ = counts;
    items_.resize(counts.back());
    for_cells([&](size_t cell, int item) { items_[counts[cell]++] = item; });
}

Eigen::Vector3i BoxGrid::cell_of(const Vector3d& point) const {
    Eigen::Vector3i cell;
    for (int k = 0; k < 3; ++k) {
        const double place = std::floor((point[k] - origin_[k]) / cell_);
        cell[k] = static_cast<int>(std::clamp(place, 0.0, static_cast<double>(size_[k] - 1)));
    }
    return cell;
}

namespace {

BoxGrid boxes_of(const MatrixX3d& positions, const MatrixX3i& triangles) {
    MatrixX3d lower(triangles.rows(), 3);
    MatrixX3d upper(triangles.rows(), 3);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto a = positions.row(triangles(f, 0));
        const auto b = positions.row(triangles(f, 1));
        const auto c = positions.row(triangles(f, 2));
        lower.row(f) = a.cwiseMin(b).cwiseMin(c);
        upper.row(f) = a.cwiseMax(b).cwiseMax(c);
    }
    return {lower, upper};
}

}  // namespace

TriangleGrid::TriangleGrid(const MatrixX3d& positions, const MatrixX3i& triangles)
    : positions_(positions), triangles_(triangles), grid_(boxes_of(positions, triangles)) {}

double TriangleGrid::first_hit(const Vector3d& from, const Vector3d& direction, double longest, int skipped) const {
    double nearest = longest;
    // All cells of the box around the ray: rays are about as long as a cell.
    const Vector3d to = from + longest * direction;
    const Eigen::Vector3i low = grid_.cell_of(from.cwiseMin(to));
    const Eigen::Vector3i high = grid_.cell_of(from.cwiseMax(to));
    for (int z = low.z(); z <= high.z(); ++z) {
        for (int y = low.y(); y <= high.y(); ++y) {
            for (int x = low.x(); x <= high.x(); ++x) {
                const Eigen::Vector3i cell(x, y, z);
                for (const int* f = grid_.begin(cell); f != grid_.end(cell); ++f) {
                    const auto corners = triangles_.row(*f);
                    if ((corners.array() == skipped).any()) {
                        continue;
                    }
                    const auto hit = hit_triangle(from, direction, positions_.row(corners[0]),
                                                  positions_.row(corners[1]), positions_.row(corners[2]));
                    if (hit) {
                        nearest = std::min(nearest, hit->distance);
                    }
                }
            }
        }
    }
    return nearest;
}

}  // namespace cutis
