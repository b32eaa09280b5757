#pragma once

#include "cutis/core/types.h"

namespace cutis {

/// When the height of a fold counts as found.
struct FoldTolerance {
    double length = 4e-15;     ///< |length - rest length| / rest length; 1e-15 .. 1e-3
    int most_iterations = 40;  ///< at least 1; random folds need at most 16
};

/// Height of one fold and how it was found.
struct FoldHeight {
    double height = 0.0;   ///< X >= 0, lengths of the points
    double stretch = 0.0;  ///< tau(X) = length - rest length, same unit
    int iterations = 0;    ///< evaluations of tau and its slope after tau(0)
    bool converged = true;

    /// sqrt(X^2 + tau^2) - X - tau: zero exactly where 0 <= X, 0 <= tau, X tau = 0 (Ly et al. 2017
    /// section 4.1).
    double fischer_burmeister() const;
};

/// Solves 0 <= X, 0 <= tau(X), X tau(X) = 0 with tau(X) = sum |e_i + X w_i| - rest_length, where
/// e_i and w_i are differences of neighbouring points and offsets (Ly et al. 2017 section 4.2).
///
/// tau is convex. Where tau(0) >= 0 the answer is 0 (a concave line may have further roots; they
/// are not wanted). Elsewhere there is exactly one root, and Newton's method reaches it from the
/// right without ever crossing it.
/// \param points   #N x 3, the line as skinning has it
/// \param offsets  #N x 3, profile value times direction at each point
/// \throw InvalidInput  fewer than 2 points, sizes that differ, a number that is not finite, rest
///                      length not above 0, a line that is too short and has no offset to grow by
FoldHeight solve_fold(const Eigen::Ref<const MatrixX3d>& points, const Eigen::Ref<const MatrixX3d>& offsets,
                      double rest_length, const FoldTolerance& tolerance = {});

}  // namespace cutis
