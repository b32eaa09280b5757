#include "cutis/mesh/topology.h"

#include <utility>

#include "cutis/core/error.h"
#include "mesh/sides.h"

namespace cutis {

Topology::Topology(MatrixX3i triangles, int vertex_count)
    : triangles_(std::move(triangles)), vertex_count_(vertex_count) {
    require(vertex_count >= 0, "vertex count: expected at least 0, found ", vertex_count);
    mesh_internal::require_indices_in_range(triangles_, vertex_count);
    for (int f = 0; f < triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            require(triangles_(f, k) != triangles_(f, (k + 1) % 3), "triangle ", f,
                    ": expected three different vertices, found ", triangles_(f, 0), ' ', triangles_(f, 1), ' ',
                    triangles_(f, 2));
        }
    }

    // A vertex without triangles is told before anything is said about edges.
    const mesh_internal::CornersAround around = mesh_internal::corners_around(triangles_, vertex_count);
    for (size_t v = 0; v + 1 < around.offsets.size(); ++v) {
        require(around.offsets[v] != around.offsets[v + 1], "vertex ", v,
                ": expected at least one triangle, found none");
    }

    const mesh_internal::SortedSides sides = mesh_internal::sort_sides(triangles_, vertex_count);
    mesh_internal::require_manifold_edges(triangles_, sides);
    neighbours_ = mesh_internal::neighbours_of(triangles_, sides);

    edge_of_side_.resize(triangles_.rows(), 3);
    edges_.reserve(sides.size() / 2);
    for (int v = 0; v < vertex_count; ++v) {
        int previous = -1;
        const size_t end = static_cast<size_t>(sides.offsets[static_cast<size_t>(v) + 1]);
        for (size_t i = static_cast<size_t>(sides.offsets[v]); i < end; ++i) {
            if (sides.higher[i] != previous) {
                previous = sides.higher[i];
                edges_.push_back({v, previous});
            }
            edge_of_side_(sides.side[i] / 3, sides.side[i] % 3) = static_cast<int>(edges_.size()) - 1;
        }
    }

    // Fans. walk_fan visits one of them; if corners are left over, the vertex is a bow-tie.
    fan_offsets_ = around.offsets;
    fan_triangles_.resize(around.corner.size());
    is_boundary_vertex_.assign(static_cast<size_t>(vertex_count), 0);
    std::vector<int> next_on_boundary(static_cast<size_t>(vertex_count), -1);
    for (size_t v = 0; v < static_cast<size_t>(vertex_count); ++v) {
        int* fan = fan_triangles_.data() + fan_offsets_[v];
        const int corner = around.corner[fan_offsets_[v]];
        const int walked = mesh_internal::walk_fan(neighbours_, triangles_, corner, fan);
        const int expected = fan_offsets_[v + 1] - fan_offsets_[v];
        require(walked == expected, "vertex ", v, ": its ", expected,
                " triangles form more than one fan (bow-tie), the one of "
                "triangle ",
                corner / 3, " holds ", walked);
        const int first = fan[0];
        if (neighbours_(first / 3, first % 3) < 0) {
            is_boundary_vertex_[v] = 1;
            next_on_boundary[v] = triangles_(first / 3, (first % 3 + 1) % 3);
        }
        for (int i = 0; i < walked; ++i) {
            fan[i] /= 3;
        }
    }

    for (int v = 0; v < vertex_count; ++v) {
        if (next_on_boundary[v] < 0) {
            continue;
        }
        std::vector<int> loop;
        for (int at = v; next_on_boundary[at] >= 0;) {
            loop.push_back(at);
            at = std::exchange(next_on_boundary[at], -1);
        }
        boundary_loops_.push_back(std::move(loop));
    }

    part_of_vertex_.assign(static_cast<size_t>(vertex_count), -1);
    std::vector<int> open;
    for (int v = 0; v < vertex_count; ++v) {
        if (part_of_vertex_[v] >= 0) {
            continue;
        }
        part_of_vertex_[v] = part_count_;
        open.push_back(v);
        while (!open.empty()) {
            const int at = open.back();
            open.pop_back();
            for (const int f : triangles_around(at)) {
                for (int k = 0; k < 3; ++k) {
                    int& part = part_of_vertex_[triangles_(f, k)];
                    if (part < 0) {
                        part = part_count_;
                        open.push_back(triangles_(f, k));
                    }
                }
            }
        }
        ++part_count_;
    }
}

std::span<const int> Topology::triangles_around(int v) const {
    const size_t i = static_cast<size_t>(v);
    return {fan_triangles_.data() + fan_offsets_[i], static_cast<size_t>(fan_offsets_[i + 1] - fan_offsets_[i])};
}

}  // namespace cutis
