#include "cutis/stack/actors.h"

#include "cutis/body/body.h"
#include "cutis/core/error.h"
#include "cutis/mesh/repair.h"

namespace cutis {
namespace {

TEST(Actors, an_unknown_name_is_refused_with_the_list) {
    EXPECT_THROW(make_actor("nobody"), InvalidInput);
    ASSERT_FALSE(actor_names().empty());
}

TEST(Actors, every_actor_is_a_closed_surface_once_welded_and_faces_outwards) {
    for (const std::string& name : actor_names()) {
        const auto character = make_actor(name);
        const ArtMesh& mesh = character->meshes.at(0).mesh;
        const RepairedMesh clean = repair_mesh(mesh.positions, mesh.triangles, {});
        EXPECT_TRUE(clean.topology.is_closed()) << name;
        EXPECT_EQ(clean.topology.part_count(), 1) << name;
        EXPECT_EQ(clean.dropped_triangles, 0) << name;
        // Euler: a closed surface without handles has V - E + F = 2.
        EXPECT_EQ(clean.topology.vertex_count() - static_cast<int>(clean.topology.edges().size()) +
                      clean.topology.triangle_count(),
                  2);
        // Divergence theorem: six times the volume, positive when triangles face outwards.
        double volume = 0.0;
        for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
            const Vector3d a = mesh.positions.row(mesh.triangles(f, 0));
            const Vector3d b = mesh.positions.row(mesh.triangles(f, 1));
            const Vector3d c = mesh.positions.row(mesh.triangles(f, 2));
            volume += a.dot(b.cross(c)) / 6.0;
        }
        EXPECT_GT(volume, 0.0) << name;
    }
}

TEST(Actors, the_tube_has_the_volume_of_a_capsule) {
    const auto character = make_actor("tube");
    const ArtMesh& mesh = character->meshes.at(0).mesh;
    double volume = 0.0;
    for (Eigen::Index f = 0; f < mesh.triangles.rows(); ++f) {
        const Vector3d a = mesh.positions.row(mesh.triangles(f, 0));
        const Vector3d b = mesh.positions.row(mesh.triangles(f, 1));
        const Vector3d c = mesh.positions.row(mesh.triangles(f, 2));
        volume += a.dot(b.cross(c)) / 6.0;
    }
    const double r = 0.15;
    const double pi = std::acos(-1.0);
    const double capsule = pi * r * r * 1.2 + 4.0 / 3.0 * pi * r * r * r;
    // Inscribed in 32 sectors: smaller by sin(2 pi/32)/(2 pi/32) at the wall, a little more at
    // caps.
    EXPECT_LT(volume, capsule);
    EXPECT_GT(volume, 0.985 * capsule);
}

TEST(Actors, the_clip_of_the_tube_returns_to_its_first_pose_and_really_moves) {
    const auto character = make_actor("tube");
    const Body body = make_body(character, {});
    const Workers workers(1);
    MatrixX3d first;
    MatrixX3d middle;
    MatrixX3d last;
    body.positions(0.0, TimeSampling::exact, workers, first);
    body.positions(1.5, TimeSampling::exact, workers, middle);
    body.positions(body.duration(), TimeSampling::exact, workers, last);
    EXPECT_LT((last - first).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_GT((middle - first).rowwise().norm().maxCoeff(), 0.5);
    EXPECT_LT((first - body.mesh().positions).cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace cutis
