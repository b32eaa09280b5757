#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cutis/shell/options.h"
#include "shell/equilibrium.h"
#include "shell/manipulation.h"
#include "shell/placement.h"
#include "shell/safe_offset.h"
#include "shell/untangle.h"
#include "shell/vibration.h"

namespace cutis {

/// One advance of a shell.
struct ShellStep {
    const MatrixX3d* base = nullptr;  ///< #V x 3, at the end of the step
    double seconds = 0.0;             ///< length of the step, > 0 unless reset
    bool reset = false;               ///< first step: everything at rest on its goal
    bool is_cut = false;              ///< the base jumped (teleport, clip seam): vibration is carried over
};

/// What an advance did.
struct ShellReport {
    int inverted = 0;             ///< tetrahedra inverted by the equilibrium
    int untangled = 0;            ///< offset vertices corrected
    double smallest_ratio = 1.0;  ///< of a tetrahedron's volume to its rest volume, as shown
    double volume_ratio = 1.0;    ///< of the whole shell
    int limited_pieces = 0;
    double largest_share = 0.0;  ///< longest displacement before limiting, in local thicknesses
    int borrowed_normals = 0;    ///< base triangles without area
};

/// Detail that rides in a shell around a moving surface, quivers, and can be grabbed: the paper's
/// two steps, equilibrium and vibration, with direct manipulation.
///
///     Shell shell(make_shell(topology, rest, offset_options, workers), detail, options);
///     shell.advance({&rest, 0.0, true}, workers);          // everything at rest
///     shell.advance({&posed, 1.0 / 60.0}, workers);        // then frame by frame
///     shell.write_positions(positions);
class Shell {
public:
    /// \throw InvalidInput  options or detail that do not fit
    Shell(PrismShell shell, PlacedDetail detail, const ShellOptions& options);
    ~Shell();

    const PrismShell& prisms() const { return *prisms_; }
    const ShellOptions& options() const { return options_; }
    int vertex_count() const { return vibration_->vertex_count(); }
    /// Place of a detail vertex in the shell.
    ShellPoint place(int vertex) const { return vibration_->place(vertex); }

    /// Allocates nothing after the first two calls (untangling a shape that inverted may); the
    /// same bits for any number of threads.
    /// \throw InvalidInput  wrong number of positions, one that is not finite, seconds not above 0
    void advance(const ShellStep& step, const Workers& workers);

    /// Detail as shown, in the order of its vertices.
    void write_positions(MatrixX3d& positions) const { vibration_->write_positions(positions); }
    Vector3d position(int vertex) const { return vibration_->position(vertex); }
    /// Distance of each vertex from its goal, metres.
    void write_amplitudes(VectorXd& amplitudes) const { vibration_->write_amplitudes(amplitudes); }
    /// Volume of each vertex's prism over its rest volume.
    void write_volume_ratios(VectorXd& ratios);
    /// The base as handles left it (the step's own positions without base handles), and its offset.
    const MatrixX3d& base() const { return base_; }
    const MatrixX3d& offset() const { return offset_; }
    /// Goal of a place, without vibration.
    Vector3d goal(const ShellPoint& point) const { return position_at(*prisms_, base_, offset_, point); }
    const ShellReport& report() const { return report_; }

    /// Takes hold of places of the detail from the next advance on; empty lets go.
    /// \throw InvalidInput  see ShellManipulator::grab
    void grab(std::span<const Handle> handles, const MatrixX3d& targets);
    /// Moves the targets of the handles held. \throw InvalidInput  wrong number, not finite
    void drag(const MatrixX3d& targets);
    void release() { grab({}, MatrixX3d(0, 3)); }
    int handle_count() const { return manipulator_ ? manipulator_->handle_count() : 0; }

    /// Vibration from the next advance on, where neither is painted. \throw InvalidInput  out of range
    void change_vibration(const Oscillation& material, double gain) { vibration_->change(material, gain); }

    /// New places of all detail vertices from the next advance on (detail that slides with skin).
    /// \throw InvalidInput  options without vibration.has_moving_points
    void move_points(std::span<const ShellPoint> points);

    /// State for a resume, bit for bit. Handles are not part of it: grab them again.
    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of a shell like this one
    void restore(std::span<const double> state);

    size_t memory_bytes() const { return vibration_->memory_bytes(); }

private:
    void fill_axes();

    ShellOptions options_;
    std::unique_ptr<PrismShell> prisms_;  // others point to it
    std::unique_ptr<ShellEquilibrium> equilibrium_;
    std::unique_ptr<ShellUntangler> untangler_;
    std::unique_ptr<ShellManipulator> manipulator_;
    std::unique_ptr<DetailVibration> vibration_;
    std::vector<ShellPoint> points_;  // only when they move
    MatrixX3d targets_;
    MatrixX3d axis_weights_;  // #F x 3: first axis as a combination of the triangle's corners
    MatrixX3d axes_;          // 3 #F x 3
    MatrixX3d base_, offset_, base_velocity_, offset_velocity_, base_kick_, offset_kick_;
    MatrixX3d next_base_, next_offset_;
    MatrixX3d pull_;  // how far handles moved the base; no rows without
    VectorXd prism_ratios_;
    bool has_base_ = false;
    bool has_velocity_ = false;
    ShellReport report_;
};

/// Safe offset and prisms in one call.
PrismShell make_shell(const Topology& topology, const MatrixX3d& rest, const SafeOffsetOptions& options,
                      const Workers& workers, SafeOffset* report = nullptr);

}  // namespace cutis
