#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/body/body.h"
#include "cutis/curve/curve_solver.h"
#include "cutis/curve/pose_keys.h"

namespace cutis {

/// A moving body and the welded surface on it.
struct CurveBody {
    const Body* body = nullptr;
    const MatrixX3d* rest = nullptr;                  ///< surface at rest, #V x 3
    const Topology* topology = nullptr;               ///< of the surface
    const std::vector<int>* art_of_vertex = nullptr;  ///< body vertex of each surface vertex
    const std::vector<int>* vertex_of_art = nullptr;  ///< and back, -1: none; for edge loops
};

/// Which part of a body carries curves. By joints (what hangs on `from`, without what hangs on `to`
/// and `without`), or by a group of triangles, or by a painted attribute.
struct PartNames {
    std::string from;
    std::vector<std::string> to;
    std::vector<std::string> without;
    std::vector<std::string> extra;  ///< joints that belong to `from` though they hang elsewhere
                                     ///< (feet moved by inverse kinematics)
    std::string group;
    std::string attribute;  ///< painted 0 .. 1, the part is where it is at least the level
    VectorXd field;         ///< the same from the caller: per surface vertex; empty: none
    double level = 0.0;     ///< of weights or paint; 0: 0.5, and others where that gives no loop
};

Options describe(PartNames& names);

/// \throw InvalidInput  no such joint, group or attribute (lists what there is), no skeleton, both
///                      joints and group, or what cut_part and lay_curves refuse
CurvePart find_part(const CurveBody& body, const PartNames& names, const CurveLayout& layout);

/// What the residual is measured against.
enum class CurveBaseline {
    body,             ///< the body itself: its residual is 0
    linear_blend,     ///< its skeleton by linear blend, without its morph targets
    dual_quaternion,  ///< the same by dual quaternions
    rigid,            ///< the rigid motion nearest to the part's
};

/// A shape to reach: a morph target of the body, its own shape at a time, or a sculpted one.
struct FleshExample {
    std::string morph;  ///< empty: the body's residual at `time`
    double time = 0.0;  ///< body time whose pose (or time) the shape belongs to
    /// The body as it should look at `time`: vertices of the body, metres, Y up. Null: none.
    std::shared_ptr<const MatrixX3d> sculpted = nullptr;
};

/// A force given by hand at a time; linear between those of the same place, held before the first
/// and after the last.
struct FleshForce {
    double time = 0.0;                 ///< body time, seconds
    Vector3d push = Vector3d::Zero();  ///< m/s^2 (per mass), world
    std::vector<double> share = {};    ///< per node row; empty: 1 everywhere
    int place = 0;                     ///< forces of one place belong together
};

struct FleshOptions {
    CurveOptions curve;
    CurveBaseline baseline = CurveBaseline::body;
    bool follow = true;  ///< what the body has beyond the baseline is a target; false: examples
                         ///< replace it
    double joint_hold = 0.7;  ///< how much less flesh swings at a joint inside a limb,
                              ///< where the bone lies close; joints of short bones (spines, tails)
                              ///< do not hold
    std::vector<FleshExample> examples;
    std::vector<FleshForce> forces;        ///< times of one place increasing
    std::vector<std::string> pose_joints;  ///< examples are keyed by these joints' rotations;
                                           ///< empty: by time
    bool extrapolate = false;    ///< two examples in time: past the second the force goes on rising
    double fade = 0.0;           ///< share of the curve at each end over which examples fade in
    double paper_frames = 30.0;  ///< frames per second of the paper's scheme between examples in
                                 ///< time
};

/// Without those of the curves, which have their own.
Options describe(FleshOptions& options);
/// One advance of flesh. Simulated time and body time are two clocks: a body that is held still
/// goes on swinging.
struct FleshStep {
    double to = 0.0;                               ///< simulated time to reach, seconds
    double body_to = 0.0;                          ///< body time then
    double pace = 1.0;                             ///< body seconds per simulated second
    bool reset = false;                            ///< first advance, or a cut lies between
    TimeSampling sampling = TimeSampling::smooth;  ///< of the drive between keys
    double known = CurveSolver::unlimited;         ///< body time that must not be looked beyond
    double lag = 0.0;  ///< the drive is taken this much (simulated seconds) earlier: the solver's
                       ///< look_ahead() where the body's future is not known

    double body_time(double time) const {
        return pace == 1.0 && body_to == to ? time : body_to + (time - to) * pace;
    }
    double time_of(double body_time) const {
        return (pace == 1.0 && body_to == to) ? body_time
               : pace > 0.0                   ? to + (body_time - body_to) / pace
                                              : to;
    }
};

/// Flesh on one part of a moving body: samples the body, runs the curves, moves the surface.
class Flesh {
public:
    /// \throw InvalidInput  no such morph target or joint (lists what there is), no skeleton where
    ///                      one is needed, examples at equal poses or times
    Flesh(const CurveBody& body, CurvePart part, const FleshOptions& options);
    ~Flesh();

    const CurvePart& part() const { return part_; }
    const CurveReport& report() const { return solver_.report(); }
    const CurveSolver& solver() const { return solver_; }
    /// Whether answers depend on the past: not with examples in time.
    bool has_memory() const { return !in_time_; }

    void advance(const FleshStep& step, const Workers& workers);

    /// Adds the displacement at a body time (between the last two advances) to the surface, #V x 3.
    void displace(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& surface);

    /// Of the last displace: displacement and speed of the part's vertices (part().vertices), m and
    /// m/s.
    const MatrixX3d& vertex_displacement() const { return moved_; }
    const MatrixX3d& vertex_speed() const { return vertex_speed_; }
    /// Nodes with their displacement, world, node rows x 3.
    const MatrixX3d& nodes() const { return nodes_; }

    std::vector<double> save() const { return solver_.save(); }
    void restore(const std::vector<double>& state) { solver_.restore(state); }

    /// Residual of the body at a time against the baseline, in local frames: node rows x 3.
    MatrixX3d residual_at(double time);

private:
    void frames_at(double time, TimeSampling sampling, const Workers& workers, NodeFrames& frames,
                   MatrixX3d* residual);
    void pose_of(VectorXd& pose) const;
    void sample(double time, CurveDrive& drive, const Workers& workers);
    void prepare_examples();
    MatrixX3d sculpted_residual(const FleshExample& example, const NodeFrames& frames);
    void check_forces() const;
    void push_at(double time, MatrixX3d& push) const;
    MatrixX3d morph_on_nodes(const std::string& name) const;

    CurveBody body_;
    CurvePart part_;
    FleshOptions options_;
    CurveSolver solver_;
    std::unique_ptr<SkinnedNodes> skin_;  // null without skeleton
    std::unique_ptr<RigidNodes> rigid_;
    Stencils nodes_of_art_;  // node rows from the body's own vertices
    struct PoseJoint {
        int joint = 0, parent = -1;
        Vector3d axis = Vector3d::UnitX();
    };
    std::vector<PoseJoint> pose_joints_;
    PoseKeys keys_;
    std::vector<MatrixX3d> shapes_;  // per pose example, local
    std::unique_ptr<TimeExamples> in_time_;
    FleshStep step_;
    double since_ = -CurveSolver::unlimited;  // body time of the last reset
    std::vector<Eigen::Affine3d> matrices_;
    MatrixX3d art_, body_nodes_, base_nodes_, residual_, displacement_, moved_, vertex_speed_,
        nodes_, speed_world_;
    RowMatrixXd time_shape_, time_shape_before_;
    VectorXd pose_, weights_;
    CurveDrive now_;
};

}  // namespace cutis
