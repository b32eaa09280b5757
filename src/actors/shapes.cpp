#include <array>
#include <cmath>

#include "actors/motion.h"
#include "actors/rigging.h"
#include "actors/shapes.h"
#include "core/math.h"

namespace cutis::actor {

namespace {

/// Joints along the x axis that share a twist of the right half: each turns by a sixth of it.
constexpr int twist_joints = 7;

double twist_place(int i, double reach) {
    return reach * (2.0 * i / (twist_joints - 1) - 1.0);
}

/// Character around a ready mesh: a carrying joint and the twist chain, weights linear in x.
Character make_twister(const std::string& name, ArtMesh mesh, double reach) {
    std::vector<Bone> bones = {{"carrier", "", Vector3d::Zero(), Vector3d::Zero(), "", "", false}};
    for (int i = 0; i < twist_joints; ++i) {
        const Vector3d place(twist_place(i, reach), 0.0, 0.0);
        bones.push_back({"twist_" + std::to_string(i), i == 0 ? "carrier" : "twist_" + std::to_string(i - 1), place,
                         place, "", ""});
    }
    Character character = build_skeleton(name, bones);
    Eigen::MatrixXd weights = Eigen::MatrixXd::Zero(mesh.positions.rows(), static_cast<Eigen::Index>(bones.size()));
    for (int v = 0; v < mesh.positions.rows(); ++v) {
        const double s =
            std::clamp((mesh.positions(v, 0) / reach + 1.0) * 0.5 * (twist_joints - 1), 0.0, twist_joints - 1.0);
        const int below = std::min(static_cast<int>(s), twist_joints - 2);
        weights(v, 1 + below) = 1.0 - (s - below);
        weights(v, 2 + below) = s - below;
    }
    add_mesh(character, name, std::move(mesh), strongest_weights(weights));
    return character;
}

/// Bulge, squash, twist of the right half by 90 degrees, shake with a sudden stop.
void add_test_motions(Character& character, const std::string& name) {
    const Ease there_and_back{{0.2, 0.0}, {1.2, 1.0}, {1.8, 1.0}, {2.8, 0.0}};
    const auto swell = [there_and_back](double t) { return there_and_back(t); };
    const auto none = [](double) { return 0.0; };
    {
        ClipMaker motion(character, "bulge", 3.0);
        motion.morph(name, {swell, none});
    }
    {
        ClipMaker motion(character, "squash", 3.0);
        motion.morph(name, {none, swell});
    }
    {
        ClipMaker motion(character, "twist", 3.0);
        for (int i = 1; i < twist_joints; ++i) {
            motion.turn("twist_" + std::to_string(i),
                        [&](double t) { return turn_x(90.0 / (twist_joints - 1) * there_and_back(t)); });
        }
        motion.morph(name, {none, none});
    }
    {
        // Three swings a second of 50 mm, cut off where they are fastest.
        ClipMaker motion(character, "shake", 2.0, 120.0);
        motion.shift("carrier",
                     [](double t) { return Vector3d(t < 1.0 ? 0.05 * math::sin(6.0 * M_PI * t) : 0.0, 0.0, 0.0); });
        motion.morph(name, {none, none});
    }
}

}  // namespace

Character make_torus() {
    constexpr int n = 24;
    constexpr double ring = 0.35;
    constexpr double tube = 0.14;
    ArtMesh mesh;
    mesh.name = "torus";
    mesh.positions.resize(n * n, 3);
    mesh.uv.resize((n + 1) * (n + 1), 2);
    mesh.triangles.resize(2 * n * n, 3);
    mesh.uv_triangles.resize(2 * n * n, 3);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            const double a = 2.0 * M_PI * i / n;
            const double b = 2.0 * M_PI * j / n;
            const double r = ring + tube * math::cos(b);
            mesh.positions.row(i * n + j) << r * math::cos(a), r * math::sin(a), tube * math::sin(b);
            const int i1 = (i + 1) % n;
            const int j1 = (j + 1) % n;
            const int f = 2 * (i * n + j);
            mesh.triangles.row(f) << i * n + j, i1 * n + j, i1 * n + j1;
            mesh.triangles.row(f + 1) << i * n + j, i1 * n + j1, i * n + j1;
            const int w = n + 1;
            mesh.uv_triangles.row(f) << i * w + j, (i + 1) * w + j, (i + 1) * w + j + 1;
            mesh.uv_triangles.row(f + 1) << i * w + j, (i + 1) * w + j + 1, i * w + j + 1;
        }
    }
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            mesh.uv.row(i * (n + 1) + j) << static_cast<double>(i) / n, static_cast<double>(j) / n;
        }
    }
    mesh.parts.push_back({"torus", "", 0, 2 * n * n, 0, n * n});
    Character torus = make_twister("torus", std::move(mesh), 0.15);
    add_morph(torus.meshes[0], "bulge", [=](const Vector3d& p, const Vector3d& n_out) {
        return Vector3d(0.09 * soft_spot(p, {0.0, ring, 0.0}, 0.22) * n_out);
    });
    add_morph(torus.meshes[0], "squash",
              [](const Vector3d& p, const Vector3d&) { return Vector3d(0.22 * p.x(), -0.38 * p.y(), 0.22 * p.z()); });
    add_test_motions(torus, "torus");
    return torus;
}

Character make_cylinder() {
    constexpr int around = 22;
    constexpr int rings = 30;
    constexpr double radius = 0.25;
    ArtMesh mesh;
    mesh.name = "cylinder";
    mesh.positions.resize(around * rings, 3);
    mesh.uv.resize((around + 1) * rings, 2);
    mesh.triangles.resize(2 * around * (rings - 1), 3);
    mesh.uv_triangles.resize(2 * around * (rings - 1), 3);
    for (int i = 0; i < rings; ++i) {
        const double s = static_cast<double>(i) / (rings - 1);
        for (int j = 0; j < around; ++j) {
            const double b = 2.0 * M_PI * j / around;
            mesh.positions.row(i * around + j) << s - 0.5, radius * math::cos(b), radius * math::sin(b);
        }
        for (int j = 0; j <= around; ++j) {
            mesh.uv.row(i * (around + 1) + j) << s, 1.0 - static_cast<double>(j) / around;
        }
    }
    for (int i = 0; i + 1 < rings; ++i) {
        for (int j = 0; j < around; ++j) {
            const int j1 = (j + 1) % around;
            const int f = 2 * (i * around + j);
            mesh.triangles.row(f) << i * around + j, (i + 1) * around + j1, (i + 1) * around + j;
            mesh.triangles.row(f + 1) << i * around + j, i * around + j1, (i + 1) * around + j1;
            const int w = around + 1;
            mesh.uv_triangles.row(f) << i * w + j, (i + 1) * w + j + 1, (i + 1) * w + j;
            mesh.uv_triangles.row(f + 1) << i * w + j, i * w + j + 1, (i + 1) * w + j + 1;
        }
    }
    mesh.parts.push_back({"cylinder", "", 0, 2 * around * (rings - 1), 0, around * rings});
    Character cylinder = make_twister("cylinder", std::move(mesh), 0.15);
    add_morph(cylinder.meshes[0], "bulge", [](const Vector3d& p, const Vector3d&) {
        const double swell = 0.55 * math::exp(-math::pow(p.x() / 0.16, 2.0));
        return Vector3d(0.0, swell * p.y(), swell * p.z());
    });
    add_morph(cylinder.meshes[0], "squash",
              [](const Vector3d& p, const Vector3d&) { return Vector3d(-0.40 * p.x(), 0.29 * p.y(), 0.29 * p.z()); });
    add_test_motions(cylinder, "cylinder");
    {
        // By 45 degrees: the inner side keeps a third of its length.
        ClipMaker motion(cylinder, "bend", 3.0);
        const Ease there_and_back{{0.2, 0.0}, {1.2, 1.0}, {1.8, 1.0}, {2.8, 0.0}};
        for (int i = 1; i < twist_joints; ++i) {
            motion.turn("twist_" + std::to_string(i),
                        [&](double t) { return turn_z(45.0 / (twist_joints - 1) * there_and_back(t)); });
        }
        motion.morph("cylinder", {[](double) { return 0.0; }, [](double) { return 0.0; }});
    }
    return cylinder;
}

}  // namespace cutis::actor
