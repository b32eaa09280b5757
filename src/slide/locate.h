#pragma once

#include <functional>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/surface_point.h"
#include "slide/slide.h"

namespace cutis {

/// The point of triangle (a, b, c) nearest to p, as weights of the corners.
/// \param squared_distance  from p to that point
Vector3d nearest_in_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                             const Vector3d& c, double& squared_distance);

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
    /// Both.
    void locate(const SlideSolver& solver, const MatrixX3d& body, const Workers& workers,
                MatrixX3d& out) {
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

    /// Starts the search from every vertex's own place.
    void reset() { places_ = materials_; }
    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of a locator on this surface
    void restore(const std::vector<double>& state);

private:
    struct Ball {
        Vector3d centre;
        double radius = 0.0;
    };

    void measure(const MatrixX3d& rest, const SlideSolver& solver);

    const Topology* topology_;  // of the solver's surface
    const Topology* shown_;
    Up up_;                                // none: shown_ is the solver's own
    std::vector<SurfacePoint> materials_;  // of the solver's surface, from here on per shown vertex
    MatrixX3d targets_;                    // their rest positions
    std::vector<SurfacePoint> places_;
    std::vector<double> misses_;
    std::vector<char> is_own_;   // it lies in its own place
    std::vector<double> blend_;  // 0: where the skin is, 1: its own place
    std::vector<double> lift_;   // Phong factor
    std::vector<double> edges_;  // mean length of the edges that meet there
    MatrixX3d skin_;             // material position at each vertex of the solver
    std::vector<Ball> balls_;    // around each triangle of skin
    MatrixX3d normals_;          // of the shown mesh
};

}  // namespace cutis
