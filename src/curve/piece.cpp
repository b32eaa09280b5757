#include "curve/piece.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "mesh/edge_paths.h"

namespace cutis {

namespace {

constexpr double snap = 0.1;  // fraction of an edge

/// Vertices and triangles before they become a piece.
struct Draft {
    Stencils points;
    std::vector<int> surface_vertex;
    std::vector<int> cut;
    std::vector<std::array<int, 3>> triangles;
    int real_triangles = -1;

    int add_point(const std::vector<std::pair<int, double>>& sum, int vertex, int label) {
        std::map<int, double> weights;
        for (const auto& [index, weight] : sum) {
            weights[index] += weight;
        }
        for (const auto& [index, weight] : weights) {
            points.indices.push_back(index);
            points.weights.push_back(weight);
        }
        points.offsets.push_back(static_cast<int>(points.indices.size()));
        surface_vertex.push_back(vertex);
        cut.push_back(label);
        return points.count() - 1;
    }
};

std::vector<std::pair<int, double>> sum_of(const Stencils& points, int row, double factor) {
    std::vector<std::pair<int, double>> sum;
    for (int i = points.offsets[row]; i < points.offsets[static_cast<size_t>(row) + 1]; ++i) {
        sum.emplace_back(points.indices[i], factor * points.weights[i]);
    }
    return sum;
}

/// Connected part (across edges) of each triangle.
std::vector<int> triangle_parts(const std::vector<std::array<int, 3>>& triangles, int& count) {
    std::map<std::pair<int, int>, std::vector<int>> sides;
    for (size_t f = 0; f < triangles.size(); ++f) {
        for (size_t k = 0; k < 3; ++k) {
            const int a = triangles[f][k];
            const int b = triangles[f][(k + 1) % 3];
            sides[{std::min(a, b), std::max(a, b)}].push_back(static_cast<int>(f));
        }
    }
    std::vector<int> part(triangles.size(), -1);
    count = 0;
    for (size_t seed = 0; seed < triangles.size(); ++seed) {
        if (part[seed] >= 0) {
            continue;
        }
        std::vector<int> stack = {static_cast<int>(seed)};
        part[seed] = count;
        while (!stack.empty()) {
            const auto f = static_cast<size_t>(stack.back());
            stack.pop_back();
            for (size_t k = 0; k < 3; ++k) {
                const int a = triangles[f][k];
                const int b = triangles[f][(k + 1) % 3];
                for (const int g : sides[{std::min(a, b), std::max(a, b)}]) {
                    if (part[g] < 0) {
                        part[g] = count;
                        stack.push_back(g);
                    }
                }
            }
        }
        ++count;
    }
    return part;
}

/// Largest part of a draft, without unused vertices.
SurfacePiece finished(const Draft& draft, const MatrixX3d& draft_positions) {
    require(!draft.triangles.empty(), "part: expected some triangles, found none");
    int parts = 0;
    const std::vector<int> part = triangle_parts(draft.triangles, parts);
    std::vector<double> areas(static_cast<size_t>(parts), 0.0);
    for (size_t f = 0; f < draft.triangles.size(); ++f) {
        const auto& t = draft.triangles[f];
        const Vector3d a = draft_positions.row(t[0]);
        const Vector3d b = draft_positions.row(t[1]);
        const Vector3d c = draft_positions.row(t[2]);
        areas[part[f]] += 0.5 * (b - a).cross(c - a).norm();
    }
    const auto largest = static_cast<int>(std::max_element(areas.begin(), areas.end()) - areas.begin());
    std::vector<int> number(static_cast<size_t>(draft.points.count()), -1);
    for (size_t f = 0; f < draft.triangles.size(); ++f) {
        if (part[f] == largest) {
            for (const int v : draft.triangles[f]) {
                number[v] = 0;
            }
        }
    }
    SurfacePiece piece;
    std::vector<int> kept;
    for (int v = 0; v < draft.points.count(); ++v) {
        if (number[v] == 0) {
            number[v] = static_cast<int>(kept.size());
            kept.push_back(v);
            piece.surface_vertex.push_back(draft.surface_vertex[v]);
            piece.cut.push_back(draft.cut[v]);
        }
    }
    piece.points = selected(draft.points, kept);
    piece.positions.resize(static_cast<Eigen::Index>(kept.size()), 3);
    for (size_t i = 0; i < kept.size(); ++i) {
        piece.positions.row(static_cast<Eigen::Index>(i)) = draft_positions.row(kept[i]);
    }
    MatrixX3i triangles(static_cast<Eigen::Index>(draft.triangles.size()), 3);
    int rows = 0;
    for (size_t f = 0; f < draft.triangles.size(); ++f) {
        if (part[f] == largest) {
            for (int k = 0; k < 3; ++k) {
                triangles(rows, k) = number[draft.triangles[f][k]];
            }
            ++rows;
            if (draft.real_triangles < 0 || static_cast<int>(f) < draft.real_triangles) {
                piece.real_triangles = rows;
            }
        }
    }
    piece.topology = Topology(triangles.topRows(rows), static_cast<int>(kept.size()));
    return piece;
}

Draft draft_of(const SurfacePiece& piece) {
    Draft draft;
    draft.points = piece.points;
    draft.surface_vertex = piece.surface_vertex;
    draft.cut = piece.cut;
    return draft;
}

}  // namespace

int SurfacePiece::cut_of_loop(const std::vector<int>& loop) const {
    std::map<int, int> votes;
    for (const int v : loop) {
        ++votes[cut[v]];
    }
    const auto most =
        std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    return most->first;
}

SurfacePiece whole_surface(const MatrixX3d& rest, const Topology& topology) {
    return chosen_piece(rest, topology, std::vector<bool>(static_cast<size_t>(topology.triangle_count()), true));
}

SurfacePiece chosen_piece(const MatrixX3d& rest, const Topology& topology, const std::vector<bool>& chosen_triangle) {
    Draft draft;
    draft.points.base_count = topology.vertex_count();
    for (int v = 0; v < topology.vertex_count(); ++v) {
        draft.add_point({{v, 1.0}}, v, -1);
    }
    for (int f = 0; f < topology.triangle_count(); ++f) {
        if (chosen_triangle[f]) {
            const auto& t = topology.triangles();
            draft.triangles.push_back({t(f, 0), t(f, 1), t(f, 2)});
        }
    }
    return finished(draft, rest);
}

SurfacePiece cut_piece(const SurfacePiece& piece, const VectorXd& field, double level, bool keep_above, int label) {
    const Topology& topology = piece.topology;
    VectorXd original(topology.vertex_count());
    piece.points.apply_to_scalars(field, Workers(1), original);
    original.array() -= level;
    if (!keep_above) {
        original *= -1.0;
    }
    VectorXd value = original;
    for (const auto& [a, b] : topology.edges()) {
        const double fa = original[a];
        const double fb = original[b];
        if ((fa > 0.0) == (fb > 0.0)) {
            continue;
        }
        const double t = fa / (fa - fb);
        if (t < snap) {
            value[a] = 0.0;
        } else if (t > 1.0 - snap) {
            value[b] = 0.0;
        }
    }
    Draft draft = draft_of(piece);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        if (value[v] == 0.0) {
            draft.cut[v] = label;
        }
    }
    std::map<std::pair<int, int>, int> crossings;
    const auto crossing = [&](int a, int b) {
        const std::pair<int, int> key{std::min(a, b), std::max(a, b)};
        const auto found = crossings.find(key);
        if (found != crossings.end()) {
            return found->second;
        }
        const double t = value[key.first] / (value[key.first] - value[key.second]);
        auto sum = sum_of(piece.points, key.first, 1.0 - t);
        const auto more = sum_of(piece.points, key.second, t);
        sum.insert(sum.end(), more.begin(), more.end());
        return crossings[key] = draft.add_point(sum, -1, label);
    };
    bool has_dropped = false;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        std::vector<int> polygon;
        double highest = 0.0;
        double lowest = 0.0;
        double mean = 0.0;
        for (int k = 0; k < 3; ++k) {
            const int a = topology.triangles()(f, k);
            const int b = topology.triangles()(f, (k + 1) % 3);
            highest = std::max(highest, value[a]);
            lowest = std::min(lowest, value[a]);
            mean += original[a];
            if (value[a] >= 0.0) {
                polygon.push_back(a);
            }
            if ((value[a] > 0.0 && value[b] < 0.0) || (value[a] < 0.0 && value[b] > 0.0)) {
                polygon.push_back(crossing(a, b));
            }
        }
        const bool lies_on_line = highest == 0.0 && lowest == 0.0;
        if ((highest == 0.0 && !lies_on_line) || (lies_on_line && mean < 0.0)) {
            has_dropped = true;
            continue;
        }
        has_dropped = has_dropped || lowest < 0.0;
        draft.triangles.push_back({polygon[0], polygon[1], polygon[2]});
        if (polygon.size() == 4) {
            draft.triangles.push_back({polygon[0], polygon[2], polygon[3]});
        }
    }
    if (draft.triangles.empty() || !has_dropped) {
        throw InvalidInput(concat("part: expected the border at level ", level, " to cross the surface, found ",
                                  draft.triangles.empty() ? "no vertex inside" : "no vertex outside"));
    }
    // Positions of the piece's own vertices and of crossings, from the piece itself.
    MatrixX3d positions(draft.points.count(), 3);
    positions.topRows(piece.positions.rows()) = piece.positions;
    for (const auto& [key, v] : crossings) {
        const double t = value[key.first] / (value[key.first] - value[key.second]);
        positions.row(v) = (1.0 - t) * piece.positions.row(key.first) + t * piece.positions.row(key.second);
    }
    return finished(draft, positions);
}

SurfacePiece filled_holes(const SurfacePiece& piece, const std::vector<int>& loops) {
    Draft draft = draft_of(piece);
    const auto& t = piece.topology.triangles();
    for (int f = 0; f < piece.topology.triangle_count(); ++f) {
        draft.triangles.push_back({t(f, 0), t(f, 1), t(f, 2)});
    }
    draft.real_triangles = static_cast<int>(draft.triangles.size());
    MatrixX3d positions = piece.positions;
    for (const int index : loops) {
        const auto& loop = piece.topology.boundary_loops()[index];
        std::vector<std::pair<int, double>> mean;
        Vector3d place = Vector3d::Zero();
        for (const int v : loop) {
            const auto more = sum_of(piece.points, v, 1.0 / static_cast<double>(loop.size()));
            mean.insert(mean.end(), more.begin(), more.end());
            place += piece.positions.row(v).transpose() / static_cast<double>(loop.size());
        }
        const int centre = draft.add_point(mean, -1, -1);
        positions.conservativeResize(centre + 1, 3);
        positions.row(centre) = place;
        for (size_t i = 0; i < loop.size(); ++i) {
            // The loop has the surface on its left; the fan lies on its right.
            draft.triangles.push_back({loop[(i + 1) % loop.size()], loop[i], centre});
        }
    }
    return finished(draft, positions);
}

OpenedTip opened_tip(const SurfacePiece& piece) {
    const Topology& topology = piece.topology;
    require(topology.boundary_loops().size() == 1, "part: expected one border loop to find a tip, found ",
            topology.boundary_loops().size());
    const std::vector<double> distance = edge_paths(piece.positions, topology, topology.boundary_loops()[0]).distance;
    const auto tip = static_cast<int>(std::max_element(distance.begin(), distance.end()) - distance.begin());
    Draft draft = draft_of(piece);
    const auto& t = topology.triangles();
    for (int f = 0; f < topology.triangle_count(); ++f) {
        if (t(f, 0) != tip && t(f, 1) != tip && t(f, 2) != tip) {
            draft.triangles.push_back({t(f, 0), t(f, 1), t(f, 2)});
        }
    }
    OpenedTip opened;
    opened.surface_vertex = piece.surface_vertex[tip];
    opened.piece = finished(draft, piece.positions);
    return opened;
}

}  // namespace cutis
