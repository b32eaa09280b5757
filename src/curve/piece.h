#pragma once

#include <optional>
#include <vector>

#include "cutis/mesh/stencils.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// A piece cut out of a surface. Its vertices are weighted sums of the surface's vertices, so it
/// exists in every pose.
struct SurfacePiece {
    Stencils points;      ///< piece vertices from surface vertices
    MatrixX3d positions;  ///< the same at rest
    Topology topology;
    std::vector<int> surface_vertex;  ///< per piece vertex: the surface's vertex it is, or -1
    std::vector<int> cut;             ///< per piece vertex: label of the cut whose line it lies on, or -1
    int real_triangles = 0;           ///< triangles from here on are fans that close holes

    /// Label of the cut that made a boundary loop: -1 where the surface itself ends.
    int cut_of_loop(const std::vector<int>& loop) const;
};

/// The surface as one piece (its largest connected part).
SurfacePiece whole_surface(const MatrixX3d& rest, const Topology& topology);

/// The part of a piece where `field` >= level (or <= level), with a smooth border: triangles are
/// split along the level line; crossings within a tenth of an edge from its end move there. Keeps
/// the largest connected part.
/// \param field  one number per vertex of the *surface*
/// \param label  >= 0, remembered in `cut`
/// \throw InvalidInput  nothing is left, nothing was cut, or the border touches itself
SurfacePiece cut_piece(const SurfacePiece& piece, const VectorXd& field, double level, bool keep_above, int label);

/// The triangles of the surface whose three corners are chosen, as a piece (largest part).
SurfacePiece chosen_piece(const MatrixX3d& rest, const Topology& topology, const std::vector<bool>& chosen_triangle);

/// Closes boundary loops with fans round a centre vertex (the mean of the loop).
/// \param loops  indices into piece.topology.boundary_loops()
SurfacePiece filled_holes(const SurfacePiece& piece, const std::vector<int>& loops);

/// A piece with one boundary loop and its tip: the vertex farthest from the loop along edges; the
/// triangles round it are taken away, so that the piece becomes a tube.
struct OpenedTip {
    SurfacePiece piece;
    int surface_vertex = -1;  ///< the tip
};
OpenedTip opened_tip(const SurfacePiece& piece);

}  // namespace cutis
