#pragma once

#include <cmath>

#include "core/simd.h"

// The step of the detail vertices, in runs that share a tetrahedron.

namespace cutis::vibration {

using simd::all;
using simd::first_lanes;
using simd::inverse_root;
using simd::LanesOf;
using simd::LaneTypes;
using simd::larger;
using simd::load;
using simd::store;

/// Vertices [begin, next run's begin) lie in one tetrahedron.
struct Run {
    int begin = 0;
    int tet = 0;
};

/// A piece, or a slice of one that spans the model.
struct Part {
    int first_run = 0;
    int last_run = 0;  ///< one past
    bool by_vertex = false;
};

/// State and constants of all vertices, one array per coordinate.
template <class Real>
struct Arrays {
    Real* weights[3];   // of a tetrahedron's first three corners
    Real* y[3];         // displayed distance from the goal
    Real* w[3];         // its rate of change
    Real* position[3];  // goal + y
};

/// What one step needs beyond the state.
template <class Real>
struct Step {
    const Real* rows = nullptr;      // 8 per shell vertex: position, 0, kick, 0
    const Real* velocity = nullptr;  // 4 per shell vertex, for damping against the room
    const int* corners = nullptr;    // 4 per tetrahedron
    const Real* radius = nullptr;    // per triangle: 1 / r^2
    const Real* axes = nullptr;      // 9 per triangle: rows are the axes
    Real gain = 1;
    bool by_height = true;
    bool against_room = false;
    bool use_axes = false;
    bool by_vertex = false;  // limit each vertex
    bool soft = false;
    bool limits = false;
    Real coefficients[3][4] = {};  // a b c d per axis
    Real lag[3] = {};
    // Painted: 4 (or 12) arrays of per-vertex coefficients, then 1 (or 3) of lags.
    const Real* const* painted = nullptr;
    // Moving points: goals and kicks of this step, computed before.
    const Real* const* goals = nullptr;       // 3
    const Real* const* kicks = nullptr;       // 3
    const Real* const* velocities = nullptr;  // 3
};

/// Constants of a run: goal, kick and shown share as linear functions of three weights.
template <class Real>
struct RunConstants {
    alignas(32) Real first[8];     // value at the fourth corner
    alignas(32) Real slope[3][8];  // per weight
    Real share[4];                 // shown share: constant and per weight
    alignas(32) Real velocity[4][4];
    Real radius;
    const Real* axes;

    RunConstants(const Step<Real>& step, int tet) {
        const int* corner = step.corners + 4 * static_cast<Eigen::Index>(tet);
        const auto row = [&](int k) { return step.rows + 8 * static_cast<Eigen::Index>(corner[k]); };
        for (int i = 0; i < 8; i += LaneTypes<Real>::count) {
            const LanesOf<Real> last = load(row(3) + i);
            store(first + i, last);
            for (int k = 0; k < 3; ++k) {
                store(slope[k] + i, load(row(k) + i) - last);
            }
        }
        // Height of a place: the sum of the weights of its offset corners (1, 2 or 3 of them).
        const int kind = tet % 3;
        const Real slant = step.by_height ? -step.gain : Real(0);
        share[0] = step.gain;
        share[1] = slant;
        share[2] = kind < 2 ? slant : Real(0);
        share[3] = kind < 1 ? slant : Real(0);
        radius = step.radius[tet / 3];
        axes = step.axes == nullptr ? nullptr : step.axes + 9 * static_cast<Eigen::Index>(tet / 3);
        if (step.against_room && step.velocity != nullptr) {
            for (int k = 0; k < 4; ++k) {
                for (int i = 0; i < 3; ++i) {
                    velocity[k][i] = step.velocity[4 * static_cast<Eigen::Index>(corner[k]) + i];
                }
            }
        }
    }
};

/// One register of vertices. `general` adds everything beyond one material in all directions.
/// `furthest` keeps the largest |y|^2 / r^2 of each lane. A last register that is not `full` keeps
/// its first lanes only.
template <class Real, bool general, bool full>
EIGEN_ALWAYS_INLINE void advance_lanes(const Step<Real>& step, const RunConstants<Real>& run, const Arrays<Real>& at,
                                       Eigen::Index i, int kept, LanesOf<Real>& furthest) {
    using Lanes = LanesOf<Real>;
    const Lanes w0 = load(at.weights[0] + i);
    const Lanes w1 = load(at.weights[1] + i);
    const Lanes w2 = load(at.weights[2] + i);
    const Lanes share = run.share[0] + run.share[1] * w0 + run.share[2] * w1 + run.share[3] * w2;
    const auto linear = [&](int k) -> Lanes {
        return run.first[k] + run.slope[0][k] * w0 + run.slope[1][k] * w1 + run.slope[2][k] * w2;
    };
    Lanes y[3], w[3], old_y[3], old_w[3], shift[3];
    for (int k = 0; k < 3; ++k) {
        old_y[k] = load(at.y[k] + i);
        old_w[k] = load(at.w[k] + i);
        const Lanes kick = general && step.kicks != nullptr ? load(step.kicks[k] + i) : linear(4 + k);
        y[k] = old_y[k];
        w[k] = old_w[k] - share * kick;
        if constexpr (general) {
            shift[k] = Lanes{};
            if (step.against_room) {
                shift[k] = share * (step.velocities != nullptr
                                        ? load(step.velocities[k] + i)
                                        : run.velocity[3][k] + (run.velocity[0][k] - run.velocity[3][k]) * w0 +
                                              (run.velocity[1][k] - run.velocity[3][k]) * w1 +
                                              (run.velocity[2][k] - run.velocity[3][k]) * w2);
            }
        }
    }
    if constexpr (general) {
        Lanes along_y[3], along_w[3], along_shift[3];
        if (step.use_axes) {
            for (int a = 0; a < 3; ++a) {
                const Real* e = run.axes + 3 * a;
                along_y[a] = e[0] * y[0] + e[1] * y[1] + e[2] * y[2];
                along_w[a] = e[0] * w[0] + e[1] * w[1] + e[2] * w[2];
                along_shift[a] = e[0] * shift[0] + e[1] * shift[1] + e[2] * shift[2];
            }
        } else {
            for (int a = 0; a < 3; ++a) {
                along_y[a] = y[a];
                along_w[a] = w[a];
                along_shift[a] = shift[a];
            }
        }
        for (int a = 0; a < 3; ++a) {
            const int set = step.use_axes ? a : 0;
            Lanes c[4], lag;
            for (int j = 0; j < 4; ++j) {
                c[j] = step.painted != nullptr ? load(step.painted[4 * set + j] + i)
                                               : all<Lanes>(step.coefficients[set][j]);
            }
            lag = step.painted != nullptr ? load(step.painted[(step.use_axes ? 12 : 4) + set] + i)
                                          : all<Lanes>(step.lag[set]);
            const Lanes from = along_y[a] + lag * along_shift[a];
            const Lanes next = c[0] * from + c[1] * along_w[a];
            along_w[a] = c[2] * from + c[3] * along_w[a];
            along_y[a] = next - lag * along_shift[a];
        }
        for (int k = 0; k < 3; ++k) {
            if (step.use_axes) {
                y[k] = run.axes[k] * along_y[0] + run.axes[3 + k] * along_y[1] + run.axes[6 + k] * along_y[2];
                w[k] = run.axes[k] * along_w[0] + run.axes[3 + k] * along_w[1] + run.axes[6 + k] * along_w[2];
            } else {
                y[k] = along_y[k];
                w[k] = along_w[k];
            }
        }
    } else {
        const Real* c = step.coefficients[0];
        for (int k = 0; k < 3; ++k) {
            const Lanes next = c[0] * y[k] + c[1] * w[k];
            w[k] = c[2] * y[k] + c[3] * w[k];
            y[k] = next;
        }
    }
    Lanes distance = run.radius * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    if (step.by_vertex) {
        const Lanes factor = inverse_root(larger(distance, all<Lanes>(1.0)));
        for (int k = 0; k < 3; ++k) {
            y[k] *= factor;
            w[k] *= factor;
        }
    }
    if constexpr (full) {
        furthest = larger(distance, furthest);
    } else {
        furthest = first_lanes(kept, larger(distance, furthest), furthest);
    }
    Lanes shown = all<Lanes>(1.0);
    if (step.soft) {
        shown = inverse_root(Real(1) + distance);
    }
    for (int k = 0; k < 3; ++k) {
        const Lanes goal = general && step.goals != nullptr ? load(step.goals[k] + i) : linear(k);
        const Lanes position = step.soft ? goal + shown * y[k] : goal + y[k];
        if constexpr (full) {
            store(at.y[k] + i, y[k]);
            store(at.w[k] + i, w[k]);
            store(at.position[k] + i, position);
        } else {
            store(at.y[k] + i, first_lanes(kept, y[k], old_y[k]));
            store(at.w[k] + i, first_lanes(kept, w[k], old_w[k]));
            store(at.position[k] + i, first_lanes(kept, position, load(at.position[k] + i)));
        }
    }
}

}  // namespace cutis::vibration
