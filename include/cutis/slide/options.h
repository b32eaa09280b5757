#pragma once

#include <limits>
#include <vector>

#include "cutis/core/types.h"
#include "cutis/slide/material.h"

namespace cutis {

/// One number for the whole skin, or one per vertex.
struct VertexValue {
    double value = 0.0;
    VectorXd painted;  ///< #V, or empty: `value` everywhere

    VertexValue() = default;
    VertexValue(double everywhere) : value(everywhere) {}  // NOLINT: a number is a value
    VertexValue(VectorXd per_vertex) : painted(std::move(per_vertex)) {}  // NOLINT

    bool is_painted() const { return painted.size() > 0; }
    double at(int v) const { return is_painted() ? painted[v] : value; }
};

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
    double radius = 0.0;  ///< m, in the rest pose: the force is spread smoothly over this distance
};

/// What skin does at the rim of an open surface.
enum class RimMode {
    pin,    ///< stays on the body
    glide,  ///< moves along the rim
    free,   ///< moves anywhere; material cannot leave the surface (it then slides along the rim)
};

/// Who solves the linear system of a step.
enum class SlideSystem {
    automatic,      ///< block_jacobi, and lagged_factor where that needs too many iterations
    block_jacobi,   ///< conjugate gradients with 2x2 blocks: best for steps of a few milliseconds
    lagged_factor,  ///< conjugate gradients with an old Cholesky factor: best for frame-size steps
};

/// Everything about a skin. Defaults suit a human of 1.7 m; for a body of size L scale
/// young_modulus with (L / 1.7)^2.
struct SlideOptions {
    // --- material
    SlideMaterial material = SlideMaterial::neo_hookean;
    VertexValue young_modulus = 210.0;    ///< N/m (modulus times thickness), > 0
    VertexValue poisson_ratio = 0.5;      ///< -1 < nu < 1 (a membrane in plane stress)
    VertexValue density = 2.0;            ///< kg/m^2 of relaxed skin, > 0
    VertexValue damping = 5.0;            ///< 1/s, >= 0: slip dies away as exp(-damping t)
    VertexValue fung_exponent = 1.0;      ///< 0.01 .. 100, Fung only
    VertexValue area_preservation = 0.0;  ///< N/m, >= 0: extra resistance to change of area

    // --- initial strain
    double initial_stretch = 1.0;  ///< skin at rest is stretched by this: > 1 tight, < 1 loose
    /// Six numbers per vertex (xx yy zz xy yz zx) of a symmetric matrix that takes lengths on the
    /// rest surface to relaxed lengths; empty: identity. For skin that has no stress-free shape.
    /// Eigenvalues 0.1 .. 10.
    Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::RowMajor> relaxed_metric;

    // --- coupling to the body
    VertexValue stickiness = 0.5;      ///< zeta, 0 .. 1: share of the body's acceleration that
                                       ///< carries the skin along; 0 full inertia, 1 none
    VertexValue tether = 2000.0;       ///< N/m^3, >= 0: elastic bond to the body per area
    VertexValue tether_radius = 0.03;  ///< m, > 0: the bond stiffens past this slip
    double slip_speed_limit = std::numeric_limits<double>::infinity();  ///< m/s, > 0
    double carried_speed_limit =
        std::numeric_limits<double>::infinity();  ///< m/s, > 0: stickiness fades above this
                                                  ///< tangential body speed (Delta_max / h)

    // --- constraints
    std::vector<int> shown_vertices;  ///< number of each vertex in messages; empty: its own
    std::vector<int> pins;            ///< vertices that stay on the body
    std::vector<Glide> glides;
    std::vector<PrescribedSlip> prescribed;
    VertexValue region = 1.0;  ///< below 0.5: not simulated, stays on the body
    RimMode rim = RimMode::pin;
    double pin_creases = -1.0;  ///< pins vertices whose normal leans more than this cosine
                                ///< from a triangle around; -1 none, 0.5 good for teeth
    double pin_slivers = 0.0;   ///< pins the vertices of triangles whose height over
                                ///< longest side is below this; 0 none, 0.02 typical

    // --- forces
    Vector3d gravity = Vector3d::Zero();  ///< m/s^2, world axes
    Vector3d wind = Vector3d::Zero();     ///< m/s, world axes
    double wind_drag = 0.0;               ///< N s/m^3, >= 0: force per area and relative speed
    std::vector<DragForce> drags;

    // --- time
    double longest_step = 0.002;  ///< s, > 0: a frame is cut into equal steps no longer than this
    double implicitness = 1.0;    ///< 0.5 .. 1: 1 damps fast waves, 0.5 is of second order
    int newton_iterations = 1;    ///< 1 (linearly implicit) .. 20; more for frame-size steps
    int relax_steps = 40;         ///< static steps when starting anew, >= 0

    // --- numerics
    bool use_curved_surface = true;  ///< look the skin up on a curved surface, not flat facets
    SlideSystem system = SlideSystem::automatic;
    double tolerance = 1e-4;     ///< relative residual of the linear system, 1e-14 .. 0.1
    int most_iterations = 400;   ///< of the linear solver, >= 1
    bool use_limiter = true;     ///< keep single triangles from inverting in a step
    bool use_untangling = true;  ///< free triangles that stay nearly inverted
};

}  // namespace cutis
