#include "fold/rail_solver.h"

#include <algorithm>
#include <functional>

#include "fold/pair_line.h"

namespace cutis::fold_detail {

namespace {

constexpr int chunk_rails = 64;
// Shares of the rest length taken away by the limiter that count as limited.
constexpr double limited_from = 1e-6;

// Offsets are raised above neighbouring directions by this part of their length, where those
// directions face their own by more than twice least_rail_facing.
constexpr double raised_by = 1e-6;
constexpr double least_rail_facing = 0.3;

}  // namespace

template <class Real>
struct RailSolver<Real>::Task {
    FoldRails::PointsOf base;
    FoldRails::PointsOf directions;
    const std::vector<FoldPlane>& planes;
    FoldRailReport* report;
    RailGroup<Lanes>& group;
};

template <class Real>
RailSolver<Real>::RailSolver(RailNumbers& numbers)
    : numbers_(numbers),
      tiles_((numbers.set.segments + width - 1) / width),
      stride_(static_cast<size_t>(tiles_ * width + 3)) {
    const size_t rails = static_cast<size_t>(numbers.set.count());
    const size_t segments = static_cast<size_t>(numbers.set.segments);
    offset_blocks_.assign(rails * 3 * stride_, Real(0));
    direction_blocks_ = offset_blocks_;
    lifted_.assign(rails * (segments + 1) * 4, Real(0));
    const size_t row = static_cast<size_t>(tiles_) * width;
    profile_rows_.assign(rails * row, Real(0));
    part_rows_ = profile_rows_;
    for (size_t r = 0; r < rails; ++r) {
        const double* profile = numbers.set.profile.data() + r * (segments + 1);
        const double* fraction = numbers.rest_fraction.data() + r * (segments + 1);
        for (size_t i = 0; i < segments; ++i) {
            profile_rows_[r * row + i] = static_cast<Real>(profile[i + 1]);
            part_rows_[r * row + i] = static_cast<Real>(fraction[i + 1] - fraction[i]);
        }
    }
    chunk_reports_.resize((rails + chunk_rails - 1) / chunk_rails);
}

template <class Real>
void RailSolver<Real>::solve(FoldRails::PointsOf base, FoldRails::PointsOf directions,
                             const std::vector<FoldPlane>& planes, const Workers& workers) {
    const auto job = [&](int begin, int end) {
        RailGroup<Lanes> group;  // not set to zero: every solve fills what it reads
        Task task{base, directions, planes,
                  &chunk_reports_[static_cast<size_t>(begin / chunk_rails)], group};
        *task.report = {};
        task.report->rails = end - begin;
        task.group.count = numbers_.set.segments;
        solve_chunk(task, begin, end);
    };
    workers.for_chunks(numbers_.set.count(), chunk_rails, std::ref(job));
    sum_report();
    if (numbers_.options.merge_from > 0.0) {
        // Each rail is in one pair at most; the report counts pairs afterwards, in order.
        const auto merge = [&](int begin, int end) {
            for (int i = begin; i < end; ++i) {
                merge_pair(numbers_.merging[static_cast<size_t>(i)], base);
            }
        };
        workers.for_chunks(static_cast<int>(numbers_.merging.size()), chunk_rails, std::ref(merge));
        for (const int r : numbers_.merging) {
            numbers_.report.merged += numbers_.active[static_cast<size_t>(r)] == 2 ? 1 : 0;
        }
    }
    const auto finish = [&](int begin, int end) {
        for (int r = begin; r < end; ++r) {
            if (numbers_.active[static_cast<size_t>(r)] != 0) {
                finish_rail(r);
            }
        }
    };
    workers.for_chunks(numbers_.set.count(), chunk_rails, std::ref(finish));
}

template <class Real>
void RailSolver<Real>::sum_report() {
    FoldRailReport& sum = numbers_.report;
    sum = {};
    for (const FoldRailReport& part : chunk_reports_) {
        sum.rails += part.rails;
        sum.compressed += part.compressed;
        sum.gated += part.gated;
        sum.capped += part.capped;
        sum.limited += part.limited;
        sum.not_converged += part.not_converged;
        sum.most_iterations = std::max(sum.most_iterations, part.most_iterations);
        sum.worst_fischer_burmeister =
            std::max(sum.worst_fischer_burmeister, part.worst_fischer_burmeister);
        sum.worst_shortening = std::max(sum.worst_shortening, part.worst_shortening);
        sum.highest = std::max(sum.highest, part.highest);
    }
}

// What an earlier pose left is wiped out, so that a pose gives the same bits whatever came before.
template <class Real>
void RailSolver<Real>::clear_rail(int rail) {
    unsigned char& active = numbers_.active[static_cast<size_t>(rail)];
    if (active == 0) {
        return;
    }
    active = 0;
    std::fill_n(block(offset_blocks_, rail) - 1, 3 * stride_, Real(0));
    std::fill_n(block(direction_blocks_, rail) - 1, 3 * stride_, Real(0));
    const size_t numbers = static_cast<size_t>(numbers_.set.segments + 1) * 4;
    std::fill_n(lifted_.data() + static_cast<size_t>(rail) * numbers, numbers, Real(0));
}

template <class Real>
void RailSolver<Real>::solve_chunk(Task& task, int begin, int end) {
    const int last = numbers_.set.segments;
    const int middle = last / 2;
    const auto distance = [](const double* a, const double* b) {
        const double x = b[0] - a[0];
        const double y = b[1] - a[1];
        const double z = b[2] - a[2];
        return std::sqrt(x * x + y * y + z * z);
    };
    // Both ends and the middle alone say of most rails that they are long enough.
    double buffer[chunk_rails * (3 * (most_segments + 1) + 1)];
    const auto line_of = [&](int r) { return buffer + (r - begin) * (3 * (last + 1) + 1); };
    for (int r = begin; r < end; ++r) {
        double* line = line_of(r);
        task.base(r, 0, 1, line);
        task.base(r, middle, middle + 1, line);
        task.base(r, last, last + 1, line);
    }
    double least[chunk_rails];
    for (int r = begin; r < end; ++r) {
        const double* line = line_of(r);
        least[r - begin] =
            distance(line, line + 3 * middle) + distance(line + 3 * middle, line + 3 * last);
    }
    const double* from[width];
    int rails[width];
    int waiting = 0;
    for (int r = begin; r < end; ++r) {
        numbers_.height[r] = 0.0;
        if (least[r - begin] >= numbers_.rest_length[r]) {
            numbers_.length[r] = least[r - begin];
            numbers_.compression[r] = 1.0 - least[r - begin] / numbers_.rest_length[r];
            clear_rail(r);
        } else {
            double* line = line_of(r);
            task.base(r, 1, middle, line);
            task.base(r, middle + 1, last, line);
            from[waiting] = line;
            rails[waiting] = r;
            ++waiting;
        }
        if (waiting == width || (waiting > 0 && r + 1 == end)) {
            for (int lane = waiting; lane < width; ++lane) {  // idle lanes repeat the first rail
                from[lane] = from[0];
                rails[lane] = rails[0];
            }
            solve_group(task, rails, waiting, from);
            waiting = 0;
        }
    }
}

template <class Real>
typename RailSolver<Real>::Lanes RailSolver<Real>::limit(RailGroup<Lanes>& group, const int* rails,
                                                         const double* const* points,
                                                         const std::vector<FoldPlane>& planes,
                                                         Lanes rest) const {
    Lanes taken = larger(hold_at_end(group, true, rest), hold_at_end(group, false, rest));
    bool has_planes = false;
    Triple<Lanes> point{};
    Triple<Lanes> normal{};
    Lanes hold{};
    const size_t middle = static_cast<size_t>(group.count / 2);
    for (int lane = 0; lane < width; ++lane) {
        const int plane = numbers_.set.plane[static_cast<size_t>(rails[lane])];
        if (plane < 0 || static_cast<size_t>(plane) >= planes.size()) {
            continue;
        }
        has_planes = true;
        // The side of the fold's middle is its side; a fold right on the plane has none.
        const FoldPlane& joint = planes[static_cast<size_t>(plane)];
        const Vector3d origin(points[lane][0], points[lane][1], points[lane][2]);
        const Vector3d centre = Eigen::Map<const Vector3d>(points[lane] + 3 * middle);
        Vector3d unit = joint.normal.normalized();
        const double side = (centre - joint.point).dot(unit);
        unit *= side < 0.0 ? -1.0 : 1.0;
        const Vector3d place = joint.point - origin;
        point.x[lane] = static_cast<Real>(place.x());
        point.y[lane] = static_cast<Real>(place.y());
        point.z[lane] = static_cast<Real>(place.z());
        normal.x[lane] = static_cast<Real>(unit.x());
        normal.y[lane] = static_cast<Real>(unit.y());
        normal.z[lane] = static_cast<Real>(unit.z());
        hold[lane] = static_cast<Real>(
            std::min(1.0, std::abs(side) / (sure_side * numbers_.rest_length[rails[lane]])));
    }
    if (has_planes) {
        taken = larger(taken, hold_at_plane(group, point, normal, hold));
    }
    return taken;
}

template <class Real>
void RailSolver<Real>::write_blocks(const Triple<Lanes>* values, const int* rails,
                                    const bool* is_wanted, int used, std::vector<Real>& blocks) {
    const auto write = [&](auto coordinate, size_t first) {
        for (int tile = 0; tile < tiles_; ++tile) {
            Lanes row[width];
            for (int k = 0; k < width; ++k) {
                row[k] = values[1 + tile * width + k].*coordinate;
            }
            transpose(row);
            for (int lane = 0; lane < used; ++lane) {
                if (is_wanted[lane]) {
                    store(block(blocks, rails[lane]) + first + 1 + tile * width, row[lane]);
                }
            }
        }
        const size_t last = static_cast<size_t>(numbers_.set.segments);
        for (int lane = 0; lane < used; ++lane) {
            if (is_wanted[lane]) {
                Real* line = block(blocks, rails[lane]) + first;
                line[-1] = line[0] = (values[0].*coordinate)[lane];
                line[last + 1] = line[last];
            }
        }
    };
    write(&Triple<Lanes>::x, 0);
    write(&Triple<Lanes>::y, stride_);
    write(&Triple<Lanes>::z, 2 * stride_);
}

template <class Real>
void RailSolver<Real>::solve_group(Task& task, const int* rails, int used,
                                   const double* const* points) {
    RailGroup<Lanes>& group = task.group;
    const FoldRailOptions& options = numbers_.options;
    const FoldRailSet& set = numbers_.set;
    const int count = group.count;
    Lanes rest;
    Lanes share;
    for (int lane = 0; lane < width; ++lane) {
        rest[lane] = static_cast<Real>(numbers_.rest_length[rails[lane]]);
        share[lane] = static_cast<Real>(set.share[rails[lane]]);
    }
    for (int i = 0; i <= count; ++i) {
        group.point[i] = gather(points, 3 * i, true, Lanes{});
    }
    const Lanes base = fill_edges(group);
    const Lanes compression = all<Lanes>(1.0) - base / rest;
    FoldRailReport& report = *task.report;
    double directions[width][3 * (most_segments + 1) + 1];
    const double* from[width];
    bool is_wanted[width];
    bool has_work = false;
    for (int lane = 0; lane < used; ++lane) {
        const int rail = rails[lane];
        numbers_.length[rail] = base[lane];
        numbers_.compression[rail] = compression[lane];
        const bool is_compressed = base[lane] < rest[lane];
        report.compressed += is_compressed ? 1 : 0;
        report.gated += is_compressed && compression[lane] < options.gate ? 1 : 0;
        is_wanted[lane] = is_compressed && set.share[rail] > 0.0;
        if (!is_wanted[lane]) {
            clear_rail(rail);
            continue;
        }
        has_work = true;
        numbers_.active[static_cast<size_t>(rail)] = 1;
    }
    if (!has_work) {
        return;
    }
    for (int lane = 0; lane < width; ++lane) {
        from[lane] = directions[lane < used ? lane : 0];
        if (lane < used) {
            task.directions(rails[lane], 0, count + 1, directions[lane]);
        }
    }
    for (int i = 0; i <= count; ++i) {
        group.direction[i] = gather(from, 3 * i, false, Lanes{});
    }
    for (int tile = 0; tile < tiles_; ++tile) {
        const auto turn = [&](const std::vector<Real>& rows, Lanes* to) {
            Lanes row[width];
            for (int lane = 0; lane < width; ++lane) {
                row[lane] =
                    load(rows.data() + static_cast<size_t>((rails[lane] * tiles_ + tile) * width));
            }
            transpose(row);
            std::copy(row, row + width, to + 1 + tile * width);
        };
        turn(profile_rows_, group.profile);
        turn(part_rows_, group.rest_part);
    }

    // Ly et al. 2017 Eq. 3 with d_i = B_i v_i, then heights.
    group.profile[0] = Lanes{};
    for (int i = 0; i <= count; ++i) {
        Triple<Lanes>& v = group.direction[i];
        v = (all<Lanes>(1.0) / larger(length(v), all<Lanes>(tiny<Lanes>))) * v;
        group.offset[i] = group.profile[i] * v;
    }
    fill_growth(group);
    const FoldTolerance& tolerance = options.tolerance;
    const LaneRoot<Lanes> heights =
        solve_lanes(group.segments, count, rest, base, tolerance.length, tolerance.most_iterations);
    scale_offsets(group, heights.scale);
    Lanes stretch = heights.stretch;
    for (int pass = 1; pass <= options.distortion_passes; ++pass) {
        // Passes before the last one need not be exact.
        const bool is_last = pass == options.distortion_passes;
        even_out(group, is_last ? chord_rounds : 1);
        fill_growth(group);
        const LaneRoot<Lanes> again =
            rescale_lanes(group.segments, count, rest, base, tolerance.length,
                          is_last ? tolerance.most_iterations : 2);
        scale_offsets(group, again.scale);
        stretch = again.stretch;
    }

    // Everything that makes offsets smaller than length would have them.
    Lanes factor = share * gate_factor(compression, options.gate);
    Lanes top = highest(group);
    const Lanes cap = all<Lanes>(options.height_cap) * rest;
    const bool has_cap = options.height_cap > 0.0 && options.mode == FoldMode::gate;
    const auto is_capped = top * factor > all<Lanes>(0.75) * cap;
    if (has_cap && any(is_capped)) {
        for (int lane = 0; lane < width; ++lane) {
            if (is_capped[lane] != 0) {
                // Slope 1 at three quarters of the cap, the cap at infinity.
                const Real height = top[lane] * factor[lane];
                const Real free = Real(0.75) * cap[lane];
                const Real left = cap[lane] - free;
                factor[lane] *= (free - left * std::expm1((free - height) / left)) / height;
            }
        }
    }
    scale_offsets(group, factor);
    Lanes taken{};
    if (options.limiter) {
        taken = limit(group, rails, points, task.planes, rest);
    }
    top = highest(group);
    fill_growth(group);
    const Lanes folded = grown_length(group.segments, count);

    write_blocks(group.offset, rails, is_wanted, used, offset_blocks_);
    write_blocks(group.direction, rails, is_wanted, used, direction_blocks_);
    for (int lane = 0; lane < used; ++lane) {
        if (!is_wanted[lane]) {
            continue;
        }
        const int rail = rails[lane];
        numbers_.height[rail] = top[lane];
        const double height = heights.scale[lane];
        const double gap = heights.stretch[lane];
        const double residual = std::sqrt(height * height + gap * gap) - height - gap;
        report.most_iterations =
            std::max(report.most_iterations, static_cast<int>(heights.iterations[lane]));
        report.worst_fischer_burmeister =
            std::max(report.worst_fischer_burmeister, std::abs(residual));
        report.not_converged +=
            std::abs(stretch[lane]) > 10.0 * tolerance.length * rest[lane] ? 1 : 0;
        report.capped += has_cap && is_capped[lane] != 0 ? 1 : 0;
        report.limited += taken[lane] > limited_from * rest[lane] ? 1 : 0;
        report.worst_shortening =
            std::max(report.worst_shortening, 1.0 - double(folded[lane]) / rest[lane]);
        report.highest = std::max(report.highest, numbers_.height[rail]);
    }
}

// Two folds become one: their offsets are mixed with those of a blob over both, and the mixture is
// scaled to the rest length of both together. At either end of the transition that scale is 1, so
// nothing jumps, and the common length is kept all the way.
template <class Real>
void RailSolver<Real>::merge_pair(int rail, FoldRails::PointsOf base) {
    const FoldRailSet& set = numbers_.set;
    const FoldRailOptions& options = numbers_.options;
    const int partner = set.partner[static_cast<size_t>(rail)];
    const double rest = numbers_.rest_length[rail] + numbers_.rest_length[partner];
    const double compression = 1.0 - (numbers_.length[rail] + numbers_.length[partner]) / rest;
    // Both must be compressed: the second factor lets a pair part before one of them is stretched.
    const double least = std::min(numbers_.compression[rail], numbers_.compression[partner]);
    const double part =
        smooth_step((compression - options.merge_from) / (options.merge_to - options.merge_from)) *
        smooth_step(least / (0.5 * options.merge_from));
    unsigned char& first_active = numbers_.active[static_cast<size_t>(rail)];
    unsigned char& second_active = numbers_.active[static_cast<size_t>(partner)];
    if (part <= 0.0 || first_active == 0 || second_active == 0) {
        return;
    }
    PairLine pair(set.segments);
    const double first_part = numbers_.rest_length[rail] / rest;
    double points[3 * (most_segments + 1)];
    for (const int one : {rail, partner}) {
        base(one, 0, set.segments + 1, points);
        const double* fraction =
            numbers_.rest_fraction.data() + static_cast<size_t>(one) * (set.segments + 1);
        for (int i = 0; i <= set.segments; ++i) {
            const double arc = one == partner ? first_part + (1.0 - first_part) * fraction[i]
                                              : first_part * fraction[i];
            pair.set(one == partner, i, Eigen::Map<const Vector3d>(points + 3 * i),
                     direction(one, i), offset(one, i), 2.0 * arc - 1.0);
        }
    }
    const double factor = 0.5 * (set.share[rail] + set.share[partner]) *
                          gate_factor(all<Doubles>(compression), options.gate)[0];
    pair.merge(part, rest, factor, options.tolerance);
    for (const int one : {rail, partner}) {
        Real* to = block(offset_blocks_, one);
        for (int i = 0; i <= set.segments; ++i) {
            const Vector3d& merged = pair.offset(one == partner, i);
            to[i] = static_cast<Real>(merged.x());
            to[stride_ + i] = static_cast<Real>(merged.y());
            to[2 * stride_ + i] = static_cast<Real>(merged.z());
        }
    }
    numbers_.height[rail] = numbers_.height[partner] = pair.highest();
    first_active = second_active = 2;
}

// Offsets as lifting reads them. The pieces of cloth between rails A and B have the corners A_i,
// A_{i+1}, B_i and A_{i+1}, B_{i+1}, B_i: those are the directions an offset meets. In gate mode an
// offset that would dip below one of them is raised; in strict mode lengths are left as they are.
template <class Real>
void RailSolver<Real>::finish_rail(int rail) {
    const int points = numbers_.set.segments + 1;
    const size_t s = stride_;
    const bool may_raise = numbers_.options.mode == FoldMode::gate;
    const Real* o = block(offset_blocks_, rail);
    Real* to = lifted_.data() + static_cast<size_t>(rail) * static_cast<size_t>(points) * 4;
    const Lanes none{};
    const auto vector = [&](const Real* from) {
        return Triple<Lanes>{load(from), load(from + s), load(from + 2 * s)};
    };
    for (int i = 1; i < points; i += width) {
        Triple<Lanes> offset = vector(o + i);
        const Real* at = block(direction_blocks_, rail) + i;
        const Triple<Lanes> up = vector(at);
        Lanes low = dot(offset, up);
        Lanes facing = all<Lanes>(1.0);
        const auto meet = [&](const Real* from) {
            const Triple<Lanes> other = vector(from);
            low = smaller(low, dot(offset, other));
            // Where the other rail is not active there is no direction.
            const Lanes part = dot(up, other);
            facing = select(part == none, facing, smaller(facing, part));
        };
        meet(at - 1);
        meet(at + 1);
        if (rail + 1 < numbers_.set.count()) {
            const Real* next = block(direction_blocks_, rail + 1) + i;
            meet(next);
            meet(next - 1);
        }
        if (rail > 0) {
            const Real* before = block(direction_blocks_, rail - 1) + i;
            meet(before);
            meet(before + 1);
        }
        if (may_raise) {
            // A little more than needed, so that rounding does not undo it; less and less where
            // directions turn away from each other, which lifting then looks at vertex by vertex.
            const Lanes sure = all<Lanes>(least_rail_facing);
            const Lanes hold =
                smaller(larger(facing / sure - all<Lanes>(1.0), none), all<Lanes>(1.0));
            const Lanes wanted = all<Lanes>(raised_by) * length(offset);
            const Lanes raise = hold * larger(wanted - low, none) / larger(facing, sure);
            offset = offset + raise * up;
            low = select(hold < all<Lanes>(1.0), low, larger(low, none));
        }
        const Lanes* const rows[4] = {&offset.x, &offset.y, &offset.z, &low};
        for (int k = 0; k < width && i + k < points; ++k) {
            for (int c = 0; c < 4; ++c) {
                to[4 * (i + k) + c] = (*rows[c])[k];
            }
        }
    }
}

template class RailSolver<float>;
template class RailSolver<double>;

}  // namespace cutis::fold_detail
