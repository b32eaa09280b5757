#pragma once

#include <vector>

#include "cutis/stack/layer.h"

namespace cutis {

/// The direction in which u grows on the shown surface: the first axis of a normal map. It follows
/// moved vertices as well as moved UVs.
class SlideTangents {
public:
    explicit SlideTangents(const LayerInput& ground) : art_(ground.art), surface_(ground.surface) {}

    const MatrixX2d& rest_uv() const { return art_->uv; }

    /// Per artist's vertex, so that both sides of a UV seam have their own: mean over its triangles
    /// by area, normal to their mean normal. 0 where the UVs are degenerate.
    /// \param positions  #V x 3, of the surface as shown
    /// \param uv         #T x 2
    /// \param out        #A * 3, unit
    void fill(const MatrixX3d& positions, const MatrixX2d& uv, std::vector<double>& out);

private:
    const ArtMesh* art_;
    const SimulationSurface* surface_;
    MatrixX3d normals_;
};

}  // namespace cutis
