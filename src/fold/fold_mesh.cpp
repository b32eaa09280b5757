#include "fold/fold_mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "fold/strips.h"

namespace cutis::fold_detail {

namespace {

// Two steps c += 0.8 (P - Loop(c)) bring the surface back through the base vertices but for some
// per cent of the way that subdivision had moved them.
constexpr int correction_steps = 2;
constexpr double correction_gain = 0.8;

// An edge may be this much longer than a fold's width over edges_per_fold.
constexpr double edge_slack = 1.3;

constexpr int most_uniform_triangles = 8'000'000;

// What counts as an edge's length: its part across the fold, or half of it along the fold, where
// shapes change less.
double edge_across(const MatrixX3d& positions, const MatrixX3i& triangles, int f,
                   const Vector3d& along) {
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        const Vector3d edge =
            positions.row(triangles(f, (k + 1) % 3)) - positions.row(triangles(f, k));
        longest = std::max({longest, std::abs(edge.dot(along)), 0.5 * edge.norm()});
    }
    return longest;
}

}  // namespace

FoldMesh::FoldMesh(AdaptiveLoop loop, int vertices) : mesh(std::move(loop)), base_count(vertices) {
    std::vector<int> rows(static_cast<size_t>(vertices));
    std::iota(rows.begin(), rows.end(), 0);
    base_rows = selected(mesh.stencils(), rows);
}

void FoldMesh::refine(const MatrixX3d& base, const Workers& workers, Scratch& scratch,
                      MatrixX3d& refined) const {
    require(base.rows() == base_count, "folds: expected ", base_count, " base vertices, found ",
            base.rows());
    refined.resize(mesh.topology().vertex_count(), 3);
    scratch.control = base;
    scratch.smoothed.resize(base_count, 3);
    if (mesh.levels() > 0) {
        for (int step = 0; step < correction_steps; ++step) {
            base_rows.apply(scratch.control, workers, scratch.smoothed);
            scratch.control += correction_gain * (base - scratch.smoothed);
        }
    }
    mesh.stencils().apply(scratch.control, workers, refined);
}

int level_for_edge(const Topology& base, const MatrixX3d& rest, double length, int most) {
    std::vector<double> edges;
    for (const auto& [a, b] : base.edges()) {
        edges.push_back((rest.row(a) - rest.row(b)).norm());
    }
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
    std::nth_element(edges.begin(), middle, edges.end());
    double edge = *middle;
    int level = 0;
    while (edge > length && level < 8 &&
           static_cast<long long>(base.triangle_count()) << (2 * level + 2) <= most) {
        edge *= 0.5;
        ++level;
    }
    return level;
}

FoldMesh make_uniform_mesh(const Topology& base, int level) {
    return FoldMesh(
        AdaptiveLoop(base, 0,
                     std::vector<unsigned char>(static_cast<size_t>(base.triangle_count()),
                                                static_cast<unsigned char>(level)),
                     level),
        base.vertex_count());
}

FoldMesh make_fold_mesh(const Topology& base, const MatrixX3d& rest, const FoldPattern& pattern,
                        const FoldOptions& options, const Workers& workers,
                        std::vector<std::string>& notes) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (const auto& fold : pattern.folds) {
        narrowest = std::min(narrowest, fold.width);
    }
    if (!options.refine || pattern.empty()) {
        const double needed = edge_slack * narrowest / options.edges_per_fold;
        if (!pattern.empty() && level_for_edge(base, rest, needed, most_uniform_triangles) > 0) {
            notes.push_back(concat("folds: not refined: half of the mesh's edges are longer than ",
                                   needed, " m, which folds of ", narrowest, " m need"));
        }
        return make_uniform_mesh(base, 0);
    }
    int possible = 0;
    while (possible < options.most_levels && static_cast<long long>(base.triangle_count())
                                                     << (2 * possible + 2) <=
                                                 most_uniform_triangles) {
        ++possible;
    }
    // Where folds are is asked on a mesh fine enough not to miss them.
    const int level = std::min(possible, level_for_edge(base, rest, 0.5 * narrowest, 1'000'000));
    const FoldMesh even = make_uniform_mesh(base, level);
    FoldMesh::Scratch scratch;
    MatrixX3d positions;
    even.refine(rest, workers, scratch, positions);
    const Topology& topology = even.mesh.topology();
    const MatrixX3d normals = vertex_normals(positions, topology);
    MatrixX3d points(static_cast<Eigen::Index>(pattern.points.size()), 3);
    MatrixX3d sides(points.rows(), 3);
    for (size_t i = 0; i < pattern.points.size(); ++i) {
        const SurfacePoint at = even.mesh.locate(pattern.points[i]);
        points.row(static_cast<Eigen::Index>(i)) = interpolate(positions, topology.triangles(), at);
        sides.row(static_cast<Eigen::Index>(i)) = interpolate(normals, topology.triangles(), at);
    }
    const Strips strips(pattern, points, sides, parts_of_rails(pattern, even.mesh));

    std::vector<unsigned char> wanted(static_cast<size_t>(topology.triangle_count()), 0);
    std::vector<double> missing;  // how many times too long the edges stay
    int finest = level;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        double ratio = 0.0;  // of the longest edge to the one the fold needs
        for (int k = 0; k < 4; ++k) {
            SurfacePoint at;
            at.triangle = f;
            at.barycentric = k < 3 ? Vector3d(Vector3d::Unit(k)) : Vector3d::Constant(1.0 / 3.0);
            const auto ask = [&](double width, const Vector3d& along) {
                const double target = edge_slack * width / options.edges_per_fold;
                ratio = std::max(ratio,
                                 edge_across(positions, topology.triangles(), f, along) / target);
            };
            const int corner = topology.triangles()(f, 0);
            strips.visit_near({interpolate(positions, topology.triangles(), at),
                               interpolate(normals, topology.triangles(), at),
                               topology.part_of_vertex()[static_cast<size_t>(corner)]},
                              0.1 * narrowest, ask);
        }
        if (ratio == 0.0) {
            continue;
        }
        const int need = level + static_cast<int>(std::ceil(std::log2(ratio) - 1e-9));
        missing.push_back(std::ldexp(ratio, level - possible));
        const int given = std::clamp(need, 0, possible);
        wanted[static_cast<size_t>(f)] = static_cast<unsigned char>(given);
        finest = std::max(finest, given);
    }
    if (!missing.empty()) {
        const auto middle = missing.begin() + static_cast<std::ptrdiff_t>(missing.size() / 2);
        std::nth_element(missing.begin(), middle, missing.end());
        if (*middle > 1.0) {
            throw InvalidInput(concat("folds: a width of ", narrowest, " m needs ",
                                      std::ceil(std::log2(*middle)) + possible,
                                      " levels of subdivision, this mesh allows ", possible,
                                      "; expected a width of at least ",
                                      std::ceil(1e4 * *middle * narrowest) / 1e4, " m"));
        }
        const auto coarse =
            std::count_if(missing.begin(), missing.end(), [](double times) { return times > 1.0; });
        if (coarse > 0) {
            notes.push_back(concat("folds: ", coarse, " of ", missing.size(),
                                   " triangles under folds stay coarser than the width needs"));
        }
    }
    return FoldMesh(AdaptiveLoop(base, level, wanted, finest), base.vertex_count());
}

}  // namespace cutis::fold_detail
