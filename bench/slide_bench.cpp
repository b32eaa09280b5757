#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "bench/bench.h"
#include "cutis/core/parallel.h"
#include "slide/passes.h"
#include "slide/slide.h"

#if defined(CUTIS_WITH_CXSPARSE)
#include <cs.h>
#endif

namespace cutis::bench {

namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Surface {
    MatrixX3d positions;
    MatrixX3i triangles;
};

// A grid wrapped round: a torus (closed both ways) or a tube with two rims.
Surface wrapped_grid(int around, int along, bool is_torus) {
    Surface s;
    s.positions.resize(around * along, 3);
    const int rows = is_torus ? along : along - 1;
    s.triangles.resize(2 * around * rows, 3);
    int f = 0;
    for (int j = 0; j < along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double u = 2.0 * std::numbers::pi * i / around;
            if (is_torus) {
                const double v = 2.0 * std::numbers::pi * j / along;
                const double r = 0.35 + 0.14 * std::cos(u);
                s.positions.row(j * around + i) << r * std::cos(v), r * std::sin(v), 0.14 * std::sin(u);
            } else {
                s.positions.row(j * around + i) << 0.25 * std::cos(u), 0.25 * std::sin(u), 1.0 * j / (along - 1);
            }
            if (j < rows) {
                const int a = j * around + i;
                const int b = j * around + (i + 1) % around;
                const int c = (j + 1) % along * around + (i + 1) % around;
                const int d = (j + 1) % along * around + i;
                if (is_torus) {
                    s.triangles.row(f++) << a, c, b;
                    s.triangles.row(f++) << a, d, c;
                } else {
                    s.triangles.row(f++) << a, b, c;
                    s.triangles.row(f++) << a, c, d;
                }
            }
        }
    }
    return s;
}

// A body that sways gently, as characters do between two steps of 1 ms.
MatrixX3d swaying(const MatrixX3d& rest, double time, bool is_rigid) {
    MatrixX3d x = rest;
    if (is_rigid) {
        x.col(0).array() += 0.05 * std::sin(2.0 * std::numbers::pi * 3.0 * time);
        return x;
    }
    const double a = 0.03 * std::sin(2.0 * std::numbers::pi * time);
    x.col(0).array() += a * (5.0 * rest.col(1).array()).sin();
    x.col(1).array() += a * (4.0 * rest.col(2).array()).cos();
    x.col(2).array() += a * (3.0 * rest.col(0).array()).sin();
    return x;
}

struct Measured {
    double step_ms = 1e300;
    double solve_ms = 0.0;
    double iterations = 0.0;
    double bytes_per_triangle = 0.0;
    double lu_ms = 0.0;
    double lu_step_ms = 0.0;
};

#if defined(CUTIS_WITH_CXSPARSE)
/// The paper's solver, used as its makers advise: sparse LU of the KKT matrix, whose pattern stays:
/// ordered (A + A^T) and analysed once, factored anew each step.
class KktSolver {
public:
    KktSolver(SlideSolver::Parts& parts, const std::vector<slide::Constraint>& constraint)
        : parts_(parts), constraint_(constraint) {
        int rows = 2 * parts.model.vertex_count();
        for (const slide::Constraint one : constraint) {
            rows += one == slide::Constraint::fixed ? 2 : 0;
        }
        // Numbered entries, compressed: where each number goes.
        cs_di* triplets = cs_di_spalloc(rows, rows, 32 * parts.model.vertex_count(), 1, 1);
        double number = 0.0;
        visit([&](int row, int column, double) { cs_di_entry(triplets, row, column, number++); });
        matrix_ = cs_di_compress(triplets);
        cs_di_spfree(triplets);
        place_.resize(static_cast<size_t>(number));
        for (int i = 0; i < matrix_->p[rows]; ++i) {
            place_[static_cast<size_t>(std::lround(matrix_->x[i]))] = i;
        }
        symbolic_ = cs_di_sqr(1, matrix_, 0);
        right_.resize(static_cast<size_t>(rows));
        work_.resize(static_cast<size_t>(rows));
    }
    ~KktSolver() {
        cs_di_sfree(symbolic_);
        cs_di_spfree(matrix_);
    }
    KktSolver(const KktSolver&) = delete;
    KktSolver& operator=(const KktSolver&) = delete;

    /// Velocities of the system as it is assembled now.
    void solve() {
        size_t number = 0;
        visit([&](int, int, double value) { matrix_->x[place_[number++]] = value; });
        std::fill(right_.begin(), right_.end(), 0.0);
        for (int v = 0; v < parts_.model.vertex_count(); ++v) {
            right_[2 * static_cast<size_t>(v)] = parts_.system.right(v)[0];
            right_[2 * static_cast<size_t>(v) + 1] = parts_.system.right(v)[1];
        }
        const int rows = matrix_->n;
        cs_din* factor = cs_di_lu(matrix_, symbolic_, 1.0);
        cs_di_ipvec(factor->pinv, right_.data(), work_.data(), rows);
        cs_di_lsolve(factor->L, work_.data());
        cs_di_usolve(factor->U, work_.data());
        cs_di_ipvec(symbolic_->q, work_.data(), right_.data(), rows);
        cs_di_nfree(factor);
        std::copy_n(right_.begin(), parts_.state.velocity.size(), parts_.state.velocity.begin());
    }

private:
    /// Every entry of the KKT matrix, always in the same order.
    template <class Visit>
    void visit(const Visit& entry) const {
        int next = 2 * parts_.model.vertex_count();
        for (int v = 0; v < parts_.model.vertex_count(); ++v) {
            const auto put = [&](const Eigen::Matrix2d& block, int column) {
                for (int c = 0; c < 2; ++c) {
                    for (int r = 0; r < 2; ++r) {
                        entry(2 * v + r, 2 * column + c, block(r, c));
                    }
                }
            };
            put(Eigen::Map<const Eigen::Matrix2d>(parts_.system.diagonal(v)), v);
            for (int j = parts_.system.row_begin(v); j < parts_.system.row_end(v); ++j) {
                put(parts_.system.block(j), parts_.system.column(j));
            }
            const bool is_fixed = constraint_[static_cast<size_t>(v)] == slide::Constraint::fixed;
            for (int c = 0; is_fixed && c < 2; ++c, ++next) {
                entry(next, 2 * v + c, 1.0);
                entry(2 * v + c, next, 1.0);
            }
        }
    }

    SlideSolver::Parts& parts_;
    const std::vector<slide::Constraint>& constraint_;
    cs_di* matrix_ = nullptr;
    cs_dis* symbolic_ = nullptr;
    std::vector<int> place_;
    std::vector<double> right_, work_;
};

/// Whole steps with that solver in place of ours, measured: best of a few.
void measure_baseline(SlideSolver& unconstrained, const std::vector<slide::Constraint>& constraint,
                      const std::vector<MatrixX3d>& bodies, const Workers& workers, Measured& result) {
    SlideSolver::Parts& p = unconstrained.parts();
    std::unique_ptr<KktSolver> kkt;
    result.lu_step_ms = result.lu_ms = 1e300;
    const int steps = p.model.vertex_count() > 5000 ? 2 : 15;
    for (int k = 0; k < steps; ++k) {
        const auto begin = Clock::now();
        p.move_body(bodies[static_cast<size_t>(k)], 1e-3, workers);
        p.measure(false, workers);
        slide::find_forces(p.model, p.state.activity, p.painted, workers, p.measured);
        p.trial.start_velocity = p.state.velocity;
        p.assemble_system(1e-3, false, true, workers);
        if (!kkt) {
            kkt = std::make_unique<KktSolver>(p, constraint);
        }
        const auto middle = Clock::now();
        kkt->solve();
        const double solve = milliseconds_since(middle);
        p.try_places(1e-3, workers);
        p.limit(1e-3, SlideSolver::Parts::Look::everywhere, workers);
        p.accept_places(true, workers);
        if (k > 0) {  // the first orders and analyses
            result.lu_step_ms = std::min(result.lu_step_ms, milliseconds_since(begin));
            result.lu_ms = std::min(result.lu_ms, solve);
        }
    }
}
#endif

Measured measure(const Surface& surface, int pinned, bool is_rigid, int threads, int steps, bool with_baseline) {
    const Workers workers(threads);
    const Topology topology(surface.triangles, static_cast<int>(surface.positions.rows()));
    SlideOptions options;  // everything else on: tether, damping, stickiness, limiter, curved look-up
    options.rim = RimMode::free;
    options.relax_steps = 0;
    options.use_sleeping = false;  // the best run would be the one in which most rests
    const int count = static_cast<int>(surface.positions.rows());
    for (int i = 0; i < pinned; ++i) {
        options.pins.push_back(count - 1 - i);  // last, as the layer numbers them
    }
    std::vector<MatrixX3d> bodies;
    for (int k = 0; k <= 4 * steps; ++k) {
        bodies.push_back(swaying(surface.positions, 0.25 + 1e-3 * k, is_rigid));
    }
    SlideSolver solver(topology, surface.positions, options, workers);
    solver.reset(bodies[0], workers);
    Measured result;
    // The best run of five steps: a quiet moment on a shared machine.
    const int run = std::min(steps, 5);
    const long iterations = solver.report().iterations;
    for (int k = 0; k + run <= 4 * steps; k += run) {
        const auto begin = Clock::now();
        for (int i = k; i < k + run; ++i) {
            solver.step(bodies[static_cast<size_t>(i)], 1e-3, workers);
        }
        result.step_ms = std::min(result.step_ms, milliseconds_since(begin) / run);
    }
    result.iterations =
        static_cast<double>(solver.report().iterations - iterations) / static_cast<double>(solver.report().steps);
    SlideSolver::Parts& p = solver.parts();
    // The solve of one more step, from the guess that step began with.
    const std::vector<double> acceleration = p.state.acceleration;
    solver.step(bodies.back(), 1e-3, workers);
    p.state.acceleration = acceleration;
    double solve = 1e300;
    for (int repeat = 0; repeat < 10; ++repeat) {
        p.state.velocity = p.trial.start_velocity;
        p.guess_velocity(1e-3, workers);
        const auto begin = Clock::now();
        p.solve(workers);
        solve = std::min(solve, milliseconds_since(begin));
    }
    result.solve_ms = solve;
    result.bytes_per_triangle = static_cast<double>(solver.bytes()) / static_cast<double>(topology.triangle_count());
#if defined(CUTIS_WITH_CXSPARSE)
    if (with_baseline) {
        // The same state without constraints, which the KKT matrix adds as rows of its own.
        SlideOptions unconstrained = options;
        unconstrained.pins.clear();
        SlideSolver same(topology, surface.positions, unconstrained, workers);
        same.reset(bodies[0], workers);
        measure_baseline(same, p.model.constraint, bodies, workers, result);
    }
#else
    (void)with_baseline;
#endif
    return result;
}

Row row_of(const std::string& name, const Surface& surface, int pinned, int threads, const Measured& m) {
    Row row;
    row.layer = "slide";
    row.row = name + (threads == 1 ? ", 1 thread" : ", 2 threads");
    row.size = {{"triangles", static_cast<double>(surface.triangles.rows())},
                {"unknowns", 2.0 * static_cast<double>(surface.positions.rows())},
                {"constraints", 2.0 * pinned},
                {"threads", threads},
                {"us in the solver", 1e3 * m.solve_ms},
                {"us for the rest", 1e3 * (m.step_ms - m.solve_ms)},
                {"iterations", m.iterations},
                {"bytes a triangle", m.bytes_per_triangle}};
    row.ms = m.step_ms;
    if (m.lu_ms > 0.0) {
        row.size["times the baseline's solver"] = m.lu_ms / m.solve_ms;
        row.baseline =
            "the same step with sparse LU of the KKT matrix (CXSparse, ordered once, to rounding; "
            "ours to a residual of 7e-4)";
        row.baseline_ms = m.lu_step_ms;
    }
    return row;
}

// A tube whose one half is turned to and fro fast, as the skin sees it at the end.
struct Twisted {
    double ms = 1e300;
    MatrixX3d material;
};

Twisted twist(double step, int newton, int repeats) {
    const Surface tube = wrapped_grid(22, 30, false);
    const Workers workers(1);
    const Topology topology(tube.triangles, static_cast<int>(tube.positions.rows()));
    SlideOptions options;
    options.young_modulus = 133.0;
    options.poisson_ratio = 1.0 / 3.0;
    options.density = 1.0;
    options.damping = 5.0;
    options.stickiness = 0.0;
    options.tether = 0.0;
    options.newton_iterations = newton;
    options.longest_step = step;
    const auto body_at = [&](double time, MatrixX3d& x) {
        x.resize(tube.positions.rows(), 3);
        const double turn = 0.5 * std::numbers::pi * std::sin(2.0 * std::numbers::pi * time);
        for (Eigen::Index v = 0; v < x.rows(); ++v) {
            const Vector3d p = tube.positions.row(v);
            const double angle = turn * std::clamp(2.0 * p[2] - 1.0, 0.0, 1.0);
            x.row(v) << p[0] * std::cos(angle) - p[1] * std::sin(angle),
                p[0] * std::sin(angle) + p[1] * std::cos(angle), p[2];
        }
    };
    Twisted result;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        SlideSolver solver(topology, tube.positions, options, workers);
        solver.reset(tube.positions, workers);
        const auto begin = Clock::now();
        for (int frame = 0; frame < 15; ++frame) {
            solver.advance(frame / 24.0, (frame + 1) / 24.0, body_at, workers);
        }
        result.ms = std::min(result.ms, milliseconds_since(begin) / 15.0);
        solver.material_positions(result.material);
    }
    return result;
}

// Frames solved at once by Newton's method, against linear steps inside the frame that end as near
// to a run with steps of 0.1 ms.
Row newton_row() {
    const MatrixX3d exact = twist(1e-4, 1, 1).material;
    const auto error = [&](const Twisted& run) {
        return std::sqrt((run.material - exact).rowwise().squaredNorm().mean());
    };
    const Twisted newton = twist(1.0, 8, 3);
    int count = 1;
    Twisted substeps = twist(1.0, 1, 3);
    while (error(substeps) > error(newton) && count < 42) {
        ++count;
        substeps = twist(1.0 / (24.0 * count), 1, 3);
    }
    const Twisted fine = twist(1e-3, 1, 3);
    Row row;
    row.layer = "slide";
    row.row = "a frame of 1/24 s by 8 Newton iterations";
    row.size = {{"unknowns", 2.0 * 22 * 30},
                {"um rms off", 1e6 * error(newton)},
                {"um rms off with steps of 1 ms", 1e6 * error(fine)},
                {"ms with steps of 1 ms", fine.ms},
                {"substeps of the same error", count}};
    row.ms = newton.ms;
    row.baseline = "linear substeps of the same error";
    row.baseline_ms = substeps.ms;
    return row;
}

}  // namespace

std::vector<Row> bench_slide() {
    struct Example {
        const char* name;
        int around, along;
        bool is_torus;
        int pinned;
        bool is_rigid;
    };
    // Counts of the paper's Table 2. Its times are of whole frames on other shapes: they stand in
    // the paper, not here.
    const Example examples[] = {
        {"step of 1 ms, torus that bulges", 24, 24, true, 0, false},
        {"step of 1 ms, cylinder", 22, 30, false, 22, false},
        {"step of 1 ms, tube with the counts of the paper's head", 29, 30, false, 129, false},
        {"step of 1 ms, tube with the counts of the paper's hand", 13, 20, false, 59, false},
        {"step of 1 ms, tube with the counts of the paper's cloth", 40, 42, false, 139, false},
        {"step of 1 ms, torus that is shaken", 24, 24, true, 0, true},
        {"step of 1 ms, tube with the counts of the paper's dinosaur", 14, 20, false, 99, false},
    };
    std::vector<Row> rows;
    double torus_ms = 0.0;
    for (const Example& e : examples) {
        const Surface surface = wrapped_grid(e.around, e.along, e.is_torus);
        const Measured m = measure(surface, e.pinned, e.is_rigid, 1, 60, true);
        rows.push_back(row_of(e.name, surface, e.pinned, 1, m));
        Row two = row_of(e.name, surface, e.pinned, 2, measure(surface, e.pinned, e.is_rigid, 2, 60, false));
        two.baseline = "the same on 1 thread";
        two.baseline_ms = m.step_ms;
        rows.push_back(two);
        torus_ms = torus_ms == 0.0 ? m.step_ms : torus_ms;
    }
    const Surface middle = wrapped_grid(94, 96, true);
    rows.push_back(
        row_of("step of 1 ms, torus of 18,000 unknowns", middle, 0, 1, measure(middle, 0, false, 1, 20, true)));
    const Surface large = wrapped_grid(156, 160, true);
    const Measured large_one = measure(large, 0, false, 1, 8, true);
    rows.push_back(row_of("step of 1 ms, torus of 50,000 unknowns", large, 0, 1, large_one));
    const double exponent =
        std::log(large_one.step_ms / torus_ms) / std::log(static_cast<double>(large.positions.rows()) / 576.0);
    rows.back().row += ", time grows as unknowns^" + std::to_string(exponent).substr(0, 4);
    Row both = row_of("step of 1 ms, torus of 50,000 unknowns", large, 0, 2, measure(large, 0, false, 2, 8, false));
    both.baseline = "the same on 1 thread";
    both.baseline_ms = large_one.step_ms;
    rows.push_back(both);
    const Surface huge = wrapped_grid(496, 504, true);
    const Measured huge_one = measure(huge, 0, false, 1, 2, false);
    Row one = row_of("step of 1 ms, torus of 500,000 unknowns", huge, 0, 1, huge_one);
    rows.push_back(one);
    Row two = row_of("step of 1 ms, torus of 500,000 unknowns", huge, 0, 2, measure(huge, 0, false, 2, 2, false));
    two.baseline = "the same on 1 thread";
    two.baseline_ms = huge_one.step_ms;
    rows.push_back(two);
    rows.push_back(newton_row());
    return rows;
}

}  // namespace cutis::bench
