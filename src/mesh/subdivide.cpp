#include "mesh/subdivide.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

// One-ring of a vertex: neighbours, and whether the edges to them are at the boundary.
struct Ring {
    std::vector<int> neighbour;
    std::vector<bool> is_rim;
};

void gather_ring(const Topology& topology, int v, Ring& ring) {
    ring.neighbour.clear();
    ring.is_rim.clear();
    const auto add = [&](int f, int side, int vertex) {
        ring.neighbour.push_back(vertex);
        ring.is_rim.push_back(topology.neighbour(f, side) < 0);
    };
    const MatrixX3i& triangles = topology.triangles();
    for (const int f : topology.triangles_around(v)) {
        const int k = triangles(f, 0) == v ? 0 : triangles(f, 1) == v ? 1 : 2;
        add(f, k, triangles(f, (k + 1) % 3));
        if (topology.neighbour(f, (k + 2) % 3) < 0) {
            add(f, (k + 2) % 3, triangles(f, (k + 2) % 3));
        }
    }
}

// Weights of a vertex: `own`, and `others` for its ring.
void weigh_vertex(const Ring& ring, bool is_corner, double& own, std::vector<double>& others) {
    others.assign(ring.neighbour.size(), 0.0);
    const auto rims = std::count(ring.is_rim.begin(), ring.is_rim.end(), true);
    if (is_corner || rims > 2) {
        own = 1.0;
    } else if (rims == 2) {
        own = 0.75;
        for (size_t i = 0; i < others.size(); ++i) {
            others[i] = ring.is_rim[i] ? 0.125 : 0.0;
        }
    } else {
        // Loop's weights: (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n for each of n neighbours.
        const double n = static_cast<double>(others.size());
        const double c = 0.375 + 0.25 * math::cos(2.0 * std::numbers::pi / n);
        const double each = others.size() == 6 ? 0.0625 : (0.625 - c * c) / n;
        own = 1.0 - n * each;
        std::fill(others.begin(), others.end(), each);
    }
}

void add_row(std::vector<std::pair<int, double>>& row, Stencils& stencils) {
    std::sort(row.begin(), row.end());
    for (const auto& [index, weight] : row) {
        if (weight != 0.0) {
            stencils.indices.push_back(index);
            stencils.weights.push_back(weight);
        }
    }
    stencils.offsets.push_back(static_cast<int>(stencils.indices.size()));
    row.clear();
}

/// Rows of one level for some of its vertices, in rising order.
Stencils one_level(const Topology& topology, const std::vector<int>& wanted) {
    const std::span<const int> all(wanted);
    const auto olds =
        static_cast<size_t>(std::lower_bound(wanted.begin(), wanted.end(), topology.vertex_count()) - wanted.begin());
    Stencils stencils;
    stencils.base_count = topology.vertex_count();
    std::vector<std::pair<int, double>> row;

    Ring ring;
    std::vector<double> others;
    for (const int v : all.first(olds)) {
        gather_ring(topology, v, ring);
        const bool is_corner = topology.is_boundary_vertex(v) && topology.triangles_around(v).size() == 1;
        double own = 0.0;
        weigh_vertex(ring, is_corner, own, others);
        row.emplace_back(v, own);
        for (size_t i = 0; i < others.size(); ++i) {
            row.emplace_back(ring.neighbour[i], others[i]);
        }
        add_row(row, stencils);
    }

    // Vertices opposite to each edge; a boundary edge has one.
    std::vector<std::array<int, 2>> opposite(olds == wanted.size() ? 0 : topology.edges().size(), {-1, -1});
    for (int f = 0; f < topology.triangle_count() && !opposite.empty(); ++f) {
        for (int k = 0; k < 3; ++k) {
            std::array<int, 2>& pair = opposite[topology.edge_of_side(f, k)];
            pair[pair[0] < 0 ? 0 : 1] = topology.triangles()(f, (k + 2) % 3);
        }
    }
    for (const int middle : all.subspan(olds)) {
        const auto e = static_cast<size_t>(middle - topology.vertex_count());
        const bool is_inside = opposite[e][1] >= 0;
        const double ends = is_inside ? 0.375 : 0.5;
        row.emplace_back(topology.edges()[e][0], ends);
        row.emplace_back(topology.edges()[e][1], ends);
        if (is_inside) {
            row.emplace_back(opposite[e][0], 0.125);
            row.emplace_back(opposite[e][1], 0.125);
        }
        add_row(row, stencils);
    }
    return stencils;
}

Topology refined_topology(const Topology& topology) {
    MatrixX3i triangles(4 * topology.triangles().rows(), 3);
    const int first_edge = topology.vertex_count();
    for (int f = 0; f < topology.triangle_count(); ++f) {
        int middle[3];
        for (int k = 0; k < 3; ++k) {
            middle[k] = first_edge + topology.edge_of_side(f, k);
        }
        for (int k = 0; k < 3; ++k) {
            triangles.row(4 * f + k) << topology.triangles()(f, k), middle[k], middle[(k + 2) % 3];
        }
        triangles.row(4 * f + 3) << middle[0], middle[1], middle[2];
    }
    return Topology(std::move(triangles), topology.vertex_count() + static_cast<int>(topology.edges().size()));
}

/// Numbers the columns of some rows anew, in the same order and without gaps.
/// \return  their old numbers
std::vector<int> close_gaps(Stencils& rows) {
    std::vector<int> number(static_cast<size_t>(rows.base_count), -1);
    for (const int column : rows.indices) {
        number[static_cast<size_t>(column)] = 0;
    }
    std::vector<int> used;
    for (int v = 0; v < rows.base_count; ++v) {
        if (number[static_cast<size_t>(v)] == 0) {
            number[static_cast<size_t>(v)] = static_cast<int>(used.size());
            used.push_back(v);
        }
    }
    for (int& column : rows.indices) {
        column = number[static_cast<size_t>(column)];
    }
    rows.base_count = static_cast<int>(used.size());
    return used;
}

/// Rows of the identity.
Stencils unit_rows(const std::vector<int>& vertices, int base_count) {
    Stencils rows;
    rows.base_count = base_count;
    rows.indices = vertices;
    rows.weights.assign(vertices.size(), 1.0);
    for (size_t r = 0; r < vertices.size(); ++r) {
        rows.offsets.push_back(static_cast<int>(r) + 1);
    }
    return rows;
}

}  // namespace

LoopSubdivision::LoopSubdivision(const Topology& base, int levels) : levels_(levels) {
    require(levels >= 0 && levels <= 8, "levels: expected 0 to 8, found ", levels);
    const long long triangles = static_cast<long long>(base.triangle_count()) << (2 * levels);
    require(3 * triangles <= std::numeric_limits<int>::max(), "levels: ", levels, " levels of ", base.triangle_count(),
            " triangles give ", triangles, ", expected at most ", std::numeric_limits<int>::max() / 3);
    topologies_.push_back(base);
    for (int level = 0; level < levels; ++level) {
        topologies_.push_back(refined_topology(topologies_.back()));
    }
}

Stencils LoopSubdivision::stencils() const {
    std::vector<int> all(static_cast<size_t>(topology().vertex_count()));
    std::iota(all.begin(), all.end(), 0);
    return stencils(all);
}

Stencils LoopSubdivision::stencils(const std::vector<int>& vertices) const {
    const bool rise = std::adjacent_find(vertices.begin(), vertices.end(), std::greater_equal<>()) == vertices.end();
    require(rise && (vertices.empty() || (vertices.front() >= 0 && vertices.back() < topology().vertex_count())),
            "vertices of the finest level: expected rising numbers from 0 to ", topology().vertex_count() - 1);
    // From the finest level down: what rows need of the level before, and no more.
    std::vector<Stencils> steps(static_cast<size_t>(levels_));
    std::vector<int> wanted = vertices;
    for (auto level = static_cast<size_t>(levels_); level-- > 0;) {
        steps[level] = one_level(topologies_[level], wanted);
        wanted = close_gaps(steps[level]);
    }
    Stencils rows = unit_rows(wanted, topologies_.front().vertex_count());
    for (Stencils& step : steps) {
        rows = composed(rows, step);
        step = Stencils();
    }
    return rows;
}

SurfacePoint LoopSubdivision::point_in_parent(int f, int k) const {
    require(f >= 0 && f < topology().triangle_count() && k >= 0 && k <= 2, "corner ", k, " of triangle ", f,
            ": expected 0 to 2 of 0 to ", topology().triangle_count() - 1);
    SurfacePoint point;
    point.barycentric = Vector3d::Unit(k);
    for (int level = 0; level < levels_; ++level) {
        // Weights in the child, carried to its parent: corners of the child in parent weights.
        const int child = f & 3;
        const Vector3d& b = point.barycentric;
        Vector3d corner[3];
        for (int i = 0; i < 3; ++i) {
            const auto middle = [](int side) {
                return Vector3d(0.5 * (Vector3d::Unit(side) + Vector3d::Unit((side + 1) % 3)));
            };
            corner[i] = child == 3 ? middle(i)
                        : i == 0   ? Vector3d(Vector3d::Unit(child))
                        : i == 1   ? middle(child)
                                   : middle((child + 2) % 3);
        }
        point.barycentric = (b[0] * corner[0] + b[1] * corner[1] + b[2] * corner[2]).eval();
        f >>= 2;
    }
    point.triangle = f;
    return point;
}

}  // namespace cutis
