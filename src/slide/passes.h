#pragma once

#include "slide/parts.h"

// The passes of a step, in order. Each reads what it takes as const and writes the rest; all give
// the same bits for any number of threads and allocate nothing.

namespace cutis::slide {

// --- body_pass.cpp: the body at its new place
// ------------------------------------------------------

/// Positions into a frame. \throw InvalidInput  other count, a number that is not finite
void set_positions(const SkinModel& model, const MatrixX3d& positions, const Workers& workers, BodyFrame& frame);
/// Frames, inverse edge matrices and areas (body_shape) and area vectors (scratch) of triangles.
void measure_body_triangles(const SkinModel& model, const BodyFrame& frame, int batches, const Workers& workers,
                            Measured& measured);
/// Vertices [from, to) of a body that came from where it was in so many seconds (0: it did not
/// move).
struct FrameRange {
    int from = 0;
    int to = 0;
    double seconds = 0.0;
};
/// Normals, axes and velocities from the area vectors. `before` may be the frame itself.
void find_body_frames(const SkinModel& model, const Measured& measured, const BodyFrame& before,
                      const FrameRange& range, const Workers& workers, BodyFrame& frame);

// --- transport.cpp
// ---------------------------------------------------------------------------------

/// Velocity of the skin that arrives at each vertex when the body goes from state.body to
/// trial.next_body: into state.velocity; sectors are remembered.
void transport_velocities(const SkinModel& model, double seconds, const Workers& workers, SkinState& state,
                          Trial& trial);

// --- elastic_pass.cpp: value, gradient and Hessian of the skin's energy
// -----------------------------

/// skin_shape and the corners' parts of the Jacobians (scratch).
void measure_skin(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Workers& workers,
                  Measured& measured);
/// jacobian, along_first, along_second and, unless kept, mass.
void find_jacobians(const SkinModel& model, const Activity& activity, bool keep_mass, const Workers& workers,
                    Measured& measured);
/// Force and stiffness of each element (scratch).
void find_forces(const SkinModel& model, const Activity& activity, const PaintedSkin& painted, const Workers& workers,
                 Measured& measured);
double elastic_energy(const SkinModel& model, const PaintedSkin& painted, const SkinState& state,
                      const Measured& measured, const SkinPlaces& where, int batches, const Workers& workers);
double tether_energy(const SkinModel& model, const SkinPlaces& where, const Workers& workers);
double tether_energy(const SkinModel& model, const SkinPlaces& where, int v);
/// What find_forces left of a triangle's energy; of the next one 28 numbers further.
inline double* element_energy(Measured& measured, int f) {
    return measured.scratch.data() + 28 * static_cast<std::ptrdiff_t>(f) + 27;
}
inline const double* element_energy(const Measured& measured, int f) {
    return measured.scratch.data() + 28 * static_cast<std::ptrdiff_t>(f) + 27;
}
/// Energies of the four triangles of a batch.
void find_energies(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Measured& measured,
                   const SkinPlaces& where, int batch, double* four);
/// Per triangle, its energy there less what find_forces left. \return  their sum
double find_energy_changes(const SkinModel& model, const PaintedSkin& painted, const SkinState& state,
                           const Measured& measured, const SkinPlaces& where, const Workers& workers, Records& changes);

// --- system_pass.cpp
// ------------------------------------------------------------------------------

/// Gravity, wind and dragging hands at a vertex, in the tangent basis.
Vector2d outer_force(const SkinModel& model, const SkinState& state, const Measured& measured, int v);
struct SystemStep {
    double seconds = 0.0;
    bool is_static = false;
    bool is_first = true;  ///< of Newton's iterations
    bool use_constraints = true;
};
/// Matrix and right side from the elements.
void assemble(const SkinModel& model, const PaintedSkin& painted, const SkinState& state, const Measured& measured,
              const Trial& trial, const SystemStep& step, const Workers& workers, BlockSystem& system);

// --- placement.cpp
// --------------------------------------------------------------------------------

/// Moves material against the skin's velocity; charts are those of the new places. \return  how
/// many were stopped at a boundary
long place(const SkinModel& model, const SkinState& state, double seconds, const Workers& workers, Measured& measured,
           SkinPlaces& next_places);
/// The same for one vertex. \return  whether it went all the way
bool place_vertex(const SkinModel& model, const SkinState& state, double seconds, int v, Measured& measured,
                  SkinPlaces& next_places);
/// Position and chart at the material point of a vertex.
void look_up(const SkinModel& model, int v, SkinPlaces& at, SkinCharts& charts);
/// det S of a triangle: skin area over body area, negative where inverted.
double triangle_determinant(const SkinModel& model, const SkinState& state, const Measured& measured,
                            const SkinPlaces& where, int f);
/// Does no triangle go too far, of all or of batches that are marked? Those stay marked that may hold one.
bool check_areas(const SkinModel& model, const SkinState& state, const Measured& measured,
                 const SkinPlaces& next_places, bool only_marked, const Workers& workers,
                 std::vector<unsigned char>& marks);
/// Sum of the angles of skin triangles round a vertex.
double winding(const SkinModel& model, const SkinPlaces& places, int v);
/// Values painted on the skin, as they lie on the body now.
void refresh_painted(const SkinModel& model, const SkinPlaces& places, const Workers& workers, PaintedSkin& painted);

}  // namespace cutis::slide
