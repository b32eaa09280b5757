#include "mesh/edge_paths.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace cutis {

std::vector<int> EdgePaths::path_to(int v) const {
    std::vector<int> path = {v};
    while (from[path.back()] >= 0) {
        path.push_back(from[path.back()]);
    }
    std::reverse(path.begin(), path.end());
    return path;
}

EdgePaths edge_paths(const MatrixX3d& positions, const Topology& topology, const std::vector<int>& sources,
                     double reach, const std::function<bool(int)>& may_enter) {
    const auto count = static_cast<size_t>(topology.vertex_count());
    std::vector<std::vector<std::pair<int, double>>> around(count);
    for (const auto& [a, b] : topology.edges()) {
        const double length = (positions.row(a) - positions.row(b)).norm();
        around[a].emplace_back(b, length);
        around[b].emplace_back(a, length);
    }
    EdgePaths paths;
    paths.distance.assign(count, std::numeric_limits<double>::infinity());
    paths.from.assign(count, -1);
    using Item = std::pair<double, int>;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (const int v : sources) {
        paths.distance[v] = 0.0;
        queue.emplace(0.0, v);
    }
    while (!queue.empty()) {
        const auto [so_far, v] = queue.top();
        queue.pop();
        if (so_far > paths.distance[v]) {
            continue;
        }
        for (const auto& [w, length] : around[v]) {
            const double there = so_far + length;
            if (there <= reach && there < paths.distance[w] && (!may_enter || may_enter(w))) {
                paths.distance[w] = there;
                paths.from[w] = v;
                queue.emplace(there, w);
            }
        }
    }
    return paths;
}

}  // namespace cutis
