#include <cmath>

#include "cutis/fold/folds.h"
#include "cutis/mesh/geometry.h"
#include "verify/curve_cases.h"
#include "verify/data.h"
#include "verify/fold_cases.h"
#include "verify/fold_figure.h"

// Dancers in tight cloth: what must hold on a whole character.

namespace cutis::verify {

namespace {

struct Counts {
    double deepest = 0.0;  // lowest offset along the refined mesh's own turned normals, metres
    int turned = 0;        // triangles turned against their skinned selves
    int moved = 0;         // triangles that folds moved
    double compressed = 0.0;
    double still_compressed = 0.0;
    double short_rails = 0.0;  // whole rails that their own offsets leave below 0.8
    int differing = 0;         // numbers that differ between 1 and 2 threads
    int refined_afar = 0;      // triangles split though no rail is near
    int euler_difference = 0;
};

int euler_number(const Topology& topology) {
    return topology.vertex_count() - static_cast<int>(topology.edges().size()) +
           topology.triangle_count();
}

/// Triangles of the base that were split three rings or more away from every rail.
int refined_far_from(const FoldPattern& pattern, const Topology& base, const FoldSolver& solver) {
    std::vector<int> rings(static_cast<size_t>(base.triangle_count()), -1);
    std::vector<int> front;
    for (const SurfacePoint& point : pattern.points) {
        int& ring = rings[static_cast<size_t>(point.triangle)];
        if (ring < 0) {
            ring = 0;
            front.push_back(point.triangle);
        }
    }
    for (int ring = 1; ring <= 3; ++ring) {
        std::vector<int> next;
        for (const int f : front) {
            for (int k = 0; k < 3; ++k) {
                for (const int g : base.triangles_around(base.triangles()(f, k))) {
                    if (rings[static_cast<size_t>(g)] < 0) {
                        rings[static_cast<size_t>(g)] = ring;
                        next.push_back(g);
                    }
                }
            }
        }
        front = next;
    }
    std::vector<int> pieces(static_cast<size_t>(base.triangle_count()), 0);
    for (int f = 0; f < solver.topology().triangle_count(); ++f) {
        ++pieces[static_cast<size_t>(solver.corner_points()[3 * static_cast<size_t>(f)].triangle)];
    }
    int count = 0;
    for (int f = 0; f < base.triangle_count(); ++f) {
        count += rings[static_cast<size_t>(f)] < 0 && pieces[static_cast<size_t>(f)] > 1 ? 1 : 0;
    }
    return count;
}

Counts dance(const FoldFigure& figure, double width) {
    const Workers one(1);
    const Workers two(2);
    const RepairedMesh& mesh = figure.mesh;
    FoldOptions fold;  // as bakes have it
    fold.guard = true;
    fold.rails.limiter = true;
    fold.rails.tolerance.length = 1e-5;
    const FoldPattern pattern = figure.pattern(width);
    FoldSolver solver(mesh.topology, mesh.positions, pattern, fold);
    const SkinWeights fine = solver.refined_weights(figure.weights, figure.joint_count());
    FoldDirections turned(solver, figure.normals, figure.weights);

    Counts counts;
    counts.refined_afar = refined_far_from(pattern, mesh.topology, solver);
    const MatrixX3d fine_normals = vertex_normals(solver.rest(), solver.topology());
    MatrixX3d sides;
    counts.euler_difference = euler_number(solver.topology()) - euler_number(mesh.topology);
    int rails = 0;
    for (const auto& pose : figure.poses) {
        MatrixX3d base;
        skin_linear_blend(solver.rest(), fine, pose, one, base);
        const MatrixX3d& directions = turned.turn(pose, one);
        MatrixX3d folded = base;
        solver.fold(directions, {}, one, folded);
        MatrixX3d again = base;
        solver.fold(directions, {}, two, again);
        counts.differing += static_cast<int>((again.array() != folded.array()).count());

        turn_normals(fine_normals, fine, pose, one, sides);
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
        MatrixX3d rail;
        const int per_rail = solver.rails().set().segments + 1;
        for (int r = 0; r < solver.rails().set().count(); ++r) {
            solver.rail_points(r, folded, line);
            const double length = (line.bottomRows(line.rows() - 1) - line.topRows(line.rows() - 1))
                                      .rowwise()
                                      .norm()
                                      .sum();
            ++rails;
            counts.compressed += solver.rails().compression()[r] > 0.2 ? 1.0 : 0.0;
            counts.still_compressed += length < 0.8 * solver.rails().rest_length(r) ? 1.0 : 0.0;
            solver.rail_points(r, base, rail);
            for (int i = 0; i < per_rail; ++i) {
                rail.row(i) += solver.rails().offset(r, i).transpose();
            }
            const double own =
                (rail.bottomRows(per_rail - 1) - rail.topRows(per_rail - 1)).rowwise().norm().sum();
            counts.short_rails +=
                solver.rails().set().share[r] == 1.0 && own < 0.8 * solver.rails().rest_length(r)
                    ? 1.0
                    : 0.0;
        }
    }
    counts.compressed /= std::max(1, rails);
    counts.still_compressed /= std::max(1, rails);
    counts.short_rails /= std::max(1, rails);
    return counts;
}

std::vector<Case> sanity(const std::string& who, double width, const Counts& counts) {
    return {
        fold_at_least(who + ": triangles that folds move", counts.moved, 1000, "",
                      "the next cases have something to count"),
        fold_at_most(who + ": deepest vertex below its skinned surface", -counts.deepest,
                     0.1 * width, "m",
                     "a point that moves a quarter of a fold round a limb dips by d^2 / 2R"),
        fold_at_most(who + ": triangles turned against their skinned selves", counts.turned, 0, "",
                     "guard: N . N0 > 0"),
        fold_at_most(who + ": whole rails shorter than 0.8 by their own offsets",
                     counts.short_rails, 0.05 * counts.compressed, "of all rails",
                     "Ly et al. 2017 Eq. 2; only limiter and cap take length"),
        fold_at_most(who + ": rails still shorter than 0.8 on the folded mesh",
                     counts.still_compressed, 0.4 * counts.compressed, "of all rails",
                     "chords of 8 edges a fold, and what the guard holds back"),
        fold_at_most(who + ": numbers that differ between 1 and 2 threads", counts.differing, 0, "",
                     "fixed chunks"),
        fold_at_most(who + ": Euler number of the adaptive mesh less that of the base",
                     std::abs(counts.euler_difference), 0, "", "no cracks"),
        fold_at_most(who + ": triangles split three rings or more away from every rail",
                     counts.refined_afar, 0, "", "fine only where folds are"),
    };
}

}  // namespace

std::vector<Case> verify_fold_character() {
    std::vector<Case> cases =
        sanity("dancer", 0.025,
               dance(FoldFigure(fold_actor("dancer", "leotard", "arabesque"), 12), 0.025));
    const std::string file = data_file("dancer/dancer.glb");
    for (const std::string part : {"tights", "female_sportsuit01"}) {
        if (file.empty()) {
            cases.push_back(case_skipped("fold", part + " of dancer.glb",
                                         missing(data_folder() / "dancer/dancer.glb")));
            continue;
        }
        for (Case& one : sanity(part + " of dancer.glb", 0.03,
                                dance(FoldFigure(fold_file(file, part), 8), 0.03))) {
            cases.push_back(std::move(one));
        }
    }
    return cases;
}

}  // namespace cutis::verify
