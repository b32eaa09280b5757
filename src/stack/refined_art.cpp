#include "stack/refined_art.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

RefinedMesh refined_art(const LayerInput& ground, const Refinement& refinement, SkinWeights weights) {
    const ArtMesh& art = *ground.art;
    const RepairedMesh& mesh = ground.surface->mesh();
    const Topology& topology = *refinement.topology;
    RefinedMesh refined;
    refined.art.name = art.name;
    refined.art.positions = *refinement.rest;

    // Triangles in the order of the artist's parts.
    const std::vector<SurfacePoint>& corners = *refinement.corners;
    const auto art_triangle = [&](int f) {
        return mesh.art_triangle[static_cast<size_t>(corners[3 * static_cast<size_t>(f)].triangle)];
    };
    std::vector<int> order(static_cast<size_t>(topology.triangle_count()));
    for (size_t f = 0; f < order.size(); ++f) {
        order[f] = static_cast<int>(f);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return art_triangle(a) < art_triangle(b); });
    refined.art.triangles.resize(topology.triangle_count(), 3);
    for (size_t f = 0; f < order.size(); ++f) {
        refined.art.triangles.row(static_cast<Eigen::Index>(f)) = topology.triangles().row(order[f]);
    }
    size_t first = 0;
    for (const MeshPart& part : art.parts) {
        MeshPart finer = part;
        const int last_triangle = part.first_triangle + part.triangle_count;
        finer.first_triangle = static_cast<int>(first);
        while (first < order.size() && art_triangle(order[first]) < last_triangle) {
            ++first;
        }
        finer.triangle_count = static_cast<int>(first) - finer.first_triangle;
        finer.first_vertex = 0;
        finer.vertex_count = topology.vertex_count();
        refined.art.parts.push_back(finer);
    }

    if (art.uv.rows() > 0) {
        // UVs stay linear in the artist's triangles; those equal in all sets at a vertex are shared.
        std::vector<std::vector<int>> at_vertex(static_cast<size_t>(topology.vertex_count()));
        const size_t sets = 1 + art.more_uv.size();
        std::vector<std::vector<Vector2d>> uv(sets);
        std::vector<Vector2d> value(sets);
        refined.art.uv_triangles.resize(topology.triangle_count(), 3);
        for (size_t f = 0; f < order.size(); ++f) {
            for (int k = 0; k < 3; ++k) {
                const SurfacePoint& corner = corners[3 * static_cast<size_t>(order[f]) + static_cast<size_t>(k)];
                SurfacePoint on_art = corner;
                on_art.triangle = mesh.art_triangle[static_cast<size_t>(corner.triangle)];
                for (int c = 0; c < 3; ++c) {
                    on_art.barycentric[mesh.art_corner(corner.triangle, c)] = corner.barycentric[c];
                }
                for (size_t set = 0; set < sets; ++set) {
                    value[set] = interpolate(set == 0 ? art.uv : art.more_uv[set - 1], art.uv_triangles, on_art);
                }
                std::vector<int>& known = at_vertex[static_cast<size_t>(topology.triangles()(order[f], k))];
                const auto same = std::find_if(known.begin(), known.end(), [&](int i) {
                    for (size_t set = 0; set < sets; ++set) {
                        if (!((uv[set][static_cast<size_t>(i)] - value[set]).cwiseAbs().maxCoeff() < 1e-12)) {
                            return false;
                        }
                    }
                    return true;
                });
                int number = 0;
                if (same != known.end()) {
                    number = *same;
                } else {
                    number = static_cast<int>(uv[0].size());
                    for (size_t set = 0; set < sets; ++set) {
                        uv[set].push_back(value[set]);
                    }
                    known.push_back(number);
                    refined.uv_points.push_back(on_art);
                }
                refined.art.uv_triangles(static_cast<Eigen::Index>(f), k) = number;
            }
        }
        refined.art.more_uv.resize(sets - 1);
        for (size_t set = 0; set < sets; ++set) {
            MatrixX2d& rows = set == 0 ? refined.art.uv : refined.art.more_uv[set - 1];
            rows.resize(static_cast<Eigen::Index>(uv[set].size()), 2);
            for (size_t i = 0; i < uv[set].size(); ++i) {
                rows.row(static_cast<Eigen::Index>(i)) = uv[set][i];
            }
        }
    }
    const Workers& workers = ground.own_workers();
    for (const auto& [name, values] : art.painted) {
        VectorXd coarse;
        ground.surface->from_art().values(values, workers, coarse);
        VectorXd& fine = refined.art.painted[name];
        fine.resize(topology.vertex_count());
        refinement.stencils->apply_to_scalars(coarse, workers, fine);
    }
    refined.weights = std::move(weights);
    std::vector<int> apart(static_cast<size_t>(topology.vertex_count()));
    for (size_t v = 0; v < apart.size(); ++v) {
        apart[v] = static_cast<int>(v);  // pieces that touch stay pieces
    }
    refined.surface = std::make_shared<SimulationSurface>(SimulationSurface::of_mesh(refined.art, apart));
    require(refined.surface->vertex_count() == topology.vertex_count(),
            "refined mesh: expected triangles with an area, but ",
            topology.vertex_count() - refined.surface->vertex_count(),
            " refined vertices touch only triangles without one");
    // Triangles of the surface are those of the art, which are the refinement's in another order.
    const RepairedMesh& finer = refined.surface->mesh();
    std::vector<int> surface_triangle(order.size(), -1);
    for (size_t f = 0; f < finer.art_triangle.size(); ++f) {
        surface_triangle[static_cast<size_t>(order[static_cast<size_t>(finer.art_triangle[f])])] = static_cast<int>(f);
    }
    refined.from_below =
        MeshMap::finer(*refinement.stencils, topology.triangles(), corners,
                       [locate = refinement.locate, topology = refinement.topology, surface = refined.surface,
                        surface_triangle = std::move(surface_triangle)](const SurfacePoint& below) {
                           SurfacePoint point = locate(below);
                           int nearest = 0;
                           point.barycentric.maxCoeff(&nearest);
                           const int v = topology->triangles()(point.triangle, nearest);
                           point.triangle = surface_triangle[static_cast<size_t>(point.triangle)];
                           // A triangle without area was left out: one of its vertices stands for it.
                           return point.triangle >= 0 ? point : point_at_vertex(surface->topology(), v);
                       });
    return refined;
}

}  // namespace cutis
