#pragma once

#include <vector>

#include "shell/vibration.h"
#include "shell/vibration_kernel.h"

namespace cutis::vibration {

/// Parts [first, last) are one thread's work.
struct Task {
    int first_part = 0;
    int last_part = 0;
};

/// Where each vertex is kept: slots sorted by piece and tetrahedron. Each task's slots are followed
/// by unused ones, as many as a register that begins at its last vertex covers, so that registers
/// of two tasks never overlap and none reaches past the end.
struct Layout {
    std::vector<int> slot_of_vertex;
    std::vector<Run> runs;  ///< a last one, without vertices, closes each part
    std::vector<Part> parts;
    std::vector<Task> tasks;
    int slot_count = 0;
};

Layout make_layout(const PrismShell& shell, const std::vector<ShellPoint>& points, const std::vector<int>& piece,
                   const VibrationOptions& options, int lane_count);

/// Vertices of a task, about.
inline constexpr int task_vertices = 4096;

}  // namespace cutis::vibration
