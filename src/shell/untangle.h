#pragma once

#include <functional>

#include "shell/equilibrium.h"
#include "shell/safe_offset.h"

namespace cutis {

/// Keeps the shell from turning over in motion (the inside of a sharp bend), frame by frame. An
/// offset vector that comes to lie flat on a triangle of the posed base leans over to the safe
/// direction, and shrinks where there is hardly any; then heights are lowered by the rule of the
/// safe offset. The leaning fades in, yet heights still fall
/// within a frame where the base folds within a frame. It depends on the shape of the
/// moment alone. What stands well above the base as it did at rest is not touched.
class ShellUntangler {
public:
    /// \param shell  must outlive this
    explicit ShellUntangler(const PrismShell& shell);

    /// \param offset  in and out, #V x 3
    /// \return vertices whose offset was changed
    int untangle(const MatrixX3d& base, const Workers& workers, MatrixX3d& offset);

private:
    const PrismShell* shell_;
    VectorXd rest_rises_;  // least product of a vertex's direction with the normals around it
    MatrixX3d normals_;
    VectorXd areas_;
    MatrixX3d directions_;
    VectorXd lengths_;
    std::vector<unsigned char> is_bent_;
    VectorXd before_;
    LoweringScratch scratch_;
};

/// A moving surface, asked for at pose k; fills #V x 3.
using PoseSource = std::function<void(int k, MatrixX3d& positions)>;

/// A safe offset that also stays untangled over a known clip.
struct ClipAwareOffset {
    SafeOffset offset;
    int rounds = 0;          ///< of solving the clip and lowering heights
    int lowered = 0;         ///< vertices the clip made lower
    int inverted_first = 0;  ///< most tetrahedra inverted in a pose, with the plain safe offset
    int inverted_last = 0;   ///< what is left (creased meshes: see ShellUntangler)
};

/// Solves the clip, lowers the heights of prisms that nearly vanish in a pose by 0.7, and repeats
/// until none does or `most_rounds` is reached.
/// \throw InvalidInput  as make_safe_offset and ShellEquilibrium
ClipAwareOffset make_clip_aware_offset(const Topology& topology, const MatrixX3d& base,
                                       const SafeOffsetOptions& options, const EquilibriumOptions& equilibrium,
                                       const PoseSource& poses, int pose_count, const Workers& workers,
                                       int most_rounds = 12);

}  // namespace cutis
