// An optional part of the build: CHOLMOD orders, analyses and factors (supernodal when that pays,
// with the BLAS it was linked to); the factor is handed out in the same plain form as Eigen's.
#ifdef CUTIS_WITH_CHOLMOD

#include <cholmod.h>

#include <new>
#include <vector>

#include "core/sparse_factor.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

class CholmodFactor final : public SparseFactor {
public:
    explicit CholmodFactor(const SparseLower& matrix)
        : row_starts_(matrix.row_starts), columns_(matrix.columns), values_(matrix.values) {
        cholmod_start(&common_);
        common_.print = 0;
        common_.nmethods = 1;
        common_.method[0].ordering = CHOLMOD_AMD;
        common_.postorder = 1;
        // Compressed rows of the lower triangle are compressed columns of the upper one.
        upper_.nrow = upper_.ncol = static_cast<size_t>(matrix.size);
        upper_.nzmax = values_.size();
        upper_.p = row_starts_.data();
        upper_.i = columns_.data();
        upper_.x = values_.data();
        upper_.stype = 1;
        upper_.itype = CHOLMOD_INT;
        upper_.xtype = CHOLMOD_REAL;
        upper_.dtype = CHOLMOD_DOUBLE;
        upper_.sorted = 1;
        upper_.packed = 1;
        factor_ = cholmod_analyze(&upper_, &common_);
        if (factor_ == nullptr) {
            const int status = common_.status;
            cholmod_finish(&common_);
            refuse(status);
        }
    }

    ~CholmodFactor() override {
        cholmod_free_factor(&factor_, &common_);
        cholmod_finish(&common_);
    }

    int factor(std::span<const double> values) override {
        values_.assign(values.begin(), values.end());
        upper_.x = values_.data();
        if (cholmod_factorize(&upper_, factor_, &common_) == 0) {
            refuse(common_.status);
        }
        if (factor_->minor < factor_->n) {
            return static_cast<int>(factor_->minor);
        }
        // The supernodal form stays for the next factorisation; a copy becomes plain L D L^T.
        cholmod_factor* plain = cholmod_copy_factor(factor_, &common_);
        if (plain == nullptr ||
            cholmod_change_factor(CHOLMOD_REAL, 0, 0, 1, 1, plain, &common_) == 0) {
            const int status = common_.status;
            cholmod_free_factor(&plain, &common_);
            refuse(status);
        }
        take_apart(*plain);
        cholmod_free_factor(&plain, &common_);
        return static_cast<int>(factor_->n);
    }

    FactorView view() const override {
        return {static_cast<int>(factor_->n),
                starts_.data(),
                rows_.data(),
                lower_.data(),
                pivots_.data(),
                static_cast<const int*>(factor_->Perm)};
    }

private:
    [[noreturn]] static void refuse(int status) {
        if (status == CHOLMOD_OUT_OF_MEMORY) {
            throw std::bad_alloc();
        }
        throw SolverFailure(say("sparse matrix: CHOLMOD gave up with status ", status));
    }

    // CHOLMOD keeps D as the first entry of each column of L.
    void take_apart(const cholmod_factor& plain) {
        const auto* const starts = static_cast<const int*>(plain.p);
        const auto* const rows = static_cast<const int*>(plain.i);
        const auto* const values = static_cast<const double*>(plain.x);
        const size_t n = plain.n;
        starts_.assign(1, 0);
        rows_.clear();
        lower_.clear();
        pivots_.clear();
        for (size_t j = 0; j < n; ++j) {
            pivots_.push_back(values[starts[j]]);
            rows_.insert(rows_.end(), rows + starts[j] + 1, rows + starts[j + 1]);
            lower_.insert(lower_.end(), values + starts[j] + 1, values + starts[j + 1]);
            starts_.push_back(static_cast<int>(rows_.size()));
        }
    }

    std::vector<int> row_starts_;
    std::vector<int> columns_;
    std::vector<double> values_;
    cholmod_common common_{};
    cholmod_sparse upper_{};
    cholmod_factor* factor_ = nullptr;
    std::vector<int> starts_;
    std::vector<int> rows_;
    std::vector<double> lower_;
    std::vector<double> pivots_;
};

}  // namespace

std::unique_ptr<SparseFactor> make_cholmod_factor(const SparseLower& matrix) {
    return std::make_unique<CholmodFactor>(matrix);
}

}  // namespace cutis

#endif
