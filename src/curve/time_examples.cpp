#include "curve/time_examples.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math.h"
#include "curve/oscillator.h"
#include "cutis/core/error.h"
#include "modal_transform.h"
#include "products.h"

namespace cutis {

namespace {

/// Weights of the cubic Hermite curve at fraction x of an interval of length h.
struct Hermite {
    double v0, v1, s0, s1;
    Hermite(double x, double h)
        : v0((1.0 + 2.0 * x) * (1.0 - x) * (1.0 - x)),
          v1(x * x * (3.0 - 2.0 * x)),
          s0(h * x * (1.0 - x) * (1.0 - x)),
          s1(h * x * x * (x - 1.0)) {}
};

void check(const std::vector<double>& times, const std::vector<RowMatrixXd>& shapes,
           const TimeExampleOptions& options) {
    require(times.size() >= 2 && times.size() == shapes.size(),
            "examples: expected at least two, each with a time and a shape, found ", times.size(), " times and ",
            shapes.size(), " shapes");
    for (size_t j = 0; j < times.size(); ++j) {
        if (!std::isfinite(times[j]) || (j > 0 && times[j] <= times[j - 1])) {
            throw InvalidInput(concat("examples: expected strictly increasing times, found ", times[j],
                                      j > 0 ? concat(" after ", times[j - 1]) : "", " (example ", j, ")"));
        }
        require(shapes[j].rows() == shapes[0].rows() && shapes[j].cols() == shapes[0].cols() && shapes[j].cols() >= 1,
                "examples: expected shapes of one size, the first is ", shapes[0].rows(), " x ", shapes[0].cols(),
                ", example ", j, " is ", shapes[j].rows(), " x ", shapes[j].cols());
        require(all_finite(shapes[j].data(), shapes[j].size()), "examples: expected finite numbers, example ", j,
                " has others");
    }
    require(options.frequency_hz >= 0.01 && options.frequency_hz <= 1000.0 && options.damping >= 0.0 &&
                options.damping <= 1.0 && options.paper_steps >= 1,
            "examples: expected a frequency of 0.01 to 1000 Hz, a damping ratio ",
            "of 0 to 1 and at least 1 step, found ", options.frequency_hz, ", ", options.damping, " and ",
            options.paper_steps);
    require(options.dynamics != CurveDynamics::paper || options.ends == CurveEnds::clamped,
            "examples: expected clamped ends for the paper's scheme");
}

}  // namespace

std::vector<RowMatrixXd> spline_slopes(const std::vector<double>& times, const std::vector<RowMatrixXd>& values,
                                       bool zero_start) {
    // Continuous second derivative at inner times: tridiagonal in the slopes (Thomas).
    const size_t count = times.size();
    std::vector<RowMatrixXd> slope(count, RowMatrixXd::Zero(values[0].rows(), values[0].cols()));
    std::vector<double> upper(count, 0.0);
    const auto h = [&](size_t j) { return times[j + 1] - times[j]; };
    const auto secant = [&](size_t j) { return ((values[j + 1] - values[j]) / h(j)).eval(); };
    double diagonal = 1.0;
    if (!zero_start) {
        diagonal = 2.0;
        upper[0] = 0.5;
        slope[0] = 1.5 * secant(0);
    }
    for (size_t j = 1; j < count; ++j) {
        const bool is_last = j + 1 == count;
        const double lower = is_last ? 1.0 : h(j);
        diagonal = is_last ? 2.0 : 2.0 * (h(j) + h(j - 1));
        const RowMatrixXd right =
            is_last ? (3.0 * secant(j - 1)).eval() : (3.0 * (h(j) * secant(j - 1) + h(j - 1) * secant(j))).eval();
        const double pivot = diagonal - lower * upper[j - 1];
        upper[j] = is_last ? 0.0 : h(j - 1) / pivot;
        slope[j] = (right - lower * slope[j - 1]) / pivot;
    }
    for (size_t j = count - 1; j-- > 0;) {
        slope[j] -= upper[j] * slope[j + 1];
    }
    return slope;
}

TimeExamples::TimeExamples(std::vector<double> times, std::vector<RowMatrixXd> shapes,
                           const TimeExampleOptions& options)
    : times_(std::move(times)), shapes_(std::move(shapes)), options_(options) {
    check(times_, shapes_, options_);
    const auto rows = static_cast<int>(shapes_[0].rows());
    const int intervals = options_.ends == CurveEnds::ring ? rows : rows - 1;
    first_moved_ = options_.ends == CurveEnds::ring ? 0 : 1;
    moved_ = moved_nodes(intervals, options_.ends);
    const bool has_force = options_.dynamics == CurveDynamics::paper || options_.dynamics == CurveDynamics::exact;
    if (options_.dynamics == CurveDynamics::spline) {
        shape_slope_ = spline_slopes(times_, shapes_, false);
    }
    if (!has_force) {
        return;
    }
    const BeamModes modes = beam_modes(intervals, options_.ends, std::max(rows, 1));
    transform_ = std::make_unique<ModalTransform>(modes);
    omegas_.resize(modes.count());
    // The first mode that bends has the given frequency; a ring's translation shares it.
    const int base = options_.ends == CurveEnds::ring ? 1 : 0;
    for (int k = 0; k < modes.count(); ++k) {
        omegas_[k] = 2.0 * std::numbers::pi * options_.frequency_hz *
                     std::sqrt(modes.eigenvalues[std::max(k, base)] / modes.eigenvalues[base]);
    }
    if (options_.dynamics == CurveDynamics::paper || times_.size() == 2) {
        prepare_intervals();
    } else {
        prepare_spline();
    }
}

TimeExamples::~TimeExamples() = default;

/// Each interval on its own: one force that rises.
void TimeExamples::prepare_intervals() {
    const Eigen::Index modes = omegas_.size();
    const size_t count = times_.size();
    full_growth_ = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(count) - 1, modes);
    modal_.resize(count - 1);
    RowMatrixXd change;
    for (size_t j = 0; j + 1 < count; ++j) {
        change = shapes_[j + 1].middleRows(first_moved_, moved_) - shapes_[j].middleRows(first_moved_, moved_);
        transform_->project(change, modal_[j]);
        const double length = times_[j + 1] - times_[j];
        const double M = options_.paper_steps;
        for (Eigen::Index k = 0; k < modes; ++k) {
            full_growth_(static_cast<Eigen::Index>(j), k) = options_.dynamics == CurveDynamics::paper
                                                                ? paper_growth(omegas_[k] * length / M, M, M)
                                                                : ramp_answer(omegas_[k], options_.damping, length);
        }
    }
    scratch_ = modal_[0];
    if (options_.dynamics == CurveDynamics::exact) {
        prepare_settled();
    }
}

/// A mode whose beginning has died away lags behind its ramp by 2 xi / omega, a constant:
///   growth(t) - x = (x - 1) lag / (T - lag),  x = t / T.
/// What all modes from one on do then is a fixed shape times x - 1, summed here for a few of them.
void TimeExamples::prepare_settled() {
    const double length = times_[1] - times_[0];
    const auto modes = static_cast<int>(omegas_.size());
    const auto settles = [&](int k) {
        // What is left of the beginning, e^(-xi omega t) / (omega T) at most a hundred times over,
        // is then below the last digit.
        const double decays = 40.0 - math::log(std::max(1.0, omegas_[k] * length));
        return std::max(decays, 1.0) / (options_.damping * omegas_[k]);
    };
    int active = modes;
    while (active > 4) {
        const int fewer = (active + 1) / 2;
        if (!(settles(fewer) < length)) {
            break;
        }
        for (int k = fewer; k < active; ++k) {
            const double lag = 2.0 * options_.damping / omegas_[k];
            scratch_.row(k - fewer) = -lag / (length - lag) * modal_[0].row(k);
        }
        const RowMatrixXd& before = settled_.empty() ? shapes_[0] : settled_.back().start;
        const Eigen::Index at = first_moved_ * before.cols();
        RowMatrixXd start = before;
        transform_->expand(scratch_, fewer, active - fewer, 1.0, before.data() + at, 0.0, before.data() + at,
                           start.data() + at);
        settled_.push_back({fewer, settles(fewer), std::move(start)});
        active = fewer;
    }
}

/// Simulates from rest, then a spline through what was missed.
void TimeExamples::prepare_spline() {
    const size_t count = times_.size();
    modal_.resize(count);
    for (size_t j = 0; j < count; ++j) {
        transform_->project(shapes_[j].middleRows(first_moved_, moved_), modal_[j]);
    }
    scratch_ = modal_[0];
    std::vector<RowMatrixXd> simulated = {modal_[0]};
    speed_ = {RowMatrixXd::Zero(modal_[0].rows(), modal_[0].cols())};
    for (size_t j = 0; j + 1 < count; ++j) {
        RowMatrixXd place = simulated[j];
        RowMatrixXd speed = speed_[j];
        for (Eigen::Index k = 0; k < omegas_.size(); ++k) {
            const OscillatorStep s = oscillator_step(omegas_[k], options_.damping, times_[j + 1] - times_[j]);
            place.row(k) = s.yy * simulated[j].row(k) + s.yv * speed_[j].row(k) + s.yu0 * modal_[j].row(k) +
                           s.yu1 * modal_[j + 1].row(k);
            speed.row(k) = s.vy * simulated[j].row(k) + s.vv * speed_[j].row(k) + s.vu0 * modal_[j].row(k) +
                           s.vu1 * modal_[j + 1].row(k);
        }
        simulated.push_back(place);
        speed_.push_back(speed);
    }
    for (size_t j = 0; j < count; ++j) {
        miss_.push_back(modal_[j] - simulated[j]);
    }
    miss_slope_ = spline_slopes(times_, miss_, true);
    shape_slope_ = spline_slopes(times_, shapes_, true);
}

double TimeExamples::blend(size_t j, double time) const {
    return (time - times_[j]) / (times_[j + 1] - times_[j]);
}

void TimeExamples::at(double time, RowMatrixXd& out) const {
    require(std::isfinite(time), "examples: expected a finite time, found ", time);
    if (time <= times_.front()) {
        out = shapes_.front();
        return;
    }
    const bool goes_on = options_.extrapolate && times_.size() == 2;
    if (time >= times_.back() && !goes_on) {
        out = shapes_.back();
        return;
    }
    const bool has_force = options_.dynamics == CurveDynamics::paper || options_.dynamics == CurveDynamics::exact;
    if (has_force && (times_.size() == 2 || options_.dynamics == CurveDynamics::paper)) {
        two_examples(time, out);
    } else if (options_.dynamics == CurveDynamics::exact) {
        many_examples(time, out);
    } else {
        const auto next = std::upper_bound(times_.begin(), times_.end() - 1, time);
        const auto j = static_cast<size_t>(next - times_.begin()) - 1;
        const double x = blend(j, time);
        if (options_.dynamics == CurveDynamics::spline) {
            const Hermite w(x, times_[j + 1] - times_[j]);
            out = w.v0 * shapes_[j] + w.v1 * shapes_[j + 1] + w.s0 * shape_slope_[j] + w.s1 * shape_slope_[j + 1];
        } else {
            const double y = options_.dynamics == CurveDynamics::smoothstep ? x * x * (3.0 - 2.0 * x) : x;
            out = (1.0 - y) * shapes_[j] + y * shapes_[j + 1];
        }
    }
}

void TimeExamples::two_examples(double time, RowMatrixXd& out) const {
    const auto next = std::upper_bound(times_.begin(), times_.end() - 1, time);
    const auto j = static_cast<size_t>(next - times_.begin()) - 1;
    const double length = times_[j + 1] - times_[j];
    const double x = blend(j, time);
    // Ends: Chaudhry et al. 2014 Eqs. (6) and (13). Inside: growth of each mode over its growth at
    // the example.
    const RowMatrixXd* start = &shapes_[j];
    auto active = static_cast<int>(omegas_.size());
    const double since = time - times_[j];
    for (const SettledModes& one : settled_) {
        if (since >= one.from) {
            start = &one.start;
            active = one.active;
        }
    }
    for (int k = 0; k < active; ++k) {
        double growth = 0.0;
        if (options_.dynamics == CurveDynamics::paper) {
            const double M = options_.paper_steps;
            growth = paper_growth(omegas_[k] * length / M, x * M, M);
        } else {
            growth = ramp_answer(omegas_[k], options_.damping, since);
        }
        growth /= full_growth_(static_cast<Eigen::Index>(j), k);
        scratch_.row(k) = (growth - x) * modal_[j].row(k);
    }
    const RowMatrixXd& end = shapes_[j + 1];
    out.resize(end.rows(), end.cols());
    for (const Eigen::Index n : {Eigen::Index{0}, end.rows() - 1}) {
        out.row(n) = (1.0 - x) * start->row(n) + x * end.row(n);
    }
    const Eigen::Index at = first_moved_ * end.cols();
    transform_->expand(scratch_, 0, active, 1.0 - x, start->data() + at, x, end.data() + at, out.data() + at);
}

void TimeExamples::many_examples(double time, RowMatrixXd& out) const {
    const auto next = std::upper_bound(times_.begin(), times_.end() - 1, time);
    const auto j = static_cast<size_t>(next - times_.begin()) - 1;
    const double length = times_[j + 1] - times_[j];
    const double x = blend(j, time);
    const Hermite w(x, length);
    out = w.v0 * shapes_[j] + w.v1 * shapes_[j + 1] + w.s0 * shape_slope_[j] + w.s1 * shape_slope_[j + 1];
    for (Eigen::Index k = 0; k < omegas_.size(); ++k) {
        const OscillatorStep s = oscillator_step(omegas_[k], options_.damping, x * length);
        const auto u0 = modal_[j].row(k);
        const auto u1 = modal_[j + 1].row(k);
        scratch_.row(k) = s.yy * (u0 - miss_[j].row(k)) + s.yv * speed_[j].row(k) + s.yu0 * u0 +
                          s.yu1 * ((1.0 - x) * u0 + x * u1) + w.v0 * miss_[j].row(k) + w.v1 * miss_[j + 1].row(k) +
                          w.s0 * miss_slope_[j].row(k) + w.s1 * miss_slope_[j + 1].row(k);
    }
    const Eigen::Index at = first_moved_ * out.cols();
    const double* nothing = shapes_[j].data() + at;
    transform_->expand(scratch_, 0, static_cast<int>(omegas_.size()), 0.0, nothing, 0.0, nothing, out.data() + at);
}

}  // namespace cutis
