#include "bench/resized.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "cutis/core/error.h"
#include "cutis/mesh/repair.h"
#include "mesh/adaptive_loop.h"

namespace cutis::bench {

namespace {

/// A surface, what of the whole each of its triangles belongs to, and who moves its vertices.
struct Plain {
    MatrixX3d positions;
    MatrixX3i triangles;
    std::vector<int> part;  // of the art mesh, per triangle
    SkinWeights weights;
};

Vector3d normal_of(const MatrixX3d& positions, const Eigen::RowVector3i& corners) {
    const Vector3d a = positions.row(corners[0]);
    return (positions.row(corners[1]).transpose() - a).cross(positions.row(corners[2]).transpose() - a);
}

Plain welded(const MeshInstance& instance) {
    const RepairedMesh mesh = repair_mesh(instance.mesh.positions, instance.mesh.triangles, {});
    Plain plain;
    plain.positions = mesh.positions;
    plain.triangles = mesh.topology.triangles();
    plain.weights.influences = instance.weights.influences;
    for (const int art : mesh.art_of_vertex) {
        for (int i = 0; i < instance.weights.influences && instance.skin >= 0; ++i) {
            const auto at = static_cast<size_t>(art * instance.weights.influences + i);
            plain.weights.joints.push_back(instance.weights.joints[at]);
            plain.weights.weights.push_back(instance.weights.weights[at]);
        }
    }
    for (const int art : mesh.art_triangle) {
        int part = 0;
        while (art >= instance.mesh.parts[static_cast<size_t>(part)].first_triangle +
                          instance.mesh.parts[static_cast<size_t>(part)].triangle_count) {
            ++part;
        }
        plain.part.push_back(part);
    }
    return plain;
}

/// Edges collapse onto one of their ends, the shortest first, where the surface stays one and no triangle turns over.
void collapse(Plain& mesh, int wanted) {
    const auto vertices = static_cast<size_t>(mesh.positions.rows());
    std::vector<std::set<int>> around(vertices);
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            around[static_cast<size_t>(mesh.triangles(f, k))].insert(static_cast<int>(f));
        }
    }
    const auto ring = [&](int v) {
        std::set<int> found;
        for (const int f : around[static_cast<size_t>(v)]) {
            found.insert(mesh.triangles.row(f).begin(), mesh.triangles.row(f).end());
        }
        found.erase(v);
        return found;
    };
    const auto length = [&](int a, int b) { return (mesh.positions.row(a) - mesh.positions.row(b)).norm(); };
    struct Edge {
        double length;
        int from, to;
        bool operator<(const Edge& other) const {
            return std::make_tuple(-length, from, to) < std::make_tuple(-other.length, other.from, other.to);
        }
    };
    std::priority_queue<Edge> queue;
    for (int v = 0; v < static_cast<int>(vertices); ++v) {
        for (const int n : ring(v)) {
            queue.push({length(v, n), v, n});
        }
    }
    std::vector<char> is_gone(static_cast<size_t>(mesh.triangles.rows()), 0);
    auto count = static_cast<int>(mesh.triangles.rows());
    while (count > wanted && !queue.empty()) {
        const auto [was, from, to] = queue.top();
        queue.pop();
        const std::set<int> ring_from = ring(from);
        if (ring_from.count(to) == 0 || was != length(from, to)) {
            continue;
        }
        const std::set<int>& fan = around[static_cast<size_t>(from)];
        std::set<int> shared;
        std::vector<int> both;
        for (const int n : ring(to)) {
            if (ring_from.count(n) != 0) {
                shared.insert(n);
            }
        }
        bool fits = ring_from.size() == fan.size() && shared.size() == 2;  // inside a surface
        for (const int f : fan) {
            Eigen::RowVector3i corners = mesh.triangles.row(f);
            if ((corners.array() == to).any()) {
                both.push_back(f);
                continue;
            }
            const Vector3d before = normal_of(mesh.positions, corners);
            std::replace(corners.begin(), corners.end(), from, to);
            const Vector3d after = normal_of(mesh.positions, corners);
            fits = fits && before.dot(after) > 0.5 * before.norm() * after.norm();
        }
        if (!fits || both.size() != 2 ||
            mesh.part[static_cast<size_t>(both[0])] != mesh.part[static_cast<size_t>(both[1])]) {
            continue;
        }
        for (const int f : std::set<int>(fan)) {
            if (f == both[0] || f == both[1]) {
                for (int k = 0; k < 3; ++k) {
                    around[static_cast<size_t>(mesh.triangles(f, k))].erase(f);
                }
                is_gone[static_cast<size_t>(f)] = 1;
            } else {
                std::replace(mesh.triangles.row(f).begin(), mesh.triangles.row(f).end(), from, to);
                around[static_cast<size_t>(to)].insert(f);
            }
        }
        around[static_cast<size_t>(from)].clear();
        count -= 2;
        for (const int n : ring(to)) {
            queue.push({length(n, to), n, to});
            queue.push({length(n, to), to, n});
        }
    }
    Plain kept;
    kept.weights.influences = mesh.weights.influences;
    std::vector<int> number(vertices, -1);
    std::vector<Eigen::RowVector3i> triangles;
    std::vector<int> old;
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        if (is_gone[static_cast<size_t>(f)] != 0) {
            continue;
        }
        Eigen::RowVector3i corners = mesh.triangles.row(f);
        for (int& v : corners) {
            int& own = number[static_cast<size_t>(v)];
            if (own < 0) {
                own = static_cast<int>(old.size());
                old.push_back(v);
            }
            v = own;
        }
        triangles.push_back(corners);
        kept.part.push_back(mesh.part[static_cast<size_t>(f)]);
    }
    kept.triangles.resize(static_cast<Eigen::Index>(triangles.size()), 3);
    for (size_t f = 0; f < triangles.size(); ++f) {
        kept.triangles.row(static_cast<Eigen::Index>(f)) = triangles[f];
    }
    kept.positions.resize(static_cast<Eigen::Index>(old.size()), 3);
    for (size_t v = 0; v < old.size(); ++v) {
        kept.positions.row(static_cast<Eigen::Index>(v)) = mesh.positions.row(old[v]);
        const auto first = static_cast<std::ptrdiff_t>(old[v]) * mesh.weights.influences;
        if (!mesh.weights.joints.empty()) {
            kept.weights.joints.insert(kept.weights.joints.end(), mesh.weights.joints.begin() + first,
                                       mesh.weights.joints.begin() + first + mesh.weights.influences);
            kept.weights.weights.insert(kept.weights.weights.end(), mesh.weights.weights.begin() + first,
                                        mesh.weights.weights.begin() + first + mesh.weights.influences);
        }
    }
    mesh = std::move(kept);
}

/// Enough triangles, from the first on, are cut in four; places and weights are interpolated.
void refine(Plain& mesh, int wanted) {
    const auto count = static_cast<int>(mesh.triangles.rows());
    const int cut = std::min(count, (wanted - count) / 3);
    std::vector<unsigned char> levels(static_cast<size_t>(count), 0);
    std::fill(levels.begin(), levels.begin() + cut, static_cast<unsigned char>(1));
    const AdaptiveLoop fine(Topology(mesh.triangles, static_cast<int>(mesh.positions.rows())), 0, levels, 1);
    const MatrixX3i& triangles = fine.topology().triangles();
    std::vector<Eigen::Index> order;  // by parts
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        order.push_back(f);
    }
    const auto part_of = [&](Eigen::Index f) {
        return mesh.part[static_cast<size_t>(fine.corner_points()[static_cast<size_t>(3 * f)].triangle)];
    };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return part_of(a) < part_of(b); });
    Plain out;
    constexpr int most = 8;
    const auto vertices = static_cast<Eigen::Index>(fine.topology().vertex_count());
    out.positions.resize(vertices, 3);
    out.triangles.resize(triangles.rows(), 3);
    out.weights.influences = mesh.weights.joints.empty() ? mesh.weights.influences : most;
    out.weights.joints.assign(mesh.weights.joints.empty() ? 0 : static_cast<size_t>(vertices * most), 0);
    out.weights.weights.assign(out.weights.joints.size(), 0.0);
    for (size_t i = 0; i < order.size(); ++i) {
        const Eigen::Index f = order[i];
        out.triangles.row(static_cast<Eigen::Index>(i)) = triangles.row(f);
        out.part.push_back(part_of(f));
        for (int k = 0; k < 3; ++k) {
            const SurfacePoint& at = fine.corner_points()[static_cast<size_t>(3 * f + k)];
            const Eigen::RowVector3i corners = mesh.triangles.row(at.triangle);
            const Eigen::Index v = triangles(f, k);
            out.positions.row(v).setZero();
            std::map<std::uint16_t, double> sum;
            for (int c = 0; c < 3; ++c) {
                out.positions.row(v) += at.barycentric[c] * mesh.positions.row(corners[c]);
                for (int n = 0; n < mesh.weights.influences && !mesh.weights.joints.empty(); ++n) {
                    const auto from = static_cast<size_t>(corners[c] * mesh.weights.influences + n);
                    sum[mesh.weights.joints[from]] += at.barycentric[c] * mesh.weights.weights[from];
                }
            }
            std::vector<std::pair<double, std::uint16_t>> strongest;
            for (const auto& [joint, weight] : sum) {
                strongest.emplace_back(-weight, joint);
            }
            std::sort(strongest.begin(), strongest.end());
            double whole = 0.0;
            for (size_t n = 0; n < std::min<size_t>(most, strongest.size()); ++n) {
                whole -= strongest[n].first;
            }
            for (size_t n = 0; n < std::min<size_t>(most, strongest.size()); ++n) {
                const auto to = static_cast<size_t>(v * most) + n;
                out.weights.joints[to] = strongest[n].second;
                out.weights.weights[to] = -strongest[n].first / whole;
            }
        }
    }
    mesh = std::move(out);
}

}  // namespace

Character resized(const Character& character, int triangles) {
    Character result = character;
    double all = 0.0;
    for (const MeshInstance& instance : character.meshes) {
        all += static_cast<double>(instance.mesh.triangles.rows());
    }
    result.document = nullptr;
    for (MeshInstance& instance : result.meshes) {
        Plain mesh = welded(instance);
        const auto own = static_cast<double>(instance.mesh.triangles.rows());
        const auto wanted = static_cast<int>(own / all * triangles);
        if (wanted < mesh.triangles.rows()) {
            collapse(mesh, wanted);
        } else {
            refine(mesh, wanted);
        }
        ArtMesh art;
        art.name = instance.mesh.name;
        art.positions = mesh.positions;
        art.triangles = mesh.triangles;
        for (size_t p = 0; p < instance.mesh.parts.size(); ++p) {
            MeshPart part = instance.mesh.parts[p];
            const auto [begin, end] = std::equal_range(mesh.part.begin(), mesh.part.end(), static_cast<int>(p));
            part.first_triangle = static_cast<int>(begin - mesh.part.begin());
            part.triangle_count = static_cast<int>(end - begin);
            part.first_vertex = 0;
            part.vertex_count = static_cast<int>(mesh.positions.rows());
            art.parts.push_back(part);
        }
        instance.mesh = std::move(art);
        instance.weights = std::move(mesh.weights);
        instance.morphs.clear();
        instance.morph_defaults.clear();
    }
    return result;
}

}  // namespace cutis::bench
