#pragma once

#include <string>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// How repair finds out which vertices are one.
struct RepairOptions {
    double weld_distance = 0.0;  ///< fraction of the bounding-box diagonal, 0 .. 1e-3; 0 welds exact matches only
};

/// A clean mesh to simulate on, and the way back to the artist's vertices.
struct RepairedMesh {
    MatrixX3d positions;  ///< #V x 3: the artist's positions of art_of_vertex
    Topology topology;
    std::vector<int> vertex_of_corner;      ///< 3 #F_art: simulation vertex of each corner of the
                                            ///< artist's triangles, also of dropped ones; -1 where only
                                            ///< dropped triangles meet
    std::vector<int> vertex_of_art;         ///< #A: simulation vertex that moves art vertex a; -1 where no
                                            ///< kept triangle uses its place
    std::vector<int> art_of_vertex;         ///< #V: one art vertex (the lowest) of each simulation vertex
    std::vector<int> art_triangle;          ///< #F: artist's triangle of each simulation triangle
    std::vector<unsigned char> is_flipped;  ///< #F: 1 where it runs the other way round than the artist's
    int welded_vertices = 0;
    int dropped_triangles = 0;
    int duplicate_triangles = 0;
    int flipped_triangles = 0;
    int crowded_edges = 0;  ///< edges of three and more triangles
    int split_vertices = 0;
    int unused_vertices = 0;  ///< art vertices without a simulation vertex: they stay with the body

    /// Corner of the artist's triangle at corner k of simulation triangle f.
    int art_corner(int f, int k) const { return is_flipped[f] != 0 ? (3 - k) % 3 : k; }

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

/// A surface from any triangles. Repair is local: a fault changes only the vertices it stands at.
/// Vertices at the same place are welded; triangles of no area and repetitions are left out; at an
/// edge of three and more triangles those that continue each other best stay together, and every
/// fan of triangles at a vertex gets its own copy; windings follow the majority of each connected
/// island, and a surface of one side only (Moebius) is cut. The result passes check_mesh (when
/// welding by distance, up to that distance). Simulation vertices keep the order of the artist's:
/// a mesh without faults comes back with the same indices.
///
/// Welding by distance takes vertices in order; each joins the nearest one kept so far that is
/// closer than weld_distance, so chains of close vertices do not collapse into one.
/// \param weld_group  #A or empty: only vertices of the same group are welded (meshes of one file
///                    that merely touch)
/// \throw InvalidInput  non-finite position, index out of range, option out of range, no triangle
///                      with area
RepairedMesh repair_mesh(const MatrixX3d& positions, const MatrixX3i& triangles, const RepairOptions& options,
                         const std::vector<int>& weld_group = {});

}  // namespace cutis
