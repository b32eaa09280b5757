#include "curve/border.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/sparse.h"
#include "mesh/edge_paths.h"

namespace cutis {

namespace {

/// Which vertices a part moves, and those of them that touch others.
struct PartBorder {
    std::vector<char> is_inside;
    std::vector<int> rim;

    PartBorder(const Topology& topology, const std::vector<int>& vertices)
        : is_inside(static_cast<size_t>(topology.vertex_count()), 0) {
        for (const int v : vertices) {
            is_inside[v] = 1;
        }
        for (const auto& [a, b] : topology.edges()) {
            if (is_inside[a] != is_inside[b]) {
                rim.push_back(is_inside[a] ? a : b);
            }
        }
        std::sort(rim.begin(), rim.end());
        rim.erase(std::unique(rim.begin(), rim.end()), rim.end());
    }
};

/// Vertices within a distance of the rim along edges, or within a few rings, that the part does not move; ascending.
std::vector<int> beyond_border(const MatrixX3d& rest, const Topology& topology, const PartBorder& border,
                               double width) {
    constexpr int least_rings = 3;
    const EdgePaths paths = edge_paths(rest, topology, border.rim, width, [&](int v) { return !border.is_inside[v]; });
    std::vector<int> ring(border.is_inside.size(), -1);
    for (const int v : border.rim) {
        ring[v] = 0;
    }
    for (int r = 0; r < least_rings; ++r) {
        for (const auto& [a, b] : topology.edges()) {
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                if (ring[from] == r && ring[to] < 0 && !border.is_inside[to]) {
                    ring[to] = r + 1;
                }
            }
        }
    }
    std::vector<int> found;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (!border.is_inside[v] && (ring[v] > 0 || paths.distance[v] <= width)) {
            found.push_back(v);
        }
    }
    return found;
}

/// Laplacian with weights 1 / edge length, and a mass of a quarter of the edges around: both fit uneven meshes, and
/// neither is ever negative.
struct EdgeLaplacian {
    std::vector<std::vector<std::pair<int, double>>> rows;  // entries beside the diagonal, then the diagonal
    std::vector<double> mass;

    EdgeLaplacian(const MatrixX3d& rest, const Topology& topology) : rows(rest.rows()), mass(rest.rows(), 0.0) {
        std::vector<double> sum(rest.rows(), 0.0);
        for (const auto& [a, b] : topology.edges()) {
            const double length = std::max((rest.row(a) - rest.row(b)).norm(), 1e-300);
            rows[a].emplace_back(b, -1.0 / length);
            rows[b].emplace_back(a, -1.0 / length);
            for (const int v : {a, b}) {
                sum[v] += 1.0 / length;
                mass[v] += 0.25 * length;
            }
        }
        for (int v = 0; v < rest.rows(); ++v) {
            rows[v].emplace_back(v, sum[v]);
        }
    }
};

/// Displacements beyond the border from those inside it: d_U = -K_UU^-1 K_UP d_P with K = L^T M^-1 L, 0 beyond U.
/// \return a row for each of `outer`, from vertices of the surface
Stencils biharmonic_rows(const EdgeLaplacian& laplacian, const PartBorder& border, const std::vector<int>& outer) {
    constexpr double negligible = 1e-5;
    constexpr int block = 64;  // columns solved at once: memory stays small on fine meshes
    const int vertex_count = static_cast<int>(border.is_inside.size());
    std::vector<int> unknown(border.is_inside.size(), -1);
    for (size_t i = 0; i < outer.size(); ++i) {
        unknown[outer[i]] = static_cast<int>(i);
    }
    std::vector<SparseEntry> entries;
    std::vector<SparseEntry> known;  // row: unknown, column: vertex inside
    for (int v = 0; v < vertex_count; ++v) {
        for (const auto& [a, left] : laplacian.rows[v]) {
            const int i = unknown[a];
            for (size_t k = 0; i >= 0 && k < laplacian.rows[v].size(); ++k) {
                const auto& [b, right] = laplacian.rows[v][k];
                const double value = left * right / laplacian.mass[v];
                if (unknown[b] >= 0 && unknown[b] <= i) {
                    entries.push_back({i, unknown[b], value});
                } else if (border.is_inside[b]) {
                    known.push_back({i, b, value});
                }
            }
        }
    }
    std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
    const SparseSolver solver(compress_lower(static_cast<int>(outer.size()), entries).matrix);
    std::vector<std::vector<std::pair<int, double>>> found(outer.size());
    std::vector<double> right;
    for (size_t next = 0; next < known.size();) {
        std::vector<int> columns;
        right.assign(outer.size() * block, 0.0);
        for (; next < known.size(); ++next) {
            if (columns.empty() || columns.back() != known[next].column) {
                if (columns.size() == block) {
                    break;
                }
                columns.push_back(known[next].column);
            }
            right[static_cast<size_t>(known[next].row) * block + columns.size() - 1] -= known[next].value;
        }
        solver.solve_many(right, block);
        for (size_t i = 0; i < outer.size(); ++i) {
            for (size_t c = 0; c < columns.size(); ++c) {
                if (std::abs(right[i * block + c]) > negligible) {
                    found[i].emplace_back(columns[c], right[i * block + c]);
                }
            }
        }
    }
    Stencils rows;
    rows.base_count = vertex_count;
    for (const auto& row : found) {
        for (const auto& [vertex, weight] : row) {
            rows.indices.push_back(vertex);
            rows.weights.push_back(weight);
        }
        rows.offsets.push_back(static_cast<int>(rows.indices.size()));
    }
    return rows;
}

}  // namespace

void add_skirt(const MatrixX3d& rest, const Topology& topology, double width, CurvePart& part) {
    const PartBorder border(topology, part.vertices);
    if (width <= 0.0 || border.rim.empty()) {
        return;
    }
    const std::vector<int> outer = beyond_border(rest, topology, border, width);
    Stencils skirt = biharmonic_rows(EdgeLaplacian(rest, topology), border, outer);
    std::vector<int> row_of(border.is_inside.size(), -1);
    for (size_t i = 0; i < part.vertices.size(); ++i) {
        row_of[part.vertices[i]] = static_cast<int>(i);
    }
    for (int& index : skirt.indices) {
        index = row_of[index];
    }
    skirt.base_count = part.transfer.count();
    const Stencils from_nodes = composed(part.transfer, skirt);

    Stencils both = part.transfer;
    both.indices.insert(both.indices.end(), from_nodes.indices.begin(), from_nodes.indices.end());
    both.weights.insert(both.weights.end(), from_nodes.weights.begin(), from_nodes.weights.end());
    for (int r = 1; r <= from_nodes.count(); ++r) {
        both.offsets.push_back(part.transfer.offsets.back() + from_nodes.offsets[r]);
    }
    std::vector<int> all = part.vertices;
    all.insert(all.end(), outer.begin(), outer.end());
    std::vector<int> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) { return all[a] < all[b]; });
    part.transfer = selected(both, order);
    std::sort(all.begin(), all.end());
    part.vertices = std::move(all);
}

VectorXd border_window(const MatrixX3d& rest, const Topology& topology, double width, const CurvePart& part) {
    VectorXd window = VectorXd::Ones(part.rows());
    const PartBorder border(topology, part.vertices);
    if (width <= 0.0 || border.rim.empty()) {
        return window;
    }
    const EdgePaths paths =
        edge_paths(rest, topology, border.rim, width, [&](int v) { return border.is_inside[v] != 0; });
    VectorXd share(rest.rows());
    for (Eigen::Index v = 0; v < share.size(); ++v) {
        const double x = border.is_inside[v] ? std::min(1.0, paths.distance[v] / width) : 0.0;
        share[v] = x * x * (3.0 - 2.0 * x);
    }
    part.nodes.apply_to_scalars(share, Workers(1), window);
    return window;
}

}  // namespace cutis
