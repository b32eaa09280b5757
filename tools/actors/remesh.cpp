#include "remesh.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cutis::actor {

namespace {

constexpr double too_long = 4.0 / 3.0;
constexpr double too_short = 4.0 / 5.0;

class Remesher {
public:
    Remesher(const SurfaceMesh& mesh, const RemeshGuide& guide)
        : guide_(guide), points_(mesh.points), triangles_(mesh.triangles), around_(mesh.points.size()) {
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            for (int k = 0; k < 3; ++k) {
                around_[triangles_[f][k]].push_back(f);
            }
        }
        mark_rim();
    }

    void run() {
        for (int round = 0; round < guide_.rounds; ++round) {
            measure();
            split_long();
            collapse_short();
            flip_edges(false);
            relax(round + 2 >= guide_.rounds ? 3 : 1);
        }
        for (int attempt = 0; attempt < 4; ++attempt) {
            for (int i = 0; i < 3; ++i) {
                flip_edges(true);
                relax(1);
            }
            for (int i = 0; i < 12 && heal(); ++i) {
                flip_edges(true);
            }
            if (smallest_angle_deg(result()) > 22.0) {
                break;
            }
            // Stuck: stir once more.
            measure();
            split_long();
            collapse_short();
            flip_edges(false);
            relax(2);
        }
    }

    SurfaceMesh result() const {
        SurfaceMesh out;
        std::vector<int> new_index(points_.size(), -1);
        for (size_t v = 0; v < points_.size(); ++v) {
            if (!around_[v].empty()) {
                new_index[v] = static_cast<int>(out.points.size());
                out.points.push_back(points_[v]);
            }
        }
        for (const Eigen::Vector3i& t : triangles_) {
            if (t[0] >= 0) {
                out.triangles.emplace_back(new_index[t[0]], new_index[t[1]], new_index[t[2]]);
            }
        }
        return out;
    }

private:
    Vector3d area_normal(const Eigen::Vector3i& t) const {
        return (points_[t[1]] - points_[t[0]]).cross(points_[t[2]] - points_[t[0]]);
    }

    bool has(int f, int v) const {
        const Eigen::Vector3i& t = triangles_[f];
        return t[0] == v || t[1] == v || t[2] == v;
    }

    /// Triangle other than `f` at edge (a, b), or -1.
    int across(int f, int a, int b) const {
        for (const int g : around_[a]) {
            if (g != f && has(g, b)) {
                return g;
            }
        }
        return -1;
    }

    int third(int f, int a, int b) const {
        const Eigen::Vector3i& t = triangles_[f];
        return t[0] != a && t[0] != b ? t[0] : (t[1] != a && t[1] != b ? t[1] : t[2]);
    }

    void neighbours(int v, std::vector<int>& out) const {
        out.clear();
        for (const int f : around_[v]) {
            for (int k = 0; k < 3; ++k) {
                const int w = triangles_[f][k];
                if (w != v && std::find(out.begin(), out.end(), w) == out.end()) {
                    out.push_back(w);
                }
            }
        }
    }

    void forget(int v, int f) { around_[v].erase(std::find(around_[v].begin(), around_[v].end(), f)); }

    void mark_rim() {
        on_rim_.assign(points_.size(), 0);
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            for (int k = 0; k < 3; ++k) {
                const int a = triangles_[f][k];
                const int b = triangles_[f][(k + 1) % 3];
                if (across(f, a, b) < 0) {
                    on_rim_[a] = on_rim_[b] = 1;
                }
            }
        }
    }

    /// The wanted length is asked once a vertex and round: it varies slowly.
    void measure() {
        update_normals();
        wanted_.resize(points_.size());
        for (size_t v = 0; v < points_.size(); ++v) {
            wanted_[v] = around_[v].empty() ? 1.0 : guide_.edge_length(points_[v]);
        }
    }

    double wanted(int a, int b) const { return 0.5 * (wanted_[a] + wanted_[b]); }
    double length(int a, int b) const { return (points_[a] - points_[b]).norm(); }

    Vector3d on_surface(const Vector3d& p, bool rim) const {
        return rim && guide_.project_rim ? guide_.project_rim(p) : guide_.project(p);
    }

    void split_long() {
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            if (triangles_[f][0] < 0) {
                continue;
            }
            for (int k = 0; k < 3; ++k) {
                const int a = triangles_[f][k];
                const int b = triangles_[f][(k + 1) % 3];
                if (length(a, b) > too_long * wanted(a, b)) {
                    split(f, a, b);
                }
            }
        }
    }

    void split(int f, int a, int b) {
        const int g = across(f, a, b);
        const int m = static_cast<int>(points_.size());
        // A midpoint that would fly away (the surface is ambiguous there) stays on the edge:
        // splitting must make edges shorter.
        const Vector3d middle = 0.5 * (points_[a] + points_[b]);
        const Vector3d target = on_surface(middle, g < 0);
        points_.push_back((target - middle).norm() < 0.4 * length(a, b) ? target : middle);
        wanted_.push_back(wanted(a, b));
        around_.emplace_back();
        on_rim_.push_back(static_cast<char>(g < 0 ? 1 : 0));
        normals_.push_back((normals_[a] + normals_[b]).normalized());
        for (const int h : {f, g}) {
            if (h < 0) {
                continue;
            }
            const int c = third(h, a, b);
            const int added = static_cast<int>(triangles_.size());
            Eigen::Vector3i other = triangles_[h];
            for (int k = 0; k < 3; ++k) {
                if (other[k] == a) {
                    other[k] = m;
                }
                if (triangles_[h][k] == b) {
                    triangles_[h][k] = m;
                }
            }
            triangles_.push_back(other);
            forget(b, h);
            around_[b].push_back(added);
            around_[c].push_back(added);
            around_[m].push_back(h);
            around_[m].push_back(added);
        }
    }

    void collapse_short() {
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            for (int k = 0; k < 3 && triangles_[f][0] >= 0; ++k) {
                const int a = triangles_[f][k];
                const int b = triangles_[f][(k + 1) % 3];
                if (length(a, b) < too_short * wanted(a, b)) {
                    collapse(f, a, b, too_long);
                }
            }
        }
    }

    /// Merges b into a unless that would fold, stretch or pinch the surface.
    bool collapse(int f, int a, int b, double longest) {
        const int g = across(f, a, b);
        const bool rim_edge = g < 0;
        if (on_rim_[a] && on_rim_[b] && !rim_edge) {
            return false;
        }
        if (on_rim_[b] && !on_rim_[a]) {
            std::swap(a, b);
        }
        neighbours(a, ring_a_);
        neighbours(b, ring_b_);
        int common = 0;
        for (const int v : ring_b_) {
            common += std::find(ring_a_.begin(), ring_a_.end(), v) != ring_a_.end() ? 1 : 0;
        }
        if (common != (rim_edge ? 1 : 2) || ring_a_.size() + ring_b_.size() < 9) {
            return false;
        }
        for (const int h : {f, g}) {  // the two vertices opposite lose a triangle
            if (h >= 0 && around_[third(h, a, b)].size() <= 4) {
                return false;
            }
        }
        const Vector3d target =
            on_rim_[a] && !on_rim_[b] ? points_[a] : on_surface(0.5 * (points_[a] + points_[b]), rim_edge);
        for (const auto& [ring, self, other] :
             {std::tuple<const std::vector<int>&, int, int>{ring_a_, a, b}, {ring_b_, b, a}}) {
            for (const int v : ring) {
                if (v != other && (points_[v] - target).norm() > longest * wanted(v, self)) {
                    return false;
                }
            }
            for (const int h : around_[self]) {
                if (!has(h, other) && folds(h, self, target)) {
                    return false;
                }
            }
        }
        points_[a] = target;
        for (const int h : {f, g}) {
            if (h < 0) {
                continue;
            }
            const Eigen::Vector3i t = triangles_[h];
            for (int k = 0; k < 3; ++k) {
                forget(t[k], h);
            }
            triangles_[h] = Eigen::Vector3i::Constant(-1);
        }
        for (const int h : around_[b]) {
            for (int k = 0; k < 3; ++k) {
                if (triangles_[h][k] == b) {
                    triangles_[h][k] = a;
                }
            }
            around_[a].push_back(h);
        }
        around_[b].clear();
        return true;
    }

    /// Vertex normals, against which triangles are judged as folded: large sound triangles outvote
    /// small folded ones, so a fold heals instead of becoming the reference.
    void update_normals() {
        normals_.assign(points_.size(), Vector3d::Zero());
        for (const Eigen::Vector3i& t : triangles_) {
            if (t[0] >= 0) {
                const Vector3d n = area_normal(t);
                for (int k = 0; k < 3; ++k) {
                    normals_[t[k]] += n;
                }
            }
        }
        for (Vector3d& n : normals_) {
            const double length = n.norm();
            n = length > 0.0 ? Vector3d(n / length) : Vector3d::UnitY();
        }
    }

    /// Cosine between the normal of triangle f, with corner v moved, and the surface around it.
    double facing(int f, int v, const Vector3d& to) const {
        Vector3d corner[3];
        Vector3d around = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            const int w = triangles_[f][k];
            corner[k] = w == v ? to : points_[w];
            around += normals_[w];
        }
        const Vector3d n = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
        return n.dot(around) / std::max(n.norm() * around.norm(), 1e-300);
    }

    /// Would moving corner v of triangle f fold it over or make it a sliver?
    bool folds(int f, int v, const Vector3d& to) const {
        const double then = facing(f, v, to);
        if (then < 0.35) {
            return then <= facing(f, v, points_[v]) + 1e-9;
        }
        const Eigen::Vector3i& t = triangles_[f];
        const auto at = [&](int k) -> const Vector3d& { return t[k] == v ? to : points_[t[k]]; };
        const double worst = worst_cosine(at(0), at(1), at(2));
        return worst > 0.985 && worst >= worst_cosine(points_[t[0]], points_[t[1]], points_[t[2]]);
    }

    void flip_edges(bool by_angle) {
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            for (int k = 0; k < 3 && triangles_[f][0] >= 0; ++k) {
                flip(f, triangles_[f][k], triangles_[f][(k + 1) % 3], by_angle);
            }
        }
    }

    bool flip(int f, int a, int b, bool by_angle) {
        const int g = across(f, a, b);
        if (g < 0) {
            return false;
        }
        const int c = third(f, a, b);
        const int d = third(g, a, b);
        const auto valence = [&](int v) { return static_cast<int>(around_[v].size()) + (on_rim_[v] ? 3 : 0); };
        if (valence(a) <= 4 || valence(b) <= 4) {
            return false;
        }
        for (const int h : around_[c]) {
            if (has(h, d)) {
                return false;
            }
        }
        const double before = std::max(worst_cosine(points_[a], points_[b], points_[c]),
                                       worst_cosine(points_[a], points_[b], points_[d]));
        const double after = std::max(worst_cosine(points_[a], points_[d], points_[c]),
                                      worst_cosine(points_[b], points_[c], points_[d]));
        if (by_angle) {
            if (after > before - 1e-6) {
                return false;
            }
        } else {
            const auto off = [](int n) { return (n - 6) * (n - 6); };
            const int now = off(valence(a)) + off(valence(b)) + off(valence(c)) + off(valence(d));
            const int then = off(valence(a) - 1) + off(valence(b) - 1) + off(valence(c) + 1) + off(valence(d) + 1);
            if (then >= now || (after > 0.97 && after > before)) {
                return false;
            }
        }
        // f is (a, b, c), g is (b, a, d); the new pair is (a, d, c) and (d, b, c).
        const Vector3d nf = area_normal(triangles_[f]).normalized();
        const Vector3d ng = area_normal(triangles_[g]).normalized();
        const Vector3d n1 = (points_[d] - points_[a]).cross(points_[c] - points_[a]).normalized();
        const Vector3d n2 = (points_[b] - points_[d]).cross(points_[c] - points_[d]).normalized();
        const Vector3d mean = (normals_[a] + normals_[b] + normals_[c] + normals_[d]).normalized();
        const double facing_now = std::min(nf.dot(mean), ng.dot(mean));
        const double facing_then = std::min(n1.dot(mean), n2.dot(mean));
        if ((facing_then < 0.5 && facing_then < facing_now) || (n1.dot(n2) < 0.5 && n1.dot(n2) < nf.dot(ng))) {
            return false;
        }
        triangles_[f] = Eigen::Vector3i(a, d, c);
        triangles_[g] = Eigen::Vector3i(d, b, c);
        forget(b, f);
        forget(a, g);
        around_[d].push_back(f);
        around_[c].push_back(g);
        return true;
    }

    void relax(int times) {
        for (int i = 0; i < times; ++i) {
            update_normals();
            for (int v = 0; v < static_cast<int>(points_.size()); ++v) {
                if (!around_[v].empty()) {
                    relax_vertex(v);
                }
            }
        }
    }

    void relax_vertex(int v) {
        Vector3d centre = Vector3d::Zero();
        double weight = 0.0;
        if (on_rim_[v]) {
            if (!guide_.project_rim) {
                return;
            }
            for (const int f : around_[v]) {
                for (int k = 0; k < 3; ++k) {
                    const int w = triangles_[f][k];
                    if (w != v && on_rim_[w] && across(f, v, w) < 0) {
                        centre += points_[w];
                        weight += 1.0;
                    }
                }
            }
            if (weight == 2.0) {
                move_if_sound(v, guide_.project_rim(0.5 * points_[v] + 0.25 * centre));
            }
            return;
        }
        Vector3d normal = Vector3d::Zero();
        for (const int f : around_[v]) {
            const Eigen::Vector3i& t = triangles_[f];
            const Vector3d n = area_normal(t);
            normal += n;
            // Area over wanted area draws vertices to where triangles should be smaller.
            const double want = (wanted_[t[0]] + wanted_[t[1]] + wanted_[t[2]]) / 3.0;
            const double w = n.norm() / (want * want);
            centre += w * (points_[t[0]] + points_[t[1]] + points_[t[2]]) / 3.0;
            weight += w;
        }
        const double size = normal.norm();
        if (weight <= 0.0 || size < 1e-20) {
            return;
        }
        normal /= size;
        Vector3d step = centre / weight - points_[v];
        step -= normal * normal.dot(step);
        move_if_sound(v, guide_.project(points_[v] + 0.8 * step));
    }

    void move_if_sound(int v, const Vector3d& to) {
        for (const int f : around_[v]) {
            if (folds(f, v, to)) {
                return;
            }
        }
        points_[v] = to;
    }

    /// Works on the triangles with small angles: collapse a needle's short side, or nudge corners.
    bool heal() {
        const double limit = std::cos(26.0 * M_PI / 180.0);
        bool changed = false;
        for (int f = 0; f < static_cast<int>(triangles_.size()); ++f) {
            if (triangles_[f][0] < 0) {
                continue;
            }
            const Eigen::Vector3i t = triangles_[f];
            if (worst_cosine(points_[t[0]], points_[t[1]], points_[t[2]]) < limit) {
                continue;
            }
            int k = 0;
            for (int i = 1; i < 3; ++i) {
                if (length(t[i], t[(i + 1) % 3]) < length(t[k], t[(k + 1) % 3])) {
                    k = i;
                }
            }
            const double side = length(t[k], t[(k + 1) % 3]);
            if (side < 0.75 * wanted(t[k], t[(k + 1) % 3]) && collapse(f, t[k], t[(k + 1) % 3], 1.7)) {
                changed = true;
                continue;
            }
            for (int i = 0; i < 3; ++i) {
                changed = improve_vertex(t[i]) || changed;
            }
        }
        return changed;
    }

    double worst_around(int v, const Vector3d& at) const {
        double worst = -1.0;
        for (const int f : around_[v]) {
            Vector3d corner[3];
            for (int k = 0; k < 3; ++k) {
                corner[k] = triangles_[f][k] == v ? at : points_[triangles_[f][k]];
            }
            worst = std::max(worst, worst_cosine(corner[0], corner[1], corner[2]));
        }
        return worst;
    }

    /// Pattern search in the tangent plane for the best smallest angle.
    bool improve_vertex(int v) {
        if (on_rim_[v]) {
            return false;
        }
        Vector3d normal = Vector3d::Zero();
        for (const int f : around_[v]) {
            normal += area_normal(triangles_[f]);
        }
        const Vector3d n = normal.normalized();
        const Vector3d x = n.unitOrthogonal();
        const Vector3d y = n.cross(x);
        double best = worst_around(v, points_[v]);
        bool moved = false;
        for (double step = 0.3 * wanted_[v]; step > 0.03 * wanted_[v]; step *= 0.5) {
            for (int i = 0; i < 8; ++i) {
                const double angle = i * M_PI / 4.0;
                const Vector3d to = guide_.project(points_[v] + step * (std::cos(angle) * x + std::sin(angle) * y));
                const double worst = worst_around(v, to);
                if (worst < best - 1e-4 && std::none_of(around_[v].begin(), around_[v].end(),
                                                        [&](int f) { return facing(f, v, to) < 0.35; })) {
                    best = worst;
                    points_[v] = to;
                    moved = true;
                }
            }
        }
        return moved;
    }

    const RemeshGuide& guide_;
    std::vector<Vector3d> points_;
    std::vector<Eigen::Vector3i> triangles_;
    std::vector<std::vector<int>> around_;
    std::vector<char> on_rim_;
    std::vector<Vector3d> normals_;
    std::vector<double> wanted_;
    std::vector<int> ring_a_, ring_b_;
};

}  // namespace

SurfaceMesh remesh(const SurfaceMesh& mesh, const RemeshGuide& guide) {
    Remesher remesher(mesh, guide);
    remesher.run();
    return remesher.result();
}

}  // namespace cutis::actor
