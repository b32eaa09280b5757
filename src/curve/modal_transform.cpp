#include "modal_transform.h"

#include "products.h"

namespace cutis {

ModalTransform::ModalTransform(const BeamModes& modes)
    : is_split_(modes.ends == CurveEnds::clamped),
      nodes_(modes.shapes.rows()),
      modes_(modes.shapes.cols()) {
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
        product(projector_.data(), projector_.rows(), projector_.cols(), projector_.cols(),
                nodes.data(), columns, modal.data(), columns, 0, end);
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
    product(even_projector_.data(), even_projector_.rows(), half, half, even_part_.data(), columns,
            modal.data(), 2 * columns, 0, end);
    product(odd_projector_.data(), odd_projector_.rows(), half, half, odd_part_.data(), columns,
            modal.data() + columns, 2 * columns, 0, end);
}

namespace {

/// Where the modes of one parity are: weights of half of the nodes, and every second modal row.
struct Parity {
    const double* weights;
    Eigen::Index stride;
    const double* modal;
    int count;
};

/// Some columns of nodes n and, mirrored, of last - n, for `group` neighbouring n at once, all sums
/// in registers.
template <int width, int group>
void expand_block(const Parity& even, const Parity& odd, Eigen::Index n, Eigen::Index last,
                  Eigen::Index columns, Eigen::Index first, double wa, const double* a, double wb,
                  const double* b, double* to) {
    using Lane = Eigen::Array<double, width, 1>;
    using From = Eigen::Map<const Lane>;
    const auto sum_up = [&](const Parity& one, Lane* sums) {
        for (int g = 0; g < group; ++g) {
            sums[g].setZero();
        }
        const double* weights = one.weights + n * one.stride;
        for (int k = 0; k < one.count; ++k) {
            const Lane row = From(one.modal + 2 * k * columns + first);
            for (int g = 0; g < group; ++g) {
                sums[g] += weights[g * one.stride + k] * row;
            }
        }
    };
    Lane even_sum[group], odd_sum[group];
    sum_up(even, even_sum);
    sum_up(odd, odd_sum);
    for (int g = 0; g < group; ++g) {
        const auto put = [&](Eigen::Index node, const Lane& sum) {
            const Eigen::Index at = node * columns + first;
            Eigen::Map<Lane>(to + at) = wa * From(a + at) + wb * From(b + at) + sum;
        };
        put(n + g, even_sum[g] + odd_sum[g]);
        if (last - (n + g) != n + g) {
            put(last - (n + g), even_sum[g] - odd_sum[g]);
        }
    }
}

template <int width>
void expand_columns(const Parity& even, const Parity& odd, Eigen::Index half, Eigen::Index last,
                    Eigen::Index columns, Eigen::Index first, double wa, const double* a, double wb,
                    const double* b, double* to) {
    constexpr int group = 4;
    Eigen::Index n = 0;
    for (; n + group <= half; n += group) {
        expand_block<width, group>(even, odd, n, last, columns, first, wa, a, wb, b, to);
    }
    for (; n < half; ++n) {
        expand_block<width, 1>(even, odd, n, last, columns, first, wa, a, wb, b, to);
    }
}

}  // namespace

void ModalTransform::expand(const RowMatrixXd& modal, int first, int count, double wa,
                            const double* a, double wb, const double* b, double* to) const {
    const Eigen::Index columns = modal.cols();
    if (!is_split_) {
        even_part_.resize(nodes_, columns);
        product(shapes_.data() + first, nodes_, count, modes_, modal.data(), columns,
                even_part_.data(), columns, 0, static_cast<int>(columns));
        for (Eigen::Index i = 0; i < nodes_ * columns; ++i) {
            to[i] = wa * a[i] + wb * b[i] + even_part_.data()[i];
        }
        return;
    }
    const int even_row = first % 2;
    const int odd_row = 1 - even_row;
    const Parity even = {even_.data() + (first + 1) / 2, even_.cols(),
                         modal.data() + even_row * columns, (count - even_row + 1) / 2};
    const Parity odd = {odd_.data() + first / 2, odd_.cols(), modal.data() + odd_row * columns,
                        (count - odd_row + 1) / 2};
    constexpr Eigen::Index wide = 8;
    Eigen::Index c = 0;
    while (columns >= wide && c < columns) {
        // The last block reaches back over columns that are done: they come out the same again.
        c = std::min(c, columns - wide);
        expand_columns<wide>(even, odd, even_.rows(), nodes_ - 1, columns, c, wa, a, wb, b, to);
        c += wide;
    }
    for (; c < columns; ++c) {
        expand_columns<1>(even, odd, even_.rows(), nodes_ - 1, columns, c, wa, a, wb, b, to);
    }
}

}  // namespace cutis
