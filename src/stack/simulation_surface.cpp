#include "cutis/stack/simulation_surface.h"

#include <algorithm>
#include <numeric>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

SimulationSurface::SimulationSurface(RepairedMesh mesh)
    : mesh_(std::move(mesh)),
      from_art_(MeshMap::copies(mesh_.art_of_vertex, static_cast<int>(mesh_.vertex_of_art.size()))),
      to_art_(MeshMap::copies(mesh_.vertex_of_art, vertex_count())),
      main_box_(cutis::main_box(mesh_.positions, mesh_.topology)) {}

SimulationSurface SimulationSurface::repaired(const Body& body, const RepairOptions& options) {
    const ArtMesh& mesh = body.mesh();
    SimulationSurface surface(repair_mesh(mesh.positions, mesh.triangles, options, body.source().weld_group));
    if (const std::vector<char>& scenery = body.source().is_scenery; !scenery.empty()) {
        std::vector<char> left_out;
        for (const int a : surface.mesh_.art_of_vertex) {
            left_out.push_back(scenery[static_cast<size_t>(a)]);
        }
        surface.main_box_ = cutis::main_box(surface.rest(), surface.topology(), left_out);
    }
    return surface;
}

SimulationSurface SimulationSurface::as_it_is(const Body& body) {
    const ArtMesh& art = body.mesh();
    RepairedMesh mesh;
    mesh.topology = check_mesh(art.positions, art.triangles);
    mesh.positions = art.positions;
    mesh.vertex_of_art.resize(static_cast<size_t>(art.positions.rows()));
    std::iota(mesh.vertex_of_art.begin(), mesh.vertex_of_art.end(), 0);
    mesh.art_of_vertex = mesh.vertex_of_art;
    mesh.vertex_of_corner.assign(art.triangles.data(), art.triangles.data() + art.triangles.size());
    mesh.art_triangle.resize(static_cast<size_t>(art.triangles.rows()));
    std::iota(mesh.art_triangle.begin(), mesh.art_triangle.end(), 0);
    mesh.is_flipped.assign(mesh.art_triangle.size(), 0);
    return SimulationSurface(std::move(mesh));
}

SimulationSurface SimulationSurface::of_mesh(const ArtMesh& mesh, const std::vector<int>& weld_group) {
    return SimulationSurface(repair_mesh(mesh.positions, mesh.triangles, RepairOptions(), weld_group));
}

void SimulationSurface::place(const MatrixX3d& surface, MatrixX3d& art) const {
    art.resize(static_cast<Eigen::Index>(mesh_.vertex_of_art.size()), 3);
    for (size_t a = 0; a < mesh_.vertex_of_art.size(); ++a) {
        if (mesh_.vertex_of_art[a] >= 0) {
            art.row(static_cast<Eigen::Index>(a)) = surface.row(mesh_.vertex_of_art[a]);
        }
    }
}

void SimulationSurface::scatter(const MatrixX3d& before, const MatrixX3d& after, MatrixX3d& art) const {
    for (size_t a = 0; a < mesh_.vertex_of_art.size(); ++a) {
        const int v = mesh_.vertex_of_art[a];
        if (v < 0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const double moved = after(v, k) - before(v, k);
            // Adding 0 would turn -0 into +0: leave untouched what did not move.
            if (moved != 0.0) {
                art(static_cast<Eigen::Index>(a), k) += moved;
            }
        }
    }
}

}  // namespace cutis
