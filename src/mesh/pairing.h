#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis::mesh_internal {

/// Which sides of triangles meet, so that at every edge at most two do and both agree on the winding.
struct Pairing {
    MatrixX3i triangles;                    ///< those handed in, some turned round
    MatrixX3i neighbours;                   ///< across each side, -1: none
    std::vector<unsigned char> is_flipped;  ///< per triangle: corners 1 and 2 are exchanged
    std::vector<int> fan_of_corner;         ///< 3 #F: number of the fan (0, 1, ...) at the corner's vertex
    int crowded_edges = 0;                  ///< edges of three and more triangles
    int loose_triangles = 0;                ///< triangles cut off where pairing alone leaves no surface
};

/// Pairs the sides at every edge. Two triangles are neighbours; of three and more those are that run
/// in opposite directions along the edge, first where they share the file's own vertices, then the
/// pair with the flattest angle. Windings follow the larger area of each connected island; where
/// a walk comes back turned over (Moebius) the surface is cut. Two triangles on the same three
/// vertices are never neighbours.
/// \param triangles  #F x 3 welded vertices, each triangle with some area
/// \param unwelded   #F x 3 the file's own vertices
Pairing pair_sides(const MatrixX3d& positions, const MatrixX3i& triangles, const MatrixX3i& unwelded);

}  // namespace cutis::mesh_internal
