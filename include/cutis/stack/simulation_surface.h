#pragma once

#include "cutis/body/body.h"
#include "cutis/mesh/mesh_map.h"
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
    /// For a mesh made by code, such as a refinement: exact matches welded.
    /// \param weld_group  as in repair_mesh
    static SimulationSurface of_mesh(const ArtMesh& mesh, const std::vector<int>& weld_group = {});

    const Topology& topology() const { return mesh_.topology; }
    const MatrixX3d& rest() const { return mesh_.positions; }  ///< #V x 3, metres
    const RepairedMesh& mesh() const { return mesh_; }
    /// Sides of the box of the body without specks: parts with less than a hundredth of its area do
    /// not count, unless the body is made of such parts (they have more than a tenth of it); nor does scenery.
    const Vector3d& main_box() const { return main_box_; }
    int vertex_count() const { return static_cast<int>(mesh_.positions.rows()); }

    /// Simulation vertices from the artist's, and back: 0 where there is no vertex.
    const MeshMap& from_art() const { return from_art_; }
    const MeshMap& to_art() const { return to_art_; }

    /// Adds what layers moved to the artist's vertices.
    /// \param before  #V x 3, from the art;  \param after  #V x 3;  \param art  #A x 3, in and out
    void scatter(const MatrixX3d& before, const MatrixX3d& after, MatrixX3d& art) const;

    /// The artist's vertices placed where their simulation vertices are; those without one stay.
    void place(const MatrixX3d& surface, MatrixX3d& art) const;

private:
    explicit SimulationSurface(RepairedMesh mesh);

    RepairedMesh mesh_;
    MeshMap from_art_;
    MeshMap to_art_;
    Vector3d main_box_;
};

}  // namespace cutis
