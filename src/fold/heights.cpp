#include "fold/heights.h"

#include <algorithm>
#include <cmath>

#include "cutis/fold/solve.h"
#include "fold/smooth.h"

namespace cutis::fold_detail {

namespace {

constexpr int control_chunk = 32;  // controls
// Cloth between the lines comes out this much shorter than they do: neighbours differ in height.
constexpr double aim = 1.035;

Vector3d place(const EdgePoint& p, const MatrixX3d& base) {
    const double t = p.t;
    return ((1.0 - t) * base.row(p.a) + t * base.row(p.b)).transpose();
}

Vector3d raised(const EdgePoint& p, const MatrixX3d& directions) {
    return (static_cast<double>(p.raised[0]) * directions.row(p.a) +
            static_cast<double>(p.raised[1]) * directions.row(p.b))
        .transpose();
}

/// |e + X w| of one segment is sqrt(ee + 2 X ew + X^2 ww).
struct Segment {
    double ee;
    double ew;
    double ww;
};

/// The height X that gives a line its length back: the root of tau(X) = sum |e_i + X w_i| - target
/// (Ly et al. 2017 section 4.2). tau is convex and tau(0) < 0, so that Newton comes down to the
/// only root from the right without crossing it.
double find_root(const Segment* segments, int count, double length, double target) {
    double climb = 0.0;
    double bend = 0.0;
    for (int i = 0; i < count; ++i) {
        climb += std::sqrt(segments[i].ww);
        bend += segments[i].ww / std::sqrt(std::max(segments[i].ee, 1e-30));
    }
    if (!(climb > 0.0)) {
        return 0.0;
    }
    const double highest = (target + length) / climb;  // triangle inequality: tau >= 0 there
    double x = std::min(highest, std::sqrt(2.0 * (target - length) / bend));
    for (int iteration = 0; iteration < 40; ++iteration) {
        double tau = -target;
        double slope = 0.0;
        for (int i = 0; i < count; ++i) {
            const Segment& s = segments[i];
            const double size = std::sqrt(std::max(0.0, s.ee + x * (2.0 * s.ew + x * s.ww)));
            tau += size;
            slope += size > 0.0 ? (s.ew + x * s.ww) / size : std::sqrt(s.ww);
        }
        if (std::abs(tau) <= 1e-9 * target) {
            break;
        }
        x = slope > 0.0 ? std::clamp(x - tau / slope, 0.0, highest) : highest;
    }
    return x;
}

/// x, but never above `most`, approached smoothly.
double capped(double x, double most) {
    if (!(most > 0.0)) {
        return x;
    }
    const double r = x / most;
    return x / std::sqrt(std::sqrt(1.0 + r * r * r * r));
}

}  // namespace

FoldHeights::FoldHeights(const FoldLayout& layout, const FoldOptions& options)
    : layout_(layout),
      gate_(options.gate),
      cap_(options.height_cap),
      rounds_(options.rounds),
      squeezed_(layout.lines.size(), 0.0),
      root_(layout.lines.size(), 0.0),
      wanted_(layout.lines.size(), 0.0),
      tried_(layout.lines.size(), 0.0),
      height_(layout.width.size() * static_cast<size_t>(layout.fields), 0.0),
      live_(layout.width.size(), 0) {}

void FoldHeights::measure(int control, const MatrixX3d& base, const MatrixX3d& directions) {
    constexpr int most_points = 1024;
    thread_local std::vector<Vector3d> points(most_points);
    thread_local std::vector<Segment> segments(most_points);
    live_[static_cast<size_t>(control)] = 0;
    for (int field = 0; field < layout_.fields; ++field) {
        const size_t at = static_cast<size_t>(control * layout_.fields + field);
        for (int l = layout_.first_line[at]; l < layout_.first_line[at + 1]; ++l) {
            const FoldLayout::Line& line = layout_.lines[static_cast<size_t>(l)];
            const size_t n = static_cast<size_t>(l);
            squeezed_[n] = root_[n] = wanted_[n] = 0.0;
            const int count = std::min(line.end - line.begin, most_points);
            const EdgePoint* given = layout_.points.data() + line.begin;
            // Chords are never longer than the line: most lines end here.
            const Vector3d first = place(given[0], base);
            const Vector3d last = place(given[count - 1], base);
            if ((last - first).norm() >= line.target) {
                continue;
            }
            const Vector3d middle = place(given[count / 2], base);
            if ((middle - first).norm() + (last - middle).norm() >= line.target) {
                continue;
            }
            double length = 0.0;
            for (int i = 0; i < count; ++i) {
                points[static_cast<size_t>(i)] = place(given[i], base);
                length +=
                    i > 0 ? (points[static_cast<size_t>(i)] - points[static_cast<size_t>(i) - 1])
                                .norm()
                          : 0.0;
            }
            if (length >= line.target) {
                continue;
            }
            Vector3d before = raised(given[0], directions);
            for (int i = 0; i + 1 < count; ++i) {
                const Vector3d after = raised(given[i + 1], directions);
                const Vector3d e =
                    points[static_cast<size_t>(i) + 1] - points[static_cast<size_t>(i)];
                const Vector3d w = after - before;
                segments[static_cast<size_t>(i)] = {e.squaredNorm(), e.dot(w), w.squaredNorm()};
                before = after;
            }
            squeezed_[n] = 1.0 - length / line.target;
            root_[n] = find_root(segments.data(), count - 1, length, aim * line.target);
            live_[static_cast<size_t>(control)] = 1;
        }
    }
}

/// Fields exclude each other: both at once would make a crate of eggs. The gate comes before any
/// maximum, or folds would pop.
void FoldHeights::compete(int control) {
    double largest[2] = {0.0, 0.0};
    const auto lines_of = [&](int field) {
        const size_t at = static_cast<size_t>(control * layout_.fields + field);
        return std::pair(layout_.first_line[at], layout_.first_line[at + 1]);
    };
    for (int field = 0; field < layout_.fields; ++field) {
        const auto [begin, end] = lines_of(field);
        for (int l = begin; l < end; ++l) {
            largest[field] = std::max(largest[field], squeezed_[static_cast<size_t>(l)]);
        }
    }
    const double second =
        layout_.fields < 2 ? 0.0
                           : smooth_step(((largest[1] + 0.02) / (largest[0] + 0.02) - 1.0) / 0.8);
    for (int field = 0; field < layout_.fields; ++field) {
        const double share = field == 0 ? 1.0 - second : second;
        const auto [begin, end] = lines_of(field);
        for (int l = begin; l < end; ++l) {
            const size_t n = static_cast<size_t>(l);
            const double open = gate_ > 0.0 ? smooth_step(squeezed_[n] / gate_) : 1.0;
            wanted_[n] = share * open * layout_.lines[n].fade * root_[n];
            tried_[n] = wanted_[n];
        }
    }
}

/// The largest of the lines, rounded where another one becomes the largest: their mean weighted by
/// their eighth powers.
void FoldHeights::gather(int control) {
    const double width = layout_.width[static_cast<size_t>(control)];
    const double most = cap_ * width;
    for (int field = 0; field < layout_.fields; ++field) {
        const size_t at = static_cast<size_t>(control * layout_.fields + field);
        double sum = 0.0;
        double powers = 0.0;
        for (int l = layout_.first_line[at]; l < layout_.first_line[at + 1]; ++l) {
            const double x = tried_[static_cast<size_t>(l)] / width;
            const double power = (x * x) * (x * x) * (x * x) * (x * x);
            sum += x * power;
            powers += power;
        }
        const double height = powers > 0.0 ? width * sum / powers : 0.0;
        height_[at] = capped(height, most);
    }
}

void FoldHeights::solve(const MatrixX3d& base, const MatrixX3d& directions,
                        const Workers& workers) {
    if (layout_.is_exact) {
        solve_exactly(base, directions);
        return;
    }
    const int controls = static_cast<int>(layout_.width.size());
    workers.for_chunks(controls, control_chunk, [&](int begin, int end) {
        for (int j = begin; j < end; ++j) {
            measure(j, base, directions);
            compete(j);
            gather(j);
        }
    });
    // A line feels its neighbours, too: Jacobi rounds until what it feels is what it wants.
    const auto correct = [&](int begin, int end) {
        for (int j = begin; j < end; ++j) {
            for (int field = 0; is_live(j) && field < layout_.fields; ++field) {
                const size_t at = static_cast<size_t>(j * layout_.fields + field);
                for (int l = layout_.first_line[at]; l < layout_.first_line[at + 1]; ++l) {
                    const size_t n = static_cast<size_t>(l);
                    if (!(wanted_[n] > 0.0)) {
                        continue;
                    }
                    double felt = 0.0;
                    for (int s = layout_.shares.offsets[n]; s < layout_.shares.offsets[n + 1];
                         ++s) {
                        felt +=
                            layout_.shares.weights[static_cast<size_t>(s)] *
                            height_[static_cast<size_t>(
                                layout_.shares.indices[static_cast<size_t>(s)] * layout_.fields +
                                field)];
                    }
                    const double ratio = felt > 0.0 ? wanted_[n] / felt : 2.0;
                    // An isolated control must not become a spike.
                    tried_[n] = std::min(tried_[n] * std::clamp(ratio, 0.5, 2.0), 1.8 * wanted_[n]);
                }
            }
        }
    };
    for (int round = 0; round < rounds_; ++round) {
        workers.for_chunks(controls, control_chunk, correct);
        workers.for_chunks(controls, control_chunk, [&](int begin, int end) {
            for (int j = begin; j < end; ++j) {
                gather(j);
            }
        });
    }
}

/// The paper's folds: few of them, each met to rounding. A vertex beside the end of a fold belongs
/// to the next one, too, so folds are solved in turn until none changes another.
void FoldHeights::solve_exactly(const MatrixX3d& base, const MatrixX3d& directions) {
    constexpr int most_sweeps = 60;
    const Stencils& spread = layout_.spread;
    std::fill(height_.begin(), height_.end(), 0.0);
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
                for (int s = spread.offsets[static_cast<size_t>(v)];
                     s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
                    const auto j = static_cast<size_t>(spread.indices[static_cast<size_t>(s)]);
                    const double weight = part * spread.weights[static_cast<size_t>(s)];
                    if (j == l) {
                        offsets.row(i - line.begin) += weight * directions.row(v);
                    } else {
                        points.row(i - line.begin) += weight * height_[j] * directions.row(v);
                    }
                }
            }
        }
        return solve_fold(points, offsets, line.target);
    };
    for (size_t l = 0; l < layout_.lines.size(); ++l) {
        const FoldHeight alone = solve_line(l);  // with those before it
        height_[l] = alone.height;
    }
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
        double change = 0.0;
        residual_ = 0.0;
        for (size_t l = 0; l < layout_.lines.size(); ++l) {
            const FoldHeight found = solve_line(l);
            change = std::max(change, std::abs(found.height - height_[l]));
            height_[l] = found.height;
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
        squeezed_[l] = std::max(0.0, 1.0 - length / line.target);
        live_[l] = squeezed_[l] > 0.0 ? 1 : 0;
        height_[l] *= gate_ > 0.0 ? smooth_step(squeezed_[l] / gate_) : 1.0;
    }
}

double FoldHeights::height(int v) const {
    double height = 0.0;
    const Stencils& spread = layout_.spread;
    for (int field = 0; field < layout_.fields; ++field) {
        double sum = 0.0;
        for (int s = spread.offsets[static_cast<size_t>(v)];
             s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
            sum += spread.weights[static_cast<size_t>(s)] *
                   height_[static_cast<size_t>(
                       spread.indices[static_cast<size_t>(s)] * layout_.fields + field)];
        }
        height += layout_.profile[static_cast<size_t>(field)][static_cast<size_t>(v)] * sum;
    }
    return height;
}

double FoldHeights::compression(int v) const {
    double sum = 0.0;
    const Stencils& spread = layout_.spread;
    for (int s = spread.offsets[static_cast<size_t>(v)];
         s < spread.offsets[static_cast<size_t>(v) + 1]; ++s) {
        const int j = spread.indices[static_cast<size_t>(s)];
        double largest = 0.0;
        for (int l = layout_.first_line[static_cast<size_t>(j * layout_.fields)];
             l < layout_.first_line[static_cast<size_t>((j + 1) * layout_.fields)]; ++l) {
            largest = std::max(largest, squeezed_[static_cast<size_t>(l)]);
        }
        sum += spread.weights[static_cast<size_t>(s)] * largest;
    }
    return sum;
}

FoldReport FoldHeights::report() const {
    FoldReport report;
    report.worst_residual = residual_;
    for (size_t l = 0; l < squeezed_.size(); ++l) {
        report.compressed += squeezed_[l] > 0.0 ? 1 : 0;
        report.gated += squeezed_[l] > 0.0 && squeezed_[l] < gate_ ? 1 : 0;
    }
    for (size_t i = 0; i < height_.size(); ++i) {
        const double width = layout_.width[i / static_cast<size_t>(layout_.fields)];
        report.capped += cap_ > 0.0 && height_[i] > 0.75 * cap_ * width ? 1 : 0;
        report.highest = std::max(report.highest, height_[i]);
    }
    return report;
}

}  // namespace cutis::fold_detail
