#pragma once

#include <memory>
#include <vector>

#include "cutis/stack/frame.h"
#include "shell/placement.h"

namespace cutis {

/// Copies of a piece that keep their shape: each follows its vertices as a rigid body, so that
/// formats with instances can keep one piece and a place for each copy.
class RigidCopies {
public:
    /// \param detail  copies of `piece`, see PlacedDetail::copy_vertices
    RigidCopies(const PrismShell& shell, const PlacedDetail& detail, const ArtMesh& piece,
                double lift);

    std::shared_ptr<const DetailCopies> copies() const { return copies_; }

    /// Fills places and rotations and replaces frame.positions by those of the rigid copies. The
    /// lowest vertices of a copy keep their mean place: roots stay on the skin.
    void fit(MeshFrame& frame) const;

private:
    std::shared_ptr<DetailCopies> copies_;
    std::vector<int> roots_;  // vertices of the piece that stand on the skin
};

}  // namespace cutis
