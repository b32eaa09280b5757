#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>

#include "core/sparse_factor.h"

namespace cutis {
namespace {

class EigenFactor final : public SparseFactor {
public:
    explicit EigenFactor(const SparseLower& matrix)
        // Compressed rows of the lower triangle are compressed columns of the upper one.
        : matrix_(Eigen::Map<const Eigen::SparseMatrix<double>>(
              matrix.size, matrix.size, static_cast<Eigen::Index>(matrix.columns.size()), matrix.row_starts.data(),
              matrix.columns.data(), matrix.values.data())) {
        factor_.analyzePattern(matrix_);
    }

    int factor(std::span<const double> values) override {
        std::copy(values.begin(), values.end(), matrix_.valuePtr());
        factor_.factorize(matrix_);
        pivots_ = factor_.vectorD();
        if (factor_.info() == Eigen::Success) {
            return static_cast<int>(matrix_.rows());
        }
        // Stopped at the first pivot that is exactly zero; those before it are not.
        return static_cast<int>(std::find(pivots_.data(), pivots_.data() + pivots_.size(), 0.0) - pivots_.data());
    }

    FactorView view() const override {
        const Eigen::SparseMatrix<double>& lower = factor_.matrixL().nestedExpression();
        return {static_cast<int>(lower.cols()),
                lower.outerIndexPtr(),
                lower.innerIndexPtr(),
                lower.valuePtr(),
                pivots_.data(),
                factor_.permutationPinv().indices().data()};
    }

private:
    Eigen::SparseMatrix<double> matrix_;
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Upper, Eigen::AMDOrdering<int>> factor_;
    Eigen::VectorXd pivots_;
};

}  // namespace

std::unique_ptr<SparseFactor> make_factor(const SparseLower& matrix) {
    return std::make_unique<EigenFactor>(matrix);
}

}  // namespace cutis
