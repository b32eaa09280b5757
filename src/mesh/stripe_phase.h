#pragma once

#include <complex>

#include "mesh/diffusion.h"

// Stripe patterns (Knoeppel et al. 2015): one unit complex number per vertex, whose angle turns across the stripes.
// Directions have no sign, so neither has the angle: a neighbour whose slope points the other way is conjugated. Where
// directions cannot be integrated, stripes fork.

namespace cutis {

/// Symmetric 3 x 3 matrices, one a row: xx, yy, zz, yz, xz, xy.
using Tensors = Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor>;

struct StripeDirections {
    MatrixX3d unit;   ///< per vertex, tangential
    VectorXd weight;  ///< how much each counts, 0.01 .. 1.1
};
/// Main directions of tensors of triangles, which fill gaps of up to some lengths of the diffusion.
/// \param normals  #V x 3;  \param tensors  #F
StripeDirections find_stripe_directions(const SurfaceMetric& metric, const MatrixX3d& normals, const Tensors& tensors,
                                        Diffusion& diffusion);

struct StripePhase {
    std::vector<std::complex<double>> phase;  ///< unit
    VectorXd presence;                        ///< 0 .. 1: fades at the cores of forks
};
/// \param widths  unit of the diffusion of the phase, per vertex: half a period
/// \param slope   #V x 3: gradient wanted of the angle, 2 pi / period along the direction
/// \param weight  how much it counts, per vertex
StripePhase solve_stripe_phase(const SurfaceMetric& metric, const VectorXd& widths, const MatrixX3d& slope,
                               const VectorXd& weight, unsigned seed);

/// Angles at the corners of a triangle, unwrapped so that stripes may be finer than it; the sign is that of its first
/// corner.
struct StripeCorners {
    double angle[3];
    Vector3d slope[3];  ///< with that sign
    bool is_fork;       ///< angles do not close: the core of a fork, where only the slopes mean something
};
StripeCorners stripe_corners(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& slope,
                             const std::vector<std::complex<double>>& phase, int triangle);

}  // namespace cutis
