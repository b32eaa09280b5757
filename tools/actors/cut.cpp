#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cutis/core/error.h"
#include "uv.h"

namespace cutis::actor {

namespace {

/// Cuts one chart of the mesh to a disk.
class Cutter {
public:
    Cutter(const SurfaceMesh& mesh, const std::vector<Eigen::Vector3i>& across, const std::vector<int>& label,
           const Vector3d& seam_side)
        : mesh_(mesh), across_(across), label_(label), seam_side_(seam_side) {}

    Chart cut(int chart) {
        triangles_.clear();
        for (int f = 0; f < static_cast<int>(label_.size()); ++f) {
            if (label_[f] == chart) {
                triangles_.push_back(f);
            }
        }
        build_graph(chart);
        connect_loops();
        return gather(chart);
    }

private:
    using Edge = std::pair<int, int>;
    static Edge edge(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

    void build_graph(int chart) {
        links_.assign(mesh_.points.size(), {});
        on_cut_.assign(mesh_.points.size(), 0);
        seams_.clear();
        std::vector<Vector3d> normal(mesh_.points.size(), Vector3d::Zero());
        for (const int f : triangles_) {
            const Eigen::Vector3i& t = mesh_.triangles[f];
            const Vector3d n = (mesh_.points[t[1]] - mesh_.points[t[0]]).cross(mesh_.points[t[2]] - mesh_.points[t[0]]);
            for (int k = 0; k < 3; ++k) {
                normal[t[k]] += n;
            }
        }
        next_on_rim_.clear();
        for (const int f : triangles_) {
            const Eigen::Vector3i& t = mesh_.triangles[f];
            for (int k = 0; k < 3; ++k) {
                const int a = t[k];
                const int b = t[(k + 1) % 3];
                const int g = across_[f][k];
                const bool is_rim = g < 0 || label_[g] != chart;
                if (is_rim) {
                    next_on_rim_.emplace_back(a, b);
                    seams_.insert(edge(a, b));
                }
                if (is_rim || a < b) {
                    const double facing = 0.5 * (normal[a].normalized() + normal[b].normalized()).dot(seam_side_);
                    const double cost = (mesh_.points[a] - mesh_.points[b]).norm() * (1.6 - facing);
                    links_[a].emplace_back(b, cost);
                    links_[b].emplace_back(a, cost);
                }
            }
        }
        std::sort(next_on_rim_.begin(), next_on_rim_.end());
    }

    /// Boundary loops as lists of vertices; a pinch vertex may join two into one list.
    std::vector<std::vector<int>> rim_loops() const {
        std::vector<std::vector<int>> loops;
        std::vector<char> used(next_on_rim_.size(), 0);
        for (size_t start = 0; start < next_on_rim_.size(); ++start) {
            if (used[start]) {
                continue;
            }
            std::vector<int> loop;
            size_t i = start;
            while (!used[i]) {
                used[i] = 1;
                loop.push_back(next_on_rim_[i].first);
                const int to = next_on_rim_[i].second;
                auto it = std::lower_bound(next_on_rim_.begin(), next_on_rim_.end(), Edge(to, -1));
                while (it + 1 != next_on_rim_.end() && used[it - next_on_rim_.begin()] && (it + 1)->first == to) {
                    ++it;
                }
                i = static_cast<size_t>(it - next_on_rim_.begin());
            }
            loops.push_back(std::move(loop));
        }
        return loops;
    }

    /// Distances from all vertices of the cut; follows `from_` back.
    void spread(bool plain_length) {
        cost_.assign(mesh_.points.size(), 1e300);
        from_.assign(mesh_.points.size(), -1);
        std::set<std::pair<double, int>> front;
        for (const int f : triangles_) {
            for (int k = 0; k < 3; ++k) {
                const int v = mesh_.triangles[f][k];
                if (on_cut_[v] && cost_[v] > 0.0) {
                    cost_[v] = 0.0;
                    front.emplace(0.0, v);
                }
            }
        }
        while (!front.empty()) {
            const int v = front.begin()->second;
            front.erase(front.begin());
            for (const auto& [w, cost] : links_[v]) {
                const double step = plain_length ? (mesh_.points[v] - mesh_.points[w]).norm() : cost;
                // A path may end at another rim but not run through it.
                if (cost_[v] + step < cost_[w] && !(loop_of_rim_[v] >= 0 && !on_cut_[v])) {
                    front.erase({cost_[w], w});
                    cost_[w] = cost_[v] + step;
                    from_[w] = v;
                    front.emplace(cost_[w], w);
                }
            }
        }
    }

    void cut_back_from(int v) {
        while (from_[v] >= 0) {
            seams_.insert(edge(v, from_[v]));
            on_cut_[v] = 1;
            v = from_[v];
        }
    }

    int farthest() const {
        int best = -1;
        for (const int f : triangles_) {
            for (int k = 0; k < 3; ++k) {
                const int v = mesh_.triangles[f][k];
                if (cost_[v] < 1e299 && (best < 0 || cost_[v] > cost_[best])) {
                    best = v;
                }
            }
        }
        return best;
    }

    void connect_loops() {
        std::vector<std::vector<int>> loops = rim_loops();
        loop_of_rim_.assign(mesh_.points.size(), -1);
        for (int i = 0; i < static_cast<int>(loops.size()); ++i) {
            for (const int v : loops[i]) {
                loop_of_rim_[v] = i;
            }
        }
        if (loops.empty()) {  // closed: a slit between two far points
            on_cut_[mesh_.triangles[triangles_[0]][0]] = 1;
            spread(true);
            const int start = farthest();
            std::fill(on_cut_.begin(), on_cut_.end(), 0);
            on_cut_[start] = 1;
            spread(true);
            const int end = farthest();
            spread(false);
            cut_back_from(end);
            return;
        }
        for (const int v : loops[0]) {
            on_cut_[v] = 1;
        }
        for (size_t joined = 1; joined < loops.size(); ++joined) {
            spread(false);
            int best = -1;
            for (const std::vector<int>& loop : loops) {
                for (const int v : loop) {
                    if (!on_cut_[v] && cost_[v] < 1e299 && (best < 0 || cost_[v] < cost_[best])) {
                        best = v;
                    }
                }
            }
            if (best < 0) {
                break;
            }
            cut_back_from(best);
            for (const int v : loops[loop_of_rim_[best]]) {
                on_cut_[v] = 1;
            }
        }
        slit_deep_caps();
    }

    /// A long cap (finger, stump) is slit to its tip; a shallow one flattens well as it is.
    void slit_deep_caps() {
        for (int slits = 0; slits < 6; ++slits) {
            double length = 0.0;
            for (const Edge& e : seams_) {
                length += (mesh_.points[e.first] - mesh_.points[e.second]).norm();
            }
            spread(true);
            const int tip = farthest();
            if (tip < 0 || cost_[tip] < 0.28 * length) {
                return;
            }
            spread(false);
            cut_back_from(tip);
        }
    }

    Chart gather(int chart) const {
        // Corners joined across every side that is not a seam share a UV vertex.
        std::vector<int> local(mesh_.triangles.size(), -1);
        for (int i = 0; i < static_cast<int>(triangles_.size()); ++i) {
            local[triangles_[i]] = i;
        }
        std::vector<int> parent(triangles_.size() * 3);
        std::iota(parent.begin(), parent.end(), 0);
        const auto root = [&](int c) {
            while (parent[c] != c) {
                c = parent[c] = parent[parent[c]];
            }
            return c;
        };
        const auto corner = [&](int f, int v) {
            const Eigen::Vector3i& t = mesh_.triangles[f];
            return local[f] * 3 + (t[0] == v ? 0 : (t[1] == v ? 1 : 2));
        };
        for (const int f : triangles_) {
            for (int k = 0; k < 3; ++k) {
                const int a = mesh_.triangles[f][k];
                const int b = mesh_.triangles[f][(k + 1) % 3];
                if (seams_.count(edge(a, b)) == 0) {
                    const int g = across_[f][k];
                    for (const int v : {a, b}) {
                        const int r = root(corner(f, v)), s = root(corner(g, v));
                        parent[std::max(r, s)] = std::min(r, s);
                    }
                }
            }
        }
        Chart out;
        std::vector<int> vertex_of_root(parent.size(), -1);
        std::vector<Edge> rim;
        for (const int f : triangles_) {
            Eigen::Vector3i corners;
            for (int k = 0; k < 3; ++k) {
                const int r = root(local[f] * 3 + k);
                if (vertex_of_root[r] < 0) {
                    vertex_of_root[r] = static_cast<int>(out.points.size());
                    out.points.push_back(mesh_.points[mesh_.triangles[f][k]]);
                }
                corners[k] = vertex_of_root[r];
            }
            out.triangle.push_back(f);
            out.corners.push_back(corners);
            for (int k = 0; k < 3; ++k) {
                if (seams_.count(edge(mesh_.triangles[f][k], mesh_.triangles[f][(k + 1) % 3])) != 0) {
                    rim.emplace_back(corners[k], corners[(k + 1) % 3]);
                }
            }
        }
        std::sort(rim.begin(), rim.end());
        int v = rim.front().first;
        do {
            out.rim.push_back(v);
            v = std::lower_bound(rim.begin(), rim.end(), Edge(v, -1))->second;
        } while (v != rim.front().first && out.rim.size() <= rim.size());
        const size_t edges = (out.corners.size() * 3 + rim.size()) / 2;
        if (out.rim.size() != rim.size() || out.points.size() + out.corners.size() != edges + 1) {
            throw SolverFailure(
                concat("actor: UV chart ", chart, " with ", out.corners.size(),
                       " triangles is not a disk after cutting (Euler number ",
                       static_cast<int>(out.points.size() + out.corners.size()) - static_cast<int>(edges), ", ",
                       rim.size(), " rim sides, ", out.rim.size(), " in one loop)"));
        }
        return out;
    }

    const SurfaceMesh& mesh_;
    const std::vector<Eigen::Vector3i>& across_;
    const std::vector<int>& label_;
    Vector3d seam_side_;
    std::vector<int> triangles_;
    std::vector<std::vector<std::pair<int, double>>> links_;
    std::vector<Edge> next_on_rim_;
    std::set<Edge> seams_;
    std::vector<char> on_cut_;
    std::vector<double> cost_;
    std::vector<int> from_;
    std::vector<int> loop_of_rim_;
};

}  // namespace

Chart cut_to_disk(const SurfaceMesh& mesh, const std::vector<Eigen::Vector3i>& across, const std::vector<int>& label,
                  int chart, const Vector3d& seam_side) {
    return Cutter(mesh, across, label, seam_side).cut(chart);
}

}  // namespace cutis::actor
