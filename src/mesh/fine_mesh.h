#pragma once

#include "mesh/adaptive_loop.h"

namespace cutis {

/// A mesh refined by Loop subdivision that still passes through the base vertices, with its way from any pose of the
/// base.
struct FineMesh {
    AdaptiveLoop mesh;
    Stencils base_rows;  // of the base's own vertices
    int base_count = 0;

    explicit FineMesh(AdaptiveLoop loop, int vertices);

    /// Scratch of refine(): control points and what subdivision makes of the base vertices.
    struct Scratch {
        MatrixX3d control;
        MatrixX3d smoothed;
    };
    /// Loop subdivision shrinks; control points are moved out first. Allocates nothing after the first call.
    /// \param base  #V x 3;  \param refined  #N x 3, resized when needed
    void refine(const MatrixX3d& base, const Workers& workers, Scratch& scratch, MatrixX3d& refined) const;
};

}  // namespace cutis
