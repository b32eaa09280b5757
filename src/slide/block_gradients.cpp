#include <algorithm>
#include <cmath>
#include <type_traits>

#include "slide/block_system.h"
#include "slide/parts.h"

// Conjugate gradients of BlockSystem, in single or double precision. Sums are in double.
namespace cutis::slide {

namespace {

using FourFloats = float __attribute__((vector_size(16)));
using LooseFour = float __attribute__((vector_size(16), aligned(4)));
using simd::Doubles;
using simd::Floats;
using simd::load;
using simd::store;

EIGEN_ALWAYS_INLINE FourFloats load_four(const float* from) {
    return *reinterpret_cast<const LooseFour*>(from);
}
EIGEN_ALWAYS_INLINE Floats both(FourFloats low, FourFloats high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
EIGEN_ALWAYS_INLINE Doubles widened(FourFloats a) {
    return __builtin_convertvector(a, Doubles);
}
EIGEN_ALWAYS_INLINE FourFloats low_half(Floats a) {
    return __builtin_shufflevector(a, a, 0, 1, 2, 3);
}
EIGEN_ALWAYS_INLINE FourFloats high_half(Floats a) {
    return __builtin_shufflevector(a, a, 4, 5, 6, 7);
}

/// Sums of four doubles, always in the same order.
EIGEN_ALWAYS_INLINE double total(Doubles a) {
    return (a[0] + a[1]) + (a[2] + a[3]);
}
EIGEN_ALWAYS_INLINE Doubles in_double(Doubles a) {
    return a;
}
EIGEN_ALWAYS_INLINE Doubles in_double(Floats a) {
    return widened(low_half(a)) + widened(high_half(a));
}

// Products with blocks, not yet summed: b00 p0, b01 p1, b10 p0, b11 p1.
struct Row {
    const int* columns;
    int count;
};

EIGEN_ALWAYS_INLINE FourFloats row_product(const float* blocks, const Row& row,
                                           const float* directions, FourFloats own) {
    const auto direction = [&](int i) {
        return load_four(directions + 4 * static_cast<std::ptrdiff_t>(row.columns[i]));
    };
    Floats pairs{};
    int i = 0;
    for (; i + 1 < row.count; i += 2) {
        pairs += load(blocks + 4 * i) * both(direction(i), direction(i + 1));
    }
    if (i < row.count) {
        own += load_four(blocks + 4 * i) * direction(i);
    }
    return own + low_half(pairs) + high_half(pairs);
}

EIGEN_ALWAYS_INLINE Doubles row_product(const double* blocks, const Row& row,
                                        const double* directions, Doubles own) {
    const auto direction = [&](int i) {
        return load(directions + 4 * static_cast<std::ptrdiff_t>(row.columns[i]));
    };
    Doubles other = simd::all(0.0);
    int i = 0;
    for (; i + 1 < row.count; i += 2) {
        own += load(blocks + 4 * i) * direction(i);
        other += load(blocks + 4 * i + 4) * direction(i + 1);
    }
    if (i < row.count) {
        own += load(blocks + 4 * i) * direction(i);
    }
    return own + other;
}

/// Products of several vertices' 2x2 blocks (row by row, at `blocks`) with their pairs of numbers.
EIGEN_ALWAYS_INLINE Floats diagonal_product(const float* blocks, Floats v) {
    const Floats a = load(blocks) * __builtin_shufflevector(v, v, 0, 1, 0, 1, 2, 3, 2, 3);
    const Floats b = load(blocks + 8) * __builtin_shufflevector(v, v, 4, 5, 4, 5, 6, 7, 6, 7);
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}
EIGEN_ALWAYS_INLINE Doubles diagonal_product(const double* blocks, Doubles v) {
    const Doubles a = load(blocks) * __builtin_shufflevector(v, v, 0, 1, 0, 1);
    const Doubles b = load(blocks + 4) * __builtin_shufflevector(v, v, 2, 3, 2, 3);
    return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

/// p = z + factor p for as many vertices as a register has pairs of numbers.
EIGEN_ALWAYS_INLINE void turn_directions(float* p, Floats z, Floats factor) {
    store(p, __builtin_shufflevector(z, z, 0, 1, 0, 1, 2, 3, 2, 3) + factor * load(p));
    store(p + 8, __builtin_shufflevector(z, z, 4, 5, 4, 5, 6, 7, 6, 7) + factor * load(p + 8));
}
EIGEN_ALWAYS_INLINE void turn_directions(double* p, Doubles z, Doubles factor) {
    store(p, __builtin_shufflevector(z, z, 0, 1, 0, 1) + factor * load(p));
    store(p + 4, __builtin_shufflevector(z, z, 2, 3, 2, 3) + factor * load(p + 4));
}
/// Their directions, two numbers each.
EIGEN_ALWAYS_INLINE Floats packed_directions(const float* p) {
    return __builtin_shufflevector(load(p), load(p + 8), 0, 1, 4, 5, 8, 9, 12, 13);
}
EIGEN_ALWAYS_INLINE Doubles packed_directions(const double* p) {
    return __builtin_shufflevector(load(p), load(p + 4), 0, 1, 4, 5);
}

}  // namespace

template <class Real>
class BlockSystem::Gradients {
public:
    Gradients(BlockSystem& system, Numbers<Real>& numbers, const Workers& workers)
        : system_(system), n_(numbers), workers_(workers) {}

    SolveResult run(int most_iterations, bool with_factor, std::vector<double>& x);

private:
    using Wide = simd::LanesOf<Real>;
    static constexpr int pairs = static_cast<int>(sizeof(Wide) / sizeof(Real)) / 2;

    // A p of a row, stored; returns p . A p of it, four parts.
    EIGEN_ALWAYS_INLINE Doubles multiply_row(int v) {
        const std::ptrdiff_t at = 4 * static_cast<std::ptrdiff_t>(v);
        const int first = system_.row_starts_[static_cast<size_t>(v)];
        const Row row{system_.columns_.data() + first,
                      system_.row_starts_[static_cast<size_t>(v) + 1] - first};
        const Real* blocks = n_.blocks.data() + 4 * static_cast<std::ptrdiff_t>(first);
        const Real* p = n_.direction.data();
        Real* out = n_.product.data() + 2 * static_cast<std::ptrdiff_t>(v);
        if constexpr (std::is_same_v<Real, float>) {
            const FourFloats own = load_four(p + at);
            const FourFloats sum =
                row_product(blocks, row, p, load_four(n_.diagonals.data() + at) * own);
            out[0] = sum[0] + sum[1];
            out[1] = sum[2] + sum[3];
            return widened(sum * __builtin_shufflevector(own, own, 0, 0, 1, 1));
        } else {
            const Doubles own = load(p + at);
            const Doubles sum = row_product(blocks, row, p, load(n_.diagonals.data() + at) * own);
            out[0] = sum[0] + sum[1];
            out[1] = sum[2] + sum[3];
            return sum * __builtin_shufflevector(own, own, 0, 0, 1, 1);
        }
    }

    // z = D^-1 r of one vertex; returns r . z.
    EIGEN_ALWAYS_INLINE double precondition(int v) {
        const Real* inverse = n_.inverses.data() + 4 * static_cast<std::ptrdiff_t>(v);
        const Real* r = n_.residual.data() + 2 * static_cast<std::ptrdiff_t>(v);
        Real* z = n_.preconditioned.data() + 2 * static_cast<std::ptrdiff_t>(v);
        z[0] = inverse[0] * r[0] + inverse[1] * r[1];
        z[1] = inverse[2] * r[0] + inverse[3] * r[1];
        return static_cast<double>(r[0]) * z[0] + static_cast<double>(r[1]) * z[1];
    }
    EIGEN_ALWAYS_INLINE void spread(int v, Real p0, Real p1) {
        Real* p = n_.direction.data() + 4 * static_cast<std::ptrdiff_t>(v);
        p[0] = p[2] = p0;
        p[1] = p[3] = p1;
    }

    double begin_from(const std::vector<double>& x);
    double first_residual(double share, std::vector<double>& x);
    double curvature();
    double take_step(double alpha);
    double apply_factor();
    void turn_direction(double beta);

    BlockSystem& system_;
    Numbers<Real>& n_;
    const Workers& workers_;
    double right_size_ = 0.0;
};

// The guess may be too long or too short (what moved the skin in the last step may be over): its
// best multiple is (x . b) / (x . A x), which this returns. The size of the right side in the norm
// of the residual makes that relative.
template <class Real>
double BlockSystem::Gradients<Real>::begin_from(const std::vector<double>& x) {
    const double* guess = x.data();
    const double* b = system_.right_.data();
    workers_.for_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            spread(v, static_cast<Real>(guess[2 * v]), static_cast<Real>(guess[2 * v + 1]));
        }
    });
    double* all_sums = system_.sums_.data();
    workers_.for_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        double work = 0.0;
        double size = 0.0;
        Doubles stretch = simd::all(0.0);
        for (int v = begin; v < end; ++v) {
            stretch += multiply_row(v);
            const double b0 = b[2 * v];
            const double b1 = b[2 * v + 1];
            work += guess[2 * v] * b0 + guess[2 * v + 1] * b1;
            const Real* inverse = n_.inverses.data() + 4 * static_cast<std::ptrdiff_t>(v);
            size +=
                b0 * (inverse[0] * b0 + inverse[1] * b1) + b1 * (inverse[2] * b0 + inverse[3] * b1);
        }
        double* sums = all_sums + 3 * static_cast<std::ptrdiff_t>(begin / vertex_chunk);
        sums[0] = work;
        sums[1] = total(stretch);
        sums[2] = size;
    });
    double work = 0.0;
    double stretch = 0.0;
    right_size_ = 0.0;
    for (int begin = 0; begin < system_.rows_; begin += vertex_chunk) {
        const double* sums = all_sums + 3 * static_cast<std::ptrdiff_t>(begin / vertex_chunk);
        work += sums[0];
        stretch += sums[1];
        right_size_ += sums[2];
    }
    return stretch > 0.0 && std::isfinite(work / stretch) ? work / stretch : 0.0;
}

// r = b - share A x, z = D^-1 r, p = z; returns r . z.
template <class Real>
double BlockSystem::Gradients<Real>::first_residual(double share, std::vector<double>& x) {
    const double* b = system_.right_.data();
    double* solution = x.data();
    return workers_.sum_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (int v = begin; v < end; ++v) {
            for (int i = 2 * v; i < 2 * v + 2; ++i) {
                const size_t k = static_cast<size_t>(i);
                solution[k] *= share;
                n_.residual[k] = static_cast<Real>(b[k] - share * n_.product[k]);
                n_.change[k] = Real(0);
            }
            sum += precondition(v);
            const Real* z = n_.preconditioned.data() + 2 * static_cast<std::ptrdiff_t>(v);
            spread(v, z[0], z[1]);
        }
        return sum;
    });
}

// A p; returns p . A p.
template <class Real>
double BlockSystem::Gradients<Real>::curvature() {
    return workers_.sum_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        Doubles sum = simd::all(0.0);
        for (int v = begin; v < end; ++v) {
            sum += multiply_row(v);
        }
        return total(sum);
    });
}

// x += alpha p, r -= alpha A p, z = D^-1 r; returns r . z.
template <class Real>
double BlockSystem::Gradients<Real>::take_step(double alpha) {
    return workers_.sum_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        const Real step = static_cast<Real>(alpha);
        Real* x = n_.change.data();
        Real* r = n_.residual.data();
        Real* z = n_.preconditioned.data();
        const Real* p = n_.direction.data();
        const Real* ap = n_.product.data();
        const Real* inverses = n_.inverses.data();
        Doubles sums = simd::all(0.0);
        for (int v = begin; v < end; v += pairs) {  // beyond the last row all is zero
            store(x + 2 * v, load(x + 2 * v) +
                                 step * packed_directions(p + 4 * static_cast<std::ptrdiff_t>(v)));
            const Wide rest = load(r + 2 * v) - step * load(ap + 2 * v);
            const Wide solved =
                diagonal_product(inverses + 4 * static_cast<std::ptrdiff_t>(v), rest);
            store(r + 2 * v, rest);
            store(z + 2 * v, solved);
            sums += in_double(rest * solved);
        }
        return total(sums);
    });
}

// z = L^-T L^-1 r; returns r . z.
template <class Real>
double BlockSystem::Gradients<Real>::apply_factor() {
    std::vector<double>& z = system_.factored_;
    z.assign(n_.residual.begin(), n_.residual.begin() + 2 * system_.rows_);
    system_.factor_->solve(z);
    return workers_.sum_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        double sum = 0.0;
        for (size_t i = 2 * static_cast<size_t>(begin); i < 2 * static_cast<size_t>(end); ++i) {
            n_.preconditioned[i] = static_cast<Real>(z[i]);
            sum += static_cast<double>(n_.residual[i]) * n_.preconditioned[i];
        }
        return sum;
    });
}

// p = z + beta p
template <class Real>
void BlockSystem::Gradients<Real>::turn_direction(double beta) {
    workers_.for_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
        const Wide factor = Wide{} + static_cast<Real>(beta);
        const Real* z = n_.preconditioned.data();
        Real* p = n_.direction.data();
        for (int v = begin; v < end; v += pairs) {
            turn_directions(p + 4 * static_cast<std::ptrdiff_t>(v), load(z + 2 * v), factor);
        }
    });
}

template <class Real>
SolveResult BlockSystem::Gradients<Real>::run(int most_iterations, bool with_factor,
                                              std::vector<double>& x) {
    double jacobi_size = first_residual(begin_from(x), x);
    SolveResult result;
    const double goal = system_.tolerance_ * system_.tolerance_ * right_size_;
    const auto residual = [&] {
        return right_size_ > 0.0 ? std::sqrt(jacobi_size / right_size_) : 0.0;
    };
    if (!(jacobi_size > goal)) {
        result.residual = residual();
        result.is_solved = jacobi_size <= goal;
        return result;
    }
    double rz = jacobi_size;
    if (with_factor) {
        rz = apply_factor();
        turn_direction(0.0);
    }
    while (jacobi_size > goal && result.iterations < most_iterations) {
        ++result.iterations;
        const double bend = curvature();
        if (!(bend > 0.0) || !std::isfinite(bend)) {
            break;
        }
        jacobi_size = take_step(rz / bend);
        if (!(jacobi_size > goal)) {
            break;
        }
        const double rz_new = with_factor ? apply_factor() : jacobi_size;
        turn_direction(rz_new / rz);
        rz = rz_new;
    }
    result.residual = residual();
    result.is_solved = jacobi_size <= goal;
    if (std::isfinite(jacobi_size)) {
        double* solution = x.data();
        workers_.for_chunks(system_.rows_, vertex_chunk, [&](int begin, int end) {
            for (int i = 2 * begin; i < 2 * end; ++i) {
                solution[i] += n_.change[static_cast<size_t>(i)];
            }
        });
    }
    return result;
}

SolveResult BlockSystem::solve(int most_iterations, bool use_factor, const Workers& workers,
                               std::vector<double>& x) {
    const bool with_factor = use_factor && has_factor_;
    if (is_rough_) {
        return Gradients<float>(*this, rough_, workers).run(most_iterations, with_factor, x);
    }
    return Gradients<double>(*this, fine_, workers).run(most_iterations, with_factor, x);
}

}  // namespace cutis::slide
