#include "cutis/mesh/repair.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "cutis/core/error.h"
#include "mesh/pairing.h"
#include "mesh/sides.h"
#include "mesh/weld.h"

namespace cutis {
namespace {

int require_size(const MatrixX3d& positions, const MatrixX3i& triangles) {
    require(triangles.rows() != 0, "triangles: expected at least one, found none");
    require(positions.rows() <= std::numeric_limits<int>::max(), "positions: expected at most ",
            std::numeric_limits<int>::max(), " vertices, found ", positions.rows());
    return static_cast<int>(positions.rows());
}

void require_finite(const MatrixX3d& positions) {
    // Squares of coordinates must stay finite too, or lengths and areas do not exist.
    constexpr double largest = 1e150;
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        for (int c = 0; c < 3; ++c) {
            require(std::abs(positions(v, c)) <= largest, "vertex ", v, ": coordinate ", "xyz"[c], " is ",
                    positions(v, c), ", expected a finite number up to ", largest);
        }
    }
}

double squared_diagonal(const MatrixX3d& positions, const std::vector<unsigned char>& is_used) {
    Eigen::RowVector3d low = Eigen::RowVector3d::Constant(std::numeric_limits<double>::max());
    Eigen::RowVector3d high = -low;
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        if (is_used[v] != 0) {
            low = low.cwiseMin(positions.row(v));
            high = high.cwiseMax(positions.row(v));
        }
    }
    return (high - low).squaredNorm();
}

double triangle_area(const MatrixX3d& positions, int a, int b, int c) {
    const Eigen::RowVector3d p = positions.row(a);
    const Eigen::RowVector3d q = positions.row(b) - p;
    const Eigen::RowVector3d r = positions.row(c) - p;
    return 0.5 * q.cross(r).norm();
}

std::string zero_area_message(Eigen::Index f, double area, double least) {
    return concat("triangle ", f, ": has no area (", area, "), expected more than ", least,
                  " (1e-14 of the squared box diagonal)");
}

// Mesh being repaired: kept triangles with the artist's number of each, on welded vertices.
struct Draft {
    std::vector<std::array<int, 3>> triangles;
    std::vector<int> art_triangle;
};

MatrixX3i rows_of(const std::vector<std::array<int, 3>>& triangles) {
    MatrixX3i result(static_cast<Eigen::Index>(triangles.size()), 3);
    for (size_t f = 0; f < triangles.size(); ++f) {
        result.row(static_cast<Eigen::Index>(f)) << triangles[f][0], triangles[f][1], triangles[f][2];
    }
    return result;
}

// Leaves out each triangle that repeats a lower one with the same winding.
void drop_duplicates(Draft& draft, int& dropped) {
    using Key = std::tuple<int, int, int, int>;  // lowest corner first, winding kept; then number
    std::vector<Key> keys;
    keys.reserve(draft.triangles.size());
    for (size_t f = 0; f < draft.triangles.size(); ++f) {
        const std::array<int, 3>& t = draft.triangles[f];
        const size_t k = static_cast<size_t>(std::min_element(t.begin(), t.end()) - t.begin());
        keys.emplace_back(t[k], t[(k + 1) % 3], t[(k + 2) % 3], static_cast<int>(f));
    }
    std::sort(keys.begin(), keys.end());
    std::vector<unsigned char> is_dropped(keys.size(), 0);
    for (size_t i = 1; i < keys.size(); ++i) {
        const auto& [a, b, c, f] = keys[i];
        const auto& [pa, pb, pc, pf] = keys[i - 1];
        is_dropped[f] = a == pa && b == pb && c == pc ? 1 : 0;
    }
    size_t kept = 0;
    for (size_t f = 0; f < draft.triangles.size(); ++f) {
        if (is_dropped[f] == 0) {
            draft.triangles[kept] = draft.triangles[f];
            draft.art_triangle[kept++] = draft.art_triangle[f];
        }
    }
    dropped = static_cast<int>(draft.triangles.size() - kept);
    draft.triangles.resize(kept);
    draft.art_triangle.resize(kept);
}

void require_options(const RepairOptions& options, const std::vector<int>& weld_group, int vertex_count) {
    require(options.weld_distance >= 0.0 && options.weld_distance <= 1e-3,
            "weld_distance: expected 0 to 1e-3 of the box diagonal, found ", options.weld_distance);
    require(weld_group.empty() || weld_group.size() == static_cast<size_t>(vertex_count),
            "weld_group: expected one number for each of ", vertex_count, " vertices, found ", weld_group.size());
}

void write_notes(RepairedMesh& mesh, int opened) {
    const auto note = [&](int count, const char* one, const char* many, const char* what) {
        if (count > 0) {
            mesh.notes.push_back(concat(count, ' ', count == 1 ? one : many, ' ', what));
        }
    };
    note(mesh.welded_vertices, "vertex", "vertices", "welded onto another at the same place");
    note(mesh.dropped_triangles, "triangle", "triangles", "without area left out");
    note(opened, "triangle", "triangles", "of these with three distinct corners: the surface is open along them");
    note(mesh.duplicate_triangles, "triangle", "triangles", "left out as repetitions");
    note(mesh.flipped_triangles, "triangle", "triangles", "turned round to face the same side as the neighbours");
    note(mesh.crowded_edges, "edge", "edges",
         "of three and more triangles: those that continue each other best stay joined");
    note(mesh.split_vertices, "vertex", "vertices", "added where surfaces only touch");
    note(mesh.unused_vertices, "vertex", "vertices", "used by no triangle of the surface");
}

// Final vertices: one per welded vertex and fan that a kept triangle uses, in the artist's order.
void number_vertices(const MatrixX3d& positions, const MatrixX3i& art_triangles, const std::vector<int>& welded,
                     const mesh_internal::Pairing& pairing, RepairedMesh& mesh, MatrixX3i& triangles) {
    // (welded vertex, fan) groups the corners; the lowest art vertex among them orders the groups.
    struct Use {
        int welded, fan, art, corner;
    };
    std::vector<Use> uses;
    uses.reserve(pairing.fan_of_corner.size());
    for (int c = 0; c < static_cast<int>(pairing.fan_of_corner.size()); ++c) {
        const int art = art_triangles(mesh.art_triangle[c / 3], mesh.art_corner(c / 3, c % 3));
        uses.push_back({pairing.triangles(c / 3, c % 3), pairing.fan_of_corner[c], art, c});
    }
    std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
        return std::tie(a.welded, a.fan, a.art, a.corner) < std::tie(b.welded, b.fan, b.art, b.corner);
    });
    std::vector<std::array<int, 3>> groups;  // lowest art vertex, lowest corner, begin in uses
    for (size_t i = 0; i < uses.size(); ++i) {
        if (i == 0 || uses[i].welded != uses[i - 1].welded || uses[i].fan != uses[i - 1].fan) {
            groups.push_back({uses[i].art, uses[i].corner, static_cast<int>(i)});
        }
    }
    std::sort(groups.begin(), groups.end());

    const Eigen::Index count = static_cast<Eigen::Index>(groups.size());
    mesh.positions.resize(count, 3);
    mesh.art_of_vertex.resize(groups.size());
    mesh.vertex_of_art.assign(static_cast<size_t>(positions.rows()), -1);
    mesh.vertex_of_corner.assign(3 * static_cast<size_t>(art_triangles.rows()), -1);
    std::vector<int> vertex_of_welded(static_cast<size_t>(positions.rows()), -1);
    std::vector<int> first_corner_of_art(static_cast<size_t>(positions.rows()), -1);
    triangles.resize(pairing.triangles.rows(), 3);
    for (size_t v = 0; v < groups.size(); ++v) {
        const size_t begin = static_cast<size_t>(groups[v][2]);
        const Use& first = uses[begin];
        mesh.art_of_vertex[v] = first.art;
        mesh.positions.row(static_cast<Eigen::Index>(v)) = positions.row(first.art);
        for (size_t i = begin; i < uses.size() && uses[i].welded == first.welded && uses[i].fan == first.fan; ++i) {
            const Use& use = uses[i];
            const int f = use.corner / 3;
            triangles(f, use.corner % 3) = static_cast<int>(v);
            const int art_corner = mesh.art_corner(f, use.corner % 3);
            mesh.vertex_of_corner[3 * static_cast<size_t>(mesh.art_triangle[f]) + static_cast<size_t>(art_corner)] =
                static_cast<int>(v);
            // An art vertex shared by several fans follows the fan of its first triangle.
            int& earliest = first_corner_of_art[use.art];
            if (earliest < 0 || use.corner < earliest) {
                earliest = use.corner;
                mesh.vertex_of_art[use.art] = static_cast<int>(v);
            }
        }
        int& main = vertex_of_welded[first.welded];
        if (main < 0 || first.fan == 0) {
            main = static_cast<int>(v);
        }
        mesh.split_vertices += first.fan > 0 ? 1 : 0;
    }

    // Corners of dropped triangles follow whatever moves their place.
    for (Eigen::Index f = 0; f < art_triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const size_t art = static_cast<size_t>(art_triangles(f, k));
            int& moves_art = mesh.vertex_of_art[art];
            if (moves_art < 0) {
                moves_art = vertex_of_welded[welded[art]];
            }
            int& moves_corner = mesh.vertex_of_corner[3 * f + k];
            if (moves_corner < 0) {
                moves_corner = moves_art;
            }
        }
    }
    mesh.unused_vertices = static_cast<int>(std::count(mesh.vertex_of_art.begin(), mesh.vertex_of_art.end(), -1));
}

}  // namespace

Topology check_mesh(const MatrixX3d& positions, const MatrixX3i& triangles) {
    const int vertex_count = require_size(positions, triangles);
    require_finite(positions);
    Topology topology(triangles, vertex_count);
    const std::vector<unsigned char> all_used(static_cast<size_t>(vertex_count), 1);
    const double least = zero_area_fraction * squared_diagonal(positions, all_used);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const double area = triangle_area(positions, triangles(f, 0), triangles(f, 1), triangles(f, 2));
        if (!(area > least)) {
            throw InvalidInput(zero_area_message(f, area, least));
        }
    }
    return topology;
}

std::vector<int> connected_groups(const MatrixX3i& triangles, int vertex_count) {
    mesh_internal::require_indices_in_range(triangles, vertex_count);
    std::vector<int> lowest(static_cast<size_t>(std::max(vertex_count, 0)));
    for (size_t v = 0; v < lowest.size(); ++v) {
        lowest[v] = static_cast<int>(v);
    }
    const auto root = [&](int v) {
        while (lowest[v] != v) {
            int& up = lowest[v];
            up = lowest[up];  // halve the path
            v = up;
        }
        return v;
    };
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 1; k < 3; ++k) {
            const int a = root(triangles(f, 0));
            const int b = root(triangles(f, k));
            lowest[std::max(a, b)] = std::min(a, b);
        }
    }
    int count = 0;
    std::vector<int> group(lowest.size());
    for (size_t v = 0; v < group.size(); ++v) {
        const size_t r = static_cast<size_t>(root(static_cast<int>(v)));
        group[v] = r == v ? count++ : group[r];
    }
    return group;
}

RepairedMesh repair_mesh(const MatrixX3d& positions, const MatrixX3i& triangles, const RepairOptions& options,
                         const std::vector<int>& weld_group) {
    const int vertex_count = require_size(positions, triangles);
    require_options(options, weld_group, vertex_count);
    require_finite(positions);
    mesh_internal::require_indices_in_range(triangles, vertex_count);

    std::vector<unsigned char> is_used(static_cast<size_t>(vertex_count), 0);
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            is_used[triangles(f, k)] = 1;
        }
    }
    const double diagonal_squared = squared_diagonal(positions, is_used);

    RepairedMesh mesh;
    std::vector<int> welded(static_cast<size_t>(vertex_count));
    for (size_t v = 0; v < welded.size(); ++v) {
        welded[v] = static_cast<int>(v);
    }
    welded = mesh_internal::weld(positions, is_used, weld_group, options.weld_distance * std::sqrt(diagonal_squared));
    for (size_t v = 0; v < welded.size(); ++v) {
        mesh.welded_vertices += welded[v] != static_cast<int>(v) ? 1 : 0;
    }

    Draft draft;
    int opened = 0;
    const double least = zero_area_fraction * diagonal_squared;
    for (int f = 0; f < static_cast<int>(triangles.rows()); ++f) {
        std::array<int, 3> t{};
        for (size_t k = 0; k < 3; ++k) {
            t[k] = welded[triangles(f, static_cast<int>(k))];
        }
        const bool is_distinct = t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        const double area = is_distinct ? triangle_area(positions, t[0], t[1], t[2]) : 0.0;
        if (!(area > least)) {
            ++mesh.dropped_triangles;
            opened += is_distinct ? 1 : 0;
            continue;
        }
        draft.triangles.push_back(t);
        draft.art_triangle.push_back(f);
    }
    require(!draft.triangles.empty(), "triangles: expected at least one with area, found none among ",
            triangles.rows());
    drop_duplicates(draft, mesh.duplicate_triangles);

    const MatrixX3i kept = rows_of(draft.triangles);
    MatrixX3i unwelded(kept.rows(), 3);
    for (Eigen::Index f = 0; f < kept.rows(); ++f) {
        unwelded.row(f) = triangles.row(draft.art_triangle[f]);
    }
    const mesh_internal::Pairing pairing = mesh_internal::pair_sides(positions, kept, unwelded);
    mesh.art_triangle = std::move(draft.art_triangle);
    mesh.is_flipped = pairing.is_flipped;
    mesh.flipped_triangles = static_cast<int>(std::count(mesh.is_flipped.begin(), mesh.is_flipped.end(), 1));
    mesh.crowded_edges = pairing.crowded_edges;
    MatrixX3i clean;
    number_vertices(positions, triangles, welded, pairing, mesh, clean);
    mesh.topology = Topology(std::move(clean), static_cast<int>(mesh.positions.rows()));
    write_notes(mesh, opened);
    return mesh;
}

}  // namespace cutis
