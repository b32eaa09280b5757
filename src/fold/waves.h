#pragma once

#include <complex>

#include "fold/even_mesh.h"

namespace cutis::fold_detail {

/// Stripes on the whole even mesh: one unit complex number per vertex, whose angle turns by pi from
/// one fold to the next (stripe patterns, Knoeppel et al. 2015).
///
/// The direction of compression has no sign, so neither has the angle: a neighbour whose slope
/// points the other way is conjugated. Where the field cannot be integrated, stripes fork.
struct Waves {
    std::vector<std::complex<double>> phase;
    MatrixX3d slope;    ///< of the angle, rad / m, tangential
    VectorXd presence;  ///< 0 .. 1: fades at the cores of forks

    /// At a point of the even mesh, as its nearest corner sees it.
    struct Sample {
        std::complex<double> phase;
        Vector3d slope;
        double presence;
    };
    Sample at(const EvenMesh& mesh, const SurfacePoint& point, const Vector3d& place) const;
};

/// \param widths       of folds, per vertex of the even mesh, metres
/// \param irregularity 0: equal widths; 1: they vary by 15 %
Waves solve_waves(const EvenMesh& mesh, const VectorXd& widths, const Compression& compression, Diffusion& diffusion,
                  double irregularity, unsigned seed);

}  // namespace cutis::fold_detail
