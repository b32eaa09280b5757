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
    MatrixX3d followed;      ///< node rows x 3, local: what the surface below already has (its own
                             ///< bulges); the flesh lags and overshoots, the surface's part is not added
    MatrixX3d shape;         ///< node rows x 3, local: what examples and forces add
    MatrixX3d push;          ///< node rows x 3, world, m/s^2: forces given by hand, per mass; empty: none
    bool has_target = true;  ///< false: followed and shape are 0 and need not be looked at
};

/// A node that something pushes, at the end of a step.
struct CurveContact {
    int row = 0;                          ///< node row
    double depth = 0.0;                   ///< metres of swing before its limit that it is inside; below 0: outside
    double rate = 0.0;                    ///< how fast that grows, m/s, apart from the swing's own speed
    Vector3d normal = Vector3d::UnitX();  ///< the way out, in the node's frame
    double force = 0.0;                   ///< what resolve() gave it, per mass, m/s^2
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

    /// Contact is a spring and a damper between flesh and what it meets, per mass, so that the motion is that of one
    /// differential equation whatever the step. The frequency is far above the flesh's own; steps are chosen by it.
    static constexpr double contact_hz = 60.0;

    /// \param meets  steps are fine enough for contact(); only exact dynamics has contacts
    /// \throw InvalidInput  option out of range, fewer than 3 nodes (ring: 3)
    CurveSolver(const CurvePart& part, const CurveOptions& options, bool meets = false);

    /// Seconds beyond the time to reach at which the drive is asked for.
    double look_ahead() const { return 2.0 / options_.rate_hz; }

    /// On the targets and at rest at `time`.
    /// \param known  the drive is not asked for beyond this: it goes on as it was (before a cut)
    void reset(double time, Sampler sample, const Workers& workers, double known = unlimited);

    /// To a later time. Earlier grid times since the last advance stay answerable.
    /// Allocates nothing once calls have come at their usual distance.
    void advance(double to, Sampler sample, const Workers& workers, double known = unlimited);

    // The same in steps, for several solvers that meet each other:
    //     begin() or go_on(), then while lags_behind(to): open(), and steps() times step(i), look at where(), resolve()

    /// reset() without its first steps; what open() would do is done.
    void begin(double time, Sampler sample, const Workers& workers, double known = unlimited);
    void go_on();
    bool lags_behind(double to) const;
    void open(Sampler sample, const Workers& workers, double known = unlimited);
    int steps() const { return sub_; }
    /// One of steps() to the next grid time, the contacts as they were. \param i  1 .. steps()
    void step(int i);
    /// A node at the end of the last step: in the world as the body carries it, its turned frame, its swing.
    struct Where {
        Vector3d body, place, speed;  ///< speed: in the world, of a node that does not swing
        Eigen::Matrix3d turn, turn_rate;
        Vector3d swing, swing_speed;  ///< before the limit, in the frame
    };
    Where where(int row) const;
    /// Contacts at the end of the last step, sorted by curve (row % curve count): forces so that each is pushed as its
    /// depth then asks for, and none is pulled.
    void resolve(std::vector<CurveContact>& contacts);
    /// Bounds of a row of nodes as the body carries it over the open grid step: centre and radius.
    void ring_bounds(int node, Vector3d& centre, double& radius) const;
    /// The same at the end of the last step, with its swing and as the body has it: centres, and mean distance from it.
    void ring_at_step(int node, Vector3d& centre, Vector3d& of_body, double& radius) const;
    bool has_state() const { return has_state_; }
    /// Grid time of the newest state.
    long newest() const { return (first_slot_ + static_cast<long>(slots_used_) - 1) / sub_; }
    double largest_shape() const { return goal_.has_target ? goal_.shape.rowwise().norm().maxCoeff() : 0.0; }
    bool is_pushed() const { return !contact_.isZero(0.0); }
    /// Share of the swing that shows, and the limit's tangent along a direction of the frame.
    double softness(int row) const { return window_[row]; }
    Vector3d shown(int row, const Vector3d& swing) const;
    double tangent(int row, const Vector3d& swing, const Vector3d& direction) const;

    // Motion that repeats.

    /// Where a motion may begin, contact included.
    struct Start {
        RowMatrixXd place, speed, contact;
        MatrixX3d forces;
    };
    /// begin() where the drive was the same before `time`; open() comes next. \param start  null: zero
    void begin_loop(double time, Sampler sample, const Workers& workers, const Start* start);
    /// The start that comes back after a period without contact, from what begin_loop() with zero came to in it:
    /// (I - A^N)^-1 applied to that, mode by mode.
    Start periodic_start(int grid_steps) const;
    Start newest_state() const;
    /// Largest distance of the newest state from a start, metres of modal amplitude.
    double distance(const Start& start) const;

    /// Displacement of nodes in the world, relative to what the drive called `followed`, at any
    /// time between the last two calls. \param frames  at that time \param out     node rows x 3
    void displacement(double time, const NodeFrames& frames, const Workers& workers, MatrixX3d& out);

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
        RowMatrixXd drive, target;  // modes x columns: with and without inertia and contact
        MatrixX3d shape;            // node rows x 3
    };
    Slot& slot(long index) { return slots_[index - first_slot_]; }
    void sample_at(long index, Sampler sample, double known);
    void aim(const CurveDrive& drive, Slot& slot, const Workers& workers);  // target and shape
    void make_goal(const Workers& workers);
    void prepare_contact();
    Slot& next_slot();
    void integrate(const Slot& a, Slot& b) const;
    double fine_rate() const { return options_.rate_hz * sub_; }
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
    VectorXd limits_;  // per node row: the limit in the shape of the first mode
    bool has_state_ = false;
    int sub_ = 1;              // steps between grid times
    long first_slot_ = 0;      // in steps
    std::vector<Slot> slots_;  // consecutive steps
    Slot goal_;                // at the next grid time, without contact
    RowMatrixXd from_drive_;   // at the last grid time, without contact
    RowMatrixXd contact_;      // modes x columns: contact's part of the newest drive
    MatrixX3d forces_;         // node rows x 3: the same as forces in the frames
    NodeFrames from_;          // frames and followed at the last grid time
    MatrixX3d from_followed_;
    std::vector<int> held_;  // scratch of resolve()
    std::vector<double> damper_, asked_;
    double at_ = 0.0;                      // of the open grid step, 0 .. 1
    RowMatrixXd compliance_, admittance_;  // nodes x nodes: place and speed at a step's end by a force there
    size_t slots_used_ = 0;
    CurveDrive before_, middle_, newest_;  // three consecutive grid times; contact: the step is before_ .. middle_
    RowMatrixXd modal_, modal_speed_;
    MatrixX3d scratch_, swing_, speed_;
    bool speed_is_known_ = false;
    CurveReport report_;
};

}  // namespace cutis
