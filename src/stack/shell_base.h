#pragma once

#include "cutis/core/parallel.h"
#include "cutis/stack/simulation_surface.h"

namespace cutis {

/// The part of a surface that a shell stands on. Bare skin costs nothing: neither a prism, nor a
/// pose of the clip in which its prisms would turn over, nor a row of the system.
class ShellBase {
public:
    /// All of it. The surface must outlive this.
    explicit ShellBase(const SimulationSurface& surface);
    /// Triangles with a vertex within `reach` (straight) of one that has density.
    /// \param density  #V, 0: bare
    ShellBase(const SimulationSurface& surface, const VectorXd& density, double reach);

    const Topology& topology() const { return is_whole_ ? surface_->topology() : topology_; }
    const MatrixX3d& rest() const { return is_whole_ ? surface_->rest() : rest_; }
    bool is_whole() const { return is_whole_; }
    /// The surface's triangle that is triangle `f` here.
    int surface_triangle(int f) const { return is_whole_ ? f : triangle_[f]; }

    /// Positions, or a value per vertex, of the surface as the base has them: `all` itself where
    /// the base is the whole surface.
    const MatrixX3d& positions(const MatrixX3d& all, const Workers& workers, MatrixX3d& own) const;
    VectorXd values(const VectorXd& all) const;

private:
    void take(const std::vector<unsigned char>& is_taken);

    const SimulationSurface* surface_;
    bool is_whole_ = true;
    Topology topology_;
    MatrixX3d rest_;
    MeshMap from_surface_;
    std::vector<int> triangle_;  // base triangle -> surface triangle
};

}  // namespace cutis
