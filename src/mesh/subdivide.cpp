#include "cutis/mesh/subdivide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

constexpr double infinite_from = 10.0;  // OpenSubdiv's SHARPNESS_INFINITE

struct Sharpness {
    std::vector<double> edge;
    std::vector<double> vertex;
};

double after_one_level(double sharpness) {
    return sharpness >= infinite_from ? sharpness : std::max(0.0, sharpness - 1.0);
}

void require_sharpness(double sharpness, const std::string& what) {
    require(sharpness >= 0.0, what, ": expected a sharpness of at least 0, found ", sharpness);
}

Sharpness initial_sharpness(const Topology& base, const LoopOptions& options) {
    Sharpness sharpness;
    sharpness.edge.assign(base.edges().size(), 0.0);
    sharpness.vertex.assign(static_cast<size_t>(base.vertex_count()), 0.0);
    for (const CreaseEdge& crease : options.creases) {
        const std::array<int, 2> wanted = {std::min(crease.a, crease.b), std::max(crease.a, crease.b)};
        const auto found = std::lower_bound(base.edges().begin(), base.edges().end(), wanted);
        require(found != base.edges().end() && *found == wanted, "crease between vertices ", crease.a, " and ",
                crease.b, ": expected an edge of the mesh, found none");
        require_sharpness(crease.sharpness, concat("crease between vertices ", crease.a, " and ", crease.b));
        double& value = sharpness.edge[found - base.edges().begin()];
        value = std::max(value, crease.sharpness);
    }
    for (const SharpCorner& corner : options.corners) {
        require(corner.vertex >= 0 && corner.vertex < base.vertex_count(), "corner at vertex ", corner.vertex,
                ": expected 0 to ", base.vertex_count() - 1);
        require_sharpness(corner.sharpness, concat("corner at vertex ", corner.vertex));
        double& value = sharpness.vertex[corner.vertex];
        value = std::max(value, corner.sharpness);
    }
    for (int f = 0; f < base.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            if (base.neighbour(f, k) < 0) {
                sharpness.edge[base.edge_of_side(f, k)] = infinitely_sharp;
            }
        }
    }
    if (options.boundary_corners == BoundaryCorners::sharp) {
        for (int v = 0; v < base.vertex_count(); ++v) {
            if (base.is_boundary_vertex(v) && base.triangles_around(v).size() == 1) {
                sharpness.vertex[v] = infinitely_sharp;
            }
        }
    }
    return sharpness;
}

// One-ring of a vertex: neighbours and the sharpness of the edges to them.
struct Ring {
    std::vector<int> neighbour;
    std::vector<double> sharpness;
};

void gather_ring(const Topology& topology, const Sharpness& sharpness, int v, Ring& ring) {
    ring.neighbour.clear();
    ring.sharpness.clear();
    const auto add = [&](int f, int side, int vertex) {
        ring.neighbour.push_back(vertex);
        ring.sharpness.push_back(sharpness.edge[topology.edge_of_side(f, side)]);
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

enum class Rule { smooth, crease, corner };  // a dart (one sharp edge) follows the smooth rule

Rule rule_of(const std::vector<double>& edges, double vertex) {
    const auto sharp = std::count_if(edges.begin(), edges.end(), [](double s) { return s > 0.0; });
    if (vertex > 0.0 || sharp > 2) {
        return Rule::corner;
    }
    return sharp == 2 ? Rule::crease : Rule::smooth;
}

// Adds share times the weights of a rule: `own` for the vertex, `others` for its ring.
void add_rule(Rule rule, double share, const std::vector<double>& sharpness, double& own, std::vector<double>& others) {
    if (rule == Rule::corner) {
        own += share;
    } else if (rule == Rule::crease) {
        own += 0.75 * share;
        for (size_t i = 0; i < others.size(); ++i) {
            others[i] += sharpness[i] > 0.0 ? 0.125 * share : 0.0;
        }
    } else {
        // Loop's weights: (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n for each of n neighbours.
        const double n = static_cast<double>(others.size());
        const double c = 0.375 + 0.25 * math::cos(2.0 * std::numbers::pi / n);
        const double each = others.size() == 6 ? 0.0625 : (0.625 - c * c) / n;
        own += share * (1.0 - n * each);
        for (double& other : others) {
            other += share * each;
        }
    }
}

// How far features that wear off in this level still count: the mean of their sharpness.
double share_of_parent(const std::vector<double>& edges, double vertex) {
    double sum = 0.0;
    int count = 0;
    const auto add = [&](double s) {
        if (s > 0.0 && after_one_level(s) <= 0.0) {
            sum += s;
            ++count;
        }
    };
    add(vertex);
    std::for_each(edges.begin(), edges.end(), add);
    return count == 0 ? 0.0 : std::min(1.0, sum / count);
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

Stencils one_level(const Topology& topology, const Sharpness& sharpness) {
    Stencils stencils;
    stencils.base_count = topology.vertex_count();
    std::vector<std::pair<int, double>> row;

    Ring ring;
    std::vector<double> others;
    std::vector<double> later;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        gather_ring(topology, sharpness, v, ring);
        const double vertex = sharpness.vertex[v];
        const Rule rule = rule_of(ring.sharpness, vertex);
        later = ring.sharpness;
        std::transform(later.begin(), later.end(), later.begin(), after_one_level);
        const Rule later_rule = rule_of(later, after_one_level(vertex));
        double own = 0.0;
        others.assign(ring.neighbour.size(), 0.0);
        const double share = rule == Rule::smooth || rule == later_rule ? 1.0 : share_of_parent(ring.sharpness, vertex);
        add_rule(rule, share, ring.sharpness, own, others);
        if (share < 1.0) {
            add_rule(later_rule, 1.0 - share, later, own, others);
        }
        row.emplace_back(v, own);
        for (size_t i = 0; i < others.size(); ++i) {
            row.emplace_back(ring.neighbour[i], others[i]);
        }
        add_row(row, stencils);
    }

    // Vertices opposite to each edge; a boundary edge has one and is sharp anyway.
    std::vector<std::array<int, 2>> opposite(topology.edges().size(), {-1, -1});
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            std::array<int, 2>& pair = opposite[topology.edge_of_side(f, k)];
            pair[pair[0] < 0 ? 0 : 1] = topology.triangles()(f, (k + 2) % 3);
        }
    }
    for (size_t e = 0; e < topology.edges().size(); ++e) {
        const double sharp = std::min(1.0, sharpness.edge[e]);
        const double ends = 0.5 * sharp + 0.375 * (1.0 - sharp);
        row.emplace_back(topology.edges()[e][0], ends);
        row.emplace_back(topology.edges()[e][1], ends);
        if (sharp < 1.0) {
            row.emplace_back(opposite[e][0], 0.125 * (1.0 - sharp));
            row.emplace_back(opposite[e][1], 0.125 * (1.0 - sharp));
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

// Halves of an edge inherit what is left of its sharpness; edges inside triangles are smooth.
Sharpness refined_sharpness(const Topology& topology, const Sharpness& sharpness, const Topology& finer) {
    Sharpness result;
    result.edge.assign(finer.edges().size(), 0.0);
    result.vertex.assign(static_cast<size_t>(finer.vertex_count()), 0.0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const double left = after_one_level(sharpness.edge[topology.edge_of_side(f, k)]);
            // Side k: from corner k (side 0 of child k) to corner k + 1 (side 2 of child k + 1).
            const int child = 4 * f + k;
            const int next_child = 4 * f + (k + 1) % 3;
            result.edge[finer.edge_of_side(child, 0)] = left;
            result.edge[finer.edge_of_side(next_child, 2)] = left;
        }
    }
    std::transform(sharpness.vertex.begin(), sharpness.vertex.end(), result.vertex.begin(), after_one_level);
    return result;
}

}  // namespace

LoopSubdivision::LoopSubdivision(const Topology& base, int levels, const LoopOptions& options)
    : levels_(levels), topology_(base) {
    require(levels >= 0 && levels <= 8, "levels: expected 0 to 8, found ", levels);
    const long long triangles = static_cast<long long>(base.triangle_count()) << (2 * levels);
    require(3 * triangles <= std::numeric_limits<int>::max(), "levels: ", levels, " levels of ", base.triangle_count(),
            " triangles give ", triangles, ", expected at most ", std::numeric_limits<int>::max() / 3);
    stencils_.base_count = base.vertex_count();
    for (int v = 0; v < base.vertex_count(); ++v) {
        stencils_.indices.push_back(v);
        stencils_.weights.push_back(1.0);
        stencils_.offsets.push_back(v + 1);
    }
    Sharpness sharpness = initial_sharpness(base, options);
    for (int level = 0; level < levels; ++level) {
        stencils_ = composed(stencils_, one_level(topology_, sharpness));
        Topology finer = refined_topology(topology_);
        sharpness = refined_sharpness(topology_, sharpness, finer);
        topology_ = std::move(finer);
    }
}

SurfacePoint LoopSubdivision::point_in_parent(int f, int k) const {
    require(f >= 0 && f < topology_.triangle_count() && k >= 0 && k <= 2, "corner ", k, " of triangle ", f,
            ": expected 0 to 2 of 0 to ", topology_.triangle_count() - 1);
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
