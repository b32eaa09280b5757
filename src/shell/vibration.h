#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/shell/options.h"
#include "shell/oscillator.h"
#include "shell/prism_shell.h"

namespace cutis {

/// The shell over one step, for all detail vertices.
struct ShellMotion {
    const MatrixX3d* base = nullptr;             ///< #V x 3 at the end of the step
    const MatrixX3d* offset = nullptr;           ///< #V x 3
    const MatrixX3d* base_velocity = nullptr;    ///< #V x 3, mean over the step, m/s
    const MatrixX3d* offset_velocity = nullptr;  ///< #V x 3
    const MatrixX3d* base_kick = nullptr;        ///< #V x 3, change of those against the step before
    const MatrixX3d* offset_kick = nullptr;
    const MatrixX3d* axes = nullptr;  ///< 3 #F x 3: first, second and third axis of each triangle;
                                      ///< only with use_axes
    double seconds = 0.0;
    bool is_cut = false;  ///< the surface jumped: vibration goes on as it was, nothing is driven
};

/// Detail vertices that vibrate about their goals in the shell, each an exact damped oscillator.
///
/// State per vertex: what is shown of the distance from the goal (gain and height weight included:
/// the equation is linear, so weighting the drive is weighting the result) and its rate of change.
/// Vertices are kept sorted by piece and tetrahedron; arrays are one per coordinate.
class DetailVibration {
public:
    /// \param points  places of the vertices; freed when no longer needed
    /// \param piece   piece of each vertex, 0 .. pieces-1; empty: one piece
    /// \throw InvalidInput  point outside its triangle or not finite, height beyond 0 .. 1, options
    ///                      out of range (names the vertex)
    DetailVibration(const PrismShell& shell, std::vector<ShellPoint> points, const std::vector<int>& piece,
                    const VibrationOptions& options);
    ~DetailVibration();
    DetailVibration(DetailVibration&&) noexcept;

    int vertex_count() const;
    int piece_count() const;
    const VibrationOptions& options() const;

    /// What may change between steps. \throw InvalidInput  out of range
    void change(const Oscillation& material, double gain);

    /// Everything at its goal, at rest. Only base, offset and axes of the motion are read.
    void reset(const ShellMotion& motion, const Workers& workers);

    /// One step. Allocates nothing after the first call; same bits for any number of threads.
    void advance(const ShellMotion& motion, const Workers& workers);

    /// New places, in the order given at construction; before an advance.
    /// \throw InvalidInput  options without has_moving_points, or a bad point
    void move_points(std::span<const ShellPoint> points);

    /// Displayed positions and their distance from the goal, in the order given at construction.
    void write_positions(MatrixX3d& positions) const;
    void write_amplitudes(VectorXd& amplitudes) const;
    /// The same as floats x y z x y z ..., for graphics.
    void write_positions(std::span<float> xyz) const;
    Vector3d position(int vertex) const;
    /// A value per base triangle to the vertices above it. Allocates at the first call only.
    void write_triangle_values(const VectorXd& of_triangle, VectorXd& values);
    /// Place of a vertex in the shell, to the precision of its weights.
    ShellPoint place(int vertex) const;

    /// Pieces retracted in the last step (slices of those that span the model count one by one).
    int limited_pieces() const;
    /// Longest displacement of the last step before limiting, as a share of the local thickness.
    double largest_share() const;
    /// Everything held, bytes.
    size_t memory_bytes() const;

    /// State for a resume: numbers that restore bit for bit.
    void save(std::vector<double>& state) const;
    size_t state_size() const;
    /// \return numbers taken  \throw InvalidInput  too short, or a number not finite
    size_t restore(std::span<const double> state);

    struct Kernel;

private:
    std::unique_ptr<Kernel> kernel_;
};

}  // namespace cutis
