#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cutis/core/function_ref.h"
#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"
#include "cutis/slide/options.h"

namespace cutis {

/// What happened since the solver was made.
struct SlideReport {
    long steps = 0;
    long starts = 0;              ///< reset()
    long iterations = 0;          ///< of the linear solver, all steps
    int most_iterations = 0;      ///< in one step
    long unsolved = 0;            ///< steps whose system missed the tolerance
    double worst_residual = 0.0;  ///< relative
    long braked_steps = 0;        ///< steps whose energy would have risen
    long limited_steps = 0;       ///< steps in which the limiter acted
    long limited_triangles = 0;   ///< in all rounds
    long halved_steps = 0;        ///< halvings of the whole step: too much was wrong
    long given_up = 0;            ///< hopelessly tangled: every vertex got its own material back
    long untangled = 0;           ///< triangles
    long asleep = 0;              ///< vertices, in all steps,
    long watched = 0;             ///< of so many that may move
    long inverted_steps = 0;      ///< steps that ended with an inverted triangle
    int inverted_triangles = 0;   ///< after the last step
    long capped_moves = 0;        ///< material moves shortened or stopped by a boundary
    double smallest_area = 1.0;   ///< det S: least area of skin over that of the body below it,
                                  ///< at the end of a frame or when nearly inverted
    long newton_rejected = 0;     ///< Newton iterations refused by the energy test
    int pinned = 0;               ///< vertices without freedom
    int gliding = 0;              ///< vertices with one
};

/// Energies of the skin now, joules.
struct SlideEnergy {
    double elastic = 0.0;
    double tether = 0.0;
    double kinetic = 0.0;  ///< of slip relative to the body
    double total() const { return elastic + tether + kinetic; }
};

/// Per vertex of the body, where the skin is and how it is strained: channels.cpp has a row for each.
struct SlideChannels {
    static const std::vector<ChannelInfo>& infos();

    struct Values {
        VectorXd numbers;   ///< #V, of a channel of width 1
        MatrixX3d vectors;  ///< #V x 3, of a channel of width 3
    };
    std::vector<Values> values;  ///< one per info

    const VectorXd& numbers(std::string_view name) const;
    const MatrixX3d& vectors(std::string_view name) const;
};

/// What acts on the skin from outside, where it changes over time.
struct OuterForces {
    Vector3d gravity = Vector3d::Zero();
    Vector3d wind = Vector3d::Zero();
    std::vector<Vector3d> drags;  ///< one per drag of the options
    double pull = 1.0;            ///< factor of the prescribed slips
    bool pins_hold = true;        ///< loose pins: skin stays where it is on the body
    /// Velocity of space as an affine map of places, m/s, world axes: prescribed vertices go along
    /// with it, less the body's own velocity, instead of with their slips.
    std::optional<Eigen::Matrix<double, 3, 4>> flow;
};

/// A hyperelastic membrane that slides over a moving body (Thin Skin Elastodynamics, 2013; the
/// departures are in docs/slide.md). Each body vertex knows which material point lies there (on the
/// rest surface, seam-free) and the velocity of the skin relative to the body.
///
/// The same bits for any number of threads; nothing is allocated by step() and advance() after the
/// first call.
class SlideSolver {
public:
    /// \param topology  must outlive the solver
    /// \param rest      #V x 3, metres: the body where the skin is relaxed
    /// \throw InvalidInput  an option out of range, a vertex that does not exist, painted values of
    ///                      another length or out of range, an empty region
    SlideSolver(const Topology& topology, const MatrixX3d& rest, const SlideOptions& options, const Workers& workers);
    ~SlideSolver();
    SlideSolver(SlideSolver&&) noexcept;
    SlideSolver& operator=(SlideSolver&&) noexcept;

    /// Starts anew on this shape of the body: every vertex has its own material, then the skin is
    /// relaxed without inertia (options.relax_steps).
    /// \param body  #V x 3, metres
    /// \throw InvalidInput  other size, or a number that is not finite
    void reset(const MatrixX3d& body, const Workers& workers);

    /// One time step: the body moves to `body`, the skin follows.
    /// \param seconds  > 0
    void step(const MatrixX3d& body, double seconds, const Workers& workers);

    using BodyAt = FunctionRef<void(double time, MatrixX3d& out)>;

    /// From one frame to the next in equal steps no longer than options.longest_step. Ends with the
    /// body at `to`. A body that jumps (a cut) is for the caller to notice, who calls reset().
    /// \param body_at  called with rising times in (from, to]; `to` itself comes last
    void advance(double from, double to, BodyAt body_at, const Workers& workers);

    /// From now on, instead of those of the options. \throw InvalidInput  another number of drags
    void set_outer(const OuterForces& outer);

    /// Values of options that steps read (Change::live), from now on. The others stay as they were.
    /// \throw InvalidInput  an option out of range
    void change(const SlideOptions& options, const Workers& workers);
    /// Other hands, with other forces. \throw InvalidInput  a vertex that does not exist, a force that is not finite
    void set_drags(std::vector<DragForce> drags);

    /// Static steps on the body as it is: no inertia, no time. Returns the largest move of the last
    /// one over the mean edge.
    double relax(int steps, double seconds, const Workers& workers);

    /// Material point that lies at each body vertex now, as a point of the rest surface.
    SurfacePoint material_point(int v) const;
    /// Puts the skin somewhere else (tests, tools). Velocity becomes zero.
    void set_material_points(const std::vector<SurfacePoint>& points, const Workers& workers);
    /// Rest position of the material now at each vertex, on the curved rest surface.
    void material_positions(MatrixX3d& out) const;

    double clock() const;            ///< s since reset()
    double body_speed(int v) const;  ///< m/s, in the last step
    bool is_gripped(int v) const;    ///< was braked lately
    bool is_asleep(int v) const;     ///< rests on the body, and is not computed

    /// Velocity of the skin relative to the body, world axes.
    void velocities(MatrixX3d& out) const;
    void set_velocities(const MatrixX3d& velocities);

    SlideEnergy energy(const Workers& workers) const;
    /// Force on the skin at each vertex (elastic, tether, outer), N, world axes; 0 at held vertices
    /// that are numbered after all that may move.
    void forces(MatrixX3d& out, const Workers& workers);
    /// det S per triangle (relaxed skin area over body area, negative where inverted).
    void area_ratios(VectorXd& out) const;
    /// Sum of mass times velocity crossed with the arm from `centre`: angular momentum of the slip.
    Vector3d slip_momentum(const Vector3d& centre) const;

    /// \param wavelength  m, of the wrinkles the amplitude is for
    void fill_channels(double wavelength, const Workers& workers, SlideChannels& out) const;

    const SlideReport& report() const;
    const SlideOptions& options() const;
    const MatrixX3d& rest_normals() const;
    /// Smallest cosine between the normal of rest vertex v and the triangles around it.
    double sharpness_cosine(int v) const;
    /// Vertex v keeps its own material: pinned or outside the region, and not pulled.
    bool is_held(int v) const;
    size_t bytes() const;  ///< memory held

    /// Everything needed to go on, bit-exact.
    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of a solver on this surface
    void restore(const std::vector<double>& state, const Workers& workers);

    struct Parts;  ///< for the tests of this room
    Parts& parts() { return *parts_; }

private:
    std::unique_ptr<Parts> parts_;
};

}  // namespace cutis
