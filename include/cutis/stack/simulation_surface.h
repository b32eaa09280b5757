#pragma once

#include "cutis/body/body.h"
#include "cutis/mesh/repair.h"

namespace cutis {

/// The welded surface that layers work on, and the way back to the artist's vertices.
///
/// Results return as displacement relative to the body's own positions, so a layer that moves
/// nothing gives back the body bit for bit, seams included.
class SimulationSurface {
public:
    /// Welded and cleaned (repair_mesh), or taken as it is and checked (check_mesh).
    /// \throw InvalidInput  what repair_mesh or check_mesh refuse
    static SimulationSurface repaired(const Body& body, const RepairOptions& options);
    static SimulationSurface as_it_is(const Body& body);

    const Topology& topology() const { return mesh_.topology; }
    const MatrixX3d& rest() const { return mesh_.positions; }  ///< #V x 3, metres
    const RepairedMesh& mesh() const { return mesh_; }
    int vertex_count() const { return static_cast<int>(mesh_.positions.rows()); }

    /// Simulation vertices from the artist's. \param art  #A x 3  \param out  #V x 3
    void gather(const MatrixX3d& art, MatrixX3d& out) const;

    /// Adds what layers moved to the artist's vertices.
    /// \param before  #V x 3, as gathered;  \param after  #V x 3;  \param art  #A x 3, in and out
    void scatter(const MatrixX3d& before, const MatrixX3d& after, MatrixX3d& art) const;

private:
    explicit SimulationSurface(RepairedMesh mesh) : mesh_(std::move(mesh)) {}

    RepairedMesh mesh_;
};

}  // namespace cutis
