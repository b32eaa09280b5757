#include "fold/heights.h"

#include <algorithm>
#include <cmath>

#include "core/simd.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

using simd::Floats;
constexpr int lanes = simd::lanes_in<Floats>;
constexpr int control_chunk = 4 * lanes;  // controls
constexpr int lines_of_control = 3;       // in each field
// An isolated control must not become a spike: of what its line wants, at most. A line may ask for the more the shorter
// it is, so that deep creases have their length back and folds that begin to rise are not hurried.
constexpr double most_correction = 2.8;
constexpr double full_correction = 0.5;  // short by this much
constexpr double most_recovery = 1.8;
// Of two fields the second takes over while its compression plus the floor grows from that of the first to 1 + range
// times as much: slowly, so that folds do not change places within a few frames.
constexpr double field_floor = 0.15;
constexpr double field_range = 0.9;

EIGEN_ALWAYS_INLINE Floats number(double value) {
    return simd::all<Floats>(value);
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
      live_(layout.width.size(), 0) {
    const size_t count = lines_of_control * layer_;
    for (std::vector<float>* values :
         {&enough_, &target_, &aim_, &early_, &fade_, &short_by_, &root_, &wanted_, &tried_}) {
        values->assign(count, 0.0F);
    }
    width_.assign(layer_, 1.0F);
    pressure_.assign(static_cast<size_t>(controls_), 0.0F);
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
                points_.push_back({p.a, p.b, p.t});
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
    recovered_ = live_;
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
            const Floats squeezed = smooth_steps(simd::load(&short_by_[n]) * number(1.0 / full_correction));
            const Floats most = number(1.0) + number(most_correction - 1.0) * squeezed;
            simd::store(&tried_[n], capped(simd::load(&tried_[n]) * times, most * wanted));
        }
    }
    gather(begin, end, round % 2 == 0 ? next_height_ : height_);
}

void FoldHeights::solve(const MatrixX3d& base, const MatrixX3d& directions, const std::vector<float>& pressure,
                        const Workers& workers) {
    std::copy(pressure.begin(), pressure.end(), pressure_.begin());
    if (layout_.is_exact) {
        solve_exactly(base, directions);
        return;
    }
    workers.for_chunks(stride_, control_chunk, [&](int begin, int end) {
        measure(begin, std::min(end, controls_), base, directions);
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
    const auto share_at = [&](int v) { return shares[static_cast<size_t>(places_.number(v))]; };
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
                    const float a = share_at(p.a);
                    climbed += climb_[i];
                    left += climb_[i] * (a + p.t * (share_at(p.b) - a));
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
