#include <algorithm>
#include <cmath>

#include "slide/block_system.h"
#include "slide/parts.h"

// Conjugate gradients of BlockSystem, in single or double precision. Sums are in double.
//
// The preconditioner is M = (D + L) D^-1 (D + L)^T, chunks of one kind apart, L the blocks of A below
// the diagonal and D between its diagonal (SSOR) and what makes M's diagonal that of A (incomplete LU
// of the diagonal kind, Pommerell 1992). On skin the latter has pivots next to zero: a dancer's body
// takes 207 iterations with it, 47 with SSOR, 38 half way, 80 with diagonal blocks alone (each chunk by
// itself); half way relaxing ended too early on rough bodies, so a little less is taken. With D = C
// C^T all is scaled by C^-1, which makes D the identity; then
//   (I + L)^-1 A (I + L)^-T p = t + (I + L)^-1 (p + (diag A - 2 I) t + R t),  t = (I + L)^-T p,
// with R what couples chunks of a kind: the two triangular solves take the place of the product with A
// (Eisenstat 1981), and no other work comes with the preconditioner.
//
// Where neighbours count for little (steps of a millisecond) a few iterations with the diagonal
// blocks cost less than factoring: then L = 0, rows keep their order and t = C^-T p meets the blocks
// as they were assembled.
namespace cutis::slide {

namespace {

template <class Real>
struct FourOf;
template <>
struct FourOf<float> {
    using Lanes = float __attribute__((vector_size(16)));
};
template <>
struct FourOf<double> {
    using Lanes = simd::Doubles;
};
template <class Real>
using Four = typename FourOf<Real>::Lanes;
using Two = double __attribute__((vector_size(16)));

using LooseFloats __attribute__((aligned(4))) = Four<float>;

EIGEN_ALWAYS_INLINE Four<double> four_at(const double* from, std::ptrdiff_t index) {
    return simd::load(from + 4 * index);
}
EIGEN_ALWAYS_INLINE Four<float> four_at(const float* from, std::ptrdiff_t index) {
    return *reinterpret_cast<const LooseFloats*>(from + 4 * index);
}
EIGEN_ALWAYS_INLINE void set_four(double* to, std::ptrdiff_t index, Four<double> value) {
    simd::store(to + 4 * index, value);
}
EIGEN_ALWAYS_INLINE void set_four(float* to, std::ptrdiff_t index, Four<float> value) {
    *reinterpret_cast<LooseFloats*>(to + 4 * index) = value;
}
/// x y x y of vertex `index` of a vector, ready for one multiplication with a block.
EIGEN_ALWAYS_INLINE FourOf<float>::Lanes pair_at(const float* from, std::ptrdiff_t index) {
    using Both = float __attribute__((vector_size(8)));
    using Loose __attribute__((aligned(4), may_alias)) = Both;
    const Both both = *reinterpret_cast<const Loose*>(from + 2 * index);
    return __builtin_shufflevector(both, both, 0, 1, 0, 1);
}
EIGEN_ALWAYS_INLINE simd::Doubles pair_at(const double* from, std::ptrdiff_t index) {
    const double x = from[2 * index];
    const double y = from[2 * index + 1];
    return simd::Doubles{x, y, x, y};
}
template <class Real>
EIGEN_ALWAYS_INLINE void set_pair(Real* to, std::ptrdiff_t index, Four<Real> value) {
    to[2 * index] = value[0];
    to[2 * index + 1] = value[1];
}
/// x y of x y x y, for sums.
EIGEN_ALWAYS_INLINE Two widened(FourOf<float>::Lanes a) {
    return __builtin_convertvector(__builtin_shufflevector(a, a, 0, 1), Two);
}
EIGEN_ALWAYS_INLINE Two widened(simd::Doubles a) {
    return __builtin_shufflevector(a, a, 0, 1);
}
/// b00 x, b01 y, b10 x, b11 y of a block times a vector: the vector they make, x y x y.
template <class Lanes>
EIGEN_ALWAYS_INLINE Lanes paired(Lanes a) {
    return __builtin_shufflevector(a, a, 0, 2, 0, 2) + __builtin_shufflevector(a, a, 1, 3, 1, 3);
}
/// C^-1 B; `inverse` holds 00 10 11 of C^-1.
template <class Real, class Lanes>
EIGEN_ALWAYS_INLINE Lanes scaled_left(const Real* inverse, Lanes b) {
    return Lanes{inverse[0], inverse[0], inverse[1], inverse[1]} * __builtin_shufflevector(b, b, 0, 1, 0, 1) +
           Lanes{0, 0, inverse[2], inverse[2]} * __builtin_shufflevector(b, b, 2, 3, 2, 3);
}
/// B C^-T
template <class Real, class Lanes>
EIGEN_ALWAYS_INLINE Lanes scaled_right(const Real* inverse, Lanes b) {
    return Lanes{inverse[0], inverse[1], inverse[0], inverse[1]} * __builtin_shufflevector(b, b, 0, 0, 2, 2) +
           Lanes{0, inverse[2], 0, inverse[2]} * __builtin_shufflevector(b, b, 1, 1, 3, 3);
}

}  // namespace

template <class Real>
class BlockSystem::Gradients {
public:
    Gradients(BlockSystem& system, Numbers<Real>& numbers, const Workers& workers)
        : system_(system), n_(numbers), workers_(workers) {}

    SolveResult run(int most_iterations, std::vector<double>& x, const std::vector<unsigned char>* activity);

private:
    using Lanes = Four<Real>;

    const Real* inverse(int place) const { return n_.inverses.data() + 4 * static_cast<std::ptrdiff_t>(place); }

    // Groups as loops read them.
    struct Part {
        const int *starts, *columns;
        const Real* blocks;
        Part(const Groups& groups, const std::vector<Real>& numbers)
            : starts(groups.starts.data()), columns(groups.columns.data()), blocks(numbers.data()) {}

        // Products of the row at a place of the order with a vector, not yet summed.
        EIGEN_ALWAYS_INLINE Lanes product(std::ptrdiff_t place, const Real* vector, Lanes sum = Lanes{}) const {
            Lanes other{};
            const std::ptrdiff_t end = 4 * static_cast<std::ptrdiff_t>(starts[place + 1]);
            for (std::ptrdiff_t i = 4 * static_cast<std::ptrdiff_t>(starts[place]); i < end; i += 4) {
                const int* column = columns + i;
                sum += four_at(blocks, i) * pair_at(vector, column[0]);
                other += four_at(blocks, i + 1) * pair_at(vector, column[1]);
                sum += four_at(blocks, i + 2) * pair_at(vector, column[2]);
                other += four_at(blocks, i + 3) * pair_at(vector, column[3]);
            }
            return sum + other;
        }
    };

    bool is_unknown(int v) const {
        return activity_ == nullptr || (*activity_)[static_cast<size_t>(v)] == Activity::awake;
    }
    // Places of the unknowns of the chunk that begins there.
    struct Places {
        const int *begin, *end;
    };
    Places unknowns(int chunk_begin) const {
        const size_t chunk = static_cast<size_t>(chunk_begin / solver_chunk);
        const int* places = system_.awake_places_.data();
        return {places + (chunk == 0 ? 0 : system_.awake_ends_[chunk - 1]), places + system_.awake_ends_[chunk]};
    }
    void list_unknowns();
    // A row that is no unknown is zero wherever it is met.
    void leave_out(int place) {
        set_four(n_.inverses.data(), place, Lanes{});
        set_four(n_.diagonals.data(), place, Lanes{});
        for (std::vector<Real>* vector : {&n_.direction, &n_.residual, &n_.solution, &n_.inner, &n_.outer}) {
            set_pair(vector->data(), place, Lanes{});
        }
    }

    // Chunks of even or of odd number: none of the one meets another of its colour but in `remote`.
    template <class Work>
    double sum_colour(int colour, const Work& work) const {
        const int chunks = (system_.rows_ + solver_chunk - 1) / solver_chunk;
        return workers_.sum_chunks((chunks + 1 - colour) / 2, 1, [&](int from, int to) {
            double sum = 0.0;
            for (int i = from; i < to; ++i) {
                const int begin = (2 * i + colour) * solver_chunk;
                sum += work(begin, std::min(begin + solver_chunk, system_.rows_));
            }
            return sum;
        });
    }
    /// In the order of elimination.
    template <class Work>
    double sum_forth(const Work& work) const {
        const double first = sum_colour(0, work);
        return first + sum_colour(1, work);
    }
    template <class Work>
    void for_chunks_back(const Work& work) const {
        const auto done = [&](int begin, int end) {
            work(begin, end);
            return 0.0;
        };
        sum_colour(1, done);
        sum_colour(0, done);
    }

    int row_at(int place) const { return is_weak_ ? place : system_.sequence_[static_cast<size_t>(place)]; }

    // C^-T of a vector of a vertex.
    EIGEN_ALWAYS_INLINE Lanes turned_back(std::ptrdiff_t place, Lanes from) const {
        const Real* i = n_.inverses.data() + 4 * place;
        return Lanes{i[0], i[2], i[0], i[2]} * from +
               Lanes{i[1], 0, i[1], 0} * __builtin_shufflevector(from, from, 1, 0, 3, 2);
    }

    // (I + L)^-T of a vector, within a chunk; C^-T where L = 0.
    void solve_back(int begin, int end, const Real* from, Real* to) const {
        for (std::ptrdiff_t place = begin; is_weak_ && place < end; ++place) {
            set_pair(to, place, turned_back(place, pair_at(from, place)));
        }
        if (is_weak_) {
            return;
        }
        const Part upper(system_.upper_, n_.upper);
        const Places places = unknowns(begin);
        for (const int* at = places.end; at != places.begin;) {
            const std::ptrdiff_t place = *--at;
            set_pair(to, place, pair_at(from, place) - paired(upper.product(place, to)));
        }
    }

    template <class Scale>
    void scale(const Groups& groups, const std::vector<Real>& from, Places places, std::vector<Real>& out,
               const Scale& scaled);
    void factor(Places places);
    bool find_weakness() const;
    void factor_diagonals(Places places);
    EIGEN_ALWAYS_INLINE void set_inverse(int place, double d00, double d01, double d11);
    void begin_from(const std::vector<double>& x);
    double weak_image(int begin, int end);
    double find_image();
    double take_step(double length);
    void turn_direction(double beta);
    void finish(std::vector<double>& x);

    BlockSystem& system_;
    Numbers<Real>& n_;
    const Workers& workers_;
    double right_size_ = 0.0;
    double guess_work_ = 0.0;  // of the right side
    bool is_weak_ = false;     // L = 0
    const std::vector<unsigned char>* activity_ = nullptr;
};

template <class Real>
void BlockSystem::Gradients<Real>::list_unknowns() {
    system_.awake_places_.clear();
    system_.awake_ends_.clear();
    for (int begin = 0; begin < system_.rows_; begin += solver_chunk) {
        for (int place = begin; place < std::min(begin + solver_chunk, system_.rows_); ++place) {
            if (is_unknown(row_at(place))) {
                system_.awake_places_.push_back(place);
            } else {
                leave_out(place);
            }
        }
        system_.awake_ends_.push_back(static_cast<int>(system_.awake_places_.size()));
    }
}

// Blocks of rows, each by scaled(its place, that of its column, the block it is made from).
template <class Real>
template <class Scale>
void BlockSystem::Gradients<Real>::scale(const Groups& groups, const std::vector<Real>& from, Places places,
                                         std::vector<Real>& out, const Scale& scaled) {
    for (const int* at = places.begin; at != places.end; ++at) {
        const int place = *at;
        for (int i = 4 * groups.starts[static_cast<size_t>(place)];
             i < 4 * groups.starts[static_cast<size_t>(place) + 1] && groups.entries[static_cast<size_t>(i)] >= 0;
             ++i) {
            const Lanes block = four_at(from.data(), groups.entries[static_cast<size_t>(i)]);
            set_four(out.data(), i, scaled(place, groups.columns[static_cast<size_t>(i)], block));
        }
    }
}

// Are the blocks beside the diagonal, of every seventh row, less than 0.6 of those on it?
template <class Real>
bool BlockSystem::Gradients<Real>::find_weakness() const {
    double beside = 0.0;
    double own = 0.0;
    for (int v = 0; v < system_.rows_; v += 7) {
        if (!is_unknown(v)) {
            continue;
        }
        for (int i = system_.row_begin(v); i < system_.row_end(v); ++i) {
            const Real* block = n_.blocks.data() + 4 * static_cast<std::ptrdiff_t>(i);
            beside += system_.column(i) < system_.rows_ ? std::abs(block[0]) + std::abs(block[3]) : 0.0;
        }
        own += system_.diagonal(v)[0] + system_.diagonal(v)[3];
    }
    return beside < 0.6 * own;
}

template <class Real>
void BlockSystem::Gradients<Real>::set_inverse(int place, double d00, double d01, double d11) {
    constexpr double largest = 1e15;  // single precision holds its square; such a vertex stays still
    // C = [c00 0; c10 c11]: c00^2 = d00, c00 c10 = d01, c00 c11 = sqrt of the determinant.
    const double area = std::sqrt(d00 * d11 - d01 * d01);
    const double inverse = 1.0 / (std::sqrt(d00) * area);
    const double i0 = area * inverse;
    const double i1 = -d01 * inverse;
    const double i2 = d00 * inverse;
    const bool is_good = i0 < largest && i2 < largest && std::abs(i1) < largest;
    set_four(n_.inverses.data(), place,
             is_good ? Lanes{static_cast<Real>(i0), static_cast<Real>(i1), static_cast<Real>(i2), 0} : Lanes{});
}

template <class Real>
void BlockSystem::Gradients<Real>::factor_diagonals(Places places) {
    for (const int* at = places.begin; at != places.end; ++at) {
        const int v = *at;
        const double* a = system_.diagonal(v);
        set_inverse(v, a[0], a[1], a[3]);
        set_four(
            n_.diagonals.data(), v,
            Lanes{static_cast<Real>(a[0]), static_cast<Real>(a[1]), static_cast<Real>(a[1]), static_cast<Real>(a[3])});
    }
}

// Rows of a chunk: D = A_vv - sum L D^-1 L^T over what was eliminated before, its factor, and L.
template <class Real>
void BlockSystem::Gradients<Real>::factor(Places places) {
    constexpr double share = 0.3;   // of what elimination takes
    constexpr double least = 0.02;  // of what A has: less is rounding, or no diagonal of this kind exists
    for (const int* at = places.begin; at != places.end; ++at) {
        const int place = *at;
        const int v = system_.sequence_[static_cast<size_t>(place)];
        Lanes squares{};
        Lanes crossed{};
        scale(system_.lower_, n_.blocks, {at, at + 1}, n_.lower, [&](int, int w, Lanes block) {
            const Lanes z = scaled_right(inverse(w), block);
            squares += z * z;
            crossed += z * __builtin_shufflevector(z, z, 2, 3, 0, 1);
            return z;
        });
        const double* a = system_.diagonal(v);
        double d00 = a[0] - share * (squares[0] + squares[1]);
        double d01 = a[1] - share * (crossed[0] + crossed[1]);
        double d11 = a[3] - share * (squares[2] + squares[3]);
        if (!(d00 > least * a[0] && d11 > least * a[3] &&
              d00 * d11 - d01 * d01 > least * (a[0] * a[3] - a[1] * a[1]))) {
            d00 = a[0];
            d01 = a[1];
            d11 = a[3];
        }
        set_inverse(place, d00, d01, d11);
        const Lanes own = {static_cast<Real>(a[0]), static_cast<Real>(a[1]), static_cast<Real>(a[1]),
                           static_cast<Real>(a[3])};
        set_four(n_.diagonals.data(), place,
                 scaled_left(inverse(place), scaled_right(inverse(place), own)) - Lanes{2, 0, 0, 2});
        for (int i = 4 * system_.lower_.starts[static_cast<size_t>(place)];
             i < 4 * system_.lower_.starts[static_cast<size_t>(place) + 1]; ++i) {
            set_four(n_.lower.data(), i, scaled_left(inverse(place), four_at(n_.lower.data(), i)));
        }
    }
}

// The other blocks, and the first direction: the guess as it is here.
template <class Real>
void BlockSystem::Gradients<Real>::begin_from(const std::vector<double>& x) {
    is_weak_ = find_weakness();
    list_unknowns();
    sum_forth([&](int begin, int) {
        is_weak_ ? factor_diagonals(unknowns(begin)) : factor(unknowns(begin));
        return 0.0;
    });
    right_size_ = sum_forth([&](int begin, int) {
        const Places places = unknowns(begin);
        if (!is_weak_) {
            scale(system_.upper_, n_.lower, places, n_.upper,
                  [](int, int, Lanes block) { return __builtin_shufflevector(block, block, 0, 2, 1, 3); });
            scale(system_.remote_, n_.blocks, places, n_.remote,
                  [&](int v, int w, Lanes block) { return scaled_left(inverse(v), scaled_right(inverse(w), block)); });
        }
        const Part lower(system_.lower_, n_.lower);
        Two size{};
        for (const int* at = places.begin; at != places.end; ++at) {
            const int place = *at;
            const int v = row_at(place);
            const Real* i = inverse(place);
            const Real b0 = static_cast<Real>(system_.right_[2 * static_cast<size_t>(v)]);
            const Real b1 = static_cast<Real>(system_.right_[2 * static_cast<size_t>(v) + 1]);
            const Real s0 = i[0] * b0;
            const Real s1 = i[1] * b0 + i[2] * b1;
            Lanes r = {s0, s1, s0, s1};
            if (!is_weak_) {
                r -= paired(lower.product(place, n_.residual.data()));
            }
            set_pair(n_.residual.data(), place, r);
            set_pair(n_.solution.data(), place, Lanes{});
            size += widened(r * r);
            // C^T x
            const Real x0 = static_cast<Real>(x[2 * static_cast<size_t>(v)]);
            const Real x1 = static_cast<Real>(x[2 * static_cast<size_t>(v) + 1]);
            const Real t1 = i[2] > 0 ? x1 / i[2] : Real(0);
            const Real t0 = i[0] > 0 ? (x0 - i[1] * t1) / i[0] : Real(0);
            set_pair(n_.inner.data(), place, Lanes{t0, t1, t0, t1});
        }
        return size[0] + size[1];
    });
    guess_work_ = workers_.sum_chunks(system_.rows_, solver_chunk, [&](int begin, int) {
        const Part upper(system_.upper_, n_.upper);
        const Places places = unknowns(begin);
        Two work{};
        for (const int* at = places.begin; at != places.end; ++at) {
            const int place = *at;
            Lanes p = pair_at(n_.inner.data(), place);
            if (is_weak_) {
                set_pair(n_.inner.data(), place, turned_back(place, p));
            } else {
                p += paired(upper.product(place, n_.inner.data()));
            }
            set_pair(n_.direction.data(), place, p);
            work += widened(p * pair_at(n_.residual.data(), place));
        }
        return work[0] + work[1];
    });
}

// C^-1 A t, as outer; returns p . that.
template <class Real>
double BlockSystem::Gradients<Real>::weak_image(int begin, int end) {
    const int* starts = system_.row_starts_.data();
    const int* columns = system_.known_columns_.data();
    const Real* inner = n_.inner.data();
    const Real* blocks = n_.blocks.data();
    Two bend{};
    for (std::ptrdiff_t v = begin; v < end; ++v) {
        Lanes sum = four_at(n_.diagonals.data(), v) * pair_at(inner, v);
        Lanes other{};
        std::ptrdiff_t i = starts[v];
        for (; i + 1 < starts[v + 1]; i += 2) {
            sum += four_at(blocks, i) * pair_at(inner, columns[i]);
            other += four_at(blocks, i + 1) * pair_at(inner, columns[i + 1]);
        }
        if (i < starts[v + 1]) {
            sum += four_at(blocks, i) * pair_at(inner, columns[i]);
        }
        const Lanes image = paired(scaled_left(n_.inverses.data() + 4 * v, sum + other));
        set_pair(n_.outer.data(), v, image);
        bend += widened(image * pair_at(n_.direction.data(), v));
    }
    return bend[0] + bend[1];
}

// The matrix times the direction p is the sum of inner and outer; returns p . A p.
template <class Real>
double BlockSystem::Gradients<Real>::find_image() {
    return sum_forth([&](int begin, int end) {
        if (is_weak_) {
            return weak_image(begin, end);
        }
        const Part lower(system_.lower_, n_.lower);
        const Part remote(system_.remote_, n_.remote);
        const Real* inner = n_.inner.data();
        const Real* direction = n_.direction.data();
        const Real* diagonals = n_.diagonals.data();
        Real* outer = n_.outer.data();
        const Places places = unknowns(begin);
        Two bend{};
        for (const int* at = places.begin; at != places.end; ++at) {
            const std::ptrdiff_t place = *at;
            const Lanes t = pair_at(inner, place);
            const Lanes p = pair_at(direction, place);
            const Lanes coupled = remote.product(place, inner, four_at(diagonals, place) * t);
            const Lanes solved = p + paired(coupled - lower.product(place, outer));
            set_pair(outer, place, solved);
            bend += widened(p * (t + solved));
        }
        return bend[0] + bend[1];
    });
}

// x += length p, r -= length A p; returns r . r.
template <class Real>
double BlockSystem::Gradients<Real>::take_step(double length) {
    return workers_.sum_chunks(system_.rows_, solver_chunk, [&](int begin, int end) {
        if (const Places places = unknowns(begin); places.begin == places.end) {
            return 0.0;
        }
        const Real step = static_cast<Real>(length);
        Real* solution = n_.solution.data();
        Real* residual = n_.residual.data();
        const Real* direction = n_.direction.data();
        const Real* inner = n_.inner.data();
        const Real* outer = n_.outer.data();
        simd::Doubles sum{};
        double rest = 0.0;
        std::ptrdiff_t i = 2 * static_cast<std::ptrdiff_t>(begin);
        for (; i + 4 <= 2 * static_cast<std::ptrdiff_t>(end); i += 4) {
            const Lanes image = is_weak_ ? four_at(outer + i, 0) : four_at(inner + i, 0) + four_at(outer + i, 0);
            const Lanes r = four_at(residual + i, 0) - step * image;
            set_four(solution + i, 0, four_at(solution + i, 0) + step * four_at(direction + i, 0));
            set_four(residual + i, 0, r);
            const simd::Doubles wide = __builtin_convertvector(r, simd::Doubles);
            sum += wide * wide;
        }
        for (; i < 2 * static_cast<std::ptrdiff_t>(end); ++i) {
            solution[i] += step * direction[i];
            residual[i] -= step * (is_weak_ ? outer[i] : inner[i] + outer[i]);
            rest += static_cast<double>(residual[i]) * static_cast<double>(residual[i]);
        }
        return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
    });
}

// p = r + beta p, and t of it.
template <class Real>
void BlockSystem::Gradients<Real>::turn_direction(double beta) {
    for_chunks_back([&](int begin, int end) {
        if (const Places places = unknowns(begin); places.begin == places.end) {
            return;
        }
        const Real factor = static_cast<Real>(beta);
        Real* direction = n_.direction.data();
        const Real* residual = n_.residual.data();
        for (std::ptrdiff_t i = 2 * static_cast<std::ptrdiff_t>(begin); i < 2 * static_cast<std::ptrdiff_t>(end); ++i) {
            direction[i] = residual[i] + factor * direction[i];
        }
        solve_back(begin, end, direction, n_.inner.data());
    });
}

// x = C^-T (I + L)^-T of what the iterations found.
template <class Real>
void BlockSystem::Gradients<Real>::finish(std::vector<double>& x) {
    for_chunks_back([&](int begin, int end) {
        solve_back(begin, end, n_.solution.data(), n_.inner.data());
        for (int place = begin; place < end; ++place) {
            const int v = row_at(place);
            const Lanes t = pair_at(n_.inner.data(), place);
            const Lanes found = is_weak_ || !is_unknown(v) ? t : turned_back(place, t);
            x[2 * static_cast<size_t>(v)] = found[0];
            x[2 * static_cast<size_t>(v) + 1] = found[1];
        }
    });
}

template <class Real>
SolveResult BlockSystem::Gradients<Real>::run(int most_iterations, std::vector<double>& x,
                                              const std::vector<unsigned char>* activity) {
    activity_ = activity;
    begin_from(x);
    SolveResult result;
    const double goal = system_.tolerance_ * system_.tolerance_ * right_size_;
    // The guess may be too long or too short (what moved the skin in the last step may be over):
    // its best multiple comes first.
    double bend = find_image();
    double size = take_step(bend > 0.0 && std::isfinite(guess_work_ / bend) ? guess_work_ / bend : 0.0);
    double beta = 0.0;
    while (size > goal && result.iterations < most_iterations) {
        ++result.iterations;
        turn_direction(beta);
        bend = find_image();
        if (!(bend > 0.0) || !std::isfinite(bend)) {
            break;
        }
        const double before = size;
        size = take_step(size / bend);
        beta = size / before;
    }
    result.residual = right_size_ > 0.0 ? std::sqrt(size / right_size_) : 0.0;
    result.is_solved = size <= goal;
    if (std::isfinite(size)) {
        finish(x);
    }
    return result;
}

SolveResult BlockSystem::solve(int most_iterations, const Workers& workers, std::vector<double>& x,
                               const std::vector<unsigned char>* activity) {
    return is_rough_ ? Gradients<float>(*this, rough_, workers).run(most_iterations, x, activity)
                     : Gradients<double>(*this, fine_, workers).run(most_iterations, x, activity);
}

}  // namespace cutis::slide
