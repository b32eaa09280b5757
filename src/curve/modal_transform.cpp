#include "modal_transform.h"

#include "products.h"

namespace cutis {

ModalTransform::ModalTransform(const BeamModes& modes)
    : is_split_(modes.ends == CurveEnds::clamped), nodes_(modes.shapes.rows()), modes_(modes.shapes.cols()) {
    if (!is_split_) {
        shapes_ = modes.shapes;
        projector_ = modes.projector;
        return;
    }
    const Eigen::Index half = (nodes_ + 1) / 2;
    even_.resize(half, (modes_ + 1) / 2);
    odd_.resize(half, modes_ / 2);
    for (Eigen::Index n = 0; n < half; ++n) {
        for (Eigen::Index k = 0; k < modes_; ++k) {
            (k % 2 == 0 ? even_ : odd_)(n, k / 2) = modes.shapes(n, k);
        }
    }
    even_projector_ = even_.transpose();
    odd_projector_ = odd_.transpose();
}

void ModalTransform::project(const RowMatrixXd& nodes, RowMatrixXd& modal) const {
    const Eigen::Index columns = nodes.cols();
    const auto end = static_cast<int>(columns);
    modal.resize(modes_, columns);
    if (!is_split_) {
        product(projector_.data(), projector_.rows(), projector_.cols(), projector_.cols(), nodes.data(), columns,
                modal.data(), columns, 0, end);
        return;
    }
    const Eigen::Index half = even_.rows();
    const Eigen::Index last = nodes.rows() - 1;
    even_part_.resize(half, columns);
    odd_part_.resize(half, columns);
    for (Eigen::Index n = 0; n < half; ++n) {
        if (n == last - n) {
            even_part_.row(n) = nodes.row(n);
            odd_part_.row(n).setZero();
        } else {
            even_part_.row(n) = nodes.row(n) + nodes.row(last - n);
            odd_part_.row(n) = nodes.row(n) - nodes.row(last - n);
        }
    }
    product(even_projector_.data(), even_projector_.rows(), half, half, even_part_.data(), columns, modal.data(),
            2 * columns, 0, end);
    product(odd_projector_.data(), odd_projector_.rows(), half, half, odd_part_.data(), columns, modal.data() + columns,
            2 * columns, 0, end);
}

namespace {

/// A few modes of each parity: their weights at one node and their modal rows.
template <int pairs>
struct ModePairs {
    double even[pairs], odd[pairs];
    const double *even_row[pairs], *odd_row[pairs];
};

/// Sums of a node's row and of the row of the node it mirrors.
struct MirroredRows {
    double wa, wb;
    const double *a, *b, *a_mirrored, *b_mirrored;
    double *to, *to_mirrored;
};

/// `width` columns from c on; the weights stay in registers from call to call.
template <int width, int pairs>
inline void add_columns(const ModePairs<pairs>& modes, const MirroredRows& rows, Eigen::Index c) {
    const auto all = [](double value) {
        if constexpr (width == 1) {
            return value;
        } else {
            return simd::all(value);
        }
    };
    const auto at = [c](const double* row) {
        if constexpr (width == 1) {
            return row[c];
        } else {
            return simd::load(row + c);
        }
    };
    auto even = all(modes.even[0]) * at(modes.even_row[0]);
    auto odd = all(modes.odd[0]) * at(modes.odd_row[0]);
    for (int k = 1; k < pairs; ++k) {
        even += all(modes.even[k]) * at(modes.even_row[k]);
        odd += all(modes.odd[k]) * at(modes.odd_row[k]);
    }
    const auto here = all(rows.wa) * at(rows.a) + all(rows.wb) * at(rows.b);
    const auto there = all(rows.wa) * at(rows.a_mirrored) + all(rows.wb) * at(rows.b_mirrored);
    // The middle node mirrors itself and is odd in no mode: both are the same.
    if constexpr (width == 1) {
        rows.to[c] = here + (even + odd);
        rows.to_mirrored[c] = there + (even - odd);
    } else {
        simd::store(rows.to + c, here + (even + odd));
        simd::store(rows.to_mirrored + c, there + (even - odd));
    }
}

}  // namespace

template <int pairs>
void ModalTransform::add_pairs(const double* modal, Eigen::Index columns, int first, int begin, int count, double wa,
                               const double* a, double wb, const double* b, double* to) const {
    const Eigen::Index last = nodes_ - 1;
    const int even_begin = begin + (first + begin) % 2;
    const int odd_begin = begin + 1 - (first + begin) % 2;
    ModePairs<pairs> modes;
    for (Eigen::Index n = 0; n < even_.rows(); ++n) {
        for (int p = 0; p < pairs; ++p) {
            // Modes there are none of have no weight.
            const auto set = [&](int row, const RowMatrixXd& part, double& weight, const double*& from) {
                const bool is_there = row < count;
                weight = is_there ? part(n, (first + row) / 2) : 0.0;
                from = modal + (is_there ? row : begin) * columns;
            };
            set(even_begin + 2 * p, even_, modes.even[p], modes.even_row[p]);
            set(odd_begin + 2 * p, odd_, modes.odd[p], modes.odd_row[p]);
        }
        const Eigen::Index here = n * columns;
        const Eigen::Index there = (last - n) * columns;
        const MirroredRows rows = {wa, wb, a + here, b + here, a + there, b + there, to + here, to + there};
        constexpr Eigen::Index wide = 4;
        Eigen::Index c = 0;
        for (; c + wide <= columns; c += wide) {
            add_columns<wide, pairs>(modes, rows, c);
        }
        for (; c < columns; ++c) {
            add_columns<1, pairs>(modes, rows, c);
        }
    }
}

void ModalTransform::expand(const RowMatrixXd& modal, int first, int count, double wa, const double* a, double wb,
                            const double* b, double* to) const {
    const Eigen::Index columns = modal.cols();
    if (!is_split_) {
        even_part_.resize(nodes_, columns);
        product(shapes_.data() + first, nodes_, count, modes_, modal.data(), columns, even_part_.data(), columns, 0,
                static_cast<int>(columns));
        for (Eigen::Index i = 0; i < nodes_ * columns; ++i) {
            to[i] = wa * a[i] + wb * b[i] + even_part_.data()[i];
        }
        return;
    }
    // Eight modes at a time: their weights and sums fit the registers. The first lot brings a and
    // b.
    int begin = 0;
    do {
        const bool is_first = begin == 0;
        const double* from = is_first ? a : to;
        const double* more = is_first ? b : to;
        const double w_from = is_first ? wa : 1.0;
        const double w_more = is_first ? wb : 0.0;
        if (count - begin <= 4) {
            add_pairs<2>(modal.data(), columns, first, begin, count, w_from, from, w_more, more, to);
            begin += 4;
        } else {
            add_pairs<4>(modal.data(), columns, first, begin, count, w_from, from, w_more, more, to);
            begin += 8;
        }
    } while (begin < count);
}

}  // namespace cutis
