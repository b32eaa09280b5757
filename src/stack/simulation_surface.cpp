#include "cutis/stack/simulation_surface.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

Vector3d box_without_specks(const Topology& topology, const MatrixX3d& rest) {
    const std::vector<int>& part = topology.part_of_vertex();
    const VectorXd areas = triangle_areas(rest, topology);
    std::vector<double> area_of(part.size(), 0.0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        area_of[static_cast<size_t>(part[static_cast<size_t>(topology.triangles()(f, 0))])] +=
            areas[f];
    }
    const double whole = areas.sum();
    constexpr double speck = 0.01;
    constexpr double most_in_specks = 0.1;
    double in_specks = 0.0;
    for (const double area : area_of) {
        in_specks += area < speck * whole ? area : 0.0;
    }
    const double least = in_specks > most_in_specks * whole ? 0.0 : speck * whole;
    Eigen::RowVector3d low = Eigen::RowVector3d::Constant(std::numeric_limits<double>::infinity());
    Eigen::RowVector3d high = -low;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (area_of[static_cast<size_t>(part[static_cast<size_t>(v)])] >= least) {
            low = low.cwiseMin(rest.row(v));
            high = high.cwiseMax(rest.row(v));
        }
    }
    return (high - low).transpose();
}

}  // namespace

SimulationSurface::SimulationSurface(RepairedMesh mesh)
    : mesh_(std::move(mesh)),
      from_art_(MeshMap::copies(mesh_.art_of_vertex, static_cast<int>(mesh_.vertex_of_art.size()))),
      to_art_(MeshMap::copies(mesh_.vertex_of_art, vertex_count())),
      main_box_(box_without_specks(mesh_.topology, mesh_.positions)) {}

SimulationSurface SimulationSurface::repaired(const Body& body, const RepairOptions& options) {
    const ArtMesh& mesh = body.mesh();
    const std::vector<int>& groups = body.source().weld_group;
    try {
        return SimulationSurface(repair_mesh(mesh.positions, mesh.triangles, options, groups));
    } catch (const InvalidInput&) {
        if (!groups.empty()) {
            throw;
        }
        // Parts of one mesh may lie exactly on each other (lashes on a lid): welded together they
        // are no surface, held apart by connection they may be. What else is wrong is still
        // refused.
        RepairedMesh apart =
            repair_mesh(mesh.positions, mesh.triangles, options,
                        connected_groups(mesh.triangles, static_cast<int>(mesh.positions.rows())));
        apart.notes.push_back(
            "Parts of the mesh lie on each other: vertices were welded only "
            "within connected parts");
        return SimulationSurface(std::move(apart));
    }
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
    return SimulationSurface(std::move(mesh));
}

SimulationSurface SimulationSurface::of_mesh(const ArtMesh& mesh,
                                             const std::vector<int>& weld_group) {
    return SimulationSurface(
        repair_mesh(mesh.positions, mesh.triangles, RepairOptions(), weld_group));
}

void SimulationSurface::place(const MatrixX3d& surface, MatrixX3d& art) const {
    art.resize(static_cast<Eigen::Index>(mesh_.vertex_of_art.size()), 3);
    for (size_t a = 0; a < mesh_.vertex_of_art.size(); ++a) {
        if (mesh_.vertex_of_art[a] >= 0) {
            art.row(static_cast<Eigen::Index>(a)) = surface.row(mesh_.vertex_of_art[a]);
        }
    }
}

void SimulationSurface::scatter(const MatrixX3d& before, const MatrixX3d& after,
                                MatrixX3d& art) const {
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
