#pragma once

#include <vector>

#include "cutis/mesh/mesh_map.h"
#include "cutis/mesh/topology.h"
#include "slide/slide.h"

namespace cutis {

/// A surface whose vertices and triangles are numbered so that neighbours lie close together in
/// memory (breadth first, as Cuthill and McKee number matrices). Files number theirs in any order;
/// on a mesh that does not fit the cache the solver's time falls by a quarter. Vertices outside the
/// region, pinned ones and pinned rims come last: the solver leaves out what lies behind all that
/// may move.
class SlideOrder {
public:
    /// \param options  for the surface's vertices
    SlideOrder(const Topology& topology, const MatrixX3d& rest, const SlideOptions& options);

    const Topology& topology() const { return topology_; }
    const MatrixX3d& rest() const { return rest_; }
    /// Our number of the surface's vertex; the surface's vertex and triangle of ours.
    int rank_of(int v) const { return rank_[static_cast<size_t>(v)]; }
    int surface_vertex(int rank) const { return order_[static_cast<size_t>(rank)]; }
    int surface_triangle(int f) const { return surface_triangle_[static_cast<size_t>(f)]; }

    /// From the surface's numbering to ours, and back.
    const MeshMap& from_surface() const { return from_surface_; }
    const MeshMap& to_surface() const { return to_surface_; }

    /// Options given for the surface's vertices, for ours.
    SlideOptions reorder(SlideOptions options) const;

    /// Point of the surface that a point of our topology is; its corners keep their order.
    SurfacePoint surface_point(const SurfacePoint& ours) const {
        return {surface_triangle(ours.triangle), ours.barycentric};
    }
    /// And back.
    SurfacePoint our_point(const SurfacePoint& of_surface) const {
        return {our_triangle_[static_cast<size_t>(of_surface.triangle)], of_surface.barycentric};
    }

private:
    std::vector<int> order_, rank_, surface_triangle_, our_triangle_;
    MeshMap from_surface_, to_surface_;
    Topology topology_;
    MatrixX3d rest_;
};

}  // namespace cutis
