#pragma once

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cutis/body/rig.h"

namespace cutis::test {

/// Smallest corner angle of all triangles, degrees.
inline double worst_angle_deg(const MatrixX3d& x, const MatrixX3i& triangles) {
    double worst = 180.0;
    for (int f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Vector3d a = x.row(triangles(f, (k + 1) % 3)) - x.row(triangles(f, k));
            const Vector3d b = x.row(triangles(f, (k + 2) % 3)) - x.row(triangles(f, k));
            worst = std::min(worst, std::atan2(a.cross(b).norm(), a.dot(b)) * 180.0 / M_PI);
        }
    }
    return worst;
}

struct ManifoldCheck {
    int open_sides = 0;     ///< sides without a neighbour
    int crowded_sides = 0;  ///< directed sides used twice: three triangles at an edge, or bad winding
    int bow_ties = 0;       ///< vertices whose triangles are not one fan
    int unused_vertices = 0;
    int euler = 0;
    double volume = 0.0;  ///< signed; positive when the windings of a closed mesh point outwards
};

inline ManifoldCheck check_manifold(const MatrixX3d& x, const MatrixX3i& triangles) {
    ManifoldCheck check;
    std::map<std::pair<int, int>, int> sides;
    std::vector<std::map<int, int>> next(static_cast<size_t>(x.rows()));
    for (int f = 0; f < triangles.rows(); ++f) {
        const Eigen::RowVector3i t = triangles.row(f);
        check.volume += x.row(t[0]).dot(x.row(t[1]).cross(x.row(t[2]))) / 6.0;
        for (int k = 0; k < 3; ++k) {
            check.crowded_sides += ++sides[{t[k], t[(k + 1) % 3]}] > 1 ? 1 : 0;
            next[t[k]][t[(k + 1) % 3]] = t[(k + 2) % 3];
        }
    }
    int edges = 0;
    for (const auto& [side, count] : sides) {
        const bool has_twin = sides.count({side.second, side.first}) != 0;
        check.open_sides += has_twin ? 0 : 1;
        edges += !has_twin || side.first < side.second ? 1 : 0;
    }
    for (const auto& fan : next) {
        if (fan.empty()) {
            ++check.unused_vertices;
            continue;
        }
        // Walk the fan from a spoke nothing leads to (a rim), or from any spoke when closed.
        std::set<int> reached;
        for (const auto& [from, to] : fan) {
            reached.insert(to);
        }
        int start = fan.begin()->first;
        for (const auto& [from, to] : fan) {
            start = reached.count(from) == 0 ? from : start;
        }
        size_t walked = 0;
        int spoke = start;
        do {
            const auto it = fan.find(spoke);
            if (it == fan.end()) {
                break;
            }
            spoke = it->second;
            ++walked;
        } while (spoke != start && walked <= fan.size());
        check.bow_ties += walked == fan.size() ? 0 : 1;
    }
    check.euler = static_cast<int>(x.rows()) - edges + static_cast<int>(triangles.rows());
    return check;
}

/// Does the segment p-q cross the inside of triangle (a, b, c)?
inline bool segment_cuts(const Vector3d& p, const Vector3d& q, const Vector3d& a, const Vector3d& b,
                         const Vector3d& c) {
    const auto volume = [](const Vector3d& u, const Vector3d& v, const Vector3d& w, const Vector3d& z) {
        return (v - u).cross(w - u).dot(z - u);
    };
    // Touching is not cutting: volumes at the level of rounding count as zero.
    const double size = std::max({(b - a).norm(), (c - a).norm(), (q - p).norm()});
    const double tiny = 1e-10 * size * size * size;
    const double side_p = volume(a, b, c, p);
    const double side_q = volume(a, b, c, q);
    if (std::min(side_p, side_q) > -tiny || std::max(side_p, side_q) < tiny) {
        return false;
    }
    const double s0 = volume(p, q, a, b);
    const double s1 = volume(p, q, b, c);
    const double s2 = volume(p, q, c, a);
    return std::min({s0, s1, s2}) > tiny || std::max({s0, s1, s2}) < -tiny;
}

/// Calls `visit` once for each pair of items whose boxes share a cell of a uniform grid.
template <class Visit>
void pairs_in_grid(const std::vector<Eigen::AlignedBox3d>& boxes, double cell, const Visit& visit) {
    std::map<std::array<int, 3>, std::vector<int>> cells;
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
        const Eigen::Array3i low = (boxes[i].min() / cell).array().floor().cast<int>();
        const Eigen::Array3i high = (boxes[i].max() / cell).array().floor().cast<int>();
        for (int x = low[0]; x <= high[0]; ++x) {
            for (int y = low[1]; y <= high[1]; ++y) {
                for (int z = low[2]; z <= high[2]; ++z) {
                    cells[{x, y, z}].push_back(i);
                }
            }
        }
    }
    for (const auto& [place, items] : cells) {
        for (size_t i = 0; i < items.size(); ++i) {
            for (size_t j = i + 1; j < items.size(); ++j) {
                const Eigen::AlignedBox3d& a = boxes[items[i]];
                const Eigen::AlignedBox3d& b = boxes[items[j]];
                if (!a.intersects(b)) {
                    continue;
                }
                // A pair meets in several cells; it counts in the one that holds the overlap's
                // corner.
                const Eigen::Array3i corner = (a.min().cwiseMax(b.min()) / cell).array().floor().cast<int>();
                if (corner[0] == place[0] && corner[1] == place[1] && corner[2] == place[2]) {
                    visit(items[i], items[j]);
                }
            }
        }
    }
}

/// Pairs of triangles that cut each other. Triangles with a common edge cannot cut properly;
/// with one common vertex the opposite sides are tested.
inline std::vector<std::pair<int, int>> self_intersections(const MatrixX3d& x, const MatrixX3i& triangles) {
    std::vector<Eigen::AlignedBox3d> boxes(static_cast<size_t>(triangles.rows()));
    double edge = 0.0;
    for (int f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            boxes[f].extend(Vector3d(x.row(triangles(f, k))));
        }
        edge += boxes[f].diagonal().norm() / static_cast<double>(triangles.rows());
    }
    std::vector<std::pair<int, int>> found;
    pairs_in_grid(boxes, 1.5 * edge, [&](int f, int g) {
        int shared = 0;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                shared += triangles(f, i) == triangles(g, j) ? 1 : 0;
            }
        }
        if (shared >= 2) {
            return;
        }
        for (const auto& [s, t] : {std::pair{f, g}, std::pair{g, f}}) {
            for (int k = 0; k < 3; ++k) {
                const int a = triangles(s, k);
                const int b = triangles(s, (k + 1) % 3);
                if (a == triangles(t, 0) || a == triangles(t, 1) || a == triangles(t, 2) || b == triangles(t, 0) ||
                    b == triangles(t, 1) || b == triangles(t, 2)) {
                    continue;
                }
                if (segment_cuts(x.row(a), x.row(b), x.row(triangles(t, 0)), x.row(triangles(t, 1)),
                                 x.row(triangles(t, 2)))) {
                    found.emplace_back(f, g);
                    return;
                }
            }
        }
    });
    return found;
}

struct UvCheck {
    int flipped = 0;
    int outside = 0;   ///< coordinates outside the unit square
    int overlaps = 0;  ///< pairs of UV triangles whose insides meet
    int charts = 0;
};

inline UvCheck check_uv(const ArtMesh& mesh) {
    UvCheck check;
    const MatrixX3i& t = mesh.uv_triangles;
    const auto at = [&](int f, int k) { return Vector2d(mesh.uv.row(t(f, k))); };
    const auto cross = [](const Vector2d& a, const Vector2d& b) { return a.x() * b.y() - a.y() * b.x(); };
    std::vector<Eigen::AlignedBox3d> boxes(static_cast<size_t>(t.rows()));
    double size = 0.0;
    for (int f = 0; f < t.rows(); ++f) {
        check.flipped += cross(at(f, 1) - at(f, 0), at(f, 2) - at(f, 0)) <= 0.0 ? 1 : 0;
        for (int k = 0; k < 3; ++k) {
            boxes[f].extend(Vector3d(at(f, k).x(), at(f, k).y(), 0.5));
        }
        size += boxes[f].diagonal().norm() / static_cast<double>(t.rows());
    }
    check.outside = static_cast<int>((mesh.uv.array() < -1e-12 || mesh.uv.array() > 1.0 + 1e-12).count());
    // Two triangles are apart when one of their six sides has the other wholly on its outer side.
    const auto has_separating_side = [&](int f, int g) {
        for (int k = 0; k < 3; ++k) {
            const Vector2d a = at(f, k);
            const Vector2d side = at(f, (k + 1) % 3) - a;
            double inside = -1.0;
            for (int j = 0; j < 3; ++j) {
                inside = std::max(inside, cross(side, at(g, j) - a) / side.norm());
            }
            if (inside <= 1e-9) {
                return true;
            }
        }
        return false;
    };
    pairs_in_grid(boxes, 1.5 * size, [&](int f, int g) {
        check.overlaps += has_separating_side(f, g) || has_separating_side(g, f) ? 0 : 1;
    });
    std::vector<int> root(static_cast<size_t>(mesh.uv.rows()));
    for (size_t i = 0; i < root.size(); ++i) {
        root[i] = static_cast<int>(i);
    }
    const auto find = [&](int v) {
        while (root[v] != v) {
            v = root[v] = root[root[v]];
        }
        return v;
    };
    for (int f = 0; f < t.rows(); ++f) {
        root[find(t(f, 0))] = find(t(f, 1));
        root[find(t(f, 1))] = find(t(f, 2));
    }
    for (int v = 0; v < static_cast<int>(root.size()); ++v) {
        check.charts += find(v) == v ? 1 : 0;
    }
    return check;
}

/// World frames of all nodes at key `k` of a clip whose channels share their times; written out
/// here so that it depends on nothing under test.
inline std::vector<Eigen::Affine3d> frames_at_key(const Character& character, const Clip& clip, size_t k) {
    std::vector<Transform> local;
    for (const Node& node : character.skeleton.nodes) {
        local.push_back(node.rest);
    }
    for (const Channel& channel : clip.channels) {
        const double* v = &channel.values[k * static_cast<size_t>(channel.width)];
        if (channel.target == ChannelTarget::rotation) {
            local[channel.node].rotation = Eigen::Quaterniond(v[3], v[0], v[1], v[2]);
        } else if (channel.target == ChannelTarget::translation) {
            local[channel.node].translation = Vector3d(v[0], v[1], v[2]);
        }
    }
    std::vector<Eigen::Affine3d> world;
    for (size_t i = 0; i < local.size(); ++i) {
        const Eigen::Affine3d frame = Eigen::Translation3d(local[i].translation) * local[i].rotation;
        const int parent = character.skeleton.nodes[i].parent;
        world.push_back(parent < 0 ? frame : world[parent] * frame);
    }
    return world;
}

}  // namespace cutis::test
