#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mesh/trace.h"
#include "shell/placement.h"

namespace cutis {

/// Detail that rides on skin which slides over the base: new places for Shell::move_points. Copies
/// of a piece move and turn as a whole, each with the material under its anchor; other detail
/// vertex by vertex, stretching with the skin.
class SkinRider {
public:
    /// \param shell   must outlive this
    /// \param detail  at rest
    /// \param piece   what its copies were made of; null where it has none
    SkinRider(const PrismShell& shell, const PlacedDetail& detail, const ArtMesh* piece, double lift,
              const Workers& workers);

    /// Places follow the material by straight walks over the base at rest.
    /// \param skin    #V x 3: where on the base at rest the material of each vertex is now
    /// \param points  out, as many as the detail has
    /// \throw InvalidInput  wrong sizes, a number that is not finite
    void place(const MatrixX3d& skin, const Workers& workers, std::span<ShellPoint> points);

private:
    const PrismShell* shell_;
    SurfaceTracer tracer_;
    std::vector<ShellPoint> points_;  // of detail without copies
    std::vector<PieceAnchor> anchors_;
    std::vector<Vector3d> heading_weights_;  // each heading as weights of its triangle's corners
    std::vector<PieceAnchor> moved_;
    std::optional<PieceWalker> walker_;
};

}  // namespace cutis
