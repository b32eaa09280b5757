#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "curve/curve_solver.h"
#include "curve/pose_keys.h"
#include "curve/turning.h"
#include "curve/volume.h"
#include "cutis/body/body.h"
#include "cutis/curve/options.h"

namespace cutis {

/// A moving body and the welded surface on it.
struct CurveBody {
    const Body* body = nullptr;
    const MatrixX3d* rest = nullptr;                  ///< surface at rest, #V x 3
    const Topology* topology = nullptr;               ///< of the surface
    const std::vector<int>* art_of_vertex = nullptr;  ///< body vertex of each surface vertex
    const std::vector<int>* vertex_of_art = nullptr;  ///< and back, -1: none; for edge loops
};

/// \throw InvalidInput  no such joint, group or attribute (lists what there is), no skeleton, both
///                      joints and group, or what cut_part and lay_curves refuse
CurvePart find_part(const CurveBody& body, const PartNames& names, const CurveLayout& layout);

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

    double body_time(double time) const { return pace == 1.0 && body_to == to ? time : body_to + (time - to) * pace; }
    double time_of(double body_time) const {
        return (pace == 1.0 && body_to == to) ? body_time : pace > 0.0 ? to + (body_time - body_to) / pace : to;
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
    // The same in steps, for a group (see CurveSolver).
    void begin(const FleshStep& step, const Workers& workers);
    void go_on(const FleshStep& step);
    void open(const FleshStep& step, const Workers& workers);
    void begin_loop(const FleshStep& step, const Workers& workers, const CurveSolver::Start* start);
    /// Does the motion of this step repeat, after how many grid steps, and where does it begin (without contact)?
    bool repeats(const FleshStep& step) const;
    int period_steps() const;
    CurveSolver::Start find_start(const FleshStep& step, const Workers& workers);
    /// Body time that drives the flesh at a simulated time of the last step.
    double body_time(double time) const;
    CurveSolver& moving_solver() { return solver_; }
    /// Vertices of the part itself, without those of its skirt.
    const std::vector<int>& core_vertices() const { return core_; }
    /// Something moved the i-th vertex of the part further.
    void moved_by_push(size_t i, const Vector3d& way) { moved_.row(static_cast<Eigen::Index>(i)) += way.transpose(); }

    /// A push by hand from now on: node rows x 3, world, m/s^2; no rows: none.
    void set_push(MatrixX3d push) { push_ = std::move(push); }

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

private:
    void frames_at(double time, TimeSampling sampling, const Workers& workers, NodeFrames& frames, MatrixX3d* residual);
    void pose_of(VectorXd& pose) const;
    void sample(double time, CurveDrive& drive, const Workers& workers);
    void sample_step(double time, CurveDrive& drive, const Workers& workers);
    double known() const;
    void prepare_examples();
    MatrixX3d sculpted_residual(const FleshExample& example, const NodeFrames& frames);
    void check_forces() const;
    void push_at(double time, MatrixX3d& push) const;
    MatrixX3d morph_on_nodes(const std::string& name) const;

    CurveBody body_;
    CurvePart part_;
    FleshOptions options_;
    std::vector<int> core_;
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
    std::unique_ptr<TurningShapes> turning_;  // examples in time as rings that turn; null: nodes go straight
    VectorXd window_;                         // per node row: share of what examples give
    std::unique_ptr<VolumeKeeper> volume_;
    FleshStep step_;
    double since_ = -CurveSolver::unlimited;  // body time of the last reset
    std::vector<Eigen::Affine3d> matrices_;
    MatrixX3d art_, body_nodes_, base_nodes_, residual_, displacement_, moved_, vertex_speed_, nodes_, speed_world_;
    RowMatrixXd time_shape_, time_shape_before_;
    MatrixX3d turned_, turned_before_;
    VectorXd pose_, weights_;
    MatrixX3d push_;
    CurveDrive now_;
};

}  // namespace cutis
