#pragma once

#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"

namespace cutis {

/// Limits of a trace.
struct TraceOptions {
    /// Longest trace, in mean lengths of the edges that meet at the start (interpolated between
    /// the corners of its triangle); > 0, infinity for none. Longer displacements are shortened.
    double most_edges = 4.0;
    int most_crossings = 1000;  ///< at least 1; a trace that needs more ends where it then is
    /// Give a displacement its length back that it loses by projection into the start triangle, if
    /// it was tangential to begin with: fully within 41 degrees of the triangle, not at all beyond
    /// 60 degrees, smoothly between. A displacement along the normal goes nowhere.
    bool restore_length = true;
    /// Tables per triangle make traces fast and cost a quarter of a kilobyte each. Without them a
    /// trace measures the triangles it passes, and the shape comes from watch().
    bool keep_tables = true;
};

/// Where a trace ended, and what happened on the way.
struct TraceResult {
    SurfacePoint point;
    Vector3d carried = Vector3d::Zero();  ///< the carried vector, tangent to the end triangle
    int crossings = 0;                    ///< edges crossed or met
    bool was_capped = false;              ///< the displacement was longer than most_edges allows
    bool met_boundary = false;            ///< it slid along the boundary, or was stopped in a corner
    bool ran_out = false;                 ///< ended early by most_crossings or by overflow
    bool was_finite = true;               ///< false: displacement or carried vector not finite; nothing moved
};

/// Walks straight lines (geodesics) across a triangle mesh.
///
/// Within a triangle a displacement is a change of barycentric weights. Crossing an edge unfolds
/// the next triangle into the plane of the last one, which is a fixed linear map of weights per
/// side; these maps are computed once per shape by update(). A trace then needs neither square
/// roots nor 3-D vectors, keeps its length to rounding, and carries any tangent vector along
/// (parallel transport) by the same maps.
///
/// At a boundary edge the part of the rest displacement along the edge goes on, the other part is
/// dropped; at the end of that edge it goes on straight as seen within the surface.
class SurfaceTracer {
public:
    /// \param topology  must outlive the tracer
    /// \throw InvalidInput  option out of range
    explicit SurfaceTracer(const Topology& topology, const TraceOptions& options = {});

    /// New shape of the surface; allocates nothing. Triangles of no area are treated as having a
    /// height of 1e-12 of their longest side, so that traces can pass them.
    /// \param positions  #V x 3
    /// \throw InvalidInput  wrong number of positions
    void update(const Eigen::Ref<const MatrixX3d>& positions, const Workers& workers);

    /// Without tables: the shape is what lies there whenever a trace begins.
    /// \param positions  x y z of vertex v begin at positions[v * stride]; must outlive the traces
    /// \param incident   #V mean lengths of the edges that meet at each vertex, if they are known;
    ///                   must outlive the traces
    void watch(const double* positions, int stride, const double* incident = nullptr) {
        watched_ = positions;
        stride_ = stride;
        watched_incident_ = incident;
    }

    /// \param start         on the surface
    /// \param displacement  length units of the positions; its part in the plane of the start
    ///                      triangle counts. From a vertex the displacement chooses the triangle.
    /// \throw InvalidInput  start is not a point of the surface
    TraceResult trace(const SurfacePoint& start, const Vector3d& displacement) const;

    /// The same, also carrying a tangent vector to the end of the trace.
    TraceResult trace(const SurfacePoint& start, const Vector3d& displacement, const Vector3d& carried) const;

    const TraceOptions& options() const { return options_; }

    /// Mean length of the edges that meet at vertex v.
    double mean_incident_edge(int v) const {
        return options_.keep_tables           ? incident_edge_[v]
               : watched_incident_ != nullptr ? watched_incident_[v]
                                              : measured_incident_edge(v);
    }

private:
    struct alignas(64) Face {
        double gradient[2][3];  // of the weights of corners 1 and 2; that of corner 0 is minus both
        double normal[3];       // unit; zero without area
        double incident[3];     // mean length of the edges that meet at each corner
        // Per side: the corner opposite to it, unfolded into the neighbour, as weights of the
        // neighbour's corners (first, second, apex) counted from the shared side. At a boundary
        // only across[side][0] is used: foot of the opposite corner along the side, 0 .. 1.
        double across[3][3];
        int twin[3];  // same side seen from the neighbour as 3 g + side, -1 at a boundary
    };
    struct Start;
    struct Walk;
    struct Plane {
        Vector3d normal, gradient1, gradient2;  // as of Face
    };
    struct Shape;

    template <bool use_carried>
    TraceResult run(const SurfacePoint& start, const Vector3d& displacement, const Vector3d& carried) const;
    template <bool use_carried>
    void walk_to_end(Walk& walk, TraceResult& result) const;
    bool begin_at_vertex(int corner, const Vector3d& displacement, Start& start) const;
    bool begin_along_boundary(int v, const Vector3d& displacement, Start& start) const;
    bool slide(Walk& walk) const;
    Vector3d rates_in(int f, const Vector3d& vector) const;
    double length_factor(const Vector3d& vector, int f) const;
    double restored(double projected, double original) const;
    Vector3d place(int v) const;
    Plane plane_of(int f) const;
    int twin_of(int f, int side) const;
    void unfold(int f, int side, int twin, double* across) const;
    double measured_incident_edge(int v) const;

    const Topology* topology_;
    TraceOptions options_;
    MatrixX3d positions_;
    VectorXd incident_edge_;
    MatrixX3d feet_;         // #F x 3: foot of the opposite corner along each side
    VectorXd double_areas_;  // #F, never zero
    std::vector<Face> faces_;
    const double* watched_ = nullptr;
    int stride_ = 3;
    const double* watched_incident_ = nullptr;
};

}  // namespace cutis
