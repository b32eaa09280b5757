#include <cmath>
#include <numbers>

#include "cutis/mesh/geometry.h"
#include "fold/curves.h"
#include "fold/folds.h"
#include "verify/fold_cases.h"

// A tube of edge loops, bent in its middle: what folds keep on the surface.

namespace cutis::verify {

namespace {

constexpr int around = 72;  // 5 degrees a meridian
constexpr int along = 252;  // 40 edges a unit
constexpr double half_length = 3.15;
constexpr double blend = 1.0;

struct Tube {
    MatrixX3d rest{(along + 1) * around, 3};
    Topology topology;
    SkinWeights weights;

    static int vertex(int ring, int meridian) { return ring * around + (meridian % around + around) % around; }

    Tube() {
        weights.influences = 2;
        for (int i = 0; i <= along; ++i) {
            const double x = -half_length + 2.0 * half_length * i / along;
            const double t = std::min(1.0, std::max(0.0, 0.5 * (x / blend + 1.0)));
            const double w = t * t * (3.0 - 2.0 * t);
            for (int j = 0; j < around; ++j) {
                const double angle = 2.0 * std::numbers::pi * j / around;
                rest.row(vertex(i, j)) << x, std::cos(angle), std::sin(angle);
                const std::uint16_t first = w > 0.5 ? 1 : 0;
                weights.joints.insert(weights.joints.end(), {first, static_cast<std::uint16_t>(1 - first)});
                weights.weights.insert(weights.weights.end(), {std::max(w, 1.0 - w), std::min(w, 1.0 - w)});
            }
        }
        MatrixX3i triangles(2 * along * around, 3);
        for (int i = 0; i < along; ++i) {
            for (int j = 0; j < around; ++j) {
                const int row = 2 * (i * around + j);
                triangles.row(row) << vertex(i, j), vertex(i, j + 1), vertex(i + 1, j);
                triangles.row(row + 1) << vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1);
            }
        }
        topology = Topology(triangles, static_cast<int>(rest.rows()));
    }

    void pose(Skinning skinning, double angle, MatrixX3d& out, std::vector<Eigen::Affine3d>& joints) const {
        joints = {Eigen::Affine3d::Identity(), Eigen::Affine3d(Eigen::AngleAxisd(angle, Vector3d::UnitZ()))};
        const Workers one(1);
        if (skinning == Skinning::linear_blend) {
            skin_linear_blend(rest, weights, joints, one, out);
        } else {
            skin_dual_quaternion(rest, weights, joints, one, out);
        }
    }

    /// The inner side, meridian 0, from -3 to 3.
    FoldCurve inner_line() const {
        std::vector<int> chain;
        for (int i = 6; i <= along - 6; ++i) {
            chain.push_back(vertex(i, 0));
        }
        return fold_curve_from_chain(topology, chain);
    }
};

/// Exact: no gate, no guard, the mesh as it is.
FoldOptions exact_options() {
    FoldOptions options;
    options.refine = false;
    options.guard = false;
    options.gate = 0.0;
    options.look.width = Painted(0.5);
    options.look.pre_stretch = 0.0;
    return options;
}

MatrixX3d folded(const Tube& tube, FoldSolver& solver, const MatrixX3d& base,
                 const std::vector<Eigen::Affine3d>& joints, int threads) {
    MatrixX3d surface = base;
    MatrixX3d directions;
    const Workers workers(threads);
    turn_normals(solver.normals(), tube.weights, joints, workers, directions);
    solver.fold(directions, workers, surface);
    return surface;
}

double polyline_length(const MatrixX3d& points) {
    return (points.bottomRows(points.rows() - 1) - points.topRows(points.rows() - 1)).rowwise().norm().sum();
}

}  // namespace

std::vector<Case> verify_fold_tube() {
    const Tube tube;
    FoldSolver paper(tube.topology, tube.rest, {tube.inner_line()}, 0.5, exact_options());
    double worst = 0.0;
    double residual = 0.0;
    double moved = 0.0;
    int differing = 0;
    int compressed = 0;
    for (const Skinning skinning : {Skinning::linear_blend, Skinning::dual_quaternion}) {
        for (int degrees = 0; degrees <= 90; degrees += 15) {
            MatrixX3d base;
            std::vector<Eigen::Affine3d> joints;
            tube.pose(skinning, degrees * std::numbers::pi / 180.0, base, joints);
            const MatrixX3d surface = folded(tube, paper, base, joints, 1);
            residual = std::max(residual, paper.report().worst_residual);
            for (int l = 0; l < paper.line_count(); ++l) {
                const FoldSolver::Line before = paper.line(l, base);
                const FoldSolver::Line after = paper.line(l, surface);
                if (polyline_length(before.points) < before.target) {
                    ++compressed;
                    worst = std::max(worst, std::abs(polyline_length(after.points) - after.target) / after.target);
                }
            }
            // The outer side is stretched: bit for bit as skinned.
            for (int i = 0; i <= along; ++i) {
                const int v = Tube::vertex(i, around / 2);
                moved = std::max(moved, (surface.row(v) - base.row(v)).norm());
            }
            differing += static_cast<int>((folded(tube, paper, base, joints, 2).array() != surface.array()).count());
        }
    }
    return {
        fold_at_least("tube, paper's lines: compressed ones measured", compressed, 20, "",
                      "the next cases have something to measure"),
        fold_at_most("tube bent 0 to 90 degrees, both skinnings: length of compressed lines on the "
                     "mesh",
                     worst, 1e-13, "of the rest length", "Ly et al. 2017 Eq. 2; gate = 0"),
        fold_at_most("the same: Fischer-Burmeister residual", residual, 1e-13, "m", "Ly et al. 2017 section 4.1"),
        fold_at_most("the same: stretched side against plain skinning", moved, 0.0, "m", "tau(0) >= 0: X = 0"),
        fold_at_most("the same: numbers that differ between 1 and 2 threads", differing, 0, "", "fixed chunks"),
    };
}

}  // namespace cutis::verify
