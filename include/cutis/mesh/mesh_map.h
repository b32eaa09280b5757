#pragma once

#include <functional>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/stencils.h"
#include "cutis/mesh/surface_point.h"

namespace cutis {

/// The way from the vertices of one mesh to those of another that describes the same surface: a
/// weld, another order, a part, or a refinement.
class MeshMap {
public:
    using Points = std::function<SurfacePoint(const SurfacePoint&)>;

    /// No vertices to no vertices.
    MeshMap() = default;
    /// Every vertex is a copy of one: welds, orders, parts.
    /// \param from_of_to  the vertex each is a copy of; -1: of none, its values are 0
    /// \throw InvalidInput  a vertex out of range
    static MeshMap copies(std::vector<int> from_of_to, int from_count);
    /// A refinement.
    /// \param stencils   finer vertices over coarser ones
    /// \param triangles  of the finer mesh
    /// \param corners    corner k of finer triangle f as a point of the coarser mesh, at 3 f + k
    /// \param up         a point of the coarser mesh as a point of the finer one
    /// \throw InvalidInput  counts that do not fit
    static MeshMap finer(Stencils stencils, const MatrixX3i& triangles, const std::vector<SurfacePoint>& corners,
                         Points up);

    int from_count() const { return stencils_.base_count; }
    int to_count() const { return up_ ? stencils_.count() : static_cast<int>(from_of_to_.size()); }
    /// The vertex that vertex `to` is a copy of; -1: none. Not for refinements.
    int source(int to) const { return from_of_to_[to]; }

    /// Values per vertex: copied, or blended by the refinement. The same bits for any number of
    /// threads; allocates nothing after the first call with the same `out`.
    /// \param in  from_count() rows;  \param out  to_count() rows, not the same object
    /// \throw InvalidInput  another number of rows
    void values(const MatrixX3d& in, const Workers& workers, MatrixX3d& out) const;
    void values(const VectorXd& in, const Workers& workers, VectorXd& out) const;
    /// \param in  from_count() * width;  \param out  to_count() * width
    void values(const std::vector<double>& in, int width, const Workers& workers, std::vector<double>& out) const;

    /// Where on the coarser mesh a vertex of the finer one lies. Refinements only.
    const SurfacePoint& down(int vertex) const { return down_[vertex]; }
    const std::vector<SurfacePoint>& down() const { return down_; }
    /// Where on the finer mesh a point of the coarser one lies. Refinements only.
    SurfacePoint up(const SurfacePoint& below) const { return up_(below); }

private:
    void check(Eigen::Index rows) const;
    void apply(const double* in, int width, const Workers& workers, double* out) const;

    std::vector<int> from_of_to_;
    Stencils stencils_;
    std::vector<SurfacePoint> down_;
    Points up_;
};

}  // namespace cutis
