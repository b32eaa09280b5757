#pragma once

#include <string>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// What repair may do. Everything it does is counted in the result.
struct RepairOptions {
    bool weld_positions = true;  ///< merge vertices at the same place
    double weld_distance =
        0.0;  ///< fraction of the bounding-box diagonal, 0 .. 1e-3; 0 welds exact matches only
    bool drop_zero_area = true;  ///< leave out triangles of no area (after welding)
    bool drop_duplicates =
        true;  ///< leave out a triangle that repeats another with the same winding
    bool split_bow_ties = true;  ///< give each fan at a shared vertex its own vertex
};

/// A clean mesh to simulate on, and the way back to the artist's vertices.
struct RepairedMesh {
    MatrixX3d positions;  ///< #V x 3: the artist's positions of art_of_vertex
    Topology topology;
    std::vector<int> vertex_of_corner;  ///< 3 #F_art: simulation vertex of each corner of the
                                        ///< artist's triangles, also of dropped ones; -1 where only
                                        ///< dropped triangles meet
    std::vector<int> vertex_of_art;  ///< #A: simulation vertex that moves art vertex a; -1 where no
                                     ///< kept triangle uses its place
    std::vector<int> art_of_vertex;  ///< #V: one art vertex (the lowest) of each simulation vertex
    std::vector<int> art_triangle;   ///< #F: artist's triangle of each simulation triangle
    int welded_vertices = 0;
    int dropped_triangles = 0;
    int duplicate_triangles = 0;
    int split_vertices = 0;
    int unused_vertices = 0;  ///< art vertices without a simulation vertex: they stay with the body
    std::vector<std::string> notes;  ///< one sentence each, for the report
};

/// A triangle smaller than this, as a fraction of the squared bounding-box diagonal, has no area.
inline constexpr double zero_area_fraction = 1e-14;

/// Refuses what cannot be simulated; changes nothing.
/// \throw InvalidInput  no triangle at all, non-finite position, index out of range, triangle of no
///                      area (zero_area_fraction), or anything Topology refuses; names index and
///                      value
Topology check_mesh(const MatrixX3d& positions, const MatrixX3i& triangles);

/// Weld groups for files whose triangles already share their vertices (OBJ): vertices connected by
/// triangles are one group, numbered by lowest vertex. Parts that merely lie on each other, such as
/// lashes on a lid, then stay apart. Not for files that repeat vertices at seams.
/// \throw InvalidInput  index out of range
std::vector<int> connected_groups(const MatrixX3i& triangles, int vertex_count);

/// Repairs what is safe to repair; what the options forbid to repair is refused. The result passes
/// check_mesh (when welding by distance, up to that distance). Simulation vertices keep the order
/// of the artist's: a mesh without faults comes back with the same indices.
///
/// Welding by distance takes vertices in order; each joins the nearest one kept so far that is
/// closer than weld_distance, so chains of close vertices do not collapse into one.
/// \param weld_group  #A or empty: only vertices of the same group are welded (meshes of one file
///                    that merely touch)
/// \throw InvalidInput  non-finite position, index out of range, option out of range, nothing left,
///                      an edge with three or more triangles or two of opposite winding (names the
///                      artist's triangles)
RepairedMesh repair_mesh(const MatrixX3d& positions, const MatrixX3i& triangles,
                         const RepairOptions& options, const std::vector<int>& weld_group = {});

}  // namespace cutis
