#include <cmath>

#include "shell/manipulation.h"
#include "shell_cases.h"

// Direct manipulation: the low-rank update, and how fast the base follows.

namespace cutis::verify::shell {

namespace {

/// The shell with springs by a matrix that holds them, factored anew.
double refactored_difference(double stiffness) {
    const PrismShell shell = safe_shell(bumpy_sphere(3, 0.1, 5.0), 0.15);
    ShellEquilibrium equilibrium(shell, {});
    const int n = shell.vertex_count();
    std::vector<Handle> handles;
    MatrixX3d targets(3, 3);
    for (int i = 0; i < 3; ++i) {
        Handle handle;
        handle.point = {37 * i + 5, Vector3d(0.2, 0.5, 0.3), 0.35 + 0.25 * i};
        handle.offset_stiffness = stiffness;
        handles.push_back(handle);
        targets.row(i) = position_at(shell, shell.base(), shell.offset(), handle.point).transpose() +
                         Eigen::RowVector3d(0.05, 0.02 * i, -0.04);
    }
    ShellManipulator manipulator(equilibrium, {});
    manipulator.grab(handles);
    MatrixX3d base, offset;
    manipulator.solve(shell.base(), targets, Workers(1), base, offset);

    std::vector<SparseEntry> entries;
    const SparseLower& matrix = equilibrium.matrix();
    for (int row = 0; row < n; ++row) {
        for (int i = matrix.row_starts[row]; i < matrix.row_starts[static_cast<size_t>(row) + 1]; ++i) {
            entries.push_back({row, matrix.columns[i], matrix.values[i]});
        }
    }
    MatrixX3d plain;
    equilibrium.solve(shell.base(), Workers(1), plain);
    // A x = b of the free shell, then the springs' part: b = A plain.
    MatrixX3d right = MatrixX3d::Zero(n, 3);
    for (const SparseEntry& entry : entries) {
        right.row(entry.row) += entry.value * plain.row(entry.column);
        if (entry.row != entry.column) {
            right.row(entry.column) += entry.value * plain.row(entry.row);
        }
    }
    const double k = stiffness * equilibrium.mean_diagonal();
    for (size_t h = 0; h < handles.size(); ++h) {
        const TetPoint at = shell.place(handles[h].point);
        Vector3d target = targets.row(static_cast<Eigen::Index>(h));
        for (int i = 0; i < 4; ++i) {
            const int corner = shell.corners(at.tet)[i];
            if (corner < n) {
                target -= at.weights[i] * shell.base().row(corner).transpose();
            }
        }
        for (int i = 0; i < 4; ++i) {
            const int a = shell.corners(at.tet)[i] - n;
            if (a < 0) {
                continue;
            }
            right.row(a) += k * at.weights[i] * target.transpose();
            for (int j = 0; j < 4; ++j) {
                const int b = shell.corners(at.tet)[j] - n;
                if (b >= 0 && b <= a) {
                    entries.push_back({a, b, k * at.weights[i] * at.weights[j]});
                }
            }
        }
    }
    SparseSolver(compress_lower(n, entries).matrix).solve(right);
    return (right - offset).cwiseAbs().maxCoeff();
}

double exact_handle_miss() {
    const PrismShell shell = safe_shell(bumpy_sphere(3, 0.1, 5.0), 0.15);
    ShellEquilibrium equilibrium(shell, {});
    Handle handle;
    handle.point = {40, Vector3d(0.3, 0.3, 0.4), 0.6};
    handle.offset_stiffness = holds_exactly;
    MatrixX3d targets(1, 3);
    targets << 0.4, 0.9, 0.8;
    ShellManipulator manipulator(equilibrium, {});
    manipulator.grab({&handle, 1});
    MatrixX3d base, offset;
    manipulator.solve(shell.base(), targets, Workers(1), base, offset);
    return (manipulator.place(0, base, offset) - targets.row(0).transpose()).norm();
}

/// Errors |g - q| after each pass, as a share of the first: a strip clamped at one end, pulled at
/// its free end at a height of 1 - beta.
std::vector<double> coupling_errors(double beta, BaseCoupling coupling, int passes) {
    const PrismShell shell = slab(flat_grid(20, 4, 2.0, 0.4), {0, 0, 0.1});
    ShellEquilibrium equilibrium(shell, {});
    ManipulationOptions options;
    options.coupling = coupling;
    options.passes = 1;
    options.base.reach = std::numeric_limits<double>::infinity();
    options.base.rounds = 10;
    for (int v = 0; v < shell.vertex_count(); ++v) {
        if (shell.base()(v, 0) < 0.15) {
            options.base.pinned.push_back(v);
        }
    }
    Handle handle;
    handle.point = {2 * (2 * 20 + 17), Vector3d(0.3, 0.4, 0.3), 1.0 - beta};
    handle.offset_stiffness = 0.0;
    handle.base_stiffness = 1e4;
    std::vector<double> errors;
    MatrixX3d targets(1, 3);
    targets.row(0) = position_at(shell, shell.base(), shell.offset(), handle.point).transpose() +
                     Eigen::RowVector3d(-0.03, 0.02, 0.1);
    for (int count = 0; count <= passes; ++count) {
        MatrixX3d base = shell.base(), offset = shell.offset();
        if (count > 0) {
            options.passes = count;
            ShellManipulator manipulator(equilibrium, options);
            manipulator.grab({&handle, 1});
            manipulator.solve(shell.base(), targets, Workers(1), base, offset);
        }
        errors.push_back((position_at(shell, base, offset, handle.point) - targets.row(0).transpose()).norm());
    }
    const double first = errors[0];
    for (double& error : errors) {
        error /= first;
    }
    return errors;
}

std::string percent(double beta) {
    return std::to_string(static_cast<int>(std::lround(100.0 * (1.0 - beta)))) + " %";
}

}  // namespace

std::vector<Case> handle_cases() {
    std::vector<Case> cases;
    double worst = 0.0;
    for (const double stiffness : {0.1, 1.0, 100.0}) {
        worst = std::max(worst, refactored_difference(stiffness));
    }
    cases.push_back(at_most("handles: low-rank update beside a new factor", worst, 1e-12, "m", "Woodbury's identity"));
    cases.push_back(
        at_most("handles: an exact handle misses its target by", exact_handle_miss(), 1e-12, "m", "1/k = 0"));
    for (const double beta : {0.8, 0.2, 0.05}) {
        const std::vector<double> naive = coupling_errors(beta, BaseCoupling::frozen, 2);
        const double factor = naive[2] / naive[1];
        const double law = std::abs(1.0 - 1.0 / beta);
        cases.push_back(at_most("handles: offset frozen (Eq. 5), error factor per pass at height " + percent(beta) +
                                    ", off |1 - 1/beta| by a share of",
                                std::abs(factor - law) / law, 0.25, "", "law for an offset that follows rigidly"));
    }
    for (const double beta : {0.8, 0.5, 0.2, 0.05}) {
        const std::vector<double> errors = coupling_errors(beta, BaseCoupling::projected, 2);
        cases.push_back(at_most("handles: projected (Eq. 6), error after two passes at height " + percent(beta),
                                errors[2], 0.01, "", "factor near 0 at any height"));
    }
    return cases;
}

}  // namespace cutis::verify::shell
