#pragma once

#include <functional>

#include "cutis/shell/equilibrium.h"
#include "cutis/shell/safe_offset.h"

namespace cutis {

/// Takes tetrahedra that the equilibrium turned over (the inside of a sharp bend) back, frame by
/// frame: an offset vector that points below a triangle of the posed base gets the safe direction
/// at the same length, then heights are lowered by the rule of the safe offset. Shapes without
/// fault are not touched.
class ShellUntangler {
public:
    /// \param shell  must outlive this
    explicit ShellUntangler(const PrismShell& shell) : shell_(&shell) {}

    /// \param offset  in and out, #V x 3
    /// \return vertices whose offset was changed
    int untangle(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset);

private:
    const PrismShell* shell_;
    MatrixX3d normals_;
    VectorXd areas_;
    MatrixX3d directions_;
    VectorXd lengths_;
    VectorXd before_;
};

/// A moving surface, asked for at pose k; fills #V x 3.
using PoseSource = std::function<void(int k, MatrixX3d& positions)>;

/// A safe offset that also stays untangled over a known clip.
struct ClipAwareOffset {
    SafeOffset offset;
    int rounds = 0;          ///< of solving the clip and lowering heights
    int lowered = 0;         ///< vertices the clip made lower
    int inverted_first = 0;  ///< most tetrahedra turned over in a pose, with the plain safe offset
    int inverted_last = 0;   ///< what is left (creased meshes: see ShellUntangler)
};

/// Solves the clip, lowers the heights of prisms that nearly vanish in a pose by 0.7, and repeats
/// until none does or `most_rounds` is reached.
/// \throw InvalidInput  as make_safe_offset and ShellEquilibrium
ClipAwareOffset make_clip_aware_offset(const Topology& topology, const MatrixX3d& base,
                                       const SafeOffsetOptions& options,
                                       const EquilibriumOptions& equilibrium,
                                       const PoseSource& poses, int pose_count,
                                       const Workers& workers, int most_rounds = 12);

}  // namespace cutis
