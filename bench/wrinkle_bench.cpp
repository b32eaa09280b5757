#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/bench.h"
#include "bench/measure.h"
#include "wrinkle/wrinkles.h"

namespace cutis::bench {

namespace {

/// A sheet of 22,260 triangles whose UVs fill three quarters of the picture, and a pose that presses all of it.
struct Sheet {
    static constexpr int columns = 106;
    static constexpr int rows = 105;
    static constexpr double side = 0.87;  // of the picture
    MatrixX3d rest{(columns + 1) * (rows + 1), 3};
    MatrixX3d pressed;
    Topology topology;
    ArtMesh art;

    Sheet() {
        art.uv.resize(rest.rows(), 2);
        for (int j = 0; j <= rows; ++j) {
            for (int i = 0; i <= columns; ++i) {
                const Eigen::Index v = j * (columns + 1) + i;
                rest.row(v) << 0.3 * i / columns, 0.3 * j / rows, 0.0;
                art.uv.row(v) << 0.06 + side * i / columns, 0.06 + side * j / rows;
            }
        }
        MatrixX3i triangles(2 * columns * rows, 3);
        for (int j = 0, f = 0; j < rows; ++j) {
            for (int i = 0; i < columns; ++i) {
                const int a = j * (columns + 1) + i;
                triangles.row(f++) << a, a + 1, a + columns + 2;
                triangles.row(f++) << a, a + columns + 2, a + columns + 1;
            }
        }
        topology = Topology(triangles, static_cast<int>(rest.rows()));
        art.positions = rest;
        art.triangles = art.uv_triangles = triangles;
        pressed = rest;
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            pressed(v, 0) *= 0.75 + 0.1 * rest(v, 1);
        }
    }
    WrinkleMaps::Art art_of() const {
        WrinkleMaps::Art of;
        of.mesh = &art;
        for (int f = 0; f < topology.triangle_count(); ++f) {
            of.triangle.push_back(f);
            of.corner.push_back({0, 1, 2});
        }
        return of;
    }
};

template <class Work>
double best_of(int repeats, const Work& work) {
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < repeats; ++i) {
        best = std::min(best, work());
    }
    return best;
}

}  // namespace

std::vector<Row> bench_wrinkle() {
    const Sheet sheet;
    std::vector<Row> rows;
    const Workers one(1);
    const Workers two(2);
    const auto triangles = static_cast<double>(sheet.topology.triangle_count());
    WrinkleSource source;
    source.poses = {sheet.rest, sheet.pressed};
    WrinkleOptions options;
    options.wavelength = Painted(0.005);
    std::unique_ptr<WrinkleSolver> solver;
    const double laid_out = processor_milliseconds(
        [&] { solver = std::make_unique<WrinkleSolver>(sheet.topology, sheet.rest, source, options, one); });
    rows.push_back({"wrinkle", "laying out, once", {{"triangles", triangles}, {"threads", 1}}, laid_out, "", 0.0});

    WrinkleHeights heights;
    MatrixX3d copy;
    Row height;
    height.layer = "wrinkle";
    height.row = "heights of a pose";
    height.size = {{"triangles", triangles}, {"threads", 1}};
    height.ms = best_of(
        30, [&] { return processor_milliseconds([&] { solver->advance(sheet.pressed, -1.0, one, heights); }); });
    rows.push_back(height);

    for (const Workers* workers : {&one, &two}) {
        std::unique_ptr<WrinkleMaps> maps;
        constexpr int size = 2048;
        const auto threads = static_cast<double>(workers->threads());
        const double prepared = milliseconds([&] {
            maps =
                std::make_unique<WrinkleMaps>(*solver, sheet.topology, sheet.rest, sheet.art_of(), size, 4, *workers);
        });
        const auto texels = static_cast<double>(maps->texel_count());
        rows.push_back(
            {"wrinkle", "texels of a map, once", {{"texels", texels}, {"threads", threads}}, prepared, "", 0.0});
        std::vector<float> grey;
        std::vector<float> normals;
        const auto add = [&](const char* what, std::vector<float>* to_heights, std::vector<float>* to_normals) {
            const auto paint = [&] { maps->paint(sheet.pressed, heights, *workers, to_heights, to_normals); };
            paint();
            Row row;
            row.layer = "wrinkle";
            row.row = what;
            row.ms = best_of(20, [&] { return milliseconds(paint); });
            row.size = {{"texels", texels},
                        {"threads", threads},
                        {"processor us", 1e3 * best_of(20, [&] { return processor_milliseconds(paint); })}};
            // What the memory allows: the same pictures written without looking at anything.
            row.baseline = "filling the pictures";
            row.baseline_ms = best_of(20, [&] {
                return milliseconds([&] {
                    for (std::vector<float>* picture : {to_heights, to_normals}) {
                        const int chunk = 1 << 16;
                        const auto fill = [&](int begin, int end) {
                            std::fill(picture->begin() + begin, picture->begin() + end, 0.0F);
                        };
                        if (picture != nullptr) {
                            workers->for_chunks(static_cast<int>(picture->size()), chunk, std::ref(fill));
                        }
                    }
                });
            });
            rows.push_back(row);
        };
        add("a normal map", nullptr, &normals);
        add("a normal and a height map", &grey, &normals);
    }
    return rows;
}

}  // namespace cutis::bench
