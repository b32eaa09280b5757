#pragma once

#include <functional>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/surface_point.h"
#include "slide/slide.h"

namespace cutis {

/// The point of triangle (a, b, c) nearest to p, as weights of the corners.
/// \param squared_distance  from p to that point
Vector3d nearest_in_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c,
                             double& squared_distance);

/// Where the skin went: for every material point that is shown (a vertex of the rest surface, or of
/// a refinement of it) its place on the moved body. The artist's vertices then move with the skin
/// and keep their UVs. On a refinement a point goes up, not a displacement: material is looked for
/// on the surface that was simulated, and the place found there is a place of the finer one, with
/// all that was added to its shape.
///
/// Skin triangles are searched from where the vertex lay last, downhill in distance; no vertex is
/// ever left without a place. On the body the place is lifted onto the same curved surface the skin
/// is looked up on. Where the rest surface is too sharp to slide over (its normal leans past 60
/// degrees from a triangle around; fading from 41 degrees), or skin has slid off a tip, vertices go
/// back to their own place, so that claws, ear rims and teeth keep their shape.
///
/// From frame to frame a vertex moves no further over the body than the skin around it did: where
/// the search jumps to another triangle, the rest of the way is kept as a residual and paid off as
/// the skin moves. So skin that stands still looks still.
///
/// Where skin was braked lately the shown vertex follows on a critically damped spring of 30 ms,
/// shorter with the body's speed: skin that sticks at a sharp edge and lets go within a step would
/// jump on screen at any frame rate; so it moves over a few frames, more of them at finer rates.
class SlideLocator {
public:
    /// \param topology, rest  as given to the solver; topology must outlive this
    SlideLocator(const Topology& topology, const MatrixX3d& rest, const SlideSolver& solver);
    /// A point of the solver's surface as a point of the shown one.
    using Up = std::function<SurfacePoint(const SurfacePoint&)>;
    /// Shown on a refinement.
    /// \param materials  each vertex of the finer mesh as a point of the solver's surface
    /// \param shown      the finer mesh; must outlive this
    SlideLocator(const Topology& topology, const MatrixX3d& rest, const SlideSolver& solver,
                 std::vector<SurfacePoint> materials, const Topology& shown, Up up);

    /// Looks for the material of each shown vertex.
    void search(const SlideSolver& solver, const Workers& workers);
    /// Where the search found it.
    /// \param body  #S x 3, of the shown mesh
    /// \param out   #S x 3: where the material of each shown vertex is now
    void lay(const MatrixX3d& body, const Workers& workers, MatrixX3d& out);
    /// Both, once a frame.
    void locate(const SlideSolver& solver, const MatrixX3d& body, const Workers& workers, MatrixX3d& out) {
        search(solver, workers);
        lay(body, workers, out);
    }

    /// Triangle and weights, of the solver's surface, found last for each shown vertex.
    const SurfacePoint& place(int v) const { return places_[static_cast<size_t>(v)]; }
    /// Distance from each material point to the skin found for it, metres: 0 in the flat, the
    /// sagitta on curved skin, more on tips that no skin triangle covers.
    double miss(int v) const { return misses_[static_cast<size_t>(v)]; }
    /// Whether skin was found within half a mean edge of shown vertex v. Where it was not, the
    /// vertex keeps its own place on the body.
    bool is_covered(int v) const;

    /// Starts the search from every vertex's own place, and forgets the last frame.
    void reset();
    std::vector<double> save() const;
    size_t saved_numbers() const { return 2 + 15 * places_.size(); }
    /// \param solver  restored to the same frame
    /// \throw InvalidInput  not a state of a locator on this surface
    void restore(const std::vector<double>& state, const SlideSolver& solver);

private:
    void measure(const MatrixX3d& rest, const SlideSolver& solver);
    void draw_balls(const Workers& workers);
    SurfacePoint find(const Vector3d& target, int triangle, double edge, double& miss) const;
    Vector3d read_out(const SurfacePoint& ours, double back, const MatrixX3d& body, int v) const;
    Vector3d on_curved(const SurfacePoint& at, const MatrixX3d& body, Vector3d& normal) const;
    Vector3d lift(const Vector3d& place, const Vector3d& way, int v, const MatrixX3d& body) const;
    Vector3d raised(const Vector3d& place, int triangle, const MatrixX3d& body) const;

    const Topology* topology_;  // of the solver's surface
    const Topology* shown_;
    Up up_;                                // none: shown_ is the solver's own
    std::vector<SurfacePoint> materials_;  // of the solver's surface, from here on per shown vertex
    MatrixX3d targets_;                    // their rest positions
    std::vector<SurfacePoint> places_, last_places_;
    std::vector<double> backs_, last_backs_;  // share of its own place that is shown
    std::vector<double> misses_;
    std::vector<double> caps_;  // m: how far it may move over the body this frame
    // In axes that turn with the body: what is left of jumps; how far the shown place is behind, and
    // its velocity over the body.
    MatrixX3d residuals_, lags_, rates_, last_residuals_, last_lags_, last_rates_;
    std::vector<double> stickings_;                 // 1 where the skin was braked lately, fading
    std::vector<double> quickness_;                 // 1/s of the spring
    double seconds_ = 0.0;                          // since the last frame
    double clock_ = 0.0;                            // the solver's
    double slow_ = 0.0;                             // m/s, of a body
    std::vector<double> blend_;                     // 0: where the skin is, 1: its own place
    std::vector<double> lift_;                      // Phong factor
    std::vector<double> edges_;                     // mean length of the edges that meet there
    MatrixX3d skin_, last_skin_;                    // material position at each vertex of the solver
    VectorXd round_;                                // 1 where the body is round there, 0 at edges
    std::vector<double> balls_;                     // around triangles of skin: centre, radius
    MatrixX3d normals_;                             // of the shown mesh
    double creep_ = 0.0;                            // m a frame, by which residuals fall in any case
    bool has_last_ = false, is_following_ = false;  // found before; at the search before the last
};

}  // namespace cutis
