#include "curve/curve_solver.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "cutis/core/error.h"
#include "products.h"

namespace cutis {

namespace {

constexpr int column_chunk = 96;
constexpr size_t first_slots = 16;
constexpr double state_version = 3.0;
constexpr double least_limit = 1e-6;  // of the limit, at held ends

long grid_index(double time, double rate) {
    // Frame times are often grid times up to rounding.
    constexpr double rounding = 1e-6;
    return static_cast<long>(std::floor(time * rate + rounding));
}

}  // namespace

CurveSolver::CurveSolver(const CurvePart& part, const CurveOptions& options, bool meets) : options_(options) {
    check_options(describe(options_), "curve");
    require(options.highest_frequency_hz >= options.frequency_hz,
            "curve highest_frequency: expected at least the frequency, ", options.frequency_hz, " Hz, found ",
            options.highest_frequency_hz);
    require(options.dynamics != CurveDynamics::smoothstep && options.dynamics != CurveDynamics::spline,
            "curve: expected dynamics exact, paper or still; smoothstep and spline need examples "
            "in time");
    const bool is_ring = part.direction == CurveDirection::around;
    const CurveEnds ends = is_ring                                   ? CurveEnds::ring
                           : part.has_closed_end && options.free_tip ? CurveEnds::free_far
                                                                     : CurveEnds::clamped;
    const int intervals = is_ring ? part.node_count : part.node_count - 1;
    curve_count_ = part.curve_count;
    rows_ = part.rows();
    columns_ = 3 * part.curve_count;
    first_moved_ = is_ring ? 0 : 1;
    // Mode j of a beam has about (j + 1/2)^2 / (3/2)^2 times the first frequency; take enough, then
    // drop the fast ones.
    const double ratio = std::sqrt(options.highest_frequency_hz / options.frequency_hz);
    const double wanted = std::min(1e6, 4.0 * ratio + 4.0);
    BeamModes all = beam_modes(intervals, ends, static_cast<int>(wanted));
    const int base = is_ring ? 1 : 0;
    int count = 0;
    omegas_.resize(all.count());
    for (int k = 0; k < all.count(); ++k) {
        const double f = options.frequency_hz * std::sqrt(all.eigenvalues[std::max(k, base)] / all.eigenvalues[base]);
        if (k <= base || f <= options.highest_frequency_hz) {
            omegas_[count++] = 2.0 * std::numbers::pi * f;
        }
    }
    omegas_.conservativeResize(count);
    modes_.intervals = intervals;
    modes_.ends = ends;
    modes_.eigenvalues = all.eigenvalues.head(count);
    modes_.shapes = all.shapes.leftCols(count);
    modes_.projector = all.projector.topRows(count);
    if (meets && options.dynamics == CurveDynamics::exact) {
        sub_ = std::max(1, static_cast<int>(std::ceil(options.contact_steps * contact_hz / options.rate_hz - 1e-9)));
    }
    for (int k = 0; k < count; ++k) {
        steps_.push_back(step_of(k, 1.0));
    }
    if (sub_ > 1) {
        prepare_contact();
    }
    window_ = VectorXd::Ones(rows_);
    if (is_ring) {
        for (int i = 0; i < rows_; ++i) {
            const double s = part.along[i];
            window_[i] = 16.0 * s * s * (1.0 - s) * (1.0 - s);
        }
    }
    if (!options.softness.empty()) {
        require(options.softness.size() == static_cast<size_t>(rows_), "curve: expected softness for ", rows_,
                " nodes, found ", options.softness.size());
        for (int i = 0; i < rows_; ++i) {
            const double soft = options.softness[i];
            require(soft >= 0.0 && soft <= 1.0 + 1e-9, "curve softness: expected 0 to 1, found ", soft);
            window_[i] *= soft;
        }
    }
    const double radius = part.girth / (2.0 * std::numbers::pi);
    const double natural = ends == CurveEnds::free_far ? part.length / 6.0 : std::min(radius / 3.0, part.length / 10.0);
    limit_ = options.limit.value_or(natural);
    // Along a curve the limit has the shape of the first mode: flesh driven far into it keeps its form, where one limit
    // for all nodes would leave a plateau with cliffs at the held ends.
    limits_ = VectorXd::Constant(rows_, limit_);
    for (int i = 0; i < rows_ && !is_ring; ++i) {
        const double s = part.along[i];
        limits_[i] *=
            ends == CurveEnds::free_far ? s * s * (6.0 - 4.0 * s + s * s) / 3.0 : 16.0 * s * s * (1.0 - s) * (1.0 - s);
        limits_[i] = std::max(limits_[i], least_limit * limit_);
    }
    goal_.place = goal_.speed = goal_.drive = goal_.target = RowMatrixXd::Zero(count, columns_);
    goal_.shape = MatrixX3d::Zero(rows_, 3);
    slots_.assign(first_slots, goal_);
    from_drive_ = contact_ = goal_.drive;
    forces_ = MatrixX3d::Zero(rows_, 3);
    modal_ = modal_speed_ = RowMatrixXd::Zero(count, columns_);
    scratch_ = swing_ = speed_ = MatrixX3d::Zero(rows_, 3);
    report_.modes = count;
}

OscillatorStep CurveSolver::step_of(int mode, double fraction) const {
    const double omega = omegas_[mode];
    const double h = 1.0 / fine_rate();
    if (options_.dynamics == CurveDynamics::exact) {
        return oscillator_step(omega, options_.damping, fraction * h);
    }
    OscillatorStep step;
    if (options_.dynamics == CurveDynamics::paper) {
        // Chaudhry et al. 2014 A5 in one mode: (w^2 + 1/h^2) y^{m+1} = w^2 u^{m+1} + (2 y^m -
        // y^{m-1}) / h^2, with v^m = (y^m - y^{m-1}) / h. Between grid times the answer is linear.
        const double pull = omega * omega * h * h;
        step.yy = 1.0 - fraction * pull / (1.0 + pull);
        step.yv = fraction * h / (1.0 + pull);
        step.yu1 = fraction * pull / (1.0 + pull);
        step.vy = -pull / (1.0 + pull) / h;
        step.vv = 1.0 / (1.0 + pull);
        step.vu1 = pull / (1.0 + pull) / h;
    } else {
        step.yy = step.vv = 0.0;
        step.yu0 = 1.0 - fraction;
        step.yu1 = fraction;
        step.vu0 = -1.0 / h;
        step.vu1 = 1.0 / h;
    }
    return step;
}

void CurveSolver::project(const MatrixX3d& nodes, RowMatrixXd& out, const Workers& workers) const {
    const double* first = nodes.data() + static_cast<Eigen::Index>(first_moved_) * columns_;
    workers.for_chunks(columns_, column_chunk, [&](int begin, int end) {
        product(modes_.projector.data(), modes_.projector.rows(), modes_.projector.cols(), modes_.projector.cols(),
                first, columns_, out.data(), columns_, begin, end);
    });
}

void CurveSolver::expand(const RowMatrixXd& modal, MatrixX3d& nodes, const Workers& workers) const {
    // Nodes that do not move keep the 0 they began with.
    const Eigen::Index moved = modes_.shapes.rows();
    double* first = nodes.data() + static_cast<Eigen::Index>(first_moved_) * columns_;
    workers.for_chunks(columns_, column_chunk, [&](int begin, int end) {
        product(modes_.shapes.data(), moved, modes_.shapes.cols(), modes_.shapes.cols(), modal.data(), columns_, first,
                columns_, begin, end);
    });
}

void CurveSolver::sample_at(long index, Sampler sample, double known) {
    // The oldest drive's arrays are used again for the newest.
    std::swap(before_, middle_);
    std::swap(middle_, newest_);
    // Rotations are needed of the middle and the newest alone: two arrays stay near the processor.
    std::swap(before_.frames.rotations, newest_.frames.rotations);
    const double time = static_cast<double>(index) / options_.rate_hz;
    constexpr double rounding = 1e-6;  // grid steps
    if (time > known + rounding / options_.rate_hz) {
        // What comes next belongs to another take: this one goes on at its speed.
        newest_ = middle_;
        newest_.frames.places += middle_.frames.places - before_.frames.places;
        return;
    }
    sample(time, newest_);
    const auto fits = [&](const MatrixX3d& list) { return list.rows() == rows_; };
    require(fits(newest_.frames.places) && fits(newest_.followed) && fits(newest_.shape) &&
                newest_.frames.rotations.rows() == rows_ && newest_.frames.rotations.cols() == 9 &&
                (newest_.push.size() <= 0 || fits(newest_.push)),
            "curve: expected a drive for ", rows_, " nodes, found ", newest_.frames.places.rows());
    // Rotations come from the same joints as places.
    const auto finite = [](const MatrixX3d& list) { return all_finite(list.data(), list.size()); };
    if (!finite(newest_.frames.places) || !finite(newest_.push) ||
        (newest_.has_target && !(finite(newest_.followed) && finite(newest_.shape)))) {
        throw SolverFailure(concat("curve: the drive at ", time, " s is not finite"));
    }
}

void CurveSolver::aim(const CurveDrive& drive, Slot& slot, const Workers& workers) {
    slot.has_target = drive.has_target;
    if (drive.has_target) {
        slot.shape = drive.shape;
        scratch_ = drive.followed + drive.shape;
        project(scratch_, slot.target, workers);
    } else {
        slot.target.setZero();
    }
}

CurveSolver::Slot& CurveSolver::next_slot() {
    if (slots_used_ == slots_.size()) {
        slots_.push_back(slots_.back());
    }
    Slot& slot = slots_[slots_used_];
    slot.index = first_slot_ + static_cast<long>(slots_used_++);
    return slot;
}

/// What drives at the time of the middle drive; the newest is one grid step later.
void CurveSolver::make_goal(const Workers& workers) {
    aim(middle_, goal_, workers);
    goal_.drive = goal_.target;
    const bool has_push = middle_.push.rows() > 0;
    if (has_push || (options_.inertia_gain > 0.0 && options_.dynamics != CurveDynamics::still)) {
        add_inertia(goal_, workers);
    }
}

/// y'' + ... = -gain R^T a, with a the second difference of the places, seen from the turned
/// frames. A force per mass is an acceleration the other way. A still curve has no inertia.
void CurveSolver::add_inertia(Slot& now, const Workers& workers) {
    const bool has_push = middle_.push.rows() > 0;
    const double gain = options_.dynamics == CurveDynamics::still ? 0.0 : options_.inertia_gain;
    const double scale = gain * options_.rate_hz * options_.rate_hz;
    const Eigen::Index moved = modes_.projector.cols();
    const Eigen::Index modes = modes_.projector.rows();
    // A few curves and a few rows of nodes at a time go all the way in the nearest cache.
    constexpr Eigen::Index lot = 16;
    workers.for_chunks(columns_, column_chunk, [&](int begin, int end) {
        const Eigen::Index width = end - begin;
        double acceleration[column_chunk];
        double turned[lot * column_chunk];
        for (Eigen::Index k = 0; k < modes; ++k) {
            std::fill_n(modal_.data() + k * columns_ + begin, width, 0.0);
        }
        for (Eigen::Index row = 0; row < moved; row += lot) {
            const Eigen::Index count = std::min(lot, moved - row);
            for (Eigen::Index i = 0; i < count; ++i) {
                const Eigen::Index at = (first_moved_ + row + i) * columns_ + begin;
                const double* p0 = before_.frames.places.data() + at;
                const double* p1 = middle_.frames.places.data() + at;
                const double* p2 = newest_.frames.places.data() + at;
                Eigen::Index c = 0;
                for (; c + 4 <= width; c += 4) {
                    const simd::Doubles twice = simd::all(2.0) * simd::load(p1 + c);
                    simd::store(acceleration + c, simd::all(scale) * (simd::load(p2 + c) - twice + simd::load(p0 + c)));
                }
                for (; c < width; ++c) {
                    acceleration[c] = scale * (p2[c] - 2.0 * p1[c] + p0[c]);
                }
                if (has_push) {
                    const double* push = middle_.push.data() + at;
                    for (Eigen::Index k = 0; k < width; ++k) {
                        acceleration[k] -= push[k];
                    }
                }
                turned_back(acceleration, middle_.frames.rotations.data() + 3 * at, width / 3, turned + i * width);
            }
            add_product(modes_.projector.data() + row, modes, count, moved, turned, width, modal_.data() + begin,
                        columns_, static_cast<int>(width));
        }
        for (Eigen::Index k = 0; k < modes; ++k) {
            now.drive.row(k).segment(begin, width) -= modal_.row(k).segment(begin, width) / (omegas_[k] * omegas_[k]);
        }
    });
}

void CurveSolver::begin(double time, Sampler sample, const Workers& workers, double known) {
    const long index = grid_index(time, options_.rate_hz);
    slots_used_ = 0;
    first_slot_ = index * sub_;
    // The grid begins up to a step before `time`, which may belong to another take: the pose at
    // `time` stands for it, its places those of an even speed.
    const auto from_here = [&](double at, CurveDrive& drive) { sample(std::max(at, time), drive); };
    sample_at(index, from_here, unlimited);
    middle_ = newest_;  // even where nothing more is known: at rest
    sample_at(index + 1, from_here, known);
    if (sub_ > 1) {
        from_ = middle_.frames;
    }
    sample_at(index + 2, from_here, known);
    constexpr double on_grid = 1e-6;  // grid steps
    if (time * options_.rate_hz - static_cast<double>(index) > on_grid) {
        before_.frames.places = 2.0 * middle_.frames.places - newest_.frames.places;
    }
    // The first acceleration is that of the next grid time: the past is not known.
    make_goal(workers);
    Slot& first = next_slot();
    aim(before_, first, workers);
    first.drive = first.target + (goal_.drive - goal_.target);
    first.place = first.target;
    first.speed.setZero();
    from_drive_ = first.drive;
    if (sub_ > 1) {
        from_.places = before_.frames.places;
        from_followed_ = before_.followed;
        contact_.setZero();
        forces_.setZero();
    }
    report_.largest_offset = report_.largest_limited = 0.0;
    has_state_ = true;
}

void CurveSolver::go_on() {
    // Of the slots before, those of the last grid step begin the new span of time.
    const size_t kept = std::min(slots_used_, static_cast<size_t>(sub_) + 1);
    const size_t drop = slots_used_ - kept;
    for (size_t i = 0; i < kept && drop > 0; ++i) {
        std::swap(slots_[i], slots_[i + drop]);
    }
    slots_used_ = kept;
    first_slot_ += static_cast<long>(drop);
}

bool CurveSolver::lags_behind(double to) const {
    const long last = (grid_index(to, options_.rate_hz) + 1) * sub_;
    return first_slot_ + static_cast<long>(slots_used_) - 1 < last;
}

void CurveSolver::open(Sampler sample, const Workers& workers, double known) {
    from_drive_ = goal_.drive;
    if (sub_ > 1) {
        from_ = middle_.frames;
        from_followed_ = middle_.followed;
    }
    const long newest = (first_slot_ + static_cast<long>(slots_used_) - 1) / sub_;
    sample_at(newest + 2, sample, known);
    make_goal(workers);
}

void CurveSolver::integrate(const Slot& a, Slot& b) const {
    for (int k = 0; k < modes_.count(); ++k) {
        const OscillatorStep& s = steps_[k];
        b.place.row(k) =
            s.yy * a.place.row(k) + s.yv * a.speed.row(k) + s.yu0 * a.drive.row(k) + s.yu1 * b.drive.row(k);
        b.speed.row(k) =
            s.vy * a.place.row(k) + s.vv * a.speed.row(k) + s.vu0 * a.drive.row(k) + s.vu1 * b.drive.row(k);
    }
}

void CurveSolver::step(int i) {
    Slot& b = next_slot();
    const Slot& a = slots_[slots_used_ - 2];
    at_ = static_cast<double>(i) / sub_;
    if (i == sub_) {
        b.drive = goal_.drive;
        b.target = goal_.target;
        b.has_target = goal_.has_target;
        if (goal_.has_target) {
            b.shape = goal_.shape;
        }
    } else {
        // Linear between the grid times; a slot of the last grid time stands i steps back.
        const Slot& from = slots_[slots_used_ - 1 - static_cast<size_t>(i)];
        b.drive = (1.0 - at_) * from_drive_ + at_ * goal_.drive;
        b.target = (1.0 - at_) * from.target + at_ * goal_.target;
        b.has_target = from.has_target || goal_.has_target;
        if (b.has_target) {
            b.shape = (from.has_target ? 1.0 - at_ : 0.0) * from.shape + (goal_.has_target ? at_ : 0.0) * goal_.shape;
        }
    }
    if (sub_ > 1) {
        b.drive += contact_;
    }
    integrate(a, b);
}

void CurveSolver::reset(double time, Sampler sample, const Workers& workers, double known) {
    begin(time, sample, workers, known);
    for (int i = 1; i <= sub_; ++i) {
        step(i);
    }
}

void CurveSolver::advance(double to, Sampler sample, const Workers& workers, double known) {
    if (!has_state_) {
        reset(to, sample, workers, known);
        return;
    }
    go_on();
    while (lags_behind(to)) {
        open(sample, workers, known);
        for (int i = 1; i <= sub_; ++i) {
            step(i);
        }
    }
}

void CurveSolver::displacement(double time, const NodeFrames& frames, const Workers& workers, MatrixX3d& out) {
    const long newest = first_slot_ + static_cast<long>(slots_used_) - 1;
    const long index = std::clamp(grid_index(time, fine_rate()), first_slot_, newest - 1);
    const Slot& a = slot(index);
    const Slot& b = slot(index + 1);
    const double x = std::clamp(time * fine_rate() - static_cast<double>(index), 0.0, 1.0);
    for (int k = 0; k < modes_.count(); ++k) {
        // The exact step runs to the time asked for with the drive it has there; the others'
        // answers are linear between grid times.
        const OscillatorStep s = step_of(k, x);
        const bool is_exact = options_.dynamics == CurveDynamics::exact;
        const double u0 = is_exact ? s.yu0 + s.yu1 * (1.0 - x) : s.yu0;
        const double u1 = is_exact ? s.yu1 * x : s.yu1;
        modal_.row(k) = s.yy * a.place.row(k) + s.yv * a.speed.row(k) + u0 * a.drive.row(k) + u1 * b.drive.row(k) -
                        ((1.0 - x) * a.target.row(k) + x * b.target.row(k));
        const double v0 = is_exact ? s.vu0 + s.vu1 * (1.0 - x) : s.vu0;
        const double v1 = is_exact ? s.vu1 * x : s.vu1;
        modal_speed_.row(k) = s.vy * a.place.row(k) + s.vv * a.speed.row(k) + v0 * a.drive.row(k) + v1 * b.drive.row(k);
    }
    expand(modal_, swing_, workers);
    speed_is_known_ = false;
    out.resize(rows_, 3);
    double largest = 0.0;  // squared
    const bool has_shape = a.has_target || b.has_target;
    const double s0 = a.has_target ? 1.0 - x : 0.0;
    const double s1 = b.has_target ? x : 0.0;
    double largest_limited = 0.0;
    const double* r = frames.rotations.data();
    double* to = out.data();
    // Four nodes at a time: roots and quotients of many at once.
    simd::Doubles largest_four = simd::all(0.0), limited_four = simd::all(0.0);
    int i = 0;
    for (; i + 4 <= rows_; i += 4, r += 36, to += 12) {
        simd::Doubles3 swing;
        simd::split_xyz(swing_.data() + 3 * static_cast<Eigen::Index>(i), swing.x, swing.y, swing.z);
        const simd::Doubles soft = simd::load(window_.data() + i);
        const simd::Doubles limit = simd::load(limits_.data() + i);
        const simd::Doubles square = soft * soft * simd::dot(swing, swing);
        const simd::Doubles share = limit * simd::inverse_root(limit * limit + square);
        largest_four = simd::larger(square, largest_four);
        limited_four = simd::larger(square * (share * share), limited_four);
        simd::Doubles3 local = (share * soft) * swing;
        if (has_shape) {
            simd::Doubles3 from, other;
            simd::split_xyz(a.shape.data() + 3 * static_cast<Eigen::Index>(i), from.x, from.y, from.z);
            simd::split_xyz(b.shape.data() + 3 * static_cast<Eigen::Index>(i), other.x, other.y, other.z);
            local = local + simd::all(s0) * from + simd::all(s1) * other;
        }
        // Entries of four rotations, one register each.
        simd::Doubles r0 = simd::load(r), r1 = simd::load(r + 9), r2 = simd::load(r + 18), r3 = simd::load(r + 27);
        simd::Doubles r4 = simd::load(r + 4), r5 = simd::load(r + 13), r6 = simd::load(r + 22), r7 = simd::load(r + 31);
        const simd::Doubles r8 = {r[8], r[17], r[26], r[35]};
        simd::transpose(r0, r1, r2, r3);
        simd::transpose(r4, r5, r6, r7);
        simd::join_xyz(to, r0 * local.x + r1 * local.y + r2 * local.z, r3 * local.x + r4 * local.y + r5 * local.z,
                       r6 * local.x + r7 * local.y + r8 * local.z);
    }
    largest = simd::largest(largest_four);
    largest_limited = simd::largest(limited_four);
    for (; i < rows_; ++i, r += 9, to += 3) {
        const Vector3d swing = swing_.row(i);
        const double square =
            window_[i] * window_[i] * (swing.x() * swing.x() + swing.y() * swing.y() + swing.z() * swing.z());
        const double share = limits_[i] * (1.0 / std::sqrt(limits_[i] * limits_[i] + square));
        largest = std::max(largest, square);
        largest_limited = std::max(largest_limited, square * (share * share));
        Vector3d local = (share * window_[i]) * swing;
        if (has_shape) {
            local += s0 * a.shape.row(i).transpose() + s1 * b.shape.row(i).transpose();
        }
        for (int k = 0; k < 3; ++k) {
            to[k] = r[3 * k] * local.x() + r[3 * k + 1] * local.y() + r[3 * k + 2] * local.z();
        }
    }
    report_.largest_offset = std::sqrt(largest);
    report_.largest_limited = std::sqrt(largest_limited);
}

const MatrixX3d& CurveSolver::speed(const Workers& workers) {
    if (!speed_is_known_) {
        expand(modal_speed_, speed_, workers);
        speed_is_known_ = true;
    }
    return speed_;
}

std::vector<double> CurveSolver::save() const {
    std::vector<double> state = {state_version, static_cast<double>(rows_), static_cast<double>(columns_),
                                 static_cast<double>(modes_.count()), has_state_ ? 1.0 : 0.0};
    if (!has_state_) {
        return state;
    }
    const auto add = [&](const auto& matrix) {
        state.insert(state.end(), matrix.data(), matrix.data() + matrix.size());
    };
    const auto kept = static_cast<size_t>(sub_) + 1;
    state.push_back(static_cast<double>(first_slot_ + static_cast<long>(slots_used_ - kept)));
    add(goal_.drive);
    if (sub_ > 1) {
        add(contact_);
        add(forces_);
    }
    for (size_t i = slots_used_ - kept; i < slots_used_; ++i) {
        state.push_back(slots_[i].has_target ? 1.0 : 0.0);
        add(slots_[i].place);
        add(slots_[i].speed);
        add(slots_[i].drive);
        add(slots_[i].target);
        add(slots_[i].shape);
    }
    for (const CurveDrive* drive : {&middle_, &newest_}) {
        state.push_back(drive->has_target ? 1.0 : 0.0);
        add(drive->frames.places);
        add(drive->frames.rotations);
        add(drive->followed);
        add(drive->shape);
        state.push_back(drive->push.rows() > 0 ? 1.0 : 0.0);
        if (drive->push.rows() > 0) {
            add(drive->push);
        }
    }
    return state;
}

void CurveSolver::restore(const std::vector<double>& state) {
    const auto modal = static_cast<size_t>(modes_.count()) * static_cast<size_t>(columns_);
    const auto nodes = 3 * static_cast<size_t>(rows_);
    const bool has = state.size() > 4 && state[4] == 1.0;
    // Both drives bring a push, or none does: the last number of a state without is its mark, 0.
    const auto kept = static_cast<size_t>(sub_) + 1;
    const size_t contact = sub_ > 1 ? modal + nodes : 0;
    const size_t without = has ? 10 + modal + contact + kept * (1 + 4 * modal + nodes) + 12 * nodes : 5;
    const size_t expected = has && state.size() > without ? without + 2 * nodes : without;
    require(state.size() == expected && state[0] == state_version && state[1] == rows_ && state[2] == columns_ &&
                state[3] == modes_.count(),
            "curve state: expected ", expected, " numbers for ", rows_, " nodes and ", modes_.count(), " modes, found ",
            state.size());
    for (size_t i = 0; i < state.size(); ++i) {
        require(std::isfinite(state[i]), "curve state: expected finite numbers, number ", i, " is not");
    }
    has_state_ = has;
    slots_used_ = 0;
    if (!has) {
        return;
    }
    size_t at = 5;
    constexpr double farthest = 1e15;  // grid times a double counts exactly
    require(std::abs(state[at]) <= farthest && state[at] == std::floor(state[at]),
            "curve state: expected a grid time, found ", state[at]);
    first_slot_ = static_cast<long>(state[at++]);
    const auto take = [&](auto& matrix, Eigen::Index rows, Eigen::Index columns) {
        matrix.resize(rows, columns);
        std::copy_n(state.begin() + static_cast<std::ptrdiff_t>(at), matrix.size(), matrix.data());
        at += static_cast<size_t>(matrix.size());
    };
    take(goal_.drive, modes_.count(), columns_);
    if (sub_ > 1) {
        take(contact_, modes_.count(), columns_);
        take(forces_, rows_, 3);
    }
    while (slots_.size() < kept) {
        slots_.push_back(slots_.back());
    }
    for (size_t i = 0; i < kept; ++i) {
        Slot& one = slots_[i];
        one.index = first_slot_ + static_cast<long>(i);
        one.has_target = state[at++] != 0.0;
        for (RowMatrixXd* matrix : {&one.place, &one.speed, &one.drive, &one.target}) {
            take(*matrix, modes_.count(), columns_);
        }
        take(one.shape, rows_, 3);
    }
    slots_used_ = kept;
    for (CurveDrive* drive : {&middle_, &newest_}) {
        drive->has_target = state[at++] != 0.0;
        take(drive->frames.places, rows_, 3);
        take(drive->frames.rotations, rows_, 9);
        take(drive->followed, rows_, 3);
        take(drive->shape, rows_, 3);
        const bool has_push = state[at++] != 0.0;
        require(has_push == (expected > without), "curve state: expected forces of both times or of none");
        take(drive->push, has_push ? rows_ : 0, 3);
    }
}

}  // namespace cutis
