#ifdef __linux__
#include <malloc.h>
#endif
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "bench/bench.h"
#include "bench/measure.h"
#include "curve/curve_solver.h"
#include "curve/time_examples.h"
#include "verify/paper_beam.h"

// The rows of Table 1 of the paper (Chaudhry et al. 2014) beside the paper's own algorithm in the
// same run, on one core; and a whole horse with transfer.

namespace cutis::bench {

namespace {

constexpr int timed_frames = 30;

/// The times below are of fractions of a millisecond: giving memory back to the system and taking
/// it again each time would be most of them, for both sides of every row.
void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD
    constexpr int plenty = 256 << 20;
    mallopt(M_TRIM_THRESHOLD, plenty);
    mallopt(M_MMAP_THRESHOLD, plenty);
#endif
}

/// Both take turns; the best of each counts.
std::pair<double, double> best_of(const std::function<void()>& ours, const std::function<void()>& theirs, int repeats) {
    double a = milliseconds(ours);
    double b = milliseconds(theirs);
    for (int i = 1; i < repeats; ++i) {
        a = std::min(a, milliseconds(ours));
        b = std::min(b, milliseconds(theirs));
    }
    return {a, b};
}

RowMatrixXd bulge(int nodes, int columns) {
    RowMatrixXd shape(nodes, columns);
    for (int n = 0; n < nodes; ++n) {
        for (int c = 0; c < columns; ++c) {
            const double v = static_cast<double>(n) / (nodes - 1);
            shape(n, c) = 0.01 * std::sin(3.0 * v + 0.1 * c) + 0.02 * v * v;
        }
    }
    return shape;
}

/// The paper's algorithm as it is printed: two dense inverses by Gauss-Jordan elimination, then a
/// dense product for each curve, coordinate and frame (Eq. 12).
class DenseMarch {
public:
    DenseMarch(int intervals, int columns, double a1, double a2, double dt) : size_(intervals - 1), columns_(columns) {
        c_ = a1 * std::pow(intervals, 4);
        mu_ = a2 / (dt * dt);
        first_ = inverse(matrix(intervals, 2.0 * mu_));
        other_ = inverse(matrix(intervals, mu_));
        const auto count = static_cast<size_t>(size_) * static_cast<size_t>(columns_);
        now_.assign(count, 0.0);
        before_ = next_ = right_ = now_;
    }

    /// \param load  force and ends at the new time, curve by curve: size for each column
    void step(const std::vector<double>& load, double ratio) {
        const std::vector<double>& inverse = steps_ == 0 ? first_ : other_;
        const double mu = steps_ == 0 ? 0.0 : mu_;
        for (size_t i = 0; i < next_.size(); ++i) {
            right_[i] = ratio * load[i] + mu * (2.0 * now_[i] - before_[i]);
        }
        for (int c = 0; c < columns_; ++c) {
            const double* right = right_.data() + static_cast<size_t>(c) * size_;
            double* to = next_.data() + static_cast<size_t>(c) * size_;
            for (int i = 0; i < size_; ++i) {
                const double* row = inverse.data() + static_cast<size_t>(i) * size_;
                double sum = 0.0;
                for (int j = 0; j < size_; ++j) {
                    sum += row[j] * right[j];
                }
                to[i] = sum;
            }
        }
        before_.swap(now_);
        now_.swap(next_);
        ++steps_;
    }

    double value(int row, int column) const { return now_[static_cast<size_t>(column) * size_ + row]; }

private:
    std::vector<double> matrix(int intervals, double mu) const {
        const std::vector<double> band = beam_band(intervals, c_, mu);
        std::vector<double> full(static_cast<size_t>(size_) * size_, 0.0);
        for (int i = 0; i < size_; ++i) {
            for (int k = 0; k <= std::min(i, 2); ++k) {
                full[static_cast<size_t>(i) * size_ + i - k] = full[static_cast<size_t>(i - k) * size_ + i] =
                    band[3 * static_cast<size_t>(i) + static_cast<size_t>(k)];
            }
        }
        return full;
    }

    std::vector<double> inverse(std::vector<double> a) const {
        const auto n = static_cast<size_t>(size_);
        std::vector<double> b(n * n, 0.0);
        for (size_t i = 0; i < n; ++i) {
            b[i * n + i] = 1.0;
        }
        for (size_t p = 0; p < n; ++p) {
            const double scale = 1.0 / a[p * n + p];
            for (size_t j = 0; j < n; ++j) {
                a[p * n + j] *= scale;
                b[p * n + j] *= scale;
            }
            for (size_t i = 0; i < n; ++i) {
                const double factor = a[i * n + p];
                if (i == p || factor == 0.0) {
                    continue;
                }
                for (size_t j = 0; j < n; ++j) {
                    a[i * n + j] -= factor * a[p * n + j];
                    b[i * n + j] -= factor * b[p * n + j];
                }
            }
        }
        return b;
    }

    int size_, columns_;
    double c_, mu_;
    int steps_ = 0;
    std::vector<double> first_, other_, now_, before_, next_, right_;
};

struct TableRow {
    const char* name;
    int curves, nodes;
    double paper_ms;
};

/// One row of Table 1 with three of our ways.
void add_table_row(const TableRow& table, std::vector<Row>& rows) {
    const int n = table.nodes - 1;
    const int columns = 3 * table.curves;
    const RowMatrixXd target = bulge(table.nodes, columns);
    const BeamEndValues ends = BeamEndValues::of(target);
    const RowMatrixXd force = identify_force(n, 1.0, 1.0, timed_frames, target);
    // The paper's load vector: force and ends at t = 1, scaled by m / M.
    RowMatrixXd load = force;
    add_end_load(n, std::pow(n, 4), ends, 1.0, load);
    std::vector<double> by_curve(static_cast<size_t>(load.size()));
    for (int c = 0; c < columns; ++c) {
        for (int i = 0; i < n - 1; ++i) {
            by_curve[static_cast<size_t>(c) * (n - 1) + i] = load(i, c);
        }
    }
    double ours_at_end = 0.0;
    double theirs_at_end = 0.0;
    RowMatrixXd scaled = force;
    BeamEndValues now = ends;
    const auto banded = [&] {
        BeamMarch march(n, columns, 1.0, 1.0, 1.0 / timed_frames);
        for (int m = 1; m <= timed_frames; ++m) {
            const double r = static_cast<double>(m) / timed_frames;
            scaled = r * force;
            now.d0 = r * ends.d0;
            now.s0 = r * ends.s0;
            now.d1 = r * ends.d1;
            now.s1 = r * ends.s1;
            march.step(scaled, now);
        }
        ours_at_end = march.inner()(n / 2, columns - 1);
    };
    const auto dense = [&] {
        DenseMarch march(n, columns, 1.0, 1.0, 1.0 / timed_frames);
        for (int m = 1; m <= timed_frames; ++m) {
            march.step(by_curve, static_cast<double>(m) / timed_frames);
        }
        theirs_at_end = march.value(n / 2, columns - 1);
    };
    const auto [ours, theirs] = best_of(banded, dense, 100);
    if (!(std::abs(ours_at_end - theirs_at_end) < 1e-8)) {
        throw std::runtime_error("bench: the two ways of the paper's scheme disagree");
    }
    Row row;
    row.layer = "curve";
    row.row = std::string(table.name) + ": the paper's scheme, banded, matrix and 30 frames";
    row.size = {{"curves", table.curves}, {"nodes", table.nodes}, {"frames", timed_frames}};
    row.ms = ours;
    row.baseline = "the paper's algorithm: dense inverse by Gauss-Jordan, product per curve";
    row.baseline_ms = theirs;
    row.paper_ms = table.paper_ms;
    rows.push_back(row);

    // Exact modes: identified, then every frame on its own.
    TimeExampleOptions options;
    options.frequency_hz = 3.56;
    const RowMatrixXd zero = RowMatrixXd::Zero(table.nodes, columns);
    RowMatrixXd out = zero;
    const std::vector<double> times = {0.0, 1.0};
    const std::vector<RowMatrixXd> shapes = {zero, target};
    const auto exact = [&] {
        const TimeExamples examples(times, shapes, options);
        for (int m = 1; m <= timed_frames; ++m) {
            examples.at(static_cast<double>(m) / timed_frames, out);
        }
    };
    row.row = std::string(table.name) + ": exact modes, force identified, 30 frames";
    const auto [exact_ms, again] = best_of(exact, dense, 100);
    row.ms = exact_ms;
    row.baseline_ms = std::min(theirs, again);
    rows.push_back(row);
}

CurvePart tube(int curves, int nodes, int vertices, CurveTransfer transfer) {
    const int around = std::max(8, static_cast<int>(std::sqrt(vertices * 0.5)));
    const int along = std::max(4, vertices / around - 1);
    MatrixX3d positions(around * (along + 1), 3);
    MatrixX3i triangles(2 * around * along, 3);
    int f = 0;
    for (int j = 0; j <= along; ++j) {
        for (int i = 0; i < around; ++i) {
            const double angle = 2.0 * std::numbers::pi * i / around;
            positions.row(j * around + i) << 0.1 * std::cos(angle), 0.1 * std::sin(angle),
                static_cast<double>(j) / along;
            if (j < along) {
                const int a = j * around + i;
                const int b = j * around + (i + 1) % around;
                triangles.row(f++) << a, b, b + around;
                triangles.row(f++) << a, b + around, a + around;
            }
        }
    }
    const Topology topology(triangles, static_cast<int>(positions.rows()));
    CurveLayout layout;
    layout.curves = curves;
    layout.nodes = nodes;
    layout.transfer = transfer;
    return lay_curves(whole_surface(positions, topology), -1, -1, layout);
}

/// All parts of the paper's horse (30,134 vertices): one frame, transfer included.
void add_horse(std::vector<Row>& rows) {
    struct Part {
        CurvePart part;
        std::unique_ptr<CurveSolver> solver;
        std::unique_ptr<BeamMarch> march;
        RowMatrixXd force;
        BeamEndValues ends;
        NodeFrames frames;
        MatrixX3d moved_nodes, moved;
    };
    const std::vector<TableRow> table = {{"", 32, 68, 0}, {"", 32, 68, 0}, {"", 32, 66, 0}, {"", 32, 66, 0},
                                         {"", 32, 21, 0}, {"", 32, 17, 0}, {"", 32, 28, 0}};
    int all_nodes = 0;
    for (const TableRow& one : table) {
        all_nodes += one.curves * one.nodes;
    }
    std::vector<Part> parts(table.size());
    double vertices = 0.0;
    for (size_t i = 0; i < table.size(); ++i) {
        Part& one = parts[i];
        const int nodes = table[i].nodes;
        const int columns = 3 * table[i].curves;
        one.part = tube(table[i].curves, nodes, 30134 * table[i].curves * nodes / all_nodes, CurveTransfer::bilinear);
        vertices += static_cast<double>(one.part.vertices.size());
        one.solver = std::make_unique<CurveSolver>(one.part, CurveOptions{});
        const RowMatrixXd target = bulge(nodes, columns);
        one.force = identify_force(nodes - 1, 1.0, 1.0, timed_frames, target);
        one.ends = BeamEndValues::of(target);
        one.march = std::make_unique<BeamMarch>(nodes - 1, columns, 1.0, 1.0, 1.0 / timed_frames);
        one.frames.places = MatrixX3d::Zero(one.part.rows(), 3);
        one.frames.rotations.resize(one.part.rows(), 9);
        for (int k = 0; k < one.part.rows(); ++k) {
            one.frames.rotations.row(k) << 0, -1, 0, 1, 0, 0, 0, 0, 1;
        }
        one.moved_nodes = MatrixX3d::Zero(one.part.rows(), 3);
        one.moved = MatrixX3d::Zero(one.part.transfer.count(), 3);
    }
    const Workers workers(1);
    const auto transfer = [&](Part& one) { one.part.transfer.apply(one.moved_nodes, workers, one.moved); };
    int frame = 0;
    const auto paper_frame = [&] {
        for (Part& one : parts) {
            one.march->step(one.force, one.ends);
            const RowMatrixXd& inner = one.march->inner();
            const Eigen::Map<const MatrixX3d> local(inner.data(), inner.size() / 3, 3);
            const Eigen::Index first = one.part.curve_count;
            for (Eigen::Index k = 0; k < local.rows(); ++k) {
                one.moved_nodes.row(first + k) =
                    (rotation_of(one.frames, first + k) * local.row(k).transpose()).transpose();
            }
            transfer(one);
        }
    };
    double time = 0.0;
    const auto flesh_frame = [&] {
        ++frame;
        time += 1.0 / timed_frames;
        for (Part& one : parts) {
            const auto sample = [&](double t, CurveDrive& drive) {
                if (drive.shape.rows() == 0) {
                    drive.frames = one.frames;
                    drive.shape = drive.followed = one.moved_nodes * 0.0;
                    drive.has_target = false;
                }
                drive.frames.places.col(0).setConstant(0.1 * std::sin(9.0 * t));
            };
            one.solver->advance(time, sample, workers);
            one.solver->displacement(time, one.frames, workers, one.moved_nodes);
            transfer(one);
        }
    };
    const auto only_transfer = [&] {
        for (Part& one : parts) {
            transfer(one);
        }
    };
    flesh_frame();
    paper_frame();
    const auto [paper_ms, transfer_ms] = best_of(paper_frame, only_transfer, 60);
    const auto [flesh_ms, again] = best_of(flesh_frame, only_transfer, 60);
    CurveOptions coarse;
    coarse.rate_hz = 60.0;
    for (Part& one : parts) {
        one.solver = std::make_unique<CurveSolver>(one.part, coarse);
    }
    flesh_frame();
    const auto [coarse_ms, once_more] = best_of(flesh_frame, only_transfer, 60);
    Row row;
    row.layer = "curve";
    row.size = {{"vertices", vertices}, {"nodes", all_nodes}, {"parts", 7}};
    row.baseline = "transfer alone";
    row.row = "horse, one frame: the paper's scheme, turned and transferred";
    row.ms = paper_ms;
    row.baseline_ms = transfer_ms;
    row.paper_ms = 301.8 / 30.0;
    rows.push_back(row);
    row.row = "horse, one frame: exact flesh with inertia on a 120 Hz grid, turned and transferred";
    row.ms = flesh_ms;
    row.baseline_ms = std::min(transfer_ms, again);
    row.paper_ms = std::nullopt;
    rows.push_back(row);
    row.row = "horse, one frame: the same on a 60 Hz grid";
    row.ms = coarse_ms;
    row.baseline_ms = std::min(transfer_ms, once_more);
    rows.push_back(row);
}

/// Nodes pressed against a wall: looking at them and solving for their forces, beside the step without.
void add_contacts(std::vector<Row>& rows) {
    const CurvePart part = tube(32, 34, 2000, CurveTransfer::bilinear);
    CurveOptions options;
    CurveSolver solver(part, options, true);
    const Workers workers(1);
    const auto sample = [&](double t, CurveDrive& drive) {
        drive.frames.places = MatrixX3d::Constant(part.rows(), 3, 0.1 * std::sin(9.0 * t));
        drive.frames.rotations.resize(part.rows(), 9);
        for (int k = 0; k < part.rows(); ++k) {
            drive.frames.rotations.row(k) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
        }
        drive.shape = drive.followed = MatrixX3d::Zero(part.rows(), 3);
        drive.has_target = false;
    };
    solver.begin(0.0, sample, workers);
    for (int i = 1; i <= solver.steps(); ++i) {
        solver.step(i);
    }
    std::vector<CurveContact> contacts;
    double with = 1e300;
    double without = 1e300;
    double sum = 0.0;
    for (int round = 0; round < 400; ++round) {
        solver.go_on();
        solver.open(sample, workers);
        for (int i = 1; i <= solver.steps(); ++i) {
            without = std::min(without, milliseconds([&] { solver.step(i); }));
            with = std::min(with, milliseconds([&] {
                                contacts.clear();
                                for (int curve = 0; curve < 8; ++curve) {
                                    for (int node = 10; node < 16; ++node) {
                                        CurveContact one;
                                        one.row = node * part.curve_count + curve;
                                        const CurveSolver::Where where = solver.where(one.row);
                                        one.depth = 1e-3 - where.swing.x();
                                        one.rate = -where.swing_speed.x();
                                        contacts.push_back(one);
                                    }
                                }
                                solver.resolve(contacts);
                            }));
            sum += contacts.front().force;
        }
    }
    if (!std::isfinite(sum)) {
        throw std::runtime_error("bench: contacts are not finite");
    }
    Row row;
    row.layer = "curve";
    row.row = "one step of 1/720 s: contacts of eight curves, looked at and solved";
    row.size = {{"contacts", static_cast<double>(contacts.size())}, {"nodes", part.rows()}};
    row.ms = with;
    row.baseline = "a microsecond for each";
    row.baseline_ms = 1e-3 * static_cast<double>(contacts.size());
    rows.push_back(row);
}

/// Linear in nodes: each row beside what the 64-node row predicts.
void add_scaling(std::vector<Row>& rows) {
    const int columns = 96;
    const auto step_ms = [&](int nodes) {
        const RowMatrixXd target = bulge(nodes, columns);
        const BeamEndValues ends = BeamEndValues::of(target);
        const RowMatrixXd force = RowMatrixXd::Ones(nodes - 2, columns);
        BeamMarch march(nodes - 1, columns, 1.0, 1.0, 1.0 / timed_frames);
        double best = 1e300;
        for (int i = 0; i < 300; ++i) {
            best = std::min(best, milliseconds([&] { march.step(force, ends); }));
        }
        return best;
    };
    const double base = step_ms(64);
    for (const int nodes : {64, 256, 1024, 4096}) {
        Row row;
        row.layer = "curve";
        row.row = "one step of the banded scheme, 32 curves";
        row.size = {{"curves", 32}, {"nodes", nodes}};
        row.ms = step_ms(nodes);
        row.baseline = "64 nodes, in proportion";
        row.baseline_ms = base * nodes / 64.0;
        rows.push_back(row);
    }
}

}  // namespace

std::vector<Row> bench_curve() {
    keep_freed_memory();
    // Chaudhry et al. 2014 Table 1, total time for 30 frames; its legs 1, 2 and 3, 4 are alike.
    const std::vector<TableRow> table = {{"arm", 22, 34, 16.92},         {"horse leg 1", 32, 68, 94.86},
                                         {"horse leg 3", 32, 66, 89.45}, {"horse neck", 32, 21, 9.52},
                                         {"horse torso", 32, 17, 6.40},  {"horse tail", 32, 28, 16.20}};
    std::vector<Row> rows;
    for (const TableRow& one : table) {
        add_table_row(one, rows);
    }
    add_horse(rows);
    add_contacts(rows);
    add_scaling(rows);
    return rows;
}

}  // namespace cutis::bench
