#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>

#include "bench/bench.h"
#include "cutis/body/actors.h"
#include "cutis/body/body.h"
#include "cutis/fold/curves.h"
#include "cutis/fold/field.h"
#include "cutis/fold/folds.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/repair.h"

namespace cutis::bench {

namespace {

double milliseconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - begin;
    return passed.count();
}

/// A skinned character ready to fold: welded mesh, weights, and its poses.
struct Figure {
    Body body;
    RepairedMesh mesh;
    SkinWeights weights;
    MatrixX3d normals;
    std::vector<std::vector<Eigen::Affine3d>> poses;

    Figure(const std::string& actor, const std::string& part, const std::string& clip,
           int pose_count)
        : body(make_body(std::make_shared<Character>(make_actor(actor)), options(part, clip))),
          mesh(repair_mesh(body.mesh().positions, body.mesh().triangles, {},
                           body.source().weld_group)) {
        const Body::Source& source = body.source();
        weights.influences = source.weights.influences;
        for (const int art : mesh.art_of_vertex) {
            for (int k = 0; k < weights.influences; ++k) {
                const size_t at = static_cast<size_t>(art) * weights.influences + k;
                weights.joints.push_back(source.weights.joints[at]);
                weights.weights.push_back(source.weights.weights[at]);
            }
        }
        weights.joint_pairs =
            find_joint_pairs(weights, static_cast<int>(source.joint_nodes.size()));
        normals = vertex_normals(mesh.positions, mesh.topology);
        std::vector<Eigen::Affine3d> frames;
        for (int i = 0; i < pose_count; ++i) {
            body.node_frames(body.duration() * i / std::max(1, pose_count - 1), TimeSampling::exact,
                             frames);
            poses.emplace_back();
            for (size_t j = 0; j < source.joint_nodes.size(); ++j) {
                poses.back().push_back(frames[static_cast<size_t>(source.joint_nodes[j])] *
                                       source.inverse_bind[j]);
            }
        }
    }

    static BodyOptions options(const std::string& part, const std::string& clip) {
        BodyOptions options;
        options.mesh = part;
        options.clip = clip;
        return options;
    }

    FoldPattern pattern(double width) const {
        const Workers one(1);
        std::vector<MatrixX3d> shapes(poses.size());
        for (size_t i = 0; i < poses.size(); ++i) {
            skin_dual_quaternion(mesh.positions, weights, poses[i], one, shapes[i]);
        }
        FoldFieldOptions field;
        field.look.width = width;
        return fold_pattern_from_field(mesh.topology, mesh.positions, shapes, field);
    }
};

/// Best time of each pose, averaged over the poses; all measured in turns.
struct Times {
    double coarse = 0.0;   // skinning of the coarse mesh
    double refined = 0.0;  // of the refined mesh
    double folds = 0.0;    // folds on top of it
    double guard = 0.0;    // folds with guard
    double uniform = 0.0;  // uniform subdivision with skinning
};

Times measure(const Figure& figure, FoldSolver& solver, FoldSolver* guarded, int uniform_level) {
    const Workers one(1);
    const SkinWeights fine =
        solver.refined_weights(figure.weights, static_cast<int>(figure.poses[0].size()));
    std::unique_ptr<LoopSubdivision> uniform;
    MatrixX3d finest;
    if (uniform_level > 0) {
        uniform = std::make_unique<LoopSubdivision>(figure.mesh.topology, uniform_level);
        finest.resize(uniform->topology().vertex_count(), 3);
    }
    MatrixX3d coarse;
    MatrixX3d refined;
    FoldDirections directions(solver, figure.normals, figure.weights);
    Times sum;
    const int repeats = 5;
    for (const auto& pose : figure.poses) {
        Times best;
        best.coarse = best.refined = best.folds = best.guard = best.uniform =
            std::numeric_limits<double>::infinity();
        for (int i = 0; i < repeats; ++i) {
            best.coarse = std::min(best.coarse, milliseconds([&] {
                                       skin_linear_blend(figure.mesh.positions, figure.weights,
                                                         pose, one, coarse);
                                   }));
            best.refined = std::min(best.refined, milliseconds([&] {
                                        skin_linear_blend(solver.rest(), fine, pose, one, refined);
                                    }));
            best.folds = std::min(best.folds, milliseconds([&] {
                                      solver.fold(directions.turn(pose, one), {}, one, refined);
                                  }));
            if (guarded != nullptr && i < 2) {
                skin_linear_blend(guarded->rest(), fine, pose, one, refined);
                best.guard =
                    std::min(best.guard, milliseconds([&] {
                                 guarded->fold(directions.turn(pose, one), {}, one, refined);
                             }));
            }
            if (uniform != nullptr && i < 2) {
                best.uniform = std::min(best.uniform, milliseconds([&] {
                                            skin_linear_blend(figure.mesh.positions, figure.weights,
                                                              pose, one, coarse);
                                            uniform->stencils().apply(coarse, one, finest);
                                        }));
            }
        }
        const double share = 1.0 / static_cast<double>(figure.poses.size());
        sum.coarse += share * best.coarse;
        sum.refined += share * best.refined;
        sum.folds += share * best.folds;
        sum.guard += guarded == nullptr ? 0.0 : share * best.guard;
        sum.uniform += uniform == nullptr ? 0.0 : share * best.uniform;
    }
    return sum;
}

Row row(const std::string& what, const FoldSolver& solver, double ms, const std::string& baseline,
        double baseline_ms) {
    Row result;
    result.layer = "fold";
    result.row = what;
    result.size = {{"vertices", solver.topology().vertex_count()},
                   {"rails", solver.rails().set().count()},
                   {"levels", solver.levels()},
                   {"threads", 1}};
    result.ms = ms;
    result.baseline = baseline;
    result.baseline_ms = baseline_ms;
    return result;
}

/// Solving alone: rails of a bent line, all compressed.
Row solver_row() {
    const int rails = 4000;
    const int segments = 8;
    FoldRailSet set;
    set.segments = segments;
    set.rest.resize(rails * (segments + 1), 3);
    set.profile.resize(set.rest.rows());
    MatrixX3d base(set.rest.rows(), 3);
    MatrixX3d directions(set.rest.rows(), 3);
    const FoldProfile blob = FoldProfile::blob();
    for (int r = 0; r < rails; ++r) {
        const double turn = 0.3 + 0.5 * std::sin(0.37 * r);
        const double kept = 0.6 + 0.3 * std::cos(0.11 * r);
        for (int i = 0; i <= segments; ++i) {
            const int at = r * (segments + 1) + i;
            const double x = -1.0 + 2.0 * i / segments;
            set.rest.row(at) << 0.015 * x, 0.0, 0.0;
            set.profile[at] = i == 0 || i == segments ? 0.0 : blob.at(x);
            base.row(at) << 0.015 * kept * x, 0.015 * kept * turn * 0.25 * x * x, 0.0;
            directions.row(at) = Vector3d(-turn * 0.5 * x, 1.0, 0.0).normalized();
        }
    }
    set.pre_stretch = VectorXd::Zero(rails);
    set.share = VectorXd::Ones(rails);
    set.partner.assign(rails, -1);
    set.plane.assign(rails, -1);
    FoldRailOptions options;
    options.distortion_passes = 0;
    FoldRails solver(set, options);
    const Workers one(1);
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 15; ++i) {
        best = std::min(best, milliseconds([&] { solver.solve(base, directions, {}, one); }));
    }
    Row result;
    result.layer = "fold";
    result.row = "solver, a fold (to 4e-15 of its length)";
    result.size = {{"segments", segments},
                   {"most iterations", solver.report().most_iterations},
                   {"threads", 1}};
    result.ms = best / rails;
    result.baseline = "one microsecond";
    result.baseline_ms = 1e-3;
    return result;
}

}  // namespace

std::vector<Row> bench_fold() {
    std::vector<Row> rows = {solver_row()};
    {
        const Figure arm("arm", "", "bend", 12);
        FoldSolver solver(arm.mesh.topology, arm.mesh.positions, arm.pattern(0.02), {});
        const Times times = measure(arm, solver, nullptr, 0);
        rows.push_back(row("bending arm, folds of 2 cm: skinning with folds", solver,
                           times.refined + times.folds, "skinning of the refined mesh",
                           times.refined));
    }
    struct Dress {
        double width;
        int level;
        double paper_ms;
    };
    const Figure dancer("dancer", "leotard", "arabesque", 12);
    for (const Dress& dress :
         {Dress{0.03, 0, 30.0}, Dress{0.022, 0, 115.0}, Dress{0.015, 4, 440.0}}) {
        const FoldPattern pattern = dancer.pattern(dress.width);
        FoldOptions options;
        options.rails.tolerance.length = 1e-5;  // as bakes in gate mode have it
        options.rails.limiter = true;
        FoldSolver solver(dancer.mesh.topology, dancer.mesh.positions, pattern, options);
        std::unique_ptr<FoldSolver> guarded;
        const bool is_last = dress.level > 0;
        if (is_last) {
            options.guard = true;
            guarded = std::make_unique<FoldSolver>(dancer.mesh.topology, dancer.mesh.positions,
                                                   pattern, options);
        }
        const Times times = measure(dancer, solver, guarded.get(), is_last ? solver.levels() : 0);
        const std::string name = "dancer, folds of " +
                                 std::to_string(static_cast<int>(std::lround(dress.width * 1000))) +
                                 " mm: ";
        rows.push_back(row(name + "skinning of the coarse mesh", solver, times.coarse,
                           "skinning of the refined mesh", times.refined));
        rows.push_back(row(name + "skinning with folds", solver, times.refined + times.folds,
                           "skinning of the refined mesh", times.refined));
        rows.back().paper_ms = dress.paper_ms;
        if (is_last) {
            rows.push_back(row(name + "skinning with folds and guard", solver,
                               times.refined + times.guard, "skinning of the refined mesh",
                               times.refined));
            rows.push_back(row(name + "whole frame, adaptive", solver, times.refined + times.folds,
                               "uniform subdivision with skinning", times.uniform));
        }
    }
    return rows;
}

}  // namespace cutis::bench
