#include "shell_base.h"

#include <algorithm>

#include "cutis/mesh/geometry.h"
#include "mesh/edge_paths.h"

namespace cutis {

namespace {

// Vertices within `reach` of one with density, along edges: what lies opposite in the air is not.
std::vector<unsigned char> covered_vertices(const SimulationSurface& surface, const VectorXd& density, double reach) {
    const Topology& topology = surface.topology();
    std::vector<int> sources;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (density[v] > 0.0) {
            sources.push_back(v);
        }
    }
    const std::vector<double> distance = edge_paths(surface.rest(), topology, sources, reach).distance;
    std::vector<unsigned char> is_covered(distance.size());
    std::transform(distance.begin(), distance.end(), is_covered.begin(),
                   [=](double d) { return static_cast<unsigned char>(d <= reach ? 1 : 0); });
    return is_covered;
}

// Do the taken triangles around v form one fan? Counted by borders between taken and not.
bool is_one_fan(const Topology& topology, const std::vector<unsigned char>& is_taken, int v) {
    const auto around = topology.triangles_around(v);
    const size_t count = around.size();
    int borders = 0;
    int taken = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool here = is_taken[around[i]] != 0;
        const bool next = is_taken[around[(i + 1) % count]] != 0;
        borders += here != next ? 1 : 0;
        taken += here ? 1 : 0;
    }
    // At a boundary vertex the last triangle does not meet the first: both taken is then a split
    // fan unless all are.
    const bool is_open = topology.is_boundary_vertex(v);
    const bool ends_meet = is_taken[around.front()] != 0 && is_taken[around.back()] != 0;
    if (is_open && ends_meet) {
        return taken == static_cast<int>(count);
    }
    return borders <= 2;
}

}  // namespace

ShellBase::ShellBase(const SimulationSurface& surface) : surface_(&surface) {}

ShellBase::ShellBase(const SimulationSurface& surface, const VectorXd& density, double reach) : surface_(&surface) {
    const Topology& topology = surface.topology();
    const std::vector<unsigned char> is_covered = covered_vertices(surface, density, reach);
    std::vector<unsigned char> is_taken(static_cast<size_t>(topology.triangle_count()), 0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (const int v : topology.triangles().row(f)) {
            is_taken[f] |= is_covered[v];
        }
    }
    // Two corners that meet in a vertex would not be a surface: such vertices get all triangles.
    for (bool has_grown = true; has_grown;) {
        has_grown = false;
        for (int v = 0; v < topology.vertex_count(); ++v) {
            if (!is_one_fan(topology, is_taken, v)) {
                for (const int f : topology.triangles_around(v)) {
                    is_taken[f] = 1;
                }
                has_grown = true;
            }
        }
    }
    const auto count = std::count(is_taken.begin(), is_taken.end(), 1);
    if (count > 0 && count < topology.triangle_count()) {
        take(is_taken);
    }
}

void ShellBase::take(const std::vector<unsigned char>& is_taken) {
    const Topology& all = surface_->topology();
    std::vector<int> own(static_cast<size_t>(all.vertex_count()), -1);
    std::vector<int> vertices;
    for (int f = 0; f < all.triangle_count(); ++f) {
        if (is_taken[f] != 0) {
            triangle_.push_back(f);
            for (const int v : all.triangles().row(f)) {
                own[v] = 0;
            }
        }
    }
    for (size_t v = 0; v < own.size(); ++v) {
        if (own[v] == 0) {
            own[v] = static_cast<int>(vertices.size());
            vertices.push_back(static_cast<int>(v));
        }
    }
    MatrixX3i triangles(static_cast<Eigen::Index>(triangle_.size()), 3);
    for (size_t f = 0; f < triangle_.size(); ++f) {
        for (int k = 0; k < 3; ++k) {
            triangles(static_cast<Eigen::Index>(f), k) = own[all.triangles()(triangle_[f], k)];
        }
    }
    is_whole_ = false;
    topology_ = Topology(std::move(triangles), static_cast<int>(vertices.size()));
    from_surface_ = MeshMap::copies(std::move(vertices), all.vertex_count());
    from_surface_.values(surface_->rest(), Workers(1), rest_);
}

const MatrixX3d& ShellBase::positions(const MatrixX3d& all, const Workers& workers, MatrixX3d& own) const {
    if (is_whole_) {
        return all;
    }
    from_surface_.values(all, workers, own);
    return own;
}

VectorXd ShellBase::values(const VectorXd& all) const {
    if (is_whole_) {
        return all;
    }
    VectorXd own;
    from_surface_.values(all, Workers(1), own);
    return own;
}

}  // namespace cutis
