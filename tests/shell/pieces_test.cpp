#include "shell/pieces.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "support/mesh_checks.h"

namespace cutis {
namespace {

TEST(Pieces, pieces_stay_in_the_unit_cube_and_meet_their_copies) {
    for (const DetailInfo& info : list_details()) {
        SCOPED_TRACE(info.name);
        const ArtMesh mesh = make_detail(info.name);
        ASSERT_GT(mesh.triangles.rows(), 0);
        EXPECT_GE(mesh.positions.minCoeff(), 0.0);
        EXPECT_LE(mesh.positions.maxCoeff(), 1.0);
        const test::ManifoldCheck manifold = test::check_manifold(mesh.positions, mesh.triangles);
        EXPECT_EQ(manifold.crowded_sides, 0);
        EXPECT_EQ(manifold.bow_ties, 0);
        EXPECT_GT(test::worst_angle_deg(mesh.positions, mesh.triangles), 0.5) << "no triangle without area";
        if (manifold.open_sides == 0) {
            EXPECT_GT(manifold.volume, 0.0) << "windings must point outwards";
        } else {
            EXPECT_NE(info.name, "spikes");
            EXPECT_NE(info.name, "scales");
        }
        if (info.name != "hair") {  // cards are two-sided
            Eigen::Index top = 0;
            VectorXd height(mesh.triangles.rows());
            for (int f = 0; f < mesh.triangles.rows(); ++f) {
                height[f] = mesh.positions(mesh.triangles(f, 0), 2) + mesh.positions(mesh.triangles(f, 1), 2) +
                            mesh.positions(mesh.triangles(f, 2), 2);
            }
            height.maxCoeff(&top);
            const Vector3d a = mesh.positions.row(mesh.triangles(top, 0));
            const Vector3d b = mesh.positions.row(mesh.triangles(top, 1));
            const Vector3d c = mesh.positions.row(mesh.triangles(top, 2));
            EXPECT_GT((b - a).cross(c - a).z(), 0.0) << "the highest triangle must face up";
        }
        // Open sides on the border u = 1 (v = 1) must find their image, reversed, at u = 0 (v = 0).
        std::map<std::pair<int, int>, int> sides;
        for (int f = 0; f < mesh.triangles.rows(); ++f) {
            for (int k = 0; k < 3; ++k) {
                sides[{mesh.triangles(f, k), mesh.triangles(f, (k + 1) % 3)}] = f;
            }
        }
        for (int axis = 0; axis < 2; ++axis) {
            std::set<std::array<long, 4>> low;
            std::set<std::array<long, 4>> high;
            for (const auto& [side, f] : sides) {
                const auto a = mesh.positions.row(side.first);
                const auto b = mesh.positions.row(side.second);
                if (sides.count({side.second, side.first}) != 0 || a[axis] != b[axis]) {
                    continue;
                }
                const auto key = [&](const auto& p, const auto& q) {
                    return std::array<long, 4>{std::lround(1e9 * p[1 - axis]), std::lround(1e9 * p[2]),
                                               std::lround(1e9 * q[1 - axis]), std::lround(1e9 * q[2])};
                };
                if (a[axis] == 0.0) {
                    low.insert(key(a, b));
                } else if (a[axis] == 1.0) {
                    high.insert(key(b, a));
                }
            }
            EXPECT_EQ(low, high) << "axis " << axis;
            if (info.name == "straps") {
                EXPECT_FALSE(low.empty());
            }
        }
    }
}

TEST(Pieces, an_unknown_name_is_refused) {
    EXPECT_THROW(make_detail("fur"), InvalidInput);
}

}  // namespace
}  // namespace cutis
