#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"

namespace cutis {

/// Any number of values per vertex, one row per vertex. MatrixX3d and MatrixX2d pass as such
/// without a copy.
using RowMatrixXd = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Points that are weighted sums of other points, in compressed rows: point r is the sum of
/// weights[i] * base[indices[i]] for i from offsets[r] to offsets[r + 1]. Indices rise within a
/// row.
struct Stencils {
    int base_count = 0;  ///< rows of the base values
    std::vector<int> offsets = {0};
    std::vector<int> indices;
    std::vector<double> weights;

    int count() const { return static_cast<int>(offsets.size()) - 1; }

    /// Applies the weights to values of any width (positions, UVs, painted attributes). Allocates
    /// nothing; the same bits for any number of threads.
    /// \param base  base_count x width
    /// \param out   count() x width, already of that size, not the same memory as base
    /// \throw InvalidInput  wrong size
    void apply(const Eigen::Ref<const RowMatrixXd>& base, const Workers& workers, Eigen::Ref<RowMatrixXd> out) const;
    /// The same for one value per vertex.
    void apply_to_scalars(const Eigen::Ref<const VectorXd>& base, const Workers& workers,
                          Eigen::Ref<VectorXd> out) const;
};

/// The stencils that do `first`, then `second`, in one go.
/// \throw InvalidInput  second.base_count is not first.count()
Stencils composed(const Stencils& first, const Stencils& second);

/// Only the given rows, in the given order.
/// \throw InvalidInput  row out of range
Stencils selected(const Stencils& stencils, const std::vector<int>& rows);

}  // namespace cutis
