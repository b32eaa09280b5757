#pragma once

#include <vector>

#include "core/simd.h"
#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/surface_point.h"
#include "cutis/mesh/topology.h"
#include "mesh/trace.h"

namespace cutis::slide {

/// Numbers on a 32-byte border, four per vertex (or triangle), for kernels that load four at once.
class Records {
public:
    Records() = default;
    explicit Records(int count, int per_record = 4)
        : values_(static_cast<size_t>(count) * static_cast<size_t>(per_record) / 4) {}
    double* data() { return reinterpret_cast<double*>(values_.data()); }
    const double* data() const { return reinterpret_cast<const double*>(values_.data()); }
    double* at(int i) { return data() + 4 * static_cast<std::ptrdiff_t>(i); }
    const double* at(int i) const { return data() + 4 * static_cast<std::ptrdiff_t>(i); }
    Vector3d vector(int i) const { return Vector3d(at(i)); }
    void set(int i, const Vector3d& v, double fourth = 0.0) {
        double* to = at(i);
        to[0] = v[0];
        to[1] = v[1];
        to[2] = v[2];
        to[3] = fourth;
    }
    size_t bytes() const { return values_.size() * sizeof(Four); }

private:
    struct alignas(32) Four {
        double v[4] = {0.0, 0.0, 0.0, 0.0};
    };
    std::vector<Four> values_;
};

/// What the skin is at the material point that lies at one body vertex: place on the curved rest
/// surface, the chart its displacements are measured in, and how the place follows them.
struct SkinPoint {
    int triangle = 0;
    bool is_at_vertex = false;  ///< the chart is then the tangent plane of that vertex
    double b[3] = {1.0, 0.0, 0.0};
};

/// The surface the skin is stress-free on: the body at rest, looked up as a curved (Phong) surface.
///
/// Flat facets would make the skin prefer to sit on mesh vertices.
/// With half the Phong offset an arc's sagitta is met and the tangent plane at a vertex is normal
/// to its normal. At creases the offset fades to zero per vertex, which keeps the surface
/// continuous.
class RestSurface {
public:
    /// \param topology  must outlive this
    RestSurface(const Topology& topology, const MatrixX3d& positions, const Workers& workers, bool use_curved);

    const Topology& topology() const { return *topology_; }
    const MatrixX3d& positions() const { return positions_; }
    const MatrixX3d& normals() const { return normals_; }
    const VectorXd& vertex_areas() const { return vertex_areas_; }
    const VectorXd& triangle_areas() const { return triangle_areas_; }
    const MatrixX3d& triangle_normals() const { return triangle_normals_; }
    /// Smallest cosine between a vertex normal and the normals around it: 1 flat, below 0.5 a
    /// crease.
    double sharpness_cosine(int v) const { return cosines_[v]; }

    SkinPoint point_of_vertex(int v) const;

    /// Position, chart and derivative of the look-up at a point.
    /// \param chart_normal, chart_axis  unit normal and first axis of the chart (x y z 0)
    /// \param along_u, along_w  derivative of the position by the two chart coordinates
    void look_up(const SkinPoint& point, double* position, double* chart_normal, double* chart_axis, double* along_u,
                 double* along_w) const;

    /// Position alone.
    Vector3d position_at(const SkinPoint& point) const;

    /// Moves a point by chart coordinates (u, w).
    /// \return false where it was stopped by the boundary, or had to be shortened
    bool move(SkinPoint& point, double u, double w) const;

    /// Asks for what move and look_up will read of a point.
    void prefetch(const SkinPoint& point) const {
        const char* facet = reinterpret_cast<const char*>(facets_.data() + static_cast<size_t>(point.triangle));
        for (size_t line = 0; line < looked_up; line += 64) {
            __builtin_prefetch(facet + line);
        }
    }

    size_t bytes() const;

private:
    // What a look-up reads of a triangle; positions and normals of its corners are in records.
    struct alignas(32) Facet {
        double axis[4];       // first axis of the chart
        double up[4];         // unit normal
        double rate[2][2];    // of the weights of corners 1 and 2 by chart coordinates
        double height[3][2];  // height[k][l] = n_k . (X - X_k) of corners k + 1 and k + 2
        float alpha[3];       // Phong factor of the corners
        int corner[3];
        // Per side: the corner opposite to it, unfolded into the neighbour, as weights of the
        // neighbour's first and last corner counted from that side; the same side as 3 g + side,
        // -1 where the tracer has to look with care.
        double across[3][2];
        int twin[3];
    };
    static constexpr size_t looked_up = 192;  // bytes of a facet, without what crossings read
    void unfold_sides(int f);
    bool cross(SkinPoint& point, double u, double w, const double* target) const;

    const Topology* topology_;
    MatrixX3d positions_;
    MatrixX3d normals_;
    MatrixX3d triangle_normals_;
    VectorXd triangle_areas_;
    VectorXd vertex_areas_;
    VectorXd cosines_;
    std::vector<Facet> facets_;
    std::vector<double> vertex_axes_;  // 3 per vertex
    Records corner_positions_, corner_normals_;
    VectorXd vertex_edges_;  // mean length of the edges that meet there
    SurfaceTracer tracer_;
};

}  // namespace cutis::slide
