#pragma once

#include <vector>

#include "mesh/triangle_grid.h"
#include "shell/placement.h"

namespace cutis {

/// The base's triangles in the UV plane: what lies where, and on which chart.
class ChartSearch {
public:
    /// \param triangles  into uv; kept by reference, as uv is
    ChartSearch(const MatrixX2d& uv, const MatrixX3i& triangles);

    /// \return false: no chart there. Where charts overlap the lowest triangle is taken.
    bool find(const Vector2d& place, ShellPoint& out) const;

    /// Nearest point of a chart's border in the plane: seams, and where the chart is folded over.
    /// Every chart that `find` can meet has one. \return its place
    Vector2d nearest_on_border(int chart, const Vector2d& place, ShellPoint& out) const;

    int chart_of(int triangle) const { return chart_[triangle]; }

private:
    struct BorderEdge {
        int triangle, side;  // side k runs from corner k to the next
    };

    double double_area(int triangle) const;  // signed
    Vector2d corner(int triangle, int k) const { return uv_.row(triangles_(triangle, k % 3)); }

    const MatrixX2d& uv_;
    const MatrixX3i& triangles_;
    BoxGrid grid_;
    std::vector<int> chart_;                       // of every triangle
    std::vector<std::vector<BorderEdge>> border_;  // of every chart
};

}  // namespace cutis
