#include <array>
#include <cmath>
#include <map>

#include "actors/motion.h"
#include "actors/rigging.h"
#include "actors/shapes.h"
#include "core/math.h"

namespace cutis::actor {

namespace {

/// A mesh on one joint that never moves: all motion comes from morph targets.
Character make_morphing(const std::string& name, ArtMesh mesh) {
    const std::vector<Bone> bones = {{"carrier", "", Vector3d::Zero(), Vector3d::Zero(), "", "", false}};
    Character character = build_skeleton(name, bones);
    const Eigen::MatrixXd weights = Eigen::MatrixXd::Ones(mesh.positions.rows(), 1);
    add_mesh(character, name, std::move(mesh), strongest_weights(weights));
    return character;
}

}  // namespace

/// Square of one metre in y = 0 that bulges and dents, then rests.
Character make_plane() {
    constexpr int n = 24;
    ArtMesh mesh;
    mesh.name = "plane";
    mesh.positions.resize((n + 1) * (n + 1), 3);
    mesh.uv.resize((n + 1) * (n + 1), 2);
    mesh.triangles.resize(2 * n * n, 3);
    for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) {
            const double u = static_cast<double>(i) / n;
            const double v = static_cast<double>(j) / n;
            mesh.positions.row(j * (n + 1) + i) << u - 0.5, 0.0, 0.5 - v;
            mesh.uv.row(j * (n + 1) + i) << u, v;
        }
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
            const int a = j * (n + 1) + i;
            const int f = 2 * (j * n + i);
            mesh.triangles.row(f) << a, a + 1, a + n + 2;
            mesh.triangles.row(f + 1) << a, a + n + 2, a + n + 1;
        }
    }
    mesh.uv_triangles = mesh.triangles;
    mesh.parts.push_back({"plane", "", 0, 2 * n * n, 0, (n + 1) * (n + 1)});
    Character plane = make_morphing("plane", std::move(mesh));
    add_morph(plane.meshes[0], "bulge", [](const Vector3d& p, const Vector3d&) {
        return Vector3d(0.0, 0.14 * math::exp(-p.squaredNorm() / (0.24 * 0.24)), 0.0);
    });
    ClipMaker motion(plane, "bulge", 3.0, 60.0);
    motion.morph("plane",
                 {[](double t) { return t < 2.0 ? math::sin(3.0 * M_PI * t) * std::min(1.0, 3.0 * t) : 0.0; }});
    return plane;
}

/// Box of 0.6 x 0.3 x 0.3 m that is drawn to twice its length and back.
Character make_box() {
    constexpr int n = 8;
    ArtMesh mesh;
    mesh.name = "box";
    std::map<std::array<int, 3>, int> known;  // shared along the box's edges
    std::vector<Vector3d> points;
    mesh.uv.resize(6 * (n + 1) * (n + 1), 2);
    mesh.triangles.resize(6 * 2 * n * n, 3);
    mesh.uv_triangles.resize(6 * 2 * n * n, 3);
    for (int side = 0; side < 6; ++side) {
        const int axis = side / 2;
        const bool is_upper = side % 2 == 1;
        // i and j turn so that triangles wind outwards on both sides of an axis.
        const int along = (axis + (is_upper ? 1 : 2)) % 3;
        const int across = (axis + (is_upper ? 2 : 1)) % 3;
        std::array<std::array<int, n + 1>, n + 1> at{};
        for (int j = 0; j <= n; ++j) {
            for (int i = 0; i <= n; ++i) {
                std::array<int, 3> cell{};
                cell[axis] = is_upper ? n : 0;
                cell[along] = i;
                cell[across] = j;
                const auto [place, is_new] = known.try_emplace(cell, static_cast<int>(points.size()));
                if (is_new) {
                    const Vector3d share(cell[0], cell[1], cell[2]);
                    points.push_back(((share / n).array() - 0.5).matrix().cwiseProduct(Vector3d(0.6, 0.3, 0.3)));
                }
                at[j][i] = place->second;
                constexpr double cell_u = 1.0 / 3.0;
                constexpr double margin = 0.01;
                mesh.uv.row((side * (n + 1) + j) * (n + 1) + i)
                    << cell_u * (axis + margin + (1.0 - 2.0 * margin) * i / n),
                    0.5 * ((is_upper ? 1 : 0) + margin + (1.0 - 2.0 * margin) * j / n);
            }
        }
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                const auto v = [&](int di, int dj) {
                    return at[static_cast<size_t>(j) + static_cast<size_t>(dj)]
                             [static_cast<size_t>(i) + static_cast<size_t>(di)];
                };
                const int w = (side * (n + 1) + j) * (n + 1) + i;
                const int f = 2 * ((side * n + j) * n + i);
                mesh.triangles.row(f) << v(0, 0), v(1, 0), v(1, 1);
                mesh.triangles.row(f + 1) << v(0, 0), v(1, 1), v(0, 1);
                mesh.uv_triangles.row(f) << w, w + 1, w + n + 2;
                mesh.uv_triangles.row(f + 1) << w, w + n + 2, w + n + 1;
            }
        }
    }
    mesh.positions.resize(static_cast<Eigen::Index>(points.size()), 3);
    for (size_t v = 0; v < points.size(); ++v) {
        mesh.positions.row(static_cast<Eigen::Index>(v)) = points[v].transpose();
    }
    mesh.parts.push_back({"box", "", 0, static_cast<int>(mesh.triangles.rows()), 0, static_cast<int>(points.size())});
    Character box = make_morphing("box", std::move(mesh));
    add_morph(box.meshes[0], "long", [](const Vector3d& p, const Vector3d&) { return Vector3d(p.x(), 0.0, 0.0); });
    const Ease there_and_back{{0.2, 0.0}, {1.2, 1.0}, {1.8, 1.0}, {2.8, 0.0}};
    ClipMaker motion(box, "stretch", 3.0);
    motion.morph("box", {[there_and_back](double t) { return there_and_back(t); }});
    return box;
}

}  // namespace cutis::actor
