#include "curve/border.h"

#include <Eigen/Geometry>
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

/// How steep a field is along edges, and how much its slope turns at them (as dihedral angles do where it stands on the
/// surface): inside a part, and across its cuts.
struct Shape {
    double slope_inside = 0.0, slope_across = 0.0;
    double crease_inside = 0.0, crease_across = 0.0;  // 98 of 100 are below

    Shape(const MatrixX3d& rest, const Topology& topology, const PartBorder& border, const VectorXd& field) {
        const auto& triangles = topology.triangles();
        std::vector<std::pair<std::pair<int, int>, int>> sides;
        std::vector<Vector3d> gradient(static_cast<size_t>(triangles.rows()), Vector3d::Zero());
        for (int f = 0; f < triangles.rows(); ++f) {
            const Vector3d a = rest.row(triangles(f, 0));
            const Vector3d b = rest.row(triangles(f, 1));
            const Vector3d c = rest.row(triangles(f, 2));
            const Vector3d normal = (b - a).cross(c - a);
            const double square = normal.squaredNorm();
            if (square > 0.0) {
                gradient[static_cast<size_t>(f)] =
                    normal.cross(field[triangles(f, 0)] * (c - b) + field[triangles(f, 1)] * (a - c) +
                                 field[triangles(f, 2)] * (b - a)) /
                    square;
            }
            for (int k = 0; k < 3; ++k) {
                sides.push_back({std::minmax(triangles(f, k), triangles(f, (k + 1) % 3)), f});
            }
        }
        std::sort(sides.begin(), sides.end());
        std::vector<double> inside, across;
        for (size_t i = 0; i < sides.size(); ++i) {
            const auto [a, b] = sides[i].first;
            if (!border.is_inside[a] && !border.is_inside[b]) {
                continue;
            }
            const double length = std::max((rest.row(a) - rest.row(b)).norm(), 1e-300);
            const double slope = std::abs(field[a] - field[b]) / length;
            double& steepest = border.is_inside[a] && border.is_inside[b] ? slope_inside : slope_across;
            steepest = std::max(steepest, slope);
            if (i + 1 < sides.size() && sides[i + 1].first == sides[i].first) {
                const int f = sides[i].second;
                const int g = sides[i + 1].second;
                bool is_whole = true;
                for (int k = 0; k < 3; ++k) {
                    is_whole = is_whole && border.is_inside[triangles(f, k)] && border.is_inside[triangles(g, k)];
                }
                (is_whole ? inside : across)
                    .push_back((gradient[static_cast<size_t>(f)] - gradient[static_cast<size_t>(g)]).norm());
            }
        }
        crease_inside = upper(inside);
        crease_across = upper(across);
    }

    static double upper(std::vector<double>& values) {
        if (values.empty()) {
            return 0.0;
        }
        const auto at = static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), values.begin() + at, values.end());
        return values[static_cast<size_t>(at)];
    }
};

/// Where all curves swing the same way in their first mode, per vertex of the surface.
VectorXd first_swing(const CurvePart& part, Eigen::Index vertices) {
    VectorXd nodes(part.rows());
    for (int i = 0; i < part.rows(); ++i) {
        const double s = part.along[i];
        nodes[i] = part.has_closed_end ? s * s * (6.0 - 4.0 * s + s * s) / 3.0 : 16.0 * s * s * (1.0 - s) * (1.0 - s);
    }
    VectorXd moved(part.transfer.count());
    part.transfer.apply_to_scalars(nodes, Workers(1), moved);
    VectorXd field = VectorXd::Zero(vertices);
    for (size_t i = 0; i < part.vertices.size(); ++i) {
        field[part.vertices[i]] = moved[static_cast<Eigen::Index>(i)];
    }
    return field;
}

/// The part with a skirt of a width.
void add_skirt(const MatrixX3d& rest, const Topology& topology, const PartBorder& border, double width,
               CurvePart& part) {
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

}  // namespace

void add_skirt(const MatrixX3d& rest, const Topology& topology, double width, CurvePart& part) {
    const PartBorder border(topology, part.vertices);
    if (width <= 0.0 || border.rim.empty()) {
        return;
    }
    // A limb that is thin against the part, or coarse, asks for more than the part's radius.
    constexpr double widest = 3.0;
    constexpr double wider = 1.4;
    constexpr double sharper = 1.3;  // creases than inside
    const CurvePart bare = part;
    for (double w = width;; w *= wider) {
        part = bare;
        add_skirt(rest, topology, border, w, part);
        const Shape shape(rest, topology, border, first_swing(part, rest.rows()));
        const bool is_smooth =
            shape.slope_across <= shape.slope_inside && shape.crease_across <= sharper * shape.crease_inside;
        if (is_smooth || w * wider > widest * width) {
            return;
        }
    }
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
