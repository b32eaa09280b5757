#include "mesh/sides.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "cutis/core/error.h"

namespace cutis::mesh_internal {
namespace {

// Prefix sum over counts stored one place to the right: counts[v + 1] becomes the begin of v + 1.
void accumulate(std::vector<int>& offsets) {
    for (size_t i = 1; i < offsets.size(); ++i) {
        offsets[i] += offsets[i - 1];
    }
}

std::string list_triangles(const SortedSides& sides, size_t begin, size_t end) {
    constexpr size_t most_listed = 8;
    std::string text;
    for (size_t i = begin; i < std::min(end, begin + most_listed); ++i) {
        text += concat(i == begin ? "" : i + 1 == end ? " and " : ", ", sides.side[i] / 3);
    }
    if (end - begin > most_listed) {
        text += concat(" and ", end - begin - most_listed, " more");
    }
    return text;
}

int apex_of_side(const MatrixX3i& triangles, int side) {
    return triangles(side / 3, (side % 3 + 2) % 3);
}

}  // namespace

void require_indices_in_range(const MatrixX3i& triangles, int vertex_count) {
    constexpr Eigen::Index most_triangles = std::numeric_limits<int>::max() / 3;
    require(triangles.rows() <= most_triangles, "triangles: expected at most ", most_triangles, ", found ",
            triangles.rows());
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int v = triangles(f, k);
            require(v >= 0 && v < vertex_count, "triangle ", f, ": corner ", k, " names vertex ", v, ", expected 0 to ",
                    vertex_count - 1);
        }
    }
}

SortedSides sort_sides(const MatrixX3i& triangles, int vertex_count) {
    const int triangle_count = static_cast<int>(triangles.rows());
    SortedSides sides;
    sides.offsets.assign(static_cast<size_t>(vertex_count) + 1, 0);
    for (int f = 0; f < triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const int lower = std::min(triangles(f, k), triangles(f, (k + 1) % 3));
            ++sides.offsets[static_cast<size_t>(lower) + 1];
        }
    }
    accumulate(sides.offsets);

    // Sides arrive in rising order, so sorting the few sides of a vertex by higher vertex is all
    // that is left; the side number breaks ties.
    std::vector<std::pair<int, int>> entries(3 * static_cast<size_t>(triangle_count));
    std::vector<int> next(sides.offsets.begin(), sides.offsets.end() - 1);
    for (int f = 0; f < triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const auto [lower, higher] = std::minmax({triangles(f, k), triangles(f, (k + 1) % 3)});
            entries[next[lower]++] = {higher, 3 * f + k};
        }
    }
    for (size_t v = 0; v + 1 < sides.offsets.size(); ++v) {
        std::sort(entries.begin() + sides.offsets[v], entries.begin() + sides.offsets[v + 1]);
    }
    sides.higher.resize(entries.size());
    sides.side.resize(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) {
        sides.higher[i] = entries[i].first;
        sides.side[i] = entries[i].second;
    }
    return sides;
}

void require_manifold_edges(const MatrixX3i& triangles, const SortedSides& sides) {
    for (size_t v = 0; v + 1 < sides.offsets.size(); ++v) {
        const size_t last = static_cast<size_t>(sides.offsets[v + 1]);
        for (size_t begin = static_cast<size_t>(sides.offsets[v]); begin < last;) {
            size_t end = begin + 1;
            while (end < last && sides.higher[end] == sides.higher[begin]) {
                ++end;
            }
            const size_t count = end - begin;
            if (count > 1) {
                // Sides of one edge are few unless the mesh is broken, so look at pairs near begin.
                for (size_t i = begin + 1; i < std::min(end, begin + 8); ++i) {
                    for (size_t j = begin; j < i; ++j) {
                        if (apex_of_side(triangles, sides.side[i]) == apex_of_side(triangles, sides.side[j])) {
                            throw InvalidInput(concat("triangle ", sides.side[i] / 3,
                                                      ": repeats the three vertices of triangle ", sides.side[j] / 3));
                        }
                    }
                }
                const auto edge = [&] {
                    return concat("edge between vertices ", static_cast<int>(v), " and ", sides.higher[begin]);
                };
                if (count > 2) {
                    throw InvalidInput(concat(edge(), ": expected at most 2 triangles, found ", count, " (triangles ",
                                              list_triangles(sides, begin, end), ")"));
                }
                const auto runs_upward = [&](size_t i) {
                    return triangles(sides.side[i] / 3, sides.side[i] % 3) == static_cast<int>(v);
                };
                if (runs_upward(begin) == runs_upward(begin + 1)) {
                    throw InvalidInput(concat(edge(), ": triangles ", list_triangles(sides, begin, end),
                                              " have opposite windings, expected both counter-clockwise seen from "
                                              "the same side"));
                }
            }
            begin = end;
        }
    }
}

MatrixX3i neighbours_of(const MatrixX3i& triangles, const SortedSides& sides) {
    MatrixX3i neighbours = MatrixX3i::Constant(triangles.rows(), 3, -1);
    for (size_t v = 0; v + 1 < sides.offsets.size(); ++v) {
        const size_t last = static_cast<size_t>(sides.offsets[v + 1]);
        for (size_t i = static_cast<size_t>(sides.offsets[v]); i + 1 < last; ++i) {
            if (sides.higher[i] == sides.higher[i + 1]) {
                const int a = sides.side[i];
                const int b = sides.side[i + 1];
                neighbours(a / 3, a % 3) = b / 3;
                neighbours(b / 3, b % 3) = a / 3;
            }
        }
    }
    return neighbours;
}

CornersAround corners_around(const MatrixX3i& triangles, int vertex_count) {
    const int triangle_count = static_cast<int>(triangles.rows());
    CornersAround around;
    around.offsets.assign(static_cast<size_t>(vertex_count) + 1, 0);
    for (int f = 0; f < triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            ++around.offsets[static_cast<size_t>(triangles(f, k)) + 1];
        }
    }
    accumulate(around.offsets);
    around.corner.resize(3 * static_cast<size_t>(triangle_count));
    std::vector<int> next(around.offsets.begin(), around.offsets.end() - 1);
    for (int f = 0; f < triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            const size_t v = static_cast<size_t>(triangles(f, k));
            around.corner[next[v]++] = 3 * f + k;
        }
    }
    return around;
}

int walk_fan(const MatrixX3i& neighbours, const MatrixX3i& triangles, int corner, int* fan) {
    const int v = triangles(corner / 3, corner % 3);
    // The neighbour that shares vertex v, entered across `side` of triangle f.
    const auto step = [&](int f, int side) {
        const int g = neighbours(f, side);
        if (g < 0) {
            return -1;
        }
        const int k = triangles(g, 0) == v ? 0 : triangles(g, 1) == v ? 1 : 2;
        return 3 * g + k;
    };
    // Clockwise across the side that leaves v, until a boundary or the start comes round.
    int first = corner;
    while (true) {
        const int before = step(first / 3, first % 3);
        if (before < 0) {
            break;
        }
        if (before == corner) {
            first = corner;
            break;
        }
        first = before;
    }
    int count = 0;
    int current = first;
    do {
        fan[count++] = current;
        current = step(current / 3, (current % 3 + 2) % 3);
    } while (current >= 0 && current != first);
    return count;
}

}  // namespace cutis::mesh_internal
