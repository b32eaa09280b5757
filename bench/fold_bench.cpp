#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>

#include "bench/bench.h"
#include "bench/measure.h"
#include "cutis/fold/folds.h"
#include "verify/curve_cases.h"
#include "verify/fold_figure.h"

namespace cutis::bench {

namespace {

using verify::FoldFigure;

/// Best time of each pose, averaged over the poses; all measured in turns.
struct Times {
    double coarse = 0.0;   // skinning of the coarse mesh
    double refined = 0.0;  // of the refined mesh
    double folds = 0.0;    // folds on top of it
    double guard = 0.0;    // folds with guard
    double uniform = 0.0;  // uniform subdivision with skinning
};

Times measure(const FoldFigure& figure, FoldSolver& solver, FoldSolver* guarded,
              int uniform_level) {
    const Workers one(1);
    const SkinWeights fine = solver.refined_weights(figure.weights, figure.joint_count());
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
    const int repeats = 15;  // a quiet moment on a shared machine
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
            if (uniform != nullptr) {
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

/// One garment at one width.
void add_garment(const std::string& who, const FoldFigure& figure, double width, bool is_whole,
                 std::vector<Row>& rows) {
    const FoldPattern pattern = figure.pattern(width);
    FoldOptions options;
    options.rails.tolerance.length = 1e-5;  // as bakes in gate mode have it
    options.rails.limiter = true;
    FoldSolver solver(figure.mesh.topology, figure.mesh.positions, pattern, options);
    std::unique_ptr<FoldSolver> guarded;
    if (is_whole) {
        options.guard = true;
        guarded = std::make_unique<FoldSolver>(figure.mesh.topology, figure.mesh.positions, pattern,
                                               options);
    }
    const Times times = measure(figure, solver, guarded.get(), is_whole ? solver.levels() : 0);
    const std::string name =
        who + ", folds of " + std::to_string(static_cast<int>(std::lround(width * 1000))) + " mm: ";
    const std::string baseline = "skinning of the refined mesh";
    rows.push_back(
        row(name + "skinning of the coarse mesh", solver, times.coarse, baseline, times.refined));
    rows.push_back(row(name + "skinning with folds", solver, times.refined + times.folds, baseline,
                       times.refined));
    if (is_whole) {
        rows.push_back(row(name + "skinning with folds and guard", solver,
                           times.refined + times.guard, baseline, times.refined));
        rows.push_back(row(name + "whole frame, adaptive", solver, times.refined + times.folds,
                           "uniform subdivision with skinning", times.uniform));
    }
}

}  // namespace

std::vector<Row> bench_fold() {
    std::vector<Row> rows = {solver_row()};
    add_garment("bending cylinder", FoldFigure(verify::fold_actor("cylinder", "", "bend"), 12),
                0.03, false, rows);
    const FoldFigure dancer(verify::fold_actor("dancer", "leotard", "arabesque"), 12);
    // The paper times another dancer's dress: its figures do not stand beside this one's.
    for (const double width : {0.03, 0.022, 0.015}) {
        add_garment("built-in dancer", dancer, width, width == 0.015, rows);
    }
    const std::string file = verify::data_file("dancer/dancer.glb");
    if (file.empty()) {
        std::cerr << "bench fold: dancer/dancer.glb is not in the data folder (CUTIS_DATA, or "
                     "../shared/data): no rows of its tights and female_sportsuit01\n";
        return rows;
    }
    for (const char* garment : {"tights", "female_sportsuit01"}) {
        const FoldFigure figure(verify::fold_file(file, garment), 12);
        for (const double width : {0.03, 0.022, 0.015}) {
            add_garment(std::string(garment) + " of dancer.glb", figure, width, false, rows);
        }
    }
    return rows;
}

}  // namespace cutis::bench
