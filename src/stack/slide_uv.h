#pragma once

#include <vector>

#include "cutis/mesh/surface_point.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// UV of each corner of the surface's triangles, #F x 3; -1: none.
MatrixX3i uv_corners(const SimulationSurface& surface, const ArtMesh& art);

/// UVs that slide with the skin on an unmoved body: the UV of the material at each vertex, for each
/// of the artist's UV corners.
///
/// Where the material comes from beyond a UV seam, the corner's own chart is continued over its
/// border (Thin Skin Elastodynamics, A.2): pictures need a padded border as wide as the slide.
class SlideUv {
public:
    explicit SlideUv(const LayerInput& ground);

    bool has_uv() const { return art_->uv.rows() > 0; }

    /// \param points    #V: material point of the surface that lies at each vertex
    /// \param material  #V x 3: its rest position
    /// \param uv        #T x 2
    void update(const std::vector<SurfacePoint>& points, const MatrixX3d& material, const Workers& workers,
                MatrixX2d& uv) const;

private:
    const ArtMesh* art_;
    const SimulationSurface* surface_;
    MatrixX3i uv_corners_;                            // per simulation triangle: UV index of each corner
    MatrixX3i next_;                                  // across side k within the same chart, -1 at seams
    std::vector<int> vertex_of_uv_, triangle_of_uv_;  // -1: none
};

}  // namespace cutis
