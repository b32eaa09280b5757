#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Boxes in a uniform grid: which of them may hold a point.
class BoxGrid {
public:
    BoxGrid() = default;
    /// \param boxes  rows of lower corners and of upper corners, the same number
    BoxGrid(const MatrixX3d& lower, const MatrixX3d& upper);

    /// Cell of a point, clamped to the grid.
    Eigen::Vector3i cell_of(const Vector3d& point) const;
    const Eigen::Vector3i& size() const { return size_; }
    const Vector3d& origin() const { return origin_; }

    /// Boxes that touch a cell, ascending.
    const int* begin(const Eigen::Vector3i& cell) const { return items_.data() + starts_[at(cell)]; }
    const int* end(const Eigen::Vector3i& cell) const { return items_.data() + starts_[at(cell) + 1]; }

private:
    size_t at(const Eigen::Vector3i& cell) const {
        return (static_cast<size_t>(cell.z()) * static_cast<size_t>(size_.y()) + static_cast<size_t>(cell.y())) *
                   static_cast<size_t>(size_.x()) +
               static_cast<size_t>(cell.x());
    }

    Vector3d origin_ = Vector3d::Zero();
    double cell_ = 1.0;
    Eigen::Vector3i size_ = Eigen::Vector3i::Ones();
    std::vector<size_t> starts_ = {0, 0};
    std::vector<int> items_;
};

/// Triangles in a grid, for rays.
class TriangleGrid {
public:
    TriangleGrid(const MatrixX3d& positions, const MatrixX3i& triangles);

    /// Distance along a unit direction to the first triangle that does not touch vertex `skipped`;
    /// `longest` where there is none nearer.
    double first_hit(const Vector3d& from, const Vector3d& direction, double longest, int skipped) const;

private:
    const MatrixX3d& positions_;
    const MatrixX3i& triangles_;
    BoxGrid grid_;
};

}  // namespace cutis
