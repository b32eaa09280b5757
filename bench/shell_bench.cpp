#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "bench/bench.h"
#include "bench/measure.h"
#include "shell/equilibrium.h"
#include "shell/safe_offset.h"
#include "shell/vibration.h"

// The rows of the paper's Table 1: equilibrium of the shell and vibration of its detail.

namespace cutis::bench {

namespace {

constexpr int shell_repeats = 40;  // the best counts: a quiet moment on a shared machine

/// A row of the paper's table. Triangles = around * along * 2 (- 1 for an odd number).
struct Model {
    std::string name;
    int around, along, triangles;
    int vertices;
    double paper_solve_ms, paper_vibrate_ms;
};

const std::vector<Model> models = {
    {"tower", 33, 32, 2112, 29995, 13, 50},
    {"teapot", 37, 64, 4736, 56316, 30, 93},
    {"bunny", 72, 68, 9791, 509479, 56, 870},
    {"vase", 20, 10, 400, 200002, 5, 352},
};

/// A torus of as many triangles as the paper's model had.
struct ShellScene {
    PrismShell shell;
    std::vector<ShellPoint> points;
    std::vector<int> piece;

    explicit ShellScene(const Model& model) {
        MatrixX3d positions(model.around * model.along, 3);
        MatrixX3i triangles(model.triangles, 3);
        for (int j = 0; j < model.along; ++j) {
            for (int i = 0; i < model.around; ++i) {
                const double u = 2.0 * std::numbers::pi * i / model.around;
                const double v = 2.0 * std::numbers::pi * j / model.along;
                const double r = 0.35 + 0.14 * std::cos(v);
                positions.row(j * model.around + i) << r * std::cos(u), r * std::sin(u), 0.14 * std::sin(v);
                const int a = j * model.around + i;
                const int b = j * model.around + (i + 1) % model.around;
                const int up = (j + 1) % model.along * model.around;
                const int c = up + (i + 1) % model.around;
                const int d = up + i;
                const int f = 2 * a;
                triangles.row(f) << a, b, c;
                if (f + 1 < model.triangles) {
                    triangles.row(f + 1) << a, c, d;
                }
            }
        }
        const Topology topology(triangles, static_cast<int>(positions.rows()));
        const Workers workers(1);
        SafeOffsetOptions options;
        options.height = 0.02;
        const SafeOffset offset = make_safe_offset(topology, positions, options, workers);
        shell = PrismShell(topology, positions, offset.positions);
        points.reserve(static_cast<size_t>(model.vertices));
        piece.reserve(static_cast<size_t>(model.vertices));
        // Low-discrepancy places; a piece lies over four triangles.
        for (int i = 0; i < model.vertices; ++i) {
            ShellPoint point;
            point.triangle = static_cast<int>(static_cast<long long>(i) * model.triangles / model.vertices);
            double a = std::fmod(0.5 + 0.7548776662466927 * i, 1.0);
            double b = std::fmod(0.5 + 0.5698402909980532 * i, 1.0);
            if (a + b > 1.0) {
                a = 1.0 - a;
                b = 1.0 - b;
            }
            point.barycentric = Vector3d(a, b, 1.0 - a - b);
            point.height = std::fmod(0.5 + 0.6180339887498949 * i, 1.0);
            points.push_back(point);
            piece.push_back(point.triangle / 4);
        }
    }
};

/// A shape of the torus that moves.
MatrixX3d shape_at(const MatrixX3d& rest, double time) {
    MatrixX3d out = rest;
    for (Eigen::Index v = 0; v < out.rows(); ++v) {
        out(v, 2) += 0.01 * std::sin(6.0 * time + 4.0 * rest(v, 0));
        out(v, 0) += 0.008 * std::sin(9.0 * time + 3.0 * rest(v, 1));
    }
    return out;
}

/// Two steps of the shell that alternate, so that every run works on real motion.
struct Motions {
    MatrixX3d base[2], offset[2], base_velocity[2], offset_velocity[2], base_kick[2], offset_kick[2];

    ShellMotion at(int i) const {
        ShellMotion motion;
        motion.base = &base[i];
        motion.offset = &offset[i];
        motion.base_velocity = &base_velocity[i];
        motion.offset_velocity = &offset_velocity[i];
        motion.base_kick = &base_kick[i];
        motion.offset_kick = &offset_kick[i];
        motion.seconds = 1.0 / 60.0;
        return motion;
    }
};

Motions make_motions(ShellEquilibrium& equilibrium) {
    const Workers workers(1);
    Motions out;
    for (int i = 0; i < 2; ++i) {
        out.base[i] = shape_at(equilibrium.shell().base(), i / 60.0);
        equilibrium.solve(out.base[i], workers, out.offset[i]);
    }
    for (int i = 0; i < 2; ++i) {
        const double sign = i == 1 ? 60.0 : -60.0;
        out.base_velocity[i] = sign * (out.base[1] - out.base[0]);
        out.offset_velocity[i] = sign * (out.offset[1] - out.offset[0]);
        out.base_kick[i] = 2.0 * out.base_velocity[i];
        out.offset_kick[i] = 2.0 * out.offset_velocity[i];
    }
    return out;
}

/// The paper's update as one would write it down: Eq. 3 and 4 vertex by vertex, all numbers of a
/// vertex side by side.
class PlainUpdate {
public:
    PlainUpdate(const ShellScene& scene) : scene_(scene) {
        for (const ShellPoint& point : scene.points) {
            const TetPoint at = scene.shell.place(point);
            Vertex vertex{};
            vertex.tet = at.tet;
            for (int k = 0; k < 3; ++k) {
                vertex.weights[k] = static_cast<float>(at.weights[k]);
            }
            vertices_.push_back(vertex);
        }
    }

    double run_ms(const Motions& motions, int i) {
        const int n = scene_.shell.vertex_count();
        table_.resize(6 * static_cast<size_t>(n));
        return milliseconds([&] {
            for (int v = 0; v < n; ++v) {
                for (int k = 0; k < 3; ++k) {
                    table_[3 * static_cast<size_t>(v) + static_cast<size_t>(k)] =
                        static_cast<float>(motions.base[i](v, k));
                    table_[3 * (static_cast<size_t>(n) + static_cast<size_t>(v)) + static_cast<size_t>(k)] =
                        static_cast<float>(motions.offset[i](v, k));
                }
            }
            constexpr float omega = 0.2f, zeta = 0.05f, dt = 1.0f / 60.0f, limit = 0.01f;
            float furthest = 0.0f;
            for (Vertex& vertex : vertices_) {
                const std::array<int, 4>& corners = scene_.shell.corners(vertex.tet);
                const float last = 1.0f - vertex.weights[0] - vertex.weights[1] - vertex.weights[2];
                float square = 0.0f;
                for (int k = 0; k < 3; ++k) {
                    const auto at = [&](size_t c) {
                        return table_[3 * static_cast<size_t>(corners[c]) + static_cast<size_t>(k)];
                    };
                    vertex.goal[k] = vertex.weights[0] * at(0) + vertex.weights[1] * at(1) + vertex.weights[2] * at(2) +
                                     last * at(3);
                    const float d = vertex.position[k] - vertex.goal[k];
                    square += d * d;
                }
                furthest = std::max(furthest, square);
            }
            const float draw = furthest > limit * limit ? limit / std::sqrt(furthest) : 1.0f;
            for (Vertex& vertex : vertices_) {
                for (int k = 0; k < 3; ++k) {
                    vertex.position[k] = vertex.goal[k] + draw * (vertex.position[k] - vertex.goal[k]);
                    vertex.velocity[k] += omega * (vertex.goal[k] - vertex.position[k]) / dt;
                    vertex.position[k] += dt * vertex.velocity[k];
                    vertex.velocity[k] *= 1.0f - zeta;
                }
            }
        });
    }

private:
    struct Vertex {
        int tet;
        float weights[3];
        float position[3];
        float velocity[3];
        float goal[3];
    };
    const ShellScene& scene_;
    std::vector<Vertex> vertices_;
    std::vector<float> table_;
};

/// Weights read, displacement and velocity read and written, position written (its line is read
/// first, as in the triad).
constexpr double vertex_bytes = (3 + 2 * 6 + 2 * 3) * sizeof(float);

/// Most memory this program has held so far, megabytes.
double peak_megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1e3;
}

/// Ten million vertices over the bunny's shell: time and memory.
Row ten_million(Triad& triad) {
    Model model = models[2];
    model.vertices = 10'000'000;
    ShellScene scene(model);
    ShellEquilibrium equilibrium(scene.shell, {.poisson = 0.3, .stiffness = {}, .volume_rounds = 0});
    const Motions motions = make_motions(equilibrium);
    DetailVibration vibration(scene.shell, std::move(scene.points), scene.piece, {});
    const Workers workers(1);
    vibration.reset(motions.at(0), workers);
    double triad_ms = 1e300, vibrate_ms = 1e300;
    for (int i = 0; i < 6; ++i) {
        triad_ms = std::min(triad_ms, triad.run_ms(workers));
        vibrate_ms = std::min(vibrate_ms, milliseconds([&] { vibration.advance(motions.at(i % 2), workers); }));
    }
    Row row;
    row.layer = "shell";
    row.row = "vibrate ten million vertices, 1 thread";
    row.size = {{"tets", scene.shell.tet_count()},
                {"vertices", model.vertices},
                {"threads", 1},
                {"MB held", static_cast<double>(vibration.memory_bytes()) / 1e6},
                {"MB at the peak, whole program", peak_megabytes()}};
    row.ms = vibrate_ms;
    row.baseline = "bytes moved over a triad of the same run, write-allocate in both";
    row.baseline_ms = triad_ms * vertex_bytes * model.vertices / Triad::bytes();
    return row;
}

}  // namespace

std::vector<Row> bench_shell() {
    std::vector<Row> rows;
    Triad triad;
    for (const Model& model : models) {
        ShellScene scene(model);
        ShellEquilibrium equilibrium(scene.shell, {.poisson = 0.3, .stiffness = {}, .volume_rounds = 0});
        ShellEquilibrium corrected(scene.shell, {.poisson = 0.3, .stiffness = {}, .volume_rounds = 1});
        const Motions motions = make_motions(equilibrium);
        PlainUpdate plain(scene);
        VibrationOptions options;
        DetailVibration vibration(scene.shell, scene.points, scene.piece, options);
        MatrixX3d offset;
        double one_solve_ms = 0.0, one_corrected_ms = 0.0, one_vibrate_ms = 0.0, one_triad_ms = 0.0;
        for (const int threads : {1, 2}) {
            const Workers workers(threads);
            vibration.reset(motions.at(0), workers);
            double triad_ms = 1e300, plain_ms = 1e300, solve_ms = 1e300, vibrate_ms = 1e300, library_ms = 1e300,
                   corrected_ms = 1e300;
            std::vector<double> single(static_cast<size_t>(scene.shell.vertex_count()));
            // All take turns, so that a busy machine slows all of them.
            for (int i = 0; i < shell_repeats; ++i) {
                const int at = i % 2;
                triad_ms = std::min(triad_ms, triad.run_ms(workers));
                plain_ms = std::min(plain_ms, plain.run_ms(motions, at));
                vibrate_ms = std::min(vibrate_ms, milliseconds([&] { vibration.advance(motions.at(at), workers); }));
                solve_ms =
                    std::min(solve_ms, milliseconds([&] { equilibrium.solve(motions.base[at], workers, offset); }));
                corrected_ms =
                    std::min(corrected_ms, milliseconds([&] { corrected.solve(motions.base[at], workers, offset); }));
                // Three separate passes over the factor, one per coordinate.
                library_ms = std::min(library_ms, milliseconds([&] {
                                          for (int k = 0; k < 3; ++k) {
                                              for (size_t v = 0; v < single.size(); ++v) {
                                                  single[v] = offset(static_cast<Eigen::Index>(v), k);
                                              }
                                              equilibrium.solve_system(single, 1);
                                          }
                                      }));
            }
            if (threads == 1) {
                one_solve_ms = solve_ms;
                one_corrected_ms = corrected_ms;
                one_vibrate_ms = vibrate_ms;
                one_triad_ms = triad_ms;
            }
            // What a second thread brings, and what it brings to the memory alone.
            const auto scaling = [&](Row& row, double one_ms) {
                if (threads > 1) {
                    row.size["percent of 1 thread's speed"] = 100.0 * one_ms / row.ms;
                    row.size["percent of 1 thread's speed, the triad"] = 100.0 * one_triad_ms / triad_ms;
                }
            };
            const std::string suffix = threads == 1 ? ", 1 thread" : ", 2 threads";
            const double tets = scene.shell.tet_count();
            Row solve;
            solve.layer = "shell";
            solve.row = "solve " + model.name + suffix;
            solve.size = {{"tets", tets},
                          {"vertices", model.vertices},
                          {"offset vertices", scene.shell.vertex_count()},
                          {"threads", threads}};
            solve.ms = solve_ms;
            solve.baseline = "three passes over the factor, without a right-hand side";
            solve.baseline_ms = library_ms;
            solve.paper_ms = model.paper_solve_ms;
            const auto solve_size = solve.size;
            scaling(solve, one_solve_ms);
            rows.push_back(solve);
            solve.size = solve_size;
            solve.row = "solve " + model.name + " with volumes corrected" + suffix;
            solve.ms = corrected_ms;
            solve.baseline = "the paper's rule, without the correction";
            solve.baseline_ms = solve_ms;
            scaling(solve, one_corrected_ms);
            rows.push_back(solve);
            const double bound_ms = triad_ms * vertex_bytes * model.vertices / Triad::bytes();
            Row vibrate;
            vibrate.layer = "shell";
            vibrate.row = "vibrate " + model.name + suffix;
            vibrate.size = {{"tets", tets},
                            {"vertices", model.vertices},
                            {"threads", threads},
                            {"percent of the bandwidth bound", 100.0 * bound_ms / vibrate_ms}};
            vibrate.ms = vibrate_ms;
            vibrate.baseline = "the paper's update, array of structures, 1 thread";
            vibrate.baseline_ms = plain_ms;
            vibrate.paper_ms = model.paper_vibrate_ms;
            scaling(vibrate, one_vibrate_ms);
            rows.push_back(vibrate);
            Row bandwidth;
            bandwidth.layer = "shell";
            bandwidth.row = "vibrate " + model.name + " against the bandwidth bound" + suffix;
            bandwidth.size = {{"bytes a vertex", vertex_bytes},
                              {"vertices", model.vertices},
                              {"threads", threads},
                              {"MB/s of the triad", Triad::bytes() / triad_ms / 1e3}};
            bandwidth.ms = vibrate_ms;
            bandwidth.baseline = "bytes moved over a triad of the same run and threads, write-allocate in both";
            bandwidth.baseline_ms = bound_ms;
            rows.push_back(bandwidth);
        }
    }
    rows.push_back(ten_million(triad));
    return rows;
}

}  // namespace cutis::bench
