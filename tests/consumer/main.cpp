// A body through the library in ten lines, on vertices of one's own: no file, no scene.
#include <cutis/actors/actors.h>
#include <cutis/body/body.h>

#include <cstdio>

int main() {
    cutis::ArtMesh triangle;
    triangle.positions = (cutis::MatrixX3d(3, 3) << 0, 0, 0, 1, 0, 0, 0, 1, 0).finished();
    triangle.triangles = (cutis::MatrixX3i(1, 3) << 0, 1, 2).finished();
    cutis::PointCache cache{.vertex_count = 3, .start = 0.0, .rate = 1.0, .samples = {}};
    cache.samples = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2};  // rises by two metres
    const cutis::Body body = cutis::make_body(triangle, cache, {});
    cutis::MatrixX3d positions;
    body.positions(0.5, cutis::TimeSampling::exact, cutis::Workers(2), positions);
    std::printf("half way: %.3f %.3f %.3f\n", positions(1, 0), positions(1, 1), positions(1, 2));
    // Structs with Eigen members must have one layout in library and consumer, whatever the flags.
    const cutis::Character actor = cutis::load_actor("torus");
    const auto& nodes = actor.skeleton.nodes;
    for (size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].parent < -1 || nodes[n].parent >= static_cast<int>(n) || !nodes[n].matrix.matrix().isIdentity()) {
            std::printf("node %zu is torn\n", n);
            return 1;
        }
    }
    return positions.row(1).isApprox(Eigen::RowVector3d(1, 0, 1), 1e-12) ? 0 : 1;
}
