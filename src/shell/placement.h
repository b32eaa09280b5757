#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/art_mesh.h"
#include "cutis/shell/options.h"
#include "shell/prism_shell.h"

namespace cutis {

/// Where a piece of detail stands on the base at rest.
struct PieceAnchor {
    SurfacePoint point;
    Vector3d heading = Vector3d(0, 0, 1);  ///< unit, in the plane of the anchor's triangle at rest:
                                           ///< where the piece's v axis points
    double size = 0.0;                     ///< side of the piece's tile, metres
};

/// Detail in a shell: any triangles, each vertex at a ShellPoint.
struct PlacedDetail {
    std::vector<ShellPoint> points;
    MatrixX3i triangles;
    MatrixX2d uv;            ///< per vertex; empty: none
    std::vector<int> piece;  ///< of each vertex: connected part, numbered by lowest vertex
    int piece_count = 0;
    std::vector<PieceAnchor> anchors;  ///< per piece; scattered detail only
    int copy_vertices = 0;             ///< > 0: copies of one prototype with so many vertices, one after
                                       ///< another; 0: no copies
    int outside = 0;                   ///< vertices moved to the nearest place in the shell (place_mesh)
    int cut_triangles = 0;             ///< triangles on no chart, left out (tile_detail)
    int stopped_walks = 0;             ///< vertices that met the base's boundary (scatter_detail)
};

/// Connected parts of any triangles, numbered by lowest vertex; vertices without triangles are
/// parts of their own. \return number of parts
int find_pieces(const MatrixX3i& triangles, int vertex_count, std::vector<int>& piece);

/// Unit normals by area; vertices without area get (0, 0, 1). Any triangles, manifold or not.
void fill_detail_normals(const MatrixX3d& positions, const MatrixX3i& triangles, MatrixX3d& normals);

/// A mesh that already surrounds the base. Each vertex goes to the tetrahedron that holds it; where
/// prisms overlap to the one in which it lies lowest.
/// \throw InvalidInput  non-finite position, index out of range, outside the shell (see above)
PlacedDetail place_mesh(const PrismShell& shell, const ArtMesh& mesh, OutsideDetail outside = OutsideDetail::refuse);

/// A tileable piece ((u, v) in [0, 1], height w in [0, 1]) repeated over the base's UV charts. A
/// triangle belongs to the chart that holds most of its corners; corners that lie outside go to
/// the nearest point of that chart's border, so that pieces end at seams as if trimmed. What lies
/// on no chart is left out; where charts overlap the lowest triangle is taken.
/// \param uv            #T x 2 of the base
/// \param uv_triangles  #F x 3 into uv, same rows as the shell's triangles
/// \throw InvalidInput  sizes that do not fit, no triangle left, more than 100 million vertices
PlacedDetail tile_detail(const PrismShell& shell, const MatrixX2d& uv, const MatrixX3i& uv_triangles,
                         const ArtMesh& tile, const TileOptions& options);

/// Copies of one piece all over the base, Poisson-disk spaced, walked out over the surface: a
/// vertex at (u, v) lies |(u - 1/2, v - 1/2)| sizes from the anchor on a straight line over the
/// unfolded triangles.
/// \throw InvalidInput  options out of range, nothing placed, more than most_pieces
PlacedDetail scatter_detail(const PrismShell& shell, const ArtMesh& tile, const ScatterOptions& options,
                            const Workers& workers);

/// Puts copies of a piece at anchors: for scattered detail whose anchors move.
class PieceWalker {
public:
    /// \param shell  must outlive this
    PieceWalker(const PrismShell& shell, const ArtMesh& tile, double lift, const Workers& workers);
    ~PieceWalker();
    PieceWalker(PieceWalker&&) noexcept;

    int piece_vertices() const;
    /// \param points  out: anchors.size() * piece_vertices(), piece after piece; already that size
    /// \return vertices that met the base's boundary
    /// \throw InvalidInput  an anchor that is not on the base, a heading without length in its
    ///                      triangle's plane (names the piece)
    int place(std::span<const PieceAnchor> anchors, const Workers& workers, std::span<ShellPoint> points) const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// Any mesh as a piece: its box becomes u, v in [0, 1] (the longer of both sides; centred) and
/// w in [0, 1] along `up`.
/// \param up  'x', 'y' or 'z'
ArtMesh piece_from_mesh(const ArtMesh& mesh, char up);

}  // namespace cutis
