#include "cutis/fold/rails.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cutis/core/error.h"
#include "fold/lane_solve.h"
#include "fold/rail_steps.h"

namespace cutis {

using namespace fold_detail;

namespace {

constexpr int chunk_rails = 32;

void require(bool is_good, const std::string& what) {
    if (!is_good) {
        throw InvalidInput("fold rails: " + what);
    }
}

void check_options(const FoldRailOptions& options) {
    require(options.gate >= 0.0 && options.gate <= 0.5,
            say("expected a gate of 0 to 0.5, found ", options.gate));
    require(options.distortion_passes >= 0 && options.distortion_passes <= 10,
            say("expected 0 to 10 distortion passes, found ", options.distortion_passes));
    require(options.height_cap >= 0.0 && std::isfinite(options.height_cap),
            say("expected a height cap of at least 0, found ", options.height_cap));
    require(options.tolerance.length >= 1e-15 && options.tolerance.length <= 1e-3,
            say("expected a length tolerance of 1e-15 to 1e-3, found ", options.tolerance.length));
    require(options.tolerance.most_iterations >= 1,
            say("expected at least 1 iteration, found ", options.tolerance.most_iterations));
    require(options.merge_from == 0.0 ||
                (options.merge_from > 0.0 && options.merge_from < options.merge_to &&
                 options.merge_to <= 1.0),
            say("expected 0 < merge_from < merge_to <= 1, found ", options.merge_from, " and ",
                options.merge_to));
}

void check_set(const FoldRailSet& set) {
    require(set.segments >= 2 && set.segments <= most_segments,
            say("expected 2 to ", most_segments, " segments a rail, found ", set.segments));
    const int rails = set.count();
    const Eigen::Index points = set.rest.rows();
    require(points == static_cast<Eigen::Index>(rails) * (set.segments + 1) &&
                set.profile.size() == points && set.pre_stretch.size() == rails &&
                set.share.size() == rails && set.partner.size() == static_cast<size_t>(rails) &&
                set.plane.size() == static_cast<size_t>(rails),
            say("expected arrays for ", rails, " rails of ", set.segments + 1, " points, found ",
                points, " points, ", set.profile.size(), " profile values, ",
                set.pre_stretch.size(), " pre-stretches, ", set.share.size(), " shares, ",
                set.partner.size(), " partners and ", set.plane.size(), " planes"));
    require(set.rest.allFinite(), "expected finite rest points, found one that is not");
    for (int r = 0; r < rails; ++r) {
        const int first = r * (set.segments + 1);
        for (int i = first; i <= first + set.segments; ++i) {
            require(
                set.profile[i] >= 0.0 && std::isfinite(set.profile[i]),
                say("rail ", r, ": expected profile values of at least 0, found ", set.profile[i]));
        }
        require(set.profile[first] == 0.0 && set.profile[first + set.segments] == 0.0,
                say("rail ", r, ": expected a profile of 0 at both ends"));
        require(
            set.pre_stretch[r] >= 0.0 && std::isfinite(set.pre_stretch[r]),
            say("rail ", r, ": expected a pre-stretch of at least 0, found ", set.pre_stretch[r]));
        require(set.share[r] >= 0.0 && set.share[r] <= 1.0,
                say("rail ", r, ": expected a share of 0 to 1, found ", set.share[r]));
        const int partner = set.partner[static_cast<size_t>(r)];
        require(partner >= -1 && partner < rails && partner != r,
                say("rail ", r, ": expected another rail as partner, found ", partner));
        require(partner < 0 || set.partner[static_cast<size_t>(partner)] == -1,
                say("rail ", r, ": its partner ", partner, " has a partner of its own"));
    }
}

}  // namespace

FoldRails::FoldRails(FoldRailSet set, const FoldRailOptions& options)
    : set_(std::move(set)), options_(options) {
    check_options(options_);
    check_set(set_);
    if (options_.mode == FoldMode::strict) {
        options_.gate = 0.0;
    }
    const int rails = set_.count();
    const int per_rail = set_.segments + 1;
    rest_length_.resize(rails);
    rest_fraction_.resize(set_.rest.rows());
    for (int r = 0; r < rails; ++r) {
        double length = 0.0;
        const int first = r * per_rail;
        rest_fraction_[first] = 0.0;
        for (int i = first + 1; i < first + per_rail; ++i) {
            length += (set_.rest.row(i) - set_.rest.row(i - 1)).norm();
            rest_fraction_[i] = length;
        }
        require(length > 0.0, say("rail ", r, ": expected a length above 0, found ", length));
        for (int i = first + 1; i < first + per_rail; ++i) {
            rest_fraction_[i] /= length;
        }
        rest_length_[r] = length / (1.0 + set_.pre_stretch[r]);
        if (set_.partner[static_cast<size_t>(r)] >= 0) {
            merging_.push_back(r);
        }
    }
    // One row more: readers take four numbers at a time.
    offsets_ = MatrixX3d::Zero(set_.rest.rows() + 1, 3);
    directions_ = offsets_;
    compression_ = VectorXd::Zero(rails);
    height_ = VectorXd::Zero(rails);
    length_ = VectorXd::Zero(rails);
    active_.assign(static_cast<size_t>(rails), 0);
    chunk_reports_.resize(static_cast<size_t>((rails + chunk_rails - 1) / chunk_rails));
}

void FoldRails::solve(const MatrixX3d& base, const MatrixX3d& directions,
                      const std::vector<FoldPlane>& planes, const Workers& workers) {
    require(base.rows() == set_.rest.rows() && directions.rows() == base.rows(),
            say("expected ", set_.rest.rows(), " points and directions, found ", base.rows(),
                " and ", directions.rows()));
    const size_t numbers = 3 * static_cast<size_t>(set_.segments + 1);
    const auto points_of = [&](int rail, double* out) {
        std::copy_n(base.data() + static_cast<size_t>(rail) * numbers, numbers, out);
    };
    const auto directions_of = [&](int rail, double* out) {
        std::copy_n(directions.data() + static_cast<size_t>(rail) * numbers, numbers, out);
    };
    solve(std::ref(points_of), std::ref(directions_of), planes, workers);
}

void FoldRails::solve(PointsOf base, PointsOf directions, const std::vector<FoldPlane>& planes,
                      const Workers& workers) {
    const auto job = [&](int begin, int end) { solve_chunk(base, directions, planes, begin, end); };
    workers.for_chunks(set_.count(), chunk_rails, std::ref(job));
    sum_report();
    if (options_.merge_from > 0.0) {
        // Each rail is in one pair at most; the report counts pairs afterwards, in order.
        const auto merge = [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                merge_pair(merging_[static_cast<size_t>(i)], base);
            }
        };
        workers.for_chunks(static_cast<int>(merging_.size()), chunk_rails, std::ref(merge));
        for (const int r : merging_) {
            report_.merged += active_[static_cast<size_t>(r)] == 2 ? 1 : 0;
        }
    }
}

void FoldRails::sum_report() {
    report_ = {};
    for (const FoldRailReport& part : chunk_reports_) {
        report_.rails += part.rails;
        report_.compressed += part.compressed;
        report_.gated += part.gated;
        report_.capped += part.capped;
        report_.limited += part.limited;
        report_.not_converged += part.not_converged;
        report_.most_iterations = std::max(report_.most_iterations, part.most_iterations);
        report_.worst_fischer_burmeister =
            std::max(report_.worst_fischer_burmeister, part.worst_fischer_burmeister);
        report_.worst_shortening = std::max(report_.worst_shortening, part.worst_shortening);
        report_.highest = std::max(report_.highest, part.highest);
    }
}

// Four rails of any place in the set, side by side.
struct FoldRails::Group {
    int rail[4];
    Mask4 wanted;
    LaneLine line;
    LaneSegment segments[most_segments];
};

void FoldRails::solve_chunk(PointsOf base, PointsOf directions,
                            const std::vector<FoldPlane>& planes, int begin, int end) {
    FoldRailReport& report = chunk_reports_[static_cast<size_t>(begin / chunk_rails)];
    report = {};
    report.rails = end - begin;
    const int per_rail = set_.segments + 1;
    const int numbers = 3 * per_rail;
    double points[chunk_rails * 3 * (most_segments + 1)];
    for (int r = begin; r < end; ++r) {
        base(r, points + (r - begin) * numbers);
    }
    for (int r = begin; r < end; r += 4) {
        const double* from[4];
        for (int lane = 0; lane < 4; ++lane) {
            from[lane] = points + (std::min(r + lane, end - 1) - begin) * numbers;
        }
        const Lane4 lengths = polyline_length(from, set_.segments);
        for (int lane = 0; lane < 4 && r + lane < end; ++lane) {
            const int rail = r + lane;
            length_[rail] = lengths[lane];
            compression_[rail] = 1.0 - lengths[lane] / rest_length_[rail];
            height_[rail] = 0.0;
            const bool is_compressed = lengths[lane] < rest_length_[rail];
            const bool is_active = is_compressed && set_.share[rail] > 0.0;
            // Rails that are long enough are not computed at all; what an earlier pose left is
            // wiped out, so that a pose gives the same bits whatever came before.
            if (active_[static_cast<size_t>(rail)] != 0 && !is_active) {
                offsets_.middleRows(rail * per_rail, per_rail).setZero();
                directions_.middleRows(rail * per_rail, per_rail).setZero();
            }
            active_[static_cast<size_t>(rail)] = is_active ? 1 : 0;
            report.compressed += is_compressed ? 1 : 0;
            report.gated += is_compressed && compression_[rail] < options_.gate ? 1 : 0;
        }
    }
    Group group;
    int waiting = 0;
    for (int r = begin; r < end; ++r) {
        if (active_[static_cast<size_t>(r)] != 0) {
            double* direction = directions_.data() + static_cast<size_t>(r) * numbers;
            directions(r, direction);
            group.rail[waiting] = r;
            group.line.load(waiting, points + (r - begin) * numbers, direction,
                            set_.profile.data() + r * per_rail, set_.segments);
            ++waiting;
        }
        if (waiting == 0 || (waiting < 4 && r + 1 < end)) {
            continue;
        }
        for (int lane = 0; lane < 4; ++lane) {
            group.wanted[lane] = lane < waiting;
        }
        for (int lane = waiting; lane < 4; ++lane) {  // idle lanes repeat the first rail
            const int first = group.rail[0];
            group.rail[lane] = first;
            group.line.load(lane, points + (first - begin) * numbers,
                            directions_.data() + static_cast<size_t>(first) * numbers,
                            set_.profile.data() + first * per_rail, set_.segments);
        }
        solve_group(group, planes);
        waiting = 0;
    }
}

void FoldRails::solve_group(Group& group, const std::vector<FoldPlane>& planes) {
    const int count = set_.segments;
    LaneLine& line = group.line;
    Lane4 rest;
    Lane4 base;
    Lane4 share;
    Lane4 compression;
    for (int lane = 0; lane < 4; ++lane) {
        rest[lane] = rest_length_[group.rail[lane]];
        base[lane] = length_[group.rail[lane]];
        share[lane] = set_.share[group.rail[lane]];
        compression[lane] = compression_[group.rail[lane]];
    }
    // P3 Eq. 3 with d_i = B_i v_i, then heights.
    line.set_offsets_from_profile(count);
    line.fill_segments(count, group.segments);
    const FoldTolerance& tolerance = options_.tolerance;
    const LaneRoot heights = solve_lanes(group.segments, count, rest, group.wanted,
                                         tolerance.length, tolerance.most_iterations);
    line.scale_offsets(count, heights.scale);
    Lane4 stretch = heights.stretch;
    for (int pass = 0; pass < options_.distortion_passes; ++pass) {
        for (int lane = 0; lane < 4; ++lane) {
            if (group.wanted[lane]) {
                even_out(line, lane, count, rest_fraction_.data() + group.rail[lane] * (count + 1));
            }
        }
        line.fill_segments(count, group.segments);
        const LaneRoot again = rescale_lanes(group.segments, count, rest, base, group.wanted,
                                             tolerance.length, tolerance.most_iterations);
        line.scale_offsets(count, again.scale);
        stretch = again.stretch;
    }

    // Everything that makes offsets smaller than length would have them.
    Lane4 factor = share * gate_factor(compression, options_.gate);
    const Lane4 top = line.highest(count);
    Mask4 is_capped = Mask4::Constant(false);
    if (options_.height_cap > 0.0 && options_.mode == FoldMode::gate) {
        factor *= cap_factor(top * factor, options_.height_cap * rest, is_capped);
    }
    line.scale_offsets(count, factor);
    Lane4 kept = Lane4::Ones();
    if (options_.limiter) {
        kept = limit_factor(line, count);
        for (int lane = 0; lane < 4; ++lane) {
            const int plane = set_.plane[static_cast<size_t>(group.rail[lane])];
            if (plane >= 0 && static_cast<size_t>(plane) < planes.size()) {
                kept[lane] = std::min(kept[lane], plane_factor(line, lane, count,
                                                               planes[static_cast<size_t>(plane)]));
            }
        }
        line.scale_offsets(count, kept);
    }
    line.fill_segments(count, group.segments);
    const Lane4 folded = grown_length(group.segments, count);

    for (int lane = 0; lane < 4; ++lane) {
        if (!group.wanted[lane]) {
            continue;
        }
        const int rail = group.rail[lane];
        line.store(lane, count, offsets_.data() + static_cast<size_t>(rail) * (count + 1) * 3);
        height_[rail] = top[lane] * factor[lane] * kept[lane];
        FoldRailReport& report = chunk_reports_[static_cast<size_t>(rail / chunk_rails)];
        const FoldHeight found{heights.scale[lane], heights.stretch[lane], heights.iterations[lane],
                               true};
        report.most_iterations = std::max(report.most_iterations, found.iterations);
        report.worst_fischer_burmeister =
            std::max(report.worst_fischer_burmeister, std::abs(found.fischer_burmeister()));
        report.not_converged +=
            std::abs(stretch[lane]) > 10.0 * tolerance.length * rest[lane] ? 1 : 0;
        report.capped += is_capped[lane] ? 1 : 0;
        report.limited += kept[lane] < 1.0 ? 1 : 0;
        report.worst_shortening =
            std::max(report.worst_shortening, 1.0 - folded[lane] / rest[lane]);
        report.highest = std::max(report.highest, height_[rail]);
    }
}

// Two folds become one: their offsets are mixed with those of a blob over both, and the mixture is
// scaled to the rest length of both together. At either end of the transition that scale is 1, so
// nothing jumps, and the common length is kept all the way.
void FoldRails::merge_pair(int rail, PointsOf base) {
    const int partner = set_.partner[static_cast<size_t>(rail)];
    const double rest = rest_length_[rail] + rest_length_[partner];
    const double compression = 1.0 - (length_[rail] + length_[partner]) / rest;
    // Both must be compressed: the second factor lets a pair part before one of them is stretched.
    const double least = std::min(compression_[rail], compression_[partner]);
    const double part = smooth_step((compression - options_.merge_from) /
                                    (options_.merge_to - options_.merge_from)) *
                        smooth_step(least / (0.5 * options_.merge_from));
    if (part <= 0.0 || active_[static_cast<size_t>(rail)] == 0 ||
        active_[static_cast<size_t>(partner)] == 0) {
        return;
    }
    PairLine pair;
    const size_t per_rail = static_cast<size_t>(set_.segments) + 1;
    double points[3 * (most_segments + 1)];
    for (const int one : {rail, partner}) {
        const size_t row = static_cast<size_t>(one) * per_rail;
        base(one, points);
        pair.load(points, directions_.data() + 3 * row, offsets_.data() + 3 * row,
                  rest_fraction_.data() + row, set_.segments, rest_length_[rail] / rest,
                  one == partner);
    }
    const double factor = 0.5 * (set_.share[rail] + set_.share[partner]) *
                          gate_factor(Lane4::Constant(compression), options_.gate)[0];
    pair.merge(part, rest, factor, options_.tolerance);
    pair.store(offsets_, rail, partner, set_.segments);
    height_[rail] = height_[partner] = pair.highest();
    active_[static_cast<size_t>(rail)] = active_[static_cast<size_t>(partner)] = 2;
}

}  // namespace cutis
