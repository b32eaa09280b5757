#pragma once

#include <memory>
#include <vector>

#include "curve/beam.h"
#include "cutis/curve/options.h"

namespace cutis {

class ModalTransform;

struct TimeExampleOptions {
    CurveDynamics dynamics = CurveDynamics::exact;
    CurveEnds ends = CurveEnds::clamped;  ///< paper: clamped only
    double frequency_hz = 5.0;            ///< first mode; 0.01 .. 1000
    double damping = 0.3;                 ///< ratio of every mode, 0 .. 1 (exact only)
    int paper_steps = 30;                 ///< M, frames between two examples
    bool extrapolate = false;             ///< two examples only: past the last one the force goes on rising
                                          ///< (Chaudhry et al. 2014 Fig. 11); else the last example holds
};

/// Deformation between examples given in time, at any time, in any order.
///
/// Every example is reached exactly. Two examples: the force that rises linearly is identified in
/// closed form, one number a mode. More: the piecewise linear targets are
/// simulated exactly from rest and the cubic spline through what was missed is added, so velocity
/// is continuous everywhere (section 5).
class TimeExamples {
public:
    /// \param times   seconds, strictly increasing, at least two
    /// \param shapes  one per time: N + 1 nodes (ring: N) x columns, all relative to one baseline
    /// \throw InvalidInput  fewer than two examples, times not increasing, shapes of different
    ///                      size, numbers that are not finite (names which), options out of range
    TimeExamples(std::vector<double> times, std::vector<RowMatrixXd> shapes, const TimeExampleOptions& options);
    ~TimeExamples();

    /// Deformation at a time; before the first example that one holds. Allocates nothing after the
    /// first call with the same `out`. Not for two threads at once.
    void at(double time, RowMatrixXd& out) const;

private:
    void two_examples(double time, RowMatrixXd& out) const;
    void many_examples(double time, RowMatrixXd& out) const;
    double blend(size_t j, double time) const;
    void prepare_intervals();
    void prepare_settled();
    void prepare_spline();

    /// From some time on only the slowest modes need to be looked at one by one.
    struct SettledModes {
        int active;         ///< modes that still ring
        double from;        ///< seconds after the first example
        RowMatrixXd start;  ///< first example less the lag of the settled ones
    };

    std::vector<double> times_;
    std::vector<RowMatrixXd> shapes_;
    TimeExampleOptions options_;
    std::unique_ptr<ModalTransform> transform_;
    int first_moved_ = 0, moved_ = 0;
    VectorXd omegas_;
    Eigen::MatrixXd full_growth_;                         // per interval and mode, at the interval's end
    std::vector<SettledModes> settled_;                   // two examples, exact: fewer and fewer active
    std::vector<RowMatrixXd> modal_;                      // of each interval's change, or of each example
    std::vector<RowMatrixXd> speed_, miss_, miss_slope_;  // per example: modes x columns
    std::vector<RowMatrixXd> shape_slope_;                // per example: of the spline through whole shapes
    mutable RowMatrixXd scratch_;
};

/// Slopes of the cubic spline through vector values at increasing times.
/// \param zero_start  slope 0 at the first time; otherwise natural. Natural at the last.
std::vector<RowMatrixXd> spline_slopes(const std::vector<double>& times, const std::vector<RowMatrixXd>& values,
                                       bool zero_start);

}  // namespace cutis
