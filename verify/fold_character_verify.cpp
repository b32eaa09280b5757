#include <cmath>
#include <memory>

#include "cutis/body/actors.h"
#include "cutis/body/body.h"
#include "cutis/fold/field.h"
#include "cutis/fold/folds.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/repair.h"
#include "verify/fold_cases.h"

// A dancer in a leotard: what must hold on a whole character.

namespace cutis::verify {

namespace {

struct Counts {
    double deepest = 0.0;  // lowest offset along its direction, metres
    int turned = 0;        // triangles turned against their skinned selves
    int moved = 0;         // triangles that folds moved
    double compressed = 0.0;
    double still_compressed = 0.0;
    int differing = 0;  // numbers that differ between 1 and 2 threads
    int vertices = 0;
    int uniform_vertices = 0;
    int euler_difference = 0;
};

int euler_number(const Topology& topology) {
    return topology.vertex_count() - static_cast<int>(topology.edges().size()) +
           topology.triangle_count();
}

Counts dance() {
    BodyOptions options;
    options.mesh = "leotard";
    options.clip = "arabesque";
    const Body body = make_body(std::make_shared<Character>(make_actor("dancer")), options);
    const Body::Source& source = body.source();
    const RepairedMesh mesh =
        repair_mesh(body.mesh().positions, body.mesh().triangles, {}, source.weld_group);
    SkinWeights weights;
    weights.influences = source.weights.influences;
    for (const int art : mesh.art_of_vertex) {
        for (int k = 0; k < weights.influences; ++k) {
            const size_t at = static_cast<size_t>(art) * weights.influences + k;
            weights.joints.push_back(source.weights.joints[at]);
            weights.weights.push_back(source.weights.weights[at]);
        }
    }
    const Workers one(1);
    const Workers two(2);
    std::vector<std::vector<Eigen::Affine3d>> poses;
    std::vector<MatrixX3d> shapes;
    std::vector<Eigen::Affine3d> frames;
    for (int i = 0; i < 12; ++i) {
        body.node_frames(body.duration() * i / 11.0, TimeSampling::exact, frames);
        poses.emplace_back();
        for (size_t j = 0; j < source.joint_nodes.size(); ++j) {
            poses.back().push_back(frames[static_cast<size_t>(source.joint_nodes[j])] *
                                   source.inverse_bind[j]);
        }
        shapes.emplace_back();
        skin_dual_quaternion(mesh.positions, weights, poses.back(), one, shapes.back());
    }
    FoldFieldOptions field;
    field.look.width = 0.025;
    FoldOptions fold;
    fold.guard = true;
    FoldSolver solver(mesh.topology, mesh.positions,
                      fold_pattern_from_field(mesh.topology, mesh.positions, shapes, field), fold);
    const SkinWeights fine = solver.refined_weights(weights, static_cast<int>(poses[0].size()));
    const MatrixX3d normals = vertex_normals(mesh.positions, mesh.topology);

    Counts counts;
    counts.vertices = solver.topology().vertex_count();
    counts.uniform_vertices = solver.uniform_vertex_count();
    counts.euler_difference = euler_number(solver.topology()) - euler_number(mesh.topology);
    int rails = 0;
    for (const auto& pose : poses) {
        MatrixX3d base;
        MatrixX3d directions;
        skin_linear_blend(solver.rest(), fine, pose, one, base);
        turn_normals(normals, weights, pose, one, directions);
        MatrixX3d folded = base;
        solver.fold(directions, {}, one, folded);
        MatrixX3d again = base;
        solver.fold(directions, {}, two, again);
        counts.differing += static_cast<int>((again.array() != folded.array()).count());

        VectorXd height;
        VectorXd compression;
        MatrixX3d sides;
        solver.fill_channels(height, compression, sides);
        for (Eigen::Index v = 0; v < base.rows(); ++v) {
            counts.deepest =
                std::min(counts.deepest, (folded.row(v) - base.row(v)).dot(sides.row(v)));
        }
        const MatrixX3i& triangles = solver.topology().triangles();
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            const auto normal = [&](const MatrixX3d& p) {
                const Vector3d a = p.row(triangles(f, 0));
                const Vector3d b = p.row(triangles(f, 1));
                const Vector3d c = p.row(triangles(f, 2));
                return Vector3d((b - a).cross(c - a));
            };
            const Vector3d before = normal(base);
            const Vector3d after = normal(folded);
            counts.moved += before != after ? 1 : 0;
            // A base triangle thinner than 1e-12 square metres has no side to be turned from.
            counts.turned += before.norm() > 1e-12 && before.dot(after) < 0.0 ? 1 : 0;
        }
        MatrixX3d line;
        for (int r = 0; r < solver.rails().set().count(); ++r) {
            solver.rail_points(r, folded, line);
            const double length = (line.bottomRows(line.rows() - 1) - line.topRows(line.rows() - 1))
                                      .rowwise()
                                      .norm()
                                      .sum();
            ++rails;
            counts.compressed += solver.rails().compression()[r] > 0.2 ? 1.0 : 0.0;
            counts.still_compressed += length < 0.8 * solver.rails().rest_length(r) ? 1.0 : 0.0;
        }
    }
    counts.compressed /= std::max(1, rails);
    counts.still_compressed /= std::max(1, rails);
    return counts;
}

}  // namespace

std::vector<Case> verify_fold_character() {
    const Counts counts = dance();
    return {
        fold_at_least("dancer: triangles that folds move (at least)", counts.moved, 1000, "",
                      "the next cases have something to count"),
        fold_at_most("dancer: deepest vertex below its skinned surface", -counts.deepest, 1e-12,
                     "m", "offsets have no part against their direction"),
        fold_at_most("dancer: triangles turned against their skinned selves", counts.turned, 0, "",
                     "guard: N . N0 > 0"),
        fold_at_most("dancer: rails still shorter than 0.8 on the folded mesh",
                     counts.still_compressed, 0.5 * counts.compressed, "of all rails",
                     "half of those before folding"),
        fold_at_most("dancer: numbers that differ between 1 and 2 threads", counts.differing, 0, "",
                     "fixed chunks"),
        fold_at_most("dancer: Euler number of the adaptive mesh less that of the base",
                     std::abs(counts.euler_difference), 0, "", "no cracks"),
        fold_at_most("dancer: vertices of the adaptive mesh", counts.vertices,
                     counts.uniform_vertices, "", "fine only where folds are"),
    };
}

}  // namespace cutis::verify
