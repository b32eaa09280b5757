#pragma once

#include <vector>

#include "curve/beam.h"

namespace cutis {

/// Between nodes and modes, all columns at once. Clamped modes are even or odd about the middle by
/// turns, which halves the work.
class ModalTransform {
public:
    ModalTransform() = default;
    explicit ModalTransform(const BeamModes& modes);

    /// \param nodes  moved nodes x columns
    /// \param modal  modes x columns
    void project(const RowMatrixXd& nodes, RowMatrixXd& modal) const;

    /// to = wa a + wb b + the sum of the modes [first, first + count).
    /// \param modal   count x columns or more: those modes alone
    /// \param a, b, to  moved nodes x columns, contiguous; `to` is apart from the others
    void expand(const RowMatrixXd& modal, int first, int count, double wa, const double* a, double wb, const double* b,
                double* to) const;

private:
    /// to = wa a + wb b + the next modes from `begin` on, two times `pairs` of them.
    template <int pairs>
    void add_pairs(const double* modal, Eigen::Index columns, int first, int begin, int count, double wa,
                   const double* a, double wb, const double* b, double* to) const;

    bool is_split_ = false;
    Eigen::Index nodes_ = 0, modes_ = 0;
    RowMatrixXd shapes_, projector_;  // whole, where they are not split
    RowMatrixXd even_, odd_;          // half of the nodes x half of the modes
    RowMatrixXd even_projector_, odd_projector_;
    mutable RowMatrixXd even_part_, odd_part_;
};

}  // namespace cutis
