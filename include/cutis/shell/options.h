#pragma once

#include <array>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/core/types.h"

namespace cutis {

/// What becomes of vertices outside the shell.
enum class OutsideDetail {
    refuse,   ///< an error that names the first, how many there are, and how far out it lies
    nearest,  ///< moved to the nearest base point's column, height cut to 0 .. 1; counted
};

struct TileOptions {
    double tiles_u = 10.0;  ///< tiles along one unit of u
    double tiles_v = 10.0;
    double turn = 0.0;  ///< degrees from u towards v by which rows of tiles are turned
    double lift = 1.0;  ///< factor on heights, result cut to 0 .. 1
};

Options describe(TileOptions& options);

struct ScatterOptions {
    double size = 0.05;           ///< side of a piece's tile, metres
    double spacing = 1.0;         ///< least distance of neighbours, in sizes
    double lift = 1.0;            ///< factor on heights, result cut to 0 .. 1
    Vector3d axis = {0, -1, 0};   ///< pieces head this way, as far as the surface lets them
    int smoothing = 100;          ///< rounds that even out the headings
    double turn_deg = 0.0;        ///< headings vary by up to this
    double size_variation = 0.0;  ///< sizes vary by up to this share
    int seed = 1;                 ///< another seed, another scatter
    Painted density = 1.0;        ///< #V: 0 leaves bare
    Painted size_factor = 1.0;    ///< #V: 0 leaves bare
    MatrixX3d headings;           ///< #V x 3, used instead of axis; empty: axis
    int most_pieces = 1'000'000;  ///< refuse more
};

Options describe(ScatterOptions& options);

struct SafeOffsetOptions {
    double height = 0.02;         ///< asked for everywhere, metres
    Painted height_factor = 1.0;  ///< share of the height, #V
    bool keep_off_walls = false;  ///< also at most half the way to the surface opposite
};

Options describe(SafeOffsetOptions& options);

struct EquilibriumOptions {
    double poisson = 0.3;  ///< 0.5 keeps the volume
    VectorXd stiffness;    ///< #F, > 0, any unit (only ratios count); empty: 1 everywhere
    /// Corrections of the heights that follow the solve, each by how far prisms miss the volume
    /// Eq. 2 means them to have. The paper has none: exact on flat shells, while a sphere's (30 %
    /// of the radius thick, drawn to twice its length) loses 6 %.
    int volume_rounds = 1;
};

Options describe(EquilibriumOptions& options);

/// How a detail vertex vibrates about its goal.
struct Oscillation {
    double frequency_hz = 6.0;  ///< undamped, > 0
    double damping = 0.1;       ///< ratio to critical damping, >= 0; 1 never swings over
};

/// What keeps fast motion from throwing detail off the surface (Eq. 4).
enum class Limiter {
    none,
    piece,   ///< each piece (connected part of the detail) is retracted as a whole, with its
             ///< velocity; pieces that span the model vertex by vertex
    vertex,  ///< each vertex for itself
    soft,    ///< only what is shown is limited, y / sqrt(1 + |y|^2 / r^2); the state is not
             ///< unlimited, so results stay independent of the step
};

/// What the damping works against.
enum class DampingAgainst {
    goal,  ///< relative to the moving goal: detail follows steady motion without lag
    room,  ///< the paper's kind: detail lags behind a moving goal
};

/// Numbers the per-vertex state is kept in.
enum class Precision { single, full };

struct VibrationOptions {
    Oscillation material;   ///< where nothing is painted
    bool use_axes = false;  ///< a material for each axis of the surface frame
    /// Along the surface's first direction, across it, and along its normal.
    std::array<Oscillation, 3> axes;
    std::vector<double> frequency_factor;  ///< per detail vertex, > 0; empty: 1
    std::vector<double> damping_factor;    ///< per detail vertex, >= 0; empty: 1
    double gain = 1.0;                     ///< factor on the displacement shown
    bool weight_by_height = true;          ///< roots stay on the skin: displacement times height
    Limiter limiter = Limiter::piece;
    double limit = 0.5;  ///< longest displacement, as a share of the local thickness
    DampingAgainst damping_against = DampingAgainst::goal;
    Precision precision = Precision::single;
    bool has_moving_points = false;  ///< points may be moved by move_points (sliding anchors)
    double spanning = 0.25;          ///< a piece whose box is longer than this share of the base's spans it
};

Options describe(VibrationOptions& options);

struct ArapOptions {
    double reach = 0.2;       ///< metres, > 0: a pull fades over this distance (each vertex is held to
                              ///< its pose with its area / reach^2); infinity needs pinned vertices
    std::vector<int> pinned;  ///< vertices that stay in their pose
    int rounds = 10;          ///< most local and global steps per call, 1 .. 1000
    double tolerance = 1e-4;  ///< they end when no vertex moves further than this share of the reach
};

/// How a handle's pull reaches the base.
enum class BaseCoupling {
    projected,  ///< Eq. 6: through the handle's projection onto its base triangle
    frozen,     ///< Eq. 5 with the offset held: diverges below half height; for comparison only
};

struct ManipulationOptions {
    ArapOptions base;
    BaseCoupling coupling = BaseCoupling::projected;
    int passes = 3;  ///< rounds of shell and base per frame
};

Options describe(ManipulationOptions& options);

struct ShellOptions {
    EquilibriumOptions equilibrium;
    VibrationOptions vibration;
    bool untangle = true;  ///< take tetrahedra that invert back, frame by frame
    ManipulationOptions manipulation;
    Vector3d axis = {0, 0, 1};  ///< first direction of the surface frame, as far as it lies in the
                                ///< surface; only with vibration.use_axes
    MatrixX3d axes;             ///< #F x 3: the same per triangle; empty: axis
};

/// Without those of its parts, which have their own.
Options describe(ShellOptions& options);

}  // namespace cutis
