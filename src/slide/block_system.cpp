#include "slide/block_system.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cutis/core/error.h"
#include "slide/parts.h"

namespace cutis::slide {

using wide::Lanes;
using wide::load;
using wide::store;

BlockSystem::BlockSystem(const Topology& topology) : vertex_count_(topology.vertex_count()) {
    const MatrixX3i& triangles = topology.triangles();
    row_starts_.reserve(static_cast<size_t>(vertex_count_) + 1);
    row_starts_.push_back(0);
    columns_.reserve(2 * topology.edges().size());
    for (int v = 0; v < vertex_count_; ++v) {
        const auto fan = topology.triangles_around(v);
        int last = -1;
        for (const int f : fan) {
            const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
            columns_.push_back(triangles(f, (k + 1) % 3));
            last = triangles(f, (k + 2) % 3);
        }
        if (topology.is_boundary_vertex(v)) {
            columns_.push_back(last);
        }
        row_starts_.push_back(static_cast<int>(columns_.size()));
    }
}

void BlockSystem::make_rows(int rows) {
    rows_ = rows;
    blocks_ = Records(row_starts_[static_cast<size_t>(rows)]);
    // Where the blocks do not fit the cache, half as many bytes to read are worth a copy.
    constexpr int many_rows = 4096;
    rough_blocks_.assign(
        rows < many_rows ? 0 : 4 * static_cast<size_t>(row_starts_[static_cast<size_t>(rows)]),
        0.0f);
    diagonals_ = Records(rows);
    inverses_ = Records(rows);
    direction_ = Records(vertex_count_);
    const size_t unknowns = 2 * static_cast<size_t>(rows);
    right_.resize(unknowns);
    residual_.resize(unknowns);
    preconditioned_.resize(unknowns);
    product_.resize(unknowns);
    sums_.resize(3 * static_cast<size_t>(rows / vertex_chunk + 1));
}

void BlockSystem::finish_rows(int begin, int end) {
    const int last = rough_blocks_.empty() ? 0 : row_starts_[static_cast<size_t>(end)];
    for (int i = row_starts_[static_cast<size_t>(begin)]; i < last; ++i) {
        const double* from = blocks_.at(i);
        float* to = rough_blocks_.data() + 4 * static_cast<std::ptrdiff_t>(i);
        for (int k = 0; k < 4; ++k) {
            to[k] = static_cast<float>(from[k]);
        }
    }
    for (int v = begin; v < end; ++v) {
        const double* d = diagonals_.at(v);
        const double determinant = d[0] * d[3] - d[1] * d[2];
        const double scale = determinant > 0.0 ? 1.0 / determinant : 0.0;
        double* inverse = inverses_.at(v);
        inverse[0] = d[3] * scale;
        inverse[1] = -d[1] * scale;
        inverse[2] = -d[2] * scale;
        inverse[3] = d[0] * scale;
    }
}

namespace {

// Plain pointers, so that the hot loops keep them in registers.
struct View {
    const int* starts;
    const int* columns;
    const double* blocks;
    const float* rough_blocks;
    const double* diagonals;
    const double* inverses;
};

using FourFloats = float __attribute__((vector_size(16)));

EIGEN_ALWAYS_INLINE Lanes block_at(const double* blocks, int i) {
    return load(blocks + 4 * static_cast<std::ptrdiff_t>(i));
}
EIGEN_ALWAYS_INLINE Lanes block_at(const float* blocks, int i) {
    FourFloats four;
    std::memcpy(&four, blocks + 4 * static_cast<std::ptrdiff_t>(i), sizeof(four));
    return __builtin_convertvector(four, Lanes);
}

// Row v of the product with vectors stored as p0 p0 p1 p1.
template <class Number>
EIGEN_ALWAYS_INLINE void row_product(const View& view, const Number* blocks,
                                     const double* direction, int v, double& y0, double& y1) {
    Lanes sum = load(view.diagonals + 4 * static_cast<std::ptrdiff_t>(v)) *
                load(direction + 4 * static_cast<std::ptrdiff_t>(v));
    Lanes other = lanes::all(0.0);
    const int end = view.starts[v + 1];
    int i = view.starts[v];
    for (; i + 1 < end; i += 2) {
        sum += block_at(blocks, i) *
               load(direction + 4 * static_cast<std::ptrdiff_t>(view.columns[i]));
        other += block_at(blocks, i + 1) *
                 load(direction + 4 * static_cast<std::ptrdiff_t>(view.columns[i + 1]));
    }
    if (i < end) {
        sum += block_at(blocks, i) *
               load(direction + 4 * static_cast<std::ptrdiff_t>(view.columns[i]));
    }
    sum += other;
    y0 = sum[0] + sum[2];
    y1 = sum[1] + sum[3];
}

EIGEN_ALWAYS_INLINE void spread(double* direction, int v, double p0, double p1) {
    store(direction + 4 * static_cast<std::ptrdiff_t>(v), Lanes{p0, p0, p1, p1});
}

}  // namespace

void BlockSystem::multiply(const std::vector<double>& x, std::vector<double>& y,
                           const Workers& workers) const {
    workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            Vector2d sum = Eigen::Map<const Eigen::Matrix2d>(diagonal(v)) *
                           Eigen::Map<const Vector2d>(x.data() + 2 * v);
            for (int i = row_begin(v); i < row_end(v); ++i) {
                sum += Eigen::Map<const Eigen::Matrix2d>(block(i)) *
                       Eigen::Map<const Vector2d>(x.data() + 2 * column(i));
            }
            y[2 * static_cast<size_t>(v)] = sum[0];
            y[2 * static_cast<size_t>(v) + 1] = sum[1];
        }
    });
}

SolveResult BlockSystem::solve(double tolerance, int most_iterations, bool use_factor,
                               const Workers& workers, std::vector<double>& x) {
    const bool with_factor = use_factor && has_factor_;
    double* p = direction_.data();
    double* r = residual_.data();
    double* z = preconditioned_.data();
    double* ap = product_.data();
    const double* b = right_.data();
    double* solution = x.data();
    const View view = {row_starts_.data(),   columns_.data(),   blocks_.data(),
                       rough_blocks_.data(), diagonals_.data(), inverses_.data()};
    // Blocks in single precision are off by 6e-8 and take half the time to read.
    constexpr double finest_rough = 1e-6;
    const bool is_rough = !rough_blocks_.empty() && tolerance >= finest_rough;
    const auto multiply_row = [&](int v) {
        if (is_rough) {
            row_product(view, view.rough_blocks, p, v, ap[2 * v], ap[2 * v + 1]);
        } else {
            row_product(view, view.blocks, p, v, ap[2 * v], ap[2 * v + 1]);
        }
    };
    // z = D^-1 r at vertex v; returns r . z.
    const auto precondition = [&](int v, double r0, double r1) {
        const double* inverse = view.inverses + 4 * static_cast<std::ptrdiff_t>(v);
        const double z0 = inverse[0] * r0 + inverse[2] * r1;
        const double z1 = inverse[1] * r0 + inverse[3] * r1;
        z[2 * v] = z0;
        z[2 * v + 1] = z1;
        return r0 * z0 + r1 * z1;
    };
    const auto dot_rz = [&](int begin, int end) {
        double sum = 0.0;
        for (int i = 2 * begin; i < 2 * end; ++i) {
            sum += r[i] * z[i];
        }
        return sum;
    };
    workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            spread(p, v, solution[2 * v], solution[2 * v + 1]);
        }
    });
    // The guess may be too long or too short (what moved the skin in the last step may be over):
    // its best multiple is (x . b) / (x . A x). The size of the right side in the norm of the
    // residual makes that relative.
    workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        double work = 0.0;
        double stretch = 0.0;
        double size = 0.0;
        for (int v = begin; v < end; ++v) {
            multiply_row(v);
            const double b0 = b[2 * v];
            const double b1 = b[2 * v + 1];
            work += solution[2 * v] * b0 + solution[2 * v + 1] * b1;
            stretch += solution[2 * v] * ap[2 * v] + solution[2 * v + 1] * ap[2 * v + 1];
            const double* inverse = view.inverses + 4 * static_cast<std::ptrdiff_t>(v);
            size +=
                b0 * (inverse[0] * b0 + inverse[2] * b1) + b1 * (inverse[1] * b0 + inverse[3] * b1);
        }
        double* sums = sums_.data() + 3 * static_cast<std::ptrdiff_t>(begin / vertex_chunk);
        sums[0] = work;
        sums[1] = stretch;
        sums[2] = size;
    });
    double work = 0.0;
    double stretch = 0.0;
    double right_size = 0.0;
    for (int begin = 0; begin < rows_; begin += vertex_chunk) {
        const double* sums = sums_.data() + 3 * static_cast<std::ptrdiff_t>(begin / vertex_chunk);
        work += sums[0];
        stretch += sums[1];
        right_size += sums[2];
    }
    const double share = stretch > 0.0 && std::isfinite(work / stretch) ? work / stretch : 0.0;
    double jacobi_size = workers.sum_chunks(rows_, vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (int v = begin; v < end; ++v) {
            solution[2 * v] *= share;
            solution[2 * v + 1] *= share;
            r[2 * v] = b[2 * v] - share * ap[2 * v];
            r[2 * v + 1] = b[2 * v + 1] - share * ap[2 * v + 1];
            sum += precondition(v, r[2 * v], r[2 * v + 1]);
            spread(p, v, z[2 * v], z[2 * v + 1]);
        }
        return sum;
    });
    SolveResult result;
    const double goal = tolerance * tolerance * right_size;
    if (!(jacobi_size > goal)) {
        result.residual = right_size > 0.0 ? std::sqrt(jacobi_size / right_size) : 0.0;
        return result;
    }
    const auto apply_factor = [&] {
        std::copy(residual_.begin(), residual_.end(), preconditioned_.begin());
        factor_->solve(preconditioned_);
        return workers.sum_chunks(rows_, vertex_chunk, dot_rz);
    };
    double rz = jacobi_size;
    if (with_factor) {
        rz = apply_factor();
        workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                spread(p, v, z[2 * v], z[2 * v + 1]);
            }
        });
    }
    while (jacobi_size > goal && result.iterations < most_iterations) {
        ++result.iterations;
        const double curvature = workers.sum_chunks(rows_, vertex_chunk, [&](int begin, int end) {
            double sum = 0.0;
            for (int v = begin; v < end; ++v) {
                multiply_row(v);
                const double* pv = p + 4 * static_cast<std::ptrdiff_t>(v);
                sum += pv[0] * ap[2 * v] + pv[2] * ap[2 * v + 1];
            }
            return sum;
        });
        if (!(curvature > 0.0) || !std::isfinite(curvature)) {
            break;
        }
        const double alpha = rz / curvature;
        jacobi_size = workers.sum_chunks(rows_, vertex_chunk, [&](int begin, int end) {
            const Lanes step = lanes::all(alpha);
            Lanes sums = lanes::all(0.0);
            int v = begin;
            for (; v + 1 < end; v += 2) {  // two vertices at once
                const double* pv = p + 4 * static_cast<std::ptrdiff_t>(v);
                const Lanes both = __builtin_shufflevector(load(pv), load(pv + 4), 0, 2, 4, 6);
                store(solution + 2 * v, load(solution + 2 * v) + step * both);
                const Lanes rest = load(r + 2 * v) - step * load(ap + 2 * v);
                store(r + 2 * v, rest);
                const double* inverse = view.inverses + 4 * static_cast<std::ptrdiff_t>(v);
                const Lanes first = load(inverse) * __builtin_shufflevector(rest, rest, 0, 0, 1, 1);
                const Lanes second =
                    load(inverse + 4) * __builtin_shufflevector(rest, rest, 2, 2, 3, 3);
                const Lanes solved = __builtin_shufflevector(first, second, 0, 1, 4, 5) +
                                     __builtin_shufflevector(first, second, 2, 3, 6, 7);
                store(z + 2 * v, solved);
                sums += rest * solved;
            }
            double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            if (v < end) {
                const double* pv = p + 4 * static_cast<std::ptrdiff_t>(v);
                solution[2 * v] += alpha * pv[0];
                solution[2 * v + 1] += alpha * pv[2];
                r[2 * v] -= alpha * ap[2 * v];
                r[2 * v + 1] -= alpha * ap[2 * v + 1];
                sum += precondition(v, r[2 * v], r[2 * v + 1]);
            }
            return sum;
        });
        if (!(jacobi_size > goal)) {
            break;
        }
        const double rz_new = with_factor ? apply_factor() : jacobi_size;
        const double beta = rz_new / rz;
        rz = rz_new;
        workers.for_chunks(rows_, vertex_chunk, [&](int begin, int end) {
            const Lanes factor = lanes::all(beta);
            int v = begin;
            for (; v + 1 < end; v += 2) {
                double* pv = p + 4 * static_cast<std::ptrdiff_t>(v);
                const Lanes both = load(z + 2 * v);
                store(pv, __builtin_shufflevector(both, both, 0, 0, 1, 1) + factor * load(pv));
                store(pv + 4,
                      __builtin_shufflevector(both, both, 2, 2, 3, 3) + factor * load(pv + 4));
            }
            if (v < end) {
                const double* pv = p + 4 * static_cast<std::ptrdiff_t>(v);
                spread(p, v, z[2 * v] + beta * pv[0], z[2 * v + 1] + beta * pv[2]);
            }
        });
    }
    result.residual = right_size > 0.0 ? std::sqrt(jacobi_size / right_size) : 0.0;
    result.is_solved = !(jacobi_size > goal);
    return result;
}

void BlockSystem::refactor() {
    has_factor_ = false;
    if (lower_.size == 0) {
        // The lower triangle: both halves of a block row, sorted once.
        std::vector<SparseEntry> entries;
        std::vector<int> slots;
        for (int v = 0; v < rows_; ++v) {
            for (int a = 0; a < 2; ++a) {
                for (int c = 0; c <= a; ++c) {
                    entries.push_back({2 * v + a, 2 * v + c, 0.0});
                }
            }
            for (int i = row_begin(v); i < row_end(v); ++i) {
                if (column(i) < v) {
                    for (int c = 0; c < 2; ++c) {
                        for (int a = 0; a < 2; ++a) {
                            entries.push_back({2 * v + a, 2 * column(i) + c, 0.0});
                        }
                    }
                }
            }
        }
        CompressedEntries compressed = compress_lower(2 * rows_, {entries.data(), entries.size()});
        lower_ = std::move(compressed.matrix);
        lower_slots_ = std::move(compressed.slot_of_entry);
    }
    size_t next = 0;
    for (int v = 0; v < rows_; ++v) {
        const double* d = diagonal(v);
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[0];
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[1];
        lower_.values[static_cast<size_t>(lower_slots_[next++])] = d[3];
        for (int i = row_begin(v); i < row_end(v); ++i) {
            if (column(i) < v) {
                const double* values = block(i);
                for (int k = 0; k < 4; ++k) {
                    lower_.values[static_cast<size_t>(lower_slots_[next++])] = values[k];
                }
            }
        }
    }
    try {
        if (factor_) {
            factor_->refactor(lower_.values);
        } else {
            factor_ = std::make_unique<SparseSolver>(lower_);
        }
        has_factor_ = true;
    } catch (const SolverFailure&) {
        has_factor_ = false;  // rounding made it indefinite: the diagonal blocks serve instead
    }
}

size_t BlockSystem::bytes() const {
    return blocks_.bytes() + diagonals_.bytes() + inverses_.bytes() + direction_.bytes() +
           sizeof(float) * rough_blocks_.size() +
           sizeof(double) * (4 * right_.size() + sums_.size() + lower_.values.size()) +
           sizeof(int) * (columns_.size() + row_starts_.size() + lower_slots_.size());
}

}  // namespace cutis::slide
