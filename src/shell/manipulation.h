#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cutis/shell/options.h"
#include "shell/arap.h"
#include "shell/equilibrium.h"

namespace cutis {

/// A place of the detail that is held and dragged.
struct Handle {
    ShellPoint point;
    /// k^o of Eq. 5, relative to the mean diagonal of the shell's matrix: about 1 is a soft pull,
    /// holds_exactly a constraint, 0 none.
    double offset_stiffness = 10.0;
    /// k^b of Eq. 6, relative to the mean diagonal of the base's matrix; 0 leaves the base alone.
    double base_stiffness = 0.0;
    /// The target is a displacement from where the place would be without any handle.
    bool is_relative = false;
};

/// \throw InvalidInput  targets that are not one finite row per handle
void check_handle_targets(const MatrixX3d& targets, int handles);

/// Direct manipulation: springs from places of the detail to targets, in the shell (low-rank update
/// of its factor) and into an as-rigid-as-possible base.
class ShellManipulator {
public:
    /// \param equilibrium  must outlive this
    ShellManipulator(ShellEquilibrium& equilibrium, const ManipulationOptions& options);

    /// New handles in place of those before; empty releases all. A handle whose place no offset
    /// vertex moves (on the base itself, or where the shell has no height) does not pull the shell.
    /// The base part is prepared when a handle first asks for it.
    /// \throw InvalidInput  a stiffness that is negative or NaN, a place outside the shell, a
    ///                      handle that pulls neither shell nor base (names the handle)
    void grab(std::span<const Handle> handles);
    int handle_count() const { return static_cast<int>(handles_.size()); }
    bool pulls_base() const { return !base_handles_.empty(); }

    /// The shell over a pose with all springs at work.
    /// \param pose     #V x 3, the base as the body has it
    /// \param targets  handles x 3, positions or displacements (Handle::is_relative)
    /// \param base     #V x 3, in: where the base's rounds begin (the pose, or the pose moved as
    /// the
    ///                 last result was, which saves most of them); out: the pose itself where no
    ///                 handle pulls the base
    /// \param offset   out, #V x 3
    /// \throw InvalidInput  a target that is not finite (names the handle)
    void solve(const MatrixX3d& pose, const MatrixX3d& targets, const Workers& workers, MatrixX3d& base,
               MatrixX3d& offset);

    /// Where a handle's place is now.
    Vector3d place(int handle, const MatrixX3d& base, const MatrixX3d& offset) const;

private:
    void solve_shell(const MatrixX3d& targets, const Workers& workers, const MatrixX3d& base, MatrixX3d& offset);
    void set_base_springs(const MatrixX3d& targets, const MatrixX3d& base, const MatrixX3d& offset);
    /// How far a handle's place goes along with the base.
    double share_of_base(int handle) const;
    /// Whether handles are where the base's springs took them to be.
    bool is_coupled(const MatrixX3d& targets, const MatrixX3d& base, const MatrixX3d& offset) const;

    ShellEquilibrium* equilibrium_;
    ManipulationOptions options_;
    std::vector<Handle> handles_;
    std::vector<TetPoint> tets_;
    std::vector<int> rows_of_shell_;  // spring of each handle in the shell, -1: none
    std::vector<int> base_handles_;
    LowRankSprings springs_;
    std::unique_ptr<ArapDeformer> arap_;
    MatrixX3d targets_;
    MatrixX3d shell_targets_;
    MatrixX3d base_targets_;
    std::vector<SpringRow> base_rows_;
};

}  // namespace cutis
