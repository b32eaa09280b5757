#pragma once

#include <map>
#include <string>
#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// A run of the artist's triangles with one name and material (a glTF primitive, an OBJ group).
struct MeshPart {
    std::string name;
    std::string material;  ///< empty: none
    int first_triangle = 0;
    int triangle_count = 0;
    int first_vertex = 0;  ///< glTF: vertices of this primitive; OBJ: 0 and all vertices
    int vertex_count = 0;
};

/// The mesh exactly as its file holds it: vertices in file order, seams, UVs, painted attributes.
/// Results of a bake go back onto these vertices.
struct ArtMesh {
    std::string name;
    MatrixX3d positions;             ///< #A x 3, the file's own units and axes, rest (bind) pose
    MatrixX3i triangles;             ///< #F x 3 into positions
    MatrixX2d uv;                    ///< #T x 2, first row of the picture at the bottom (v up); empty: no UVs
    MatrixX3i uv_triangles;          ///< #F x 3 into uv; same rows as triangles; empty: no UVs
    std::vector<MatrixX2d> more_uv;  ///< further sets of UVs (light maps), #T x 2 each: carried, not understood
    std::vector<MeshPart> parts;     ///< cover all triangles in order
    std::vector<int> polygon_sizes;  ///< corners of each polygon of the file, in triangle order (a
                                     ///< polygon of n corners is a fan of n-2 triangles from its
                                     ///< first corner); empty: triangles
    std::map<std::string, VectorXd> painted;  ///< per vertex #A; vertex colours arrive as NAME.r NAME.g NAME.b NAME.a
};

/// Whether a picture can lie on the mesh: UVs that cover some of it. Palettes have every UV of a part in one point.
bool has_uv_area(const ArtMesh& mesh);

}  // namespace cutis
