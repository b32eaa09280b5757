#include "edge_loops.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "cutis/core/error.h"

namespace cutis {

namespace {

/// The artist's edges round each vertex of the piece, counter-clockwise.
class QuadEdges {
public:
    QuadEdges(const SurfacePiece& piece, const std::vector<std::array<int, 2>>& polygon_edges) {
        std::set<std::pair<int, int>> known;
        for (const auto& [a, b] : polygon_edges) {
            known.emplace(std::min(a, b), std::max(a, b));
        }
        const Topology& topology = piece.topology;
        around_.resize(static_cast<size_t>(topology.vertex_count()));
        for (int v = 0; v < topology.vertex_count(); ++v) {
            const int from = piece.surface_vertex[v];
            if (from < 0 || topology.is_boundary_vertex(v)) {
                continue;
            }
            for (const int f : topology.triangles_around(v)) {
                int k = 0;
                while (topology.triangles()(f, k) != v) {
                    ++k;
                }
                const int next = topology.triangles()(f, (k + 1) % 3);
                const int to = piece.surface_vertex[next];
                if (to >= 0 && known.count({std::min(from, to), std::max(from, to)}) > 0) {
                    around_[v].push_back(next);
                }
            }
        }
    }

    bool is_regular(int v) const { return around_[v].size() == 4; }
    int neighbour(int v, int k) const { return around_[v][k & 3]; }

    /// Straight on from `before` through `v`.
    std::optional<int> straight_on(int before, int v) const {
        if (!is_regular(v)) {
            return std::nullopt;
        }
        for (int k = 0; k < 4; ++k) {
            if (neighbour(v, k) == before) {
                return neighbour(v, k + 2);
            }
        }
        return std::nullopt;
    }

private:
    std::vector<std::vector<int>> around_;
};

/// Closed ring of regular vertices through v that starts along its edge k; empty where it is not.
std::vector<int> ring_from(const QuadEdges& edges, int v, int k, int longest) {
    std::vector<int> ring = {v};
    int before = v;
    int now = edges.neighbour(v, k);
    while (now != v && static_cast<int>(ring.size()) < longest) {
        ring.push_back(now);
        const std::optional<int> next = edges.straight_on(before, now);
        if (!next) {
            return {};
        }
        before = now;
        now = *next;
    }
    return now == v ? ring : std::vector<int>{};
}

}  // namespace

std::vector<std::vector<std::pair<double, double>>> edge_loops_along(
    const SurfacePiece& piece, const TubeMap& map, const std::vector<std::array<int, 2>>& polygon_edges) {
    const QuadEdges edges(piece, polygon_edges);
    const int count = piece.topology.vertex_count();
    // Rings near the middle first.
    std::vector<int> order;
    for (int v = 0; v < count; ++v) {
        if (edges.is_regular(v)) {
            order.push_back(v);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::abs(map.s[a] - 0.5) < std::abs(map.s[b] - 0.5); });
    const auto turn_between = [&](int a, int b) {
        const double d = map.theta[b] - map.theta[a];
        return d - std::round(d);
    };
    std::vector<int> ring;
    for (size_t i = 0; i < order.size() && ring.empty(); ++i) {
        for (int k = 0; k < 2 && ring.empty(); ++k) {
            std::vector<int> candidate = ring_from(edges, order[i], k, count);
            double turns = 0.0;
            for (size_t j = 0; j < candidate.size(); ++j) {
                turns += turn_between(candidate[j], candidate[(j + 1) % candidate.size()]);
            }
            const bool is_regular =
                std::all_of(candidate.begin(), candidate.end(), [&](int v) { return edges.is_regular(v); });
            if (candidate.size() >= 3 && std::abs(std::abs(turns) - 1.0) < 1e-6 && is_regular) {
                if (turns < 0.0) {
                    std::reverse(candidate.begin(), candidate.end());
                }
                ring = std::move(candidate);
            }
        }
    }
    require(!ring.empty(), "edge loops: expected a closed ring of quads round the part, found ", order.size(),
            " vertices with four edges and no such ring");
    std::vector<std::vector<std::pair<double, double>>> lines;
    for (size_t j = 0; j < ring.size(); ++j) {
        const int v = ring[j];
        const int along_ring = ring[(j + 1) % ring.size()];
        int k = 0;
        while (edges.neighbour(v, k) != along_ring) {
            ++k;
        }
        std::vector<std::pair<double, double>> up;
        std::vector<std::pair<double, double>> down;
        for (const int side : {k + 1, k + 3}) {
            int before = v;
            std::optional<int> now = edges.neighbour(v, side);
            const bool rises = map.s[*now] > map.s[v];
            auto& line = rises ? up : down;
            double theta = map.theta[v];
            while (now && (map.s[*now] > map.s[before]) == rises) {
                theta += turn_between(before, *now);
                line.emplace_back(map.s[*now], theta);
                const std::optional<int> next = edges.straight_on(before, *now);
                before = *now;
                now = next;
            }
        }
        std::reverse(down.begin(), down.end());
        down.emplace_back(map.s[v], map.theta[v]);
        down.insert(down.end(), up.begin(), up.end());
        lines.push_back(std::move(down));
    }
    return lines;
}

}  // namespace cutis
