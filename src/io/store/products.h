#pragma once

#include <Eigen/Core>
#include <vector>

#include "io/store/modes.h"

namespace cutis {

/// A matrix in panels of four rows, as add_product() wants its left side. Rows beyond the last are 0.
class ProductPanels {
public:
    explicit ProductPanels(const Eigen::MatrixXd& matrix);

    int rows() const { return rows_; }
    int inner() const { return inner_; }
    const double* panel(int first_row) const { return numbers_.data() + static_cast<size_t>(first_row) * inner_; }

private:
    int rows_;
    int inner_;
    std::vector<double> numbers_;  ///< panel after panel; in each, four rows of the first column, of the second ...
};

/// out = sign (left right) + out, entry by entry in order of the inner index and then added: the same bits on every
/// machine. Eigen's own products run without vectors here, which takes four times as long.
/// \param right  #inner x #columns; `out` has so many columns, of its rows the first left.rows() are added to
void add_product(const ProductPanels& left, const FrameRows& right, double sign, FrameRows& out);

/// gram += rows rows^T, below and on the diagonal. Each product is summed over columns in four lanes, 256 columns at a
/// time.
void add_gram(const FrameRows& rows, Eigen::MatrixXd& gram);

}  // namespace cutis
