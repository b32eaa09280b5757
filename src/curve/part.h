#pragma once

#include <array>
#include <string>
#include <vector>

#include "curve/piece.h"
#include "cutis/curve/options.h"

namespace cutis {

/// Curves on a tube-like part of a surface.
///
/// Node rows are n * curve_count + c: all curves of a place n side by side, so that 3 numbers a
/// node make one row of the dynamics' matrix (node_count x 3 curve_count).
struct CurvePart {
    CurveDirection direction = CurveDirection::along;
    int curve_count = 0;
    int node_count = 0;          ///< per curve; rings do not repeat their first node
    Stencils nodes;              ///< node rows from surface vertices
    std::vector<int> vertices;   ///< surface vertices the part moves, ascending
    Stencils transfer;           ///< one row per entry of vertices, from node rows
    VectorXd along;              ///< per node row: s, 0 at the first loop, 1 at the second
    int flipped = 0;             ///< triangles the map inverted: 0
    double twist = 0.0;          ///< turns taken out of the map
    double length = 0.0;         ///< mean length of a line from loop to loop, metres
    double girth = 0.0;          ///< mean length round the tube, metres
    double spacing_ratio = 1.0;  ///< longest over shortest step along lines
    int virtual_nodes = 0;       ///< nodes on the fans that close holes
    int tip = -1;                ///< surface vertex of a closed far end, or -1
    bool has_closed_end = false;

    int rows() const { return node_count * curve_count; }
};

/// \throw InvalidInput  counts out of range
void check_layout(const CurveLayout& layout);

/// Curves on a piece that is a tube, or becomes one: loops that are not ends are closed with fans,
/// a piece with a single loop is opened at its tip. \param first_cut, second_cut  labels of the
/// cuts whose loops are the ends (-1: a loop of the
///                               surface itself); the second is not used where there is one loop
/// \throw InvalidInput  no such loop, not a tube, counts out of range, a start vertex that is not
///                      on the part
CurvePart lay_curves(const SurfacePiece& piece, int first_cut, int second_cut, const CurveLayout& layout);

/// What to cut out of a rigged surface: keep what hangs on `from`, take away what hangs on `to` and
/// `without`.
struct PartCuts {
    VectorXd from;                  ///< per surface vertex 0 .. 1; empty: nothing is cut there
    std::vector<VectorXd> to;       ///< ends of the tube (at most two, one where `from` is given)
    std::vector<VectorXd> without;  ///< limbs that leave holes
    bool may_miss = false;          ///< limbs may leave several holes, or none
    double level = 0.0;             ///< 0: the first of 0.5, 0.6, 0.7, 0.4 that gives the loops asked
                                    ///< for
};

/// The piece and which loops are its ends.
struct CutPart {
    SurfacePiece piece;
    int first_cut = -1;
    int second_cut = -1;
    double level = 0.5;
};

/// \throw InvalidInput  no level gives one simple loop for each cut; says what each level gave
CutPart cut_part(const SurfacePiece& whole, const PartCuts& cuts);
inline CutPart cut_part(const MatrixX3d& rest, const Topology& topology, const PartCuts& cuts) {
    return cut_part(whole_surface(rest, topology), cuts);
}

}  // namespace cutis
