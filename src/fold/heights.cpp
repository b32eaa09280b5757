#include "fold/heights.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/simd.h"
#include "cutis/fold/solve.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

using simd::Floats;
using FourFloats = float __attribute__((vector_size(16)));
constexpr int lanes = simd::lanes_in<Floats>;
constexpr int control_chunk = 4 * lanes;  // controls
constexpr int lines_of_control = 3;       // in each field
// An isolated control must not become a spike: of what its line wants, at most.
constexpr double most_correction = 1.6;
constexpr double most_recovery = 1.5;
// Of two fields the second takes over while its compression plus the floor grows from that of the first to 1 + range
// times as much: slowly, so that folds do not change places within a few frames.
constexpr double field_floor = 0.1;
constexpr double field_range = 1.5;

Vector3d place(const EdgePoint& p, const MatrixX3d& base) {
    const double t = p.t;
    return ((1.0 - t) * base.row(p.a) + t * base.row(p.b)).transpose();
}

EIGEN_ALWAYS_INLINE Floats number(double value) {
    return simd::all<Floats>(value);
}

/// In doubles: compression is a small difference of lengths.
EIGEN_ALWAYS_INLINE double sum_of(Floats a) {
    const auto at = [&a](int i) { return static_cast<double>(a[i]); };
    return ((at(0) + at(4)) + (at(1) + at(5))) + ((at(2) + at(6)) + (at(3) + at(7)));
}

/// x, but never above `most`, approached smoothly.
EIGEN_ALWAYS_INLINE Floats capped(Floats x, Floats most) {
    const Floats r = x / simd::larger(most, number(1e-30));
    const Floats square = r * r;
    return x / simd::root(simd::root(number(1.0) + square * square));
}

EIGEN_ALWAYS_INLINE Floats smooth_steps(Floats t) {
    t = simd::larger(simd::smaller(t, number(1.0)), number(0.0));
    return t * t * (number(3.0) - (t + t));
}

}  // namespace

/// Lines that are too short, whose heights are sought eight at a time. |e + X w| of a segment is
/// sqrt(ee + 2 X ew + X^2 ww).
struct FoldHeights::Batch {
    static constexpr int segments = FoldLayout::most_segments;
    Floats ee[lanes][segments / lanes];
    Floats ew[lanes][segments / lanes];
    Floats ww[lanes][segments / lanes];
    float length[lanes];
    size_t line[lanes];
    int count = 0;
};

FoldHeights::FoldHeights(const FoldLayout& layout, const FoldPlaces& places, const FoldOptions& options)
    : layout_(layout),
      places_(places),
      gate_(options.gate),
      cap_(options.height_cap),
      rounds_(options.rounds),
      controls_(static_cast<int>(layout.width.size())),
      stride_((controls_ + lanes - 1) / lanes * lanes),
      layer_(static_cast<size_t>(layout.fields) * static_cast<size_t>(stride_)),
      share_row_{0},
      exact_(layout.is_exact ? layer_ : 0, 0.0),
      live_(layout.width.size(), 0),
      row_{0},
      block_row_{0} {
    const size_t count = lines_of_control * layer_;
    for (std::vector<float>* values :
         {&enough_, &target_, &aim_, &early_, &fade_, &short_by_, &root_, &wanted_, &tried_}) {
        values->assign(count, 0.0F);
    }
    width_.assign(layer_, 1.0F);
    height_.assign(layer_, 0.0F);
    next_height_.assign(layer_, 0.0F);
    for (size_t n = 0; !layout.is_exact && n < count; ++n) {
        first_point_.push_back(static_cast<int>(points_.size()));
        const auto k = static_cast<int>(n / layer_);
        const auto field = static_cast<int>(n % layer_) / stride_;
        const auto control = static_cast<int>(n % layer_) % stride_;
        const auto at = static_cast<size_t>(control * layout.fields + field);
        if (control < controls_ && k < layout.first_line[at + 1] - layout.first_line[at]) {
            const auto l = static_cast<size_t>(layout.first_line[at] + k);
            const FoldLayout::Line& line = layout.lines[l];
            width_[n % layer_] = static_cast<float>(layout.width[static_cast<size_t>(control)]);
            target_[n] = static_cast<float>(line.target);
            enough_[n] = static_cast<float>(line.start * line.target);
            aim_[n] = static_cast<float>(line.aim);
            early_[n] = static_cast<float>(line.start - 1.0);
            fade_[n] = static_cast<float>(line.fade);
            for (int i = line.begin; i < line.end; ++i) {
                const EdgePoint& p = layout.points[static_cast<size_t>(i)];
                points_.push_back({places.number(p.a), places.number(p.b), p.t});
                raises_.push_back({p.raised[0], p.raised[1]});
                climb_.push_back(i + 1 < line.end
                                     ? static_cast<float>(
                                           std::abs(layout.points[static_cast<size_t>(i) + 1].profile() - p.profile()))
                                     : 0.0F);
            }
            while (points_.size() % lanes != (static_cast<size_t>(first_point_.back()) + 1) % lanes) {
                points_.push_back(points_.back());
                raises_.push_back(raises_.back());
                climb_.push_back(0.0F);
            }
            for (int s = layout.shares.offsets[l]; s < layout.shares.offsets[l + 1]; ++s) {
                share_of_.push_back(static_cast<int>(slot(field, layout.shares.indices[static_cast<size_t>(s)])));
                share_.push_back(static_cast<float>(layout.shares.weights[static_cast<size_t>(s)]));
            }
        }
        share_row_.push_back(static_cast<int>(share_.size()));
    }
    first_point_.push_back(static_cast<int>(points_.size()));
    const Stencils& spread = layout.spread;
    for (int n = 0; n < places.moved(); ++n) {
        const auto v = static_cast<size_t>(places.vertex(n));
        control_.insert(control_.end(), spread.indices.begin() + spread.offsets[v],
                        spread.indices.begin() + spread.offsets[v + 1]);
        const auto begin = spread.weights.begin() + spread.offsets[v];
        const auto end = spread.weights.begin() + spread.offsets[v + 1];
        std::transform(begin, end, std::back_inserter(weight_), [](double w) { return static_cast<float>(w); });
        exact_weight_.insert(exact_weight_.end(), begin, layout.is_exact ? end : begin);
        row_.push_back(static_cast<int>(control_.size()));
        for (const std::vector<float>& profile : layout.profile) {
            profile_.push_back(profile[v]);
        }
    }
    raised_.assign(static_cast<size_t>(places.count()), 0.0);
    for (int begin = 0; begin < places.moved(); begin += FoldPlaces::block) {
        const int end = std::min(begin + FoldPlaces::block, places.moved());
        std::vector<int> near(control_.begin() + row_[static_cast<size_t>(begin)],
                              control_.begin() + row_[static_cast<size_t>(end)]);
        std::sort(near.begin(), near.end());
        block_control_.insert(block_control_.end(), near.begin(), std::unique(near.begin(), near.end()));
        block_row_.push_back(static_cast<int>(block_control_.size()));
    }
    is_raised_.assign(block_row_.size() - 1, 0);
    is_changed_ = is_raised_;
    recovered_ = live_;
}

void FoldHeights::measure(int control, Batch& batch) {
    const double* base = places_.base();
    const auto* directions = reinterpret_cast<const FourFloats*>(places_.directions());
    const auto place_of = [base](const LinePoint& p) {
        const simd::Doubles a = simd::load(base + 4 * static_cast<std::ptrdiff_t>(p.a));
        const simd::Doubles b = simd::load(base + 4 * static_cast<std::ptrdiff_t>(p.b));
        return a + simd::all(p.t) * (b - a);
    };
    const auto raised = [directions](const LinePoint& p, const Raised& by) {
        return by.a * directions[p.a] + by.b * directions[p.b];
    };
    for (size_t n = static_cast<size_t>(control); n < short_by_.size(); n += static_cast<size_t>(stride_)) {
        short_by_[n] = 0.0F;
        root_[n] = 0.0F;
        const LinePoint* points = points_.data() + first_point_[n];
        const int count = first_point_[n + 1] - first_point_[n];
        if (count == 0) {
            continue;
        }
        // The chord is never longer than the line.
        simd::Doubles before = place_of(points[0]);
        const simd::Doubles chord = place_of(points[count - 1]) - before;
        const simd::Doubles squares = chord * chord;
        if (squares[0] + squares[1] + squares[2] >= static_cast<double>(enough_[n]) * enough_[n]) {
            continue;
        }
        constexpr int most = Batch::segments / lanes;
        simd::Triple<Floats> e[most];
        Floats* ee = batch.ee[batch.count];
        const int groups = (count - 1) / lanes;
        Floats lengths = number(0.0);
        for (int g = 0; g < groups; ++g) {
            FourFloats rows[lanes];
            for (int i = 0; i < lanes; ++i) {
                const simd::Doubles next = place_of(points[lanes * g + i + 1]);
                rows[i] = __builtin_convertvector(next - before, FourFloats);
                before = next;
            }
            e[g] = simd::columns3(rows);
            ee[g] = dot(e[g], e[g]);
            lengths += simd::root(ee[g]);
        }
        const double length = sum_of(lengths);
        if (length >= static_cast<double>(enough_[n])) {
            continue;
        }
        Floats* ew = batch.ew[batch.count];
        Floats* ww = batch.ww[batch.count];
        const Raised* raises = raises_.data() + first_point_[n];
        FourFloats low = raised(points[0], raises[0]);
        for (int g = 0; g < groups; ++g) {
            FourFloats rows[lanes];
            for (int i = 0; i < lanes; ++i) {
                const int next = lanes * g + i + 1;
                const FourFloats high = raised(points[next], raises[next]);
                rows[i] = high - low;
                low = high;
            }
            const simd::Triple<Floats> w = simd::columns3(rows);
            ew[g] = dot(e[g], w);
            ww[g] = dot(w, w);
        }
        for (int g = groups; g < most; ++g) {
            ee[g] = ew[g] = ww[g] = number(0.0);
        }
        short_by_[n] = static_cast<float>(enough_[n] - length) / target_[n];
        live_[static_cast<size_t>(control)] = 1;
        batch.length[batch.count] = static_cast<float>(length);
        batch.line[batch.count] = n;
        if (++batch.count == lanes) {
            find_roots(batch);
        }
    }
}

/// The height X that gives a line its length back: the root of tau(X) = sum |e_i + X w_i| - aim
/// (Ly et al. 2017 section 4.2). tau is convex and tau(0) < 0, so that Newton comes down to the
/// only root from the right without crossing it.
void FoldHeights::find_roots(Batch& batch) {
    if (batch.count == 0) {
        return;
    }
    for (int i = batch.count; i < lanes; ++i) {  // lanes without a line do what the first one does
        std::copy_n(batch.ee[0], Batch::segments / lanes, batch.ee[i]);
        std::copy_n(batch.ew[0], Batch::segments / lanes, batch.ew[i]);
        std::copy_n(batch.ww[0], Batch::segments / lanes, batch.ww[i]);
        batch.length[i] = batch.length[0];
        batch.line[i] = batch.line[0];
    }
    // A lane for each line.
    Floats ee[Batch::segments];
    Floats ew[Batch::segments];
    Floats ww[Batch::segments];
    float aims[lanes];
    for (int i = 0; i < lanes; ++i) {
        aims[i] = aim_[batch.line[i]];
        for (int g = 0; g < Batch::segments / lanes; ++g) {
            ee[g * lanes + i] = batch.ee[i][g];
            ew[g * lanes + i] = batch.ew[i][g];
            ww[g * lanes + i] = batch.ww[i][g];
        }
    }
    const Floats tiny = number(1e-20);
    Floats climb = number(0.0);
    Floats bend = number(0.0);
    for (int g = 0; g < Batch::segments / lanes; ++g) {
        for (Floats* block : {ee + g * lanes, ew + g * lanes, ww + g * lanes}) {
            simd::transpose(*reinterpret_cast<Floats(*)[lanes]>(block));
        }
    }
    for (int i = 0; i < Batch::segments; ++i) {
        const Floats size = simd::root(simd::larger(ee[i], tiny));
        climb += simd::root(ww[i]);
        bend += ww[i] / size;
    }
    const Floats length = simd::load(batch.length);
    const Floats aim = simd::load(aims);
    const Floats highest = (aim + length) / simd::larger(climb, tiny);  // triangle inequality: tau >= 0 there
    // As if all segments had the same slope.
    Floats x = simd::smaller(
        highest, simd::root(simd::larger((aim - length) * (aim + length), tiny) / simd::larger(bend * length, tiny)));
    for (int iteration = 0; iteration < 20; ++iteration) {
        Floats tau = -aim;
        Floats slope = number(0.0);
        for (int i = 0; i < Batch::segments; ++i) {
            const Floats climbing = ew[i] + x * ww[i];
            const Floats size = simd::root(simd::larger(ee[i] + x * (ew[i] + climbing), tiny));
            tau += size;
            slope += climbing / size;
        }
        const Floats step = tau / simd::larger(slope, tiny);
        const Floats next = simd::smaller(simd::larger(x - step, number(0.0)), highest);
        const bool is_there =
            !simd::any(simd::absolute(next - x) > number(1e-3) * x);  // squared by the step just taken
        x = next;
        if (is_there) {
            break;
        }
    }
    for (int i = 0; i < batch.count; ++i) {
        root_[batch.line[i]] = climb[i] > 0.0F ? x[i] : 0.0F;
    }
    batch.count = 0;
}

/// Fields exclude each other: both at once would make a crate of eggs. The gate comes before any
/// maximum, or folds would pop.
void FoldHeights::compete(int begin, int end) {
    const auto gate = static_cast<float>(gate_);
    for (int j = begin; j < end; j += lanes) {
        Floats largest[2] = {number(0.0), number(0.0)};
        for (int field = 0; field < layout_.fields; ++field) {
            for (size_t n = slot(field, j); n < short_by_.size(); n += layer_) {
                largest[field] = simd::larger(largest[field], simd::load(&short_by_[n]));
            }
        }
        const Floats second = layout_.fields < 2
                                  ? number(0.0)
                                  : smooth_steps((largest[1] - largest[0]) / (largest[0] + number(field_floor)) *
                                                 number(1.0 / field_range));
        for (int field = 0; field < layout_.fields; ++field) {
            const Floats share = field == 0 ? number(1.0) - second : second;
            for (size_t n = slot(field, j); n < short_by_.size(); n += layer_) {
                const Floats open =
                    gate > 0.0F ? smooth_steps(simd::load(&short_by_[n]) / (number(gate) + simd::load(&early_[n])))
                                : number(1.0);
                const Floats wanted = share * open * simd::load(&fade_[n]) * simd::load(&root_[n]);
                simd::store(&wanted_[n], wanted);
                simd::store(&tried_[n], wanted);
            }
        }
    }
}

/// The largest of the lines, rounded where another one becomes the largest: their mean weighted by
/// their eighth powers.
void FoldHeights::gather(int begin, int end, std::vector<float>& heights) const {
    for (int j = begin; j < end; j += lanes) {
        for (int field = 0; field < layout_.fields; ++field) {
            const Floats width = simd::load(&width_[slot(field, j)]);
            Floats sum = number(0.0);
            Floats powers = number(1e-30);
            for (size_t n = slot(field, j); n < tried_.size(); n += layer_) {
                const Floats x = simd::load(&tried_[n]) / width;
                Floats power = x * x;
                power *= power;
                power *= power;
                sum += x * power;
                powers += power;
            }
            const Floats height = width * sum / powers;
            simd::store(&heights[slot(field, j)], cap_ > 0.0 ? capped(height, number(cap_) * width) : height);
        }
    }
}

/// A line feels its neighbours, too: Jacobi rounds until what it feels is what it wants.
void FoldHeights::correct(int begin, int end, int round) {
    const std::vector<float>& heights = round % 2 == 0 ? height_ : next_height_;
    for (int j = begin; j < end; j += lanes) {
        for (size_t n = static_cast<size_t>(j); n < tried_.size(); n += static_cast<size_t>(stride_)) {
            float felt[lanes];
            float highest = 0.0F;
            for (size_t i = 0; i < lanes; ++i) {
                felt[i] = 0.0F;
                if (wanted_[n + i] > 0.0F) {
                    for (auto s = static_cast<size_t>(share_row_[n + i]);
                         s < static_cast<size_t>(share_row_[n + i + 1]); ++s) {
                        felt[i] += share_[s] * heights[static_cast<size_t>(share_of_[s])];
                    }
                    highest = wanted_[n + i];
                }
            }
            if (!(highest > 0.0F)) {
                continue;
            }
            // By a third to thrice, smoothly.
            const Floats wanted = simd::load(&wanted_[n]);
            const Floats is = simd::load(felt) * simd::load(felt);
            const Floats should = wanted * wanted + number(1e-30);
            const Floats times = (number(1.0 / 3.0) * is + should) / (is + number(1.0 / 3.0) * should);
            simd::store(&tried_[n], capped(simd::load(&tried_[n]) * times, number(most_correction) * wanted));
        }
    }
    gather(begin, end, round % 2 == 0 ? next_height_ : height_);
}

void FoldHeights::solve(const MatrixX3d& base, const MatrixX3d& directions, const Workers& workers) {
    if (layout_.is_exact) {
        solve_exactly(base, directions);
        return;
    }
    workers.for_chunks(stride_, control_chunk, [&](int begin, int end) {
        Batch batch;
        for (int j = begin; j < std::min(end, controls_); ++j) {
            live_[static_cast<size_t>(j)] = 0;
            measure(j, batch);
        }
        find_roots(batch);
        compete(begin, end);
        gather(begin, end, height_);
    });
    for (int round = 0; round < rounds_; ++round) {
        workers.for_chunks(stride_, control_chunk, [&](int begin, int end) { correct(begin, end, round); });
    }
    if (rounds_ % 2 != 0) {
        height_.swap(next_height_);
    }
}

/// Lines whose folds are held back in some places rise higher in the others: by the square of what is
/// missing, since what is held stays where it is.
void FoldHeights::recover(const std::vector<float>& shares, const std::vector<unsigned char>& is_held,
                          const Workers& workers) {
    if (layout_.is_exact) {
        return;
    }
    const auto is_touched = [&](size_t line) {
        for (auto s = static_cast<size_t>(share_row_[line]); s < static_cast<size_t>(share_row_[line + 1]); ++s) {
            if (is_held[static_cast<size_t>(share_of_[s] % stride_)] != 0) {
                return true;
            }
        }
        return false;
    };
    workers.for_chunks(stride_, control_chunk, [&](int begin, int end) {
        for (int j = begin; j < std::min(end, controls_); ++j) {
            recovered_[static_cast<size_t>(j)] = 0;
            for (size_t n = static_cast<size_t>(j); live_[static_cast<size_t>(j)] != 0 && n < tried_.size();
                 n += static_cast<size_t>(stride_)) {
                if (!(wanted_[n] > 0.0F) || !is_touched(n)) {
                    continue;
                }
                float climbed = 0.0F;
                float left = 0.0F;
                for (auto i = static_cast<size_t>(first_point_[n]); i < static_cast<size_t>(first_point_[n + 1]); ++i) {
                    const LinePoint& p = points_[i];
                    const float a = shares[static_cast<size_t>(p.a)];
                    climbed += climb_[i];
                    left += climb_[i] * (a + p.t * (shares[static_cast<size_t>(p.b)] - a));
                }
                if (left < climbed) {
                    const float missing = climbed / std::max(left, climbed / static_cast<float>(most_recovery));
                    tried_[n] *= missing * missing;
                    recovered_[static_cast<size_t>(j)] = 1;
                }
            }
        }
        gather(begin, end, height_);
    });
}

/// The paper's folds: few of them, each met to rounding. A vertex beside the end of a fold belongs
/// to the next one, too, so folds are solved in turn until none changes another.
void FoldHeights::solve_exactly(const MatrixX3d& base, const MatrixX3d& directions) {
    constexpr int most_sweeps = 60;
    const Stencils& spread = layout_.spread;
    std::fill(exact_.begin(), exact_.end(), 0.0);
    residual_ = 0.0;
    MatrixX3d points;
    MatrixX3d offsets;
    const auto solve_line = [&](size_t l) {
        const FoldLayout::Line& line = layout_.lines[l];
        points.resize(line.end - line.begin, 3);
        offsets.setZero(points.rows(), 3);
        for (int i = line.begin; i < line.end; ++i) {
            const EdgePoint& p = layout_.points[static_cast<size_t>(i)];
            points.row(i - line.begin) = place(p, base);
            const double t = p.t;
            for (const auto& [v, part] : {std::pair(p.a, 1.0 - t), std::pair(p.b, t)}) {
                for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1];
                     ++s) {
                    const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
                    const double weight = part * spread.weights[static_cast<size_t>(s)];
                    if (j == l) {
                        offsets.row(i - line.begin) += weight * directions.row(v);
                    } else {
                        points.row(i - line.begin) += weight * exact_[j] * directions.row(v);
                    }
                }
            }
        }
        return solve_fold(points, offsets, line.target);
    };
    for (size_t l = 0; l < layout_.lines.size(); ++l) {
        const FoldHeight alone = solve_line(l);  // with those before it
        exact_[l] = alone.height;
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double change = 0.0;
        residual_ = 0.0;
        for (size_t l = 0; l < layout_.lines.size(); ++l) {
            const FoldHeight found = solve_line(l);
            change = std::max(change, std::abs(found.height - exact_[l]));
            exact_[l] = found.height;
            residual_ = std::max(residual_, std::abs(found.fischer_burmeister()));
        }
        if (change <= 1e-15 * layout_.width.front()) {
            break;
        }
    }
    // Compression of the base, and the gate.
    for (size_t l = 0; l < layout_.lines.size(); ++l) {
        const FoldLayout::Line& line = layout_.lines[l];
        double length = 0.0;
        for (int i = line.begin; i + 1 < line.end; ++i) {
            length += (place(layout_.points[static_cast<size_t>(i) + 1], base) -
                       place(layout_.points[static_cast<size_t>(i)], base))
                          .norm();
        }
        const double squeezed = std::max(0.0, 1.0 - length / line.target);
        short_by_[l] = static_cast<float>(squeezed);
        live_[l] = squeezed > 0.0 ? 1 : 0;
        exact_[l] *= gate_ > 0.0 ? smooth_step(squeezed / gate_) : 1.0;
    }
}

void FoldHeights::raise_block(int block) {
    const auto fields = static_cast<size_t>(layout_.fields);
    const auto raised_by_all = [&](size_t n, const auto& heights, const auto* weights) {
        double height = 0.0;
        for (size_t field = 0; field < fields; ++field) {
            auto sum = heights[0] - heights[0];
            for (auto s = static_cast<size_t>(row_[n]); s < static_cast<size_t>(row_[n + 1]); ++s) {
                sum += weights[s] * heights[field * static_cast<size_t>(stride_) + static_cast<size_t>(control_[s])];
            }
            height += static_cast<double>(profile_[n * fields + field]) * sum;
        }
        return height;
    };
    const auto begin = static_cast<size_t>(block) * FoldPlaces::block;
    for (size_t n = begin; n < std::min(begin + FoldPlaces::block, row_.size() - 1); ++n) {
        raised_[n] = layout_.is_exact ? raised_by_all(n, exact_, exact_weight_.data())
                                      : raised_by_all(n, height_, weight_.data());
    }
}

void FoldHeights::raise(const Workers& workers) {
    workers.for_chunks(static_cast<int>(is_raised_.size()), 8, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            unsigned char& is_any = is_raised_[static_cast<size_t>(b)];
            const bool was_any = is_any != 0;
            is_any = has_any(b, live_) ? 1 : 0;
            if (is_any != 0 || was_any) {  // idle controls have no height
                raise_block(b);
            }
        }
    });
}

void FoldHeights::raise_again(const Workers& workers) {
    workers.for_chunks(static_cast<int>(is_raised_.size()), 8, [&](int first, int last) {
        for (int b = first; b < last; ++b) {
            is_changed_[static_cast<size_t>(b)] = has_any(b, recovered_) ? 1 : 0;
            if (is_changed_[static_cast<size_t>(b)] != 0) {
                raise_block(b);
            }
        }
    });
}

bool FoldHeights::has_any(int block, const std::vector<unsigned char>& flags) const {
    return std::any_of(block_control_.begin() + block_row_[static_cast<size_t>(block)],
                       block_control_.begin() + block_row_[static_cast<size_t>(block) + 1],
                       [&](int j) { return flags[static_cast<size_t>(j)] != 0; });
}

double FoldHeights::compression(int v) const {
    double sum = 0.0;
    const Stencils& spread = layout_.spread;
    for (int s = spread.offsets[static_cast<size_t>(v)]; s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
        const int j = spread.indices[static_cast<size_t>(s)];
        float largest = 0.0F;
        for (size_t n = static_cast<size_t>(j); n < short_by_.size(); n += static_cast<size_t>(stride_)) {
            largest = std::max(largest, short_by_[n] - early_[n]);
        }
        sum += spread.weights[static_cast<size_t>(s)] * largest;
    }
    return sum;
}

FoldReport FoldHeights::report() const {
    FoldReport report;
    report.worst_residual = residual_;
    for (size_t n = 0; n < short_by_.size(); ++n) {
        const double squeezed = short_by_[n] - early_[n];
        report.compressed += squeezed > 0.0 ? 1 : 0;
        report.gated += squeezed > 0.0 && squeezed < gate_ ? 1 : 0;
    }
    for (int field = 0; field < layout_.fields; ++field) {
        for (int j = 0; j < controls_; ++j) {
            const double height = layout_.is_exact ? exact_[slot(field, j)] : height_[slot(field, j)];
            report.capped += cap_ > 0.0 && height > 0.75 * cap_ * layout_.width[static_cast<size_t>(j)] ? 1 : 0;
            report.highest = std::max(report.highest, height);
        }
    }
    return report;
}

}  // namespace cutis::fold_detail
