#pragma once

#include <string>

#include "cutis/body/body.h"

// What folds do to a garment, measured on the mesh people see without knowing how folds are made.

namespace cutis::verify {

struct FoldGauge {
    int lines = 0;
    double shortfall_median = 0.0;  // of 0.95 of the rest length
    double shortfall_p95 = 0.0;
    double shortfall_p95_idle = 0.0;  // of lines the guard does not touch
    double idle = 0.0;                // share of those
    double taken_up = 0.0;            // of the compression below 0.9
    double kept = 1.0;                // of heights, by the guard
    int turned = 0;                   // triangles folding turned against the turned rest normal
    double second[4] = {0, 0, 0, 0};  // largest second difference of the offset, metres, at 120,
                                      // 240, 480 and 960 frames a second
    double pairs[2] = {0, 0};         // crossing triangle pairs that share no corner, before and after, mean of poses
    double far_crossing = 0.0;        // triangles further than a width from any that cross without folds
    double far_crossing_part = 0.0;   // of all triangles
    int differing = 0;                // numbers that differ between 1 and 2 threads
    int vertices = 0;
    int uniform_vertices = 0;
};

/// Folds a body as a bake would and measures at `poses` moments of its clip; second differences
/// over a tenth of a second from `moment` on (seconds), or over the whole clip. Crossings
/// at every second pose.
/// \param keys  of the layer, as in a scene
FoldGauge gauge_folds(const Body& body, const std::string& keys, int poses, double moment, bool whole_clip = false,
                      bool counts_crossings = false);

/// A mesh of a file (its first clip), or of a built-in character.
Body fold_file(const std::string& path, const std::string& part);
Body fold_actor(const std::string& actor, const std::string& part, const std::string& clip);
/// A figure without clips: hips bent by 85 degrees, knees and elbows by 100, the waist by 55 and
/// twisted by 60, within 4 seconds.
Body fold_sweep(const std::string& path, const std::string& part);

}  // namespace cutis::verify
