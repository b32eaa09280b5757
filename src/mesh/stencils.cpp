#include "cutis/mesh/stencils.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/simd.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

constexpr int stencil_chunk = 1024;

void require_sizes(const Stencils& stencils, Eigen::Index base_rows, Eigen::Index base_columns, Eigen::Index out_rows,
                   Eigen::Index out_columns) {
    require(base_rows == stencils.base_count, "base: expected ", stencils.base_count, " rows, found ", base_rows);
    require(out_rows == stencils.count() && out_columns == base_columns, "out: expected ", stencils.count(), " x ",
            base_columns, ", found ", out_rows, " x ", out_columns);
}

// Fixed width, so that the sums stay in registers.
template <int width>
void apply_rows(const Stencils& s, const double* base, Eigen::Index base_stride, double* out, Eigen::Index out_stride,
                int begin, int end) {
    for (int r = begin; r < end; ++r) {
        double sum[width] = {};
        const int last = s.offsets[static_cast<size_t>(r) + 1];
        for (int i = s.offsets[r]; i < last; ++i) {
            const double weight = s.weights[i];
            const double* row = base + s.indices[i] * base_stride;
            for (int c = 0; c < width; ++c) {
                sum[c] += weight * row[c];
            }
        }
        for (int c = 0; c < width; ++c) {
            out[r * out_stride + c] = sum[c];
        }
    }
}

/// Rows of three numbers that follow each other, four at a time: the fourth is the next row's, which the last rows do
/// not have.
void apply_points(const Stencils& s, const double* base, double* out, int begin, int end) {
    const int last_base = s.base_count - 1;
    for (int r = begin; r < end; ++r) {
        simd::Doubles sum = simd::all(0.0);
        const int last = s.offsets[static_cast<size_t>(r) + 1];
        for (int i = s.offsets[r]; i < last; ++i) {
            const int index = s.indices[i];
            const double* row = base + 3 * static_cast<std::ptrdiff_t>(index);
            const bool has_next = index < last_base;
            const simd::Doubles four = has_next ? simd::load(row) : simd::Doubles{row[0], row[1], row[2], 0.0};
            sum += simd::all(s.weights[i]) * four;
        }
        double* to = out + 3 * static_cast<std::ptrdiff_t>(r);
        if (r + 1 < end) {
            simd::store(to, sum);
        } else {
            to[0] = sum[0];
            to[1] = sum[1];
            to[2] = sum[2];
        }
    }
}

void apply_any(const Stencils& s, const double* base, Eigen::Index base_stride, double* out, Eigen::Index out_stride,
               Eigen::Index width, const Workers& workers) {
    const auto job = [&](int begin, int end) {
        if (width == 3 && base_stride == 3 && out_stride == 3) {
            apply_points(s, base, out, begin, end);
            return;
        }
        Eigen::Index done = 0;
        for (; done + 3 <= width; done += 3) {
            apply_rows<3>(s, base + done, base_stride, out + done, out_stride, begin, end);
        }
        if (width - done == 2) {
            apply_rows<2>(s, base + done, base_stride, out + done, out_stride, begin, end);
        } else if (width - done == 1) {
            apply_rows<1>(s, base + done, base_stride, out + done, out_stride, begin, end);
        }
    };
    workers.for_chunks(s.count(), stencil_chunk, std::ref(job));
}

}  // namespace

void Stencils::apply(const Eigen::Ref<const RowMatrixXd>& base, const Workers& workers,
                     Eigen::Ref<RowMatrixXd> out) const {
    require_sizes(*this, base.rows(), base.cols(), out.rows(), out.cols());
    apply_any(*this, base.data(), base.outerStride(), out.data(), out.outerStride(), base.cols(), workers);
}

void Stencils::apply_to_scalars(const Eigen::Ref<const VectorXd>& base, const Workers& workers,
                                Eigen::Ref<VectorXd> out) const {
    require_sizes(*this, base.rows(), 1, out.rows(), 1);
    apply_any(*this, base.data(), 1, out.data(), 1, 1, workers);
}

Stencils composed(const Stencils& first, const Stencils& second) {
    require(second.base_count == first.count(), "second stencils: expected ", first.count(), " base rows, found ",
            second.base_count);
    Stencils result;
    result.base_count = first.base_count;
    result.offsets.reserve(second.offsets.size());
    std::vector<double> sum(static_cast<size_t>(first.base_count), 0.0);
    std::vector<int> last_touched(static_cast<size_t>(first.base_count), -1);
    std::vector<int> touched;
    for (int r = 0; r < second.count(); ++r) {
        touched.clear();
        for (int i = second.offsets[r]; i < second.offsets[static_cast<size_t>(r) + 1]; ++i) {
            const size_t middle = static_cast<size_t>(second.indices[i]);
            for (int j = first.offsets[middle]; j < first.offsets[middle + 1]; ++j) {
                const int index = first.indices[j];
                const size_t b = static_cast<size_t>(index);
                if (last_touched[b] != r) {
                    last_touched[b] = r;
                    sum[b] = 0.0;
                    touched.push_back(index);
                }
                sum[b] += second.weights[i] * first.weights[j];
            }
        }
        std::sort(touched.begin(), touched.end());
        require(result.indices.size() + touched.size() <= static_cast<size_t>(std::numeric_limits<int>::max()),
                "stencils: more than 2^31 weights; use fewer levels");
        for (const int index : touched) {
            result.indices.push_back(index);
            result.weights.push_back(sum[index]);
        }
        result.offsets.push_back(static_cast<int>(result.indices.size()));
    }
    return result;
}

Stencils selected(const Stencils& stencils, const std::vector<int>& rows) {
    Stencils result;
    result.base_count = stencils.base_count;
    for (const int r : rows) {
        require(r >= 0 && r < stencils.count(), "stencil row ", r, ": expected 0 to ", stencils.count() - 1);
        const auto begin = stencils.offsets[r];
        const auto end = stencils.offsets[static_cast<size_t>(r) + 1];
        result.indices.insert(result.indices.end(), stencils.indices.begin() + begin, stencils.indices.begin() + end);
        result.weights.insert(result.weights.end(), stencils.weights.begin() + begin, stencils.weights.begin() + end);
        result.offsets.push_back(static_cast<int>(result.indices.size()));
    }
    return result;
}

}  // namespace cutis
