#pragma once

#include <optional>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/core/types.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// Which strain energy the skin has.
enum class SlideMaterial { neo_hookean, st_venant_kirchhoff, fung };

/// Skin that may move along a line only.
struct Glide {
    int vertex = 0;
    Vector3d direction = Vector3d::UnitX();  ///< in the rest pose; carried along with the body
};

/// Skin that is pulled over the body at a given speed (g of the paper's G v = g).
struct PrescribedSlip {
    int vertex = 0;
    Vector3d velocity = Vector3d::Zero();  ///< m/s relative to the body, in the rest pose
};

/// A hand that drags the skin.
struct DragForce {
    int vertex = 0;
    Vector3d force = Vector3d::Zero();  ///< N, world axes; its tangential part acts
    double radius = 0.0;                ///< m, in the rest pose: the force is spread smoothly over this distance
};

/// What skin does at the rim of an open surface.
enum class RimMode {
    pin,    ///< stays on the body
    glide,  ///< moves along the rim
    free,   ///< moves anywhere; material cannot leave the surface (it then slides along the rim)
};

/// What skin does where the region ends.
enum class RegionRim {
    hold,   ///< beyond it skin is held, and holds what it is joined to
    glide,  ///< an opening (lips, lids): skin moves along the last edges of the region, joined to nothing beyond
};

/// Options of a skin; describe() gives the meaning and range of each.
struct SlideOptions {
    SlideMaterial material = SlideMaterial::neo_hookean;
    std::optional<Painted> young_modulus;  ///< none: 210 N/m times (size / 1.7 m)^2
    Painted poisson_ratio = 0.5;           ///< of a membrane in plane stress
    std::optional<Painted> lame_lambda;    ///< with lame_mu: instead of the two above
    std::optional<Painted> lame_mu;
    Painted density = 2.0;
    Painted damping = 5.0;
    Painted fung_exponent = 1.0;
    Painted area_preservation = 0.0;

    Painted initial_stretch = 1.0;
    Painted directed_stretch = 1.0;
    Vector3d stretch_direction = Vector3d::Zero();
    Painted stretch_angle = 0.0;  ///< degrees: turns the direction about the surface's normal
    /// Six numbers per vertex (xx yy zz xy yz zx) of a symmetric matrix that takes lengths on the
    /// rest surface to relaxed lengths; empty: identity, or made from the stretches above. For skin
    /// that has no stress-free shape. Eigenvalues 0.1 .. 10.
    Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> relaxed_metric;

    Painted stickiness = 0.5;  ///< zeta of the paper
    Painted tether = 2000.0;
    std::optional<Painted> tether_radius;        ///< none: 0.03 m times size / 1.7 m
    std::optional<Painted> slip_speed_limit;     ///< none: no limit
    std::optional<Painted> carried_speed_limit;  ///< Delta_max / h of the paper; none: no limit
    std::optional<double> body_size;             ///< none: longest side of the body's box

    std::vector<int> shown_vertices;  ///< number of each vertex in messages; empty: its own
    Painted region = 1.0;             ///< below 0.5: not simulated, stays on the body
    RegionRim region_rim = RegionRim::hold;
    std::vector<int> pins;        ///< vertices that stay on the body
    std::vector<int> loose_pins;  ///< those that OuterForces::pins_hold lets go and holds again
    std::vector<Glide> glides;
    std::vector<PrescribedSlip> prescribed;
    RimMode rim = RimMode::pin;
    double pin_creases = -1.0;  ///< cosine between a vertex normal and a triangle around
    double pin_slivers = 0.0;   ///< height over longest side of a triangle

    Vector3d gravity = Vector3d::Zero();  ///< world axes
    Vector3d wind = Vector3d::Zero();     ///< world axes
    Painted wind_drag = 0.0;
    std::vector<DragForce> drags;

    double longest_step = 1.0 / 120.0;   ///< a frame is cut into equal steps no longer than this
    std::optional<double> implicitness;  ///< none: 0.6, or 1 with several Newton iterations
    int newton_iterations = 1;
    int relax_steps = 120;  ///< most static steps at a start

    bool use_curved_surface = true;
    double tolerance = 7e-4;  ///< relative residual
    int most_iterations = 400;
    bool use_limiter = true;
    bool use_untangling = true;
    bool use_sleeping = true;  ///< not where forces, pulls or several Newton iterations act
};

Options describe(SlideOptions& options);

/// Options as a solver uses them: checked, and with what was left out filled in for a body.
/// \param rest  #V x 3, metres
/// \throw InvalidInput  out of range, or options that contradict each other
SlideOptions fitted_options(SlideOptions options, const Topology& topology, const MatrixX3d& rest);

}  // namespace cutis
