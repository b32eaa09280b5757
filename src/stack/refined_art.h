#pragma once

#include "cutis/stack/layer.h"

namespace cutis {

/// A finer mesh of a ground's surface. All of it must outlive the art made from it.
struct Refinement {
    const Topology* topology = nullptr;
    const MatrixX3d* rest = nullptr;
    const std::vector<SurfacePoint>* corners =
        nullptr;                         ///< corner k of triangle f as a point of the ground, at 3 f + k
    const Stencils* stencils = nullptr;  ///< over the vertices of the ground
    MeshMap::Points locate;              ///< a point of the ground as a point of the finer mesh
};

/// The refined mesh as an artist's mesh: UVs, parts and painted values carried over.
/// \param weights  of its vertices; no joints without a skin
RefinedMesh refined_art(const LayerInput& ground, const Refinement& refinement, SkinWeights weights);

}  // namespace cutis
