#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "curve/beam.h"
#include "curve/node_frames.h"
#include "curve/oscillator.h"
#include "curve/time_examples.h"
#include "cutis/core/function_ref.h"
#include "cutis/core/parallel.h"
#include "cutis/curve/options.h"

namespace cutis {

/// What drives the flesh at one time.
struct CurveDrive {
    NodeFrames frames;
    MatrixX3d
        followed;     ///< node rows x 3, local: what the surface below already has (its own
                      ///< bulges); the flesh lags and overshoots, the surface's part is not added
    MatrixX3d shape;  ///< node rows x 3, local: what examples and forces add
    MatrixX3d push;   ///< node rows x 3, world, m/s^2: forces given by hand, per mass; empty: none
    bool has_target = true;  ///< false: followed and shape are 0 and need not be looked at
};

/// What an advance met.
struct CurveReport {
    int modes = 0;                 ///< that swing; the others follow at once
    double largest_offset = 0.0;   ///< metres off the target, before the limit
    double largest_limited = 0.0;  ///< and after it
};

/// Flesh on curves: every curve is a beam (Chaudhry et al. 2014 Eq. 2) whose modes are integrated
/// exactly.
///
/// The drive is sampled on a fixed grid of time, linear in between; the answer at any time is exact
/// for that drive and does not depend on the frame rate. Targets pull (force identified so that the
/// static answer is the target), the acceleration of the nodes' places pushes. Ends that are held
/// stay on their targets with zero slope of the rest, so connected parts remain connected in place
/// and tangent.
class CurveSolver {
public:
    /// Fills the drive at a time (seconds); asked up to look_ahead() beyond the time to reach,
    /// never beyond `known` and, at a reset, never before its time.
    using Sampler = FunctionRef<void(double time, CurveDrive& drive)>;
    static constexpr double unlimited = std::numeric_limits<double>::infinity();

    /// \throw InvalidInput  option out of range, fewer than 3 nodes (ring: 3)
    CurveSolver(const CurvePart& part, const CurveOptions& options);

    /// Seconds beyond the time to reach at which the drive is asked for.
    double look_ahead() const { return 2.0 / options_.rate_hz; }

    /// On the targets and at rest at `time`.
    /// \param known  the drive is not asked for beyond this: it goes on as it was (before a cut)
    void reset(double time, Sampler sample, const Workers& workers, double known = unlimited);

    /// To a later time. Earlier grid times since the last advance stay answerable.
    /// Allocates nothing once calls have come at their usual distance.
    void advance(double to, Sampler sample, const Workers& workers, double known = unlimited);

    /// Displacement of nodes in the world, relative to what the drive called `followed`, at any
    /// time between the last two calls. \param frames  at that time \param out     node rows x 3
    void displacement(double time, const NodeFrames& frames, const Workers& workers,
                      MatrixX3d& out);

    /// Speed of the nodes in their frames at the time of the last displacement(), node rows x 3.
    const MatrixX3d& speed(const Workers& workers);

    const CurveReport& report() const { return report_; }
    const CurveOptions& options() const { return options_; }
    double limit() const { return limit_; }
    int mode_count() const { return modes_.count(); }

    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of this solver
    void restore(const std::vector<double>& state);

private:
    struct Slot {  // everything at one grid time
        long index = 0;
        bool has_target = false;
        RowMatrixXd place, speed;   // modes x columns
        RowMatrixXd drive, target;  // modes x columns: with and without inertia
        MatrixX3d shape;            // node rows x 3
    };
    Slot& slot(long index) { return slots_[index - first_slot_]; }
    void sample_at(long index, Sampler sample, double known);
    void aim(const CurveDrive& drive, Slot& slot, const Workers& workers);  // target and shape
    void make_slot(long index, const Workers& workers);
    void add_inertia(Slot& now, const Workers& workers);
    OscillatorStep step_of(int mode, double fraction) const;
    void project(const MatrixX3d& nodes, RowMatrixXd& out, const Workers& workers) const;
    void expand(const RowMatrixXd& modal, MatrixX3d& nodes, const Workers& workers) const;

    CurveOptions options_;
    BeamModes modes_;
    VectorXd omegas_;
    VectorXd window_;  // per node row: rings do not move at the tube's ends
    std::vector<OscillatorStep> steps_;
    int rows_ = 0, columns_ = 0, curve_count_ = 0, first_moved_ = 0;
    double limit_ = 0.0;
    bool has_state_ = false;
    long first_slot_ = 0;
    std::vector<Slot> slots_;  // consecutive grid times
    size_t slots_used_ = 0;
    long newest_drive_ = 0;
    CurveDrive before_, middle_, newest_;  // three consecutive grid times
    RowMatrixXd modal_, modal_speed_;
    MatrixX3d scratch_, swing_, speed_;
    Eigen::ArrayXd square_, share_;  // of one row of nodes
    bool speed_is_known_ = false;
    CurveReport report_;
};

}  // namespace cutis
