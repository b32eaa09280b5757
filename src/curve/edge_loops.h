#pragma once

#include <array>
#include <utility>
#include <vector>

#include "curve/piece.h"
#include "curve/tube_map.h"

namespace cutis {

/// Edge loops of a quad mesh that run along a tube, as an artist selects them: straight on at every
/// vertex of four edges. Each line is a list of (s, theta) from low s to high s, theta unwrapped;
/// lines follow each other round the tube.
/// \param polygon_edges  pairs of surface vertices: sides of the artist's polygons (no diagonals)
/// \throw InvalidInput  no closed ring of vertices with four edges round the middle of the tube
std::vector<std::vector<std::pair<double, double>>> edge_loops_along(
    const SurfacePiece& piece, const TubeMap& map, const std::vector<std::array<int, 2>>& polygon_edges);

}  // namespace cutis
