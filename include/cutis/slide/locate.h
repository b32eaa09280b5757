#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/slide/slide.h"

namespace cutis {

/// The point of triangle (a, b, c) nearest to p, as weights of the corners.
/// \param squared_distance  from p to that point
Vector3d nearest_in_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b,
                             const Vector3d& c, double& squared_distance);

/// Where the skin went: for every material vertex (a vertex of the rest surface) its place on the
/// moved body. The artist's vertices then move with the skin and keep their UVs.
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

    /// \param body  #V x 3, as of the solver's last step
    /// \param out   #V x 3: where the material of each rest vertex is now
    void locate(const SlideSolver& solver, const MatrixX3d& body, const Workers& workers,
                MatrixX3d& out);

    /// Triangle and weights found last for each material vertex.
    const SurfacePoint& place(int v) const { return places_[static_cast<size_t>(v)]; }
    /// Distance from each material vertex to the skin found for it, metres: 0 in the flat, the
    /// sagitta on curved skin, more on tips that no skin triangle covers.
    double miss(int v) const { return misses_[static_cast<size_t>(v)]; }
    /// Whether skin was found within half a mean edge of material vertex v. Where it was not, the
    /// vertex keeps its own place on the body.
    bool is_covered(int v) const;

    /// Starts the search from every vertex's own place.
    void reset();
    std::vector<double> save() const;
    /// \throw InvalidInput  not a state of a locator on this surface
    void restore(const std::vector<double>& state);

private:
    struct Ball {
        Vector3d centre;
        double radius = 0.0;
    };

    const Topology* topology_;
    MatrixX3d rest_;
    std::vector<SurfacePoint> places_;
    std::vector<double> misses_;
    std::vector<double> blend_;  // 0: where the skin is, 1: its own place
    std::vector<double> lift_;   // Phong factor
    std::vector<double> edges_;  // mean length of the edges that meet at each vertex
    MatrixX3d skin_;             // material position at each body vertex
    MatrixX3d normals_;
    std::vector<Ball> balls_;  // around each triangle of skin
};

}  // namespace cutis
