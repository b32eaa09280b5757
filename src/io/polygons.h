#pragma once

#include <vector>

#include "cutis/mesh/art_mesh.h"

namespace cutis {

/// Parts that cover all triangles in order; a mesh without parts is one part.
/// \throw InvalidInput  parts leave a gap or overlap
std::vector<MeshPart> parts_of(const ArtMesh& mesh);

/// A number per polygon corner, in file order: which vertex, and which UV (-1: none).
struct PolygonCorners {
    std::vector<int> sizes;            ///< corners of each polygon
    std::vector<int> vertices;         ///< per corner
    std::vector<int> uvs;              ///< per corner; empty without UVs
    std::vector<int> polygon_of_part;  ///< first polygon of each part, and the count at the end
};

PolygonCorners polygon_corners(const ArtMesh& mesh, const std::vector<MeshPart>& parts);

/// The same without corners at a vertex that their polygon has had, and without polygons of fewer than three then:
/// programs that leave such polygons out by themselves give those behind them another's material.
PolygonCorners without_repeated_corners(const PolygonCorners& all);

}  // namespace cutis
