#include "shell/vibration_layout.h"

#include <algorithm>
#include <cstdint>

#include "cutis/mesh/geometry.h"

namespace cutis::vibration {

namespace {

struct Keyed {
    std::uint64_t key;  // piece, then tetrahedron
    int vertex;
};

/// Which pieces have a box longer than a share of the base's.
std::vector<unsigned char> find_spanning(const PrismShell& shell, const std::vector<ShellPoint>& points,
                                         const std::vector<int>& piece, int pieces, double spanning) {
    const double inf = std::numeric_limits<double>::infinity();
    MatrixX3d lower = MatrixX3d::Constant(pieces, 3, inf);
    MatrixX3d upper = MatrixX3d::Constant(pieces, 3, -inf);
    for (size_t v = 0; v < points.size(); ++v) {
        const int p = piece.empty() ? 0 : piece[v];
        const Vector3d at = position_at(shell, shell.base(), shell.offset(), points[v]);
        lower.row(p) = lower.row(p).cwiseMin(at.transpose());
        upper.row(p) = upper.row(p).cwiseMax(at.transpose());
    }
    const double longest = spanning * bounding_box_diagonal(shell.base());
    std::vector<unsigned char> out(static_cast<size_t>(pieces), 0);
    for (int p = 0; p < pieces; ++p) {
        out[p] = (upper.row(p) - lower.row(p)).norm() > longest ? 1 : 0;
    }
    return out;
}

}  // namespace

Layout make_layout(const PrismShell& shell, const std::vector<ShellPoint>& points, const std::vector<int>& piece,
                   const VibrationOptions& options, int lane_count) {
    const bool by_piece = options.limiter == Limiter::piece;
    const int pieces = piece.empty() ? 1 : *std::max_element(piece.begin(), piece.end()) + 1;
    std::vector<unsigned char> spans(static_cast<size_t>(pieces), 1);
    if (by_piece) {
        spans = find_spanning(shell, points, piece, pieces, options.spanning);
    }
    // Without a limit per piece, and for pieces that span the model, only tetrahedra matter; those
    // pieces come first, as one.
    std::vector<Keyed> order(points.size());
    for (size_t v = 0; v < points.size(); ++v) {
        const auto p = static_cast<size_t>(piece.empty() ? 0 : piece[v]);
        const std::uint64_t group = spans[p] != 0 ? 0 : p + 1;
        order[v] = {group << 32 | static_cast<std::uint64_t>(shell.place(points[v]).tet), static_cast<int>(v)};
    }
    std::sort(order.begin(), order.end(),
              [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.vertex < b.vertex; });

    Layout layout;
    layout.slot_of_vertex.resize(points.size());
    int slot = 0;
    int task_begin = 0;
    const auto close_part = [&] {
        if (!layout.parts.empty() && layout.parts.back().last_run < 0) {
            layout.parts.back().last_run = static_cast<int>(layout.runs.size());
            layout.runs.push_back({slot, 0});
        }
    };
    const auto close_task = [&] {
        close_part();
        if (!layout.tasks.empty()) {
            layout.tasks.back().last_part = static_cast<int>(layout.parts.size());
            // A register may begin at the task's last vertex: all its other lanes are left unused.
            slot = (slot + 2 * (lane_count - 1)) / lane_count * lane_count;
        }
    };
    for (size_t i = 0; i < order.size(); ++i) {
        const bool new_group = i == 0 || order[i].key >> 32 != order[i - 1].key >> 32;
        const bool new_run = new_group || order[i].key != order[i - 1].key;
        const bool is_spanning = order[i].key >> 32 == 0;
        const bool is_long = slot - task_begin >= task_vertices;
        if (i == 0 || (is_long && new_run && (new_group || is_spanning))) {
            close_task();
            task_begin = slot;
            layout.tasks.push_back({static_cast<int>(layout.parts.size()), 0});
        }
        if (i == 0 || new_group || (is_spanning && slot == task_begin)) {
            close_part();
            layout.parts.push_back({static_cast<int>(layout.runs.size()), -1, by_piece && is_spanning});
            layout.runs.push_back({slot, static_cast<int>(order[i].key & 0xffffffffu)});
        } else if (new_run) {
            layout.runs.push_back({slot, static_cast<int>(order[i].key & 0xffffffffu)});
        }
        layout.slot_of_vertex[order[i].vertex] = slot++;
    }
    close_task();
    layout.slot_count = slot;
    layout.runs.shrink_to_fit();
    return layout;
}

}  // namespace cutis::vibration
