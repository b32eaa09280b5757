#pragma once

#include <complex>

#include "cutis/mesh/surface_point.h"
#include "stripes/stripe_mesh.h"

namespace cutis::stripes {

/// Stripes on a whole mesh: one unit complex number per vertex, whose angle turns by pi from
/// one fold to the next (stripe patterns, Knoeppel et al. 2015).
///
/// The direction of compression has no sign, so neither has the angle: a neighbour whose slope
/// points the other way is conjugated. Where the field cannot be integrated, stripes fork.
struct Waves {
    std::vector<std::complex<double>> phase;
    MatrixX3d slope;     ///< of the angle, rad / m, tangential
    VectorXd presence;   ///< 0 .. 1: fades at the cores of forks
    VectorXd coherence;  ///< 0 .. 1: squeezed from all sides alike .. from one alone

    /// At a point of the mesh, as its nearest corner sees it.
    struct Sample {
        std::complex<double> phase;
        Vector3d slope;
        double presence;
    };
    Sample at(const StripeMesh& mesh, const SurfacePoint& point, const Vector3d& place) const;
};

/// How stripes follow what squeezes them.
struct WaveLook {
    // Directions follow compression within so many widths; where there is none nearby, that within more.
    double near_widths = 0.5;
    double far_widths = 3.0;
    double irregularity = 1.0;  ///< 0: equal widths; 1: they vary by 15 %
    double turn = 0.0;          ///< radians, about the normal: of the stripes, off the direction that is squeezed most
    unsigned seed = 3;
};

/// \param widths       of folds, per vertex, metres
/// \param squeezed     squares of compression, per triangle
Waves solve_waves(const StripeMesh& mesh, const VectorXd& widths, const Tensors& squeezed, Diffusion& diffusion,
                  const WaveLook& look);

/// Angles at the corners of a triangle, unwrapped so that stripes may be finer than it; the sign is that of its first
/// corner.
struct StripeCorners {
    double angle[3];
    Vector3d slope[3];  ///< with that sign
    bool is_fork;       ///< angles do not close: the core of a fork, where only the slopes mean something
};
StripeCorners stripe_corners(const MatrixX3i& triangles, const MatrixX3d& rest, const MatrixX3d& slope,
                             const std::vector<std::complex<double>>& phase, int triangle);

}  // namespace cutis::stripes
