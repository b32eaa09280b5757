#pragma once

#include "fold/even_mesh.h"

namespace cutis::fold_detail {

/// Stripes on the whole even mesh, whose angle turns by pi from one fold to the next.
struct Waves : StripePhase {
    MatrixX3d slope;  ///< of the angle, rad / m, tangential

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
