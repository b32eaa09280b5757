#pragma once

#include <map>
#include <string>
#include <vector>

#include "cutis/mesh/art_mesh.h"

namespace cutis::test {

/// Smallest corner angle, degrees, and the triangle that has it.
struct WorstAngle {
    double degrees = 180.0;
    int triangle = -1;
};
WorstAngle worst_angle(const MatrixX3d& positions, const MatrixX3i& triangles);

/// Counts of what a closed manifold must not have.
struct ManifoldCheck {
    int open_sides = 0;      ///< sides without a neighbour
    int crowded_sides = 0;   ///< directed sides used twice (three triangles at an edge, or bad winding)
    int bow_ties = 0;        ///< vertices whose triangles are not one fan
    int unused_vertices = 0;
    int loops = 0;           ///< boundary loops
    int euler = 0;           ///< V - E + F
    double volume = 0.0;     ///< signed; positive when windings point outwards
};
ManifoldCheck check_manifold(const MatrixX3d& positions, const MatrixX3i& triangles);

/// Pairs of triangles that cut each other and share no vertex; stops after ten.
std::vector<std::pair<int, int>> self_intersections(const MatrixX3d& positions, const MatrixX3i& triangles);

/// Triangles turned over in UV space, and pairs of UV triangles whose insides overlap (up to ten).
struct UvCheck {
    int flipped = 0;
    int outside = 0;  ///< coordinates outside the unit square
    int charts = 0;
    std::vector<std::pair<int, int>> overlaps;
};
UvCheck check_uv(const ArtMesh& mesh);

}  // namespace cutis::test
