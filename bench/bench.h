#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cutis/io/scene_read.h"
#include "cutis/stack/scene.h"

namespace cutis::bench {

/// One measured row of `cutis bench`.
struct Row {
    std::string layer;                   ///< body, slide, curve, fold, shell, wrinkle or stack
    std::string row;                     ///< what was timed, in words
    std::map<std::string, double> size;  ///< counts: vertices, influences, threads, ...
    double ms = 0.0;                     ///< best of several runs, milliseconds
    std::string baseline;                ///< what was measured beside it in the same run, in words
    double baseline_ms = 0.0;
    std::optional<double> paper_ms = std::nullopt;  ///< where a paper states the same row

    double ratio() const { return ms > 0.0 ? baseline_ms / ms : 0.0; }
};

/// Skinning against the memory bandwidth of the machine.
std::vector<Row> bench_body();

/// Median milliseconds a frame of body and each layer of a scene, and of the whole beside real
/// time. \param name  for the rows
/// \param actors  finds built-in characters
std::vector<Row> bench_scene(const std::string& name, const Scene& scene, int threads, const ActorLoader& actors);
/// The paper's Table 1: shell solve and vibration of detail.
std::vector<Row> bench_shell();

/// Curve dynamics against the paper's algorithm, and a whole horse.
std::vector<Row> bench_curve();
/// Folds against skinning of the same refined mesh, and adaptive against uniform refinement.
std::vector<Row> bench_fold();

/// Whole steps of skin at the sizes of the paper's Table 2 and beyond, against the paper's solver.
std::vector<Row> bench_slide();

/// Wrinkles of a sheet of 22,000 triangles: heights, and maps of 2048 pixels that are full to three quarters.
std::vector<Row> bench_wrinkle();

/// What a layer or a format costs, per 1,000 vertices: measured beside what `cutis farm plan` expects.
struct CostRow {
    std::string name;
    double vertices = 0.0;
    double prepare_ms = 0.0;
    double frame_ms = 0.0;
    double megabytes = 0.0;
    double frame_bytes = 0.0;
};

/// A dancer of built-in size, each layer alone, each format alone; one thread.
std::vector<CostRow> bench_cost();

}  // namespace cutis::bench
