#pragma once

#include <optional>
#include <span>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"
#include "cutis/shell/options.h"
#include "shell/prism_shell.h"

namespace cutis {

/// The unit vector d that maximises the least d . n over the given unit normals: the direction of
/// the point of their convex hull that is nearest to the origin (Wolfe's algorithm).
/// \return nothing where no d has a positive least product (the origin lies in the hull, to within
///         hull_margin)
std::optional<Vector3d> hull_direction(std::span<const Vector3d> normals);

/// A direction whose least product with the normals is below this is none.
inline constexpr double hull_margin = 1e-3;

/// Offset surface without a prism that is inverted, and what it cost.
struct SafeOffset {
    MatrixX3d positions;        ///< #V x 3
    MatrixX3d directions;       ///< #V x 3, unit; (0, 0, 0) where none exists
    VectorXd heights;           ///< #V, metres
    int without_direction = 0;  ///< vertices where every direction lies below a triangle: height 0
    int reduced = 0;            ///< vertices lower than asked for
    int passes = 0;             ///< rounds of lowering
    double mean_share = 1.0;    ///< mean of height over the height asked for
    double lowest_share = 1.0;
};

/// Direction per vertex (hull_direction of its triangles), then heights lowered until every
/// tetrahedron keeps a quarter of the volume its apex alone would give it. Always ends: with a
/// positive least product only the heights of the other corners can spoil a tetrahedron, and the
/// bound on them depends on base and directions alone.
/// \throw InvalidInput  sizes that do not fit, a height that is not positive and finite, a triangle
///                      without area (names it)
SafeOffset make_safe_offset(const Topology& topology, const MatrixX3d& base, const SafeOffsetOptions& options,
                            const Workers& workers);

/// Room lower_heights works in, kept by those who call it often.
struct LoweringScratch {
    VectorXd caps;
    std::vector<unsigned char> is_changed;
};

/// Lowers heights along given directions by the same rule, in place. Vertices whose direction is
/// zero get height 0; a triangle whose corners' directions do not all rise above it is left alone.
/// \param kept  share of the volume that the apex alone would give which a tetrahedron must keep
/// \return rounds
int lower_heights(const Topology& topology, const MatrixX3d& base, const MatrixX3d& directions, double kept,
                  VectorXd& heights, LoweringScratch& scratch);

}  // namespace cutis
