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
    RigidCopies(const PrismShell& shell, const PlacedDetail& detail, const ArtMesh& piece, double lift);

    std::shared_ptr<const DetailCopies> copies() const { return copies_; }

    /// Fills places and rotations and replaces frame.positions by those of the rigid copies. The
    /// lowest vertices of a copy keep their mean place: roots stay on the skin.
    void fit(MeshFrame& frame) { fit(0.0, true, frame); }
    /// The same for the shape alone, with a share of the bending.
    void straighten(double bend, MeshFrame& frame) { fit(bend, false, frame); }

private:
    void fit(double bend, bool writes_places, MeshFrame& frame);

    std::shared_ptr<DetailCopies> copies_;
    MatrixX3d sized_;
    std::vector<int> roots_;  // vertices of the piece that stand on the skin
};

}  // namespace cutis
