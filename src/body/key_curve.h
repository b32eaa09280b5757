#pragma once

#include <vector>

#include "cutis/core/types.h"

namespace cutis {

/// Velocities at keys so that curves through them have continuous velocity: the derivative of the
/// parabola through a key and its two neighbours (non-uniform Catmull-Rom); at open ends, of the
/// parabola through the last three keys.
///
/// Works on differences alone, so that positions and rotation vectors share it. Where neighbouring
/// intervals differ very much in length (two keys a millisecond apart stand for a cut) the parabola
/// would shoot far out: no velocity carries further across its longer interval than 1.5 times the
/// larger of the two steps. Evenly spaced keys are never touched by that.
///
/// \param times   #K, increasing;  \param steps  #(K-1) x width, from each key to the next
/// \param closes  the last key is the first one again, a period later
/// \return        #K x width
Eigen::MatrixXd key_velocities(const std::vector<double>& times, const Eigen::MatrixXd& steps, bool closes);

/// Cubic Hermite basis at u in [0, 1]: start value, start velocity * interval, end value, end
/// velocity * interval (glTF 2.0 appendix C.5).
struct HermiteBasis {
    explicit HermiteBasis(double u)
        : start(1.0 - u * u * (3.0 - 2.0 * u)),
          start_slope(u * (1.0 - u) * (1.0 - u)),
          end(u * u * (3.0 - 2.0 * u)),
          end_slope(u * u * (u - 1.0)) {}
    double start;
    double start_slope;
    double end;
    double end_slope;
};

}  // namespace cutis
