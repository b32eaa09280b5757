#include "curve/tube_map.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/sparse.h"
#include "cutis/core/error.h"
#include "mesh/edge_paths.h"

namespace cutis {

namespace {

/// Mean value weights (Floater 2003), the two directions of an edge averaged so that the system is
/// symmetric; positive on every mesh, and that is what keeps triangles from turning over.
VectorXd edge_weights(const MatrixX3d& positions, const Topology& topology) {
    constexpr double largest_tangent = 1e3;  // of half a corner: 179.9 degrees
    VectorXd weights = VectorXd::Zero(static_cast<Eigen::Index>(topology.edges().size()));
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const Vector3d p = positions.row(topology.triangles()(f, k));
            const Vector3d u = positions.row(topology.triangles()(f, (k + 1) % 3)).transpose() - p;
            const Vector3d v = positions.row(topology.triangles()(f, (k + 2) % 3)).transpose() - p;
            const double tangent =
                std::min(u.cross(v).norm() / std::max(u.norm() * v.norm() + u.dot(v), 1e-300), largest_tangent);
            weights[topology.edge_of_side(f, k)] += 0.5 * tangent / u.norm();
            weights[topology.edge_of_side(f, (k + 2) % 3)] += 0.5 * tangent / v.norm();
        }
    }
    return weights / weights.mean();
}

/// Shortest way along edges from loop 0 to loop 1 that touches them only with its ends.
std::vector<int> path_between(const MatrixX3d& positions, const Topology& topology, const std::vector<int>& loop0,
                              const std::vector<int>& loop1) {
    const auto count = static_cast<size_t>(topology.vertex_count());
    std::vector<int> loop_of(count, -1);
    for (const int v : loop0) {
        loop_of[v] = 0;
    }
    for (const int v : loop1) {
        loop_of[v] = 1;
    }
    const EdgePaths paths = edge_paths(positions, topology, loop0, std::numeric_limits<double>::infinity(),
                                       [&](int v) { return loop_of[v] != 0; });
    // The nearest vertex of loop 1; of several the lowest. Its way meets no other one: that would
    // be nearer.
    int end = -1;
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const double distance = paths.distance[v];
        if (loop_of[v] == 1 && std::isfinite(distance) && (end < 0 || distance < paths.distance[end])) {
            end = v;
        }
    }
    require(end >= 0, "part: expected its two loops to be connected");
    return paths.path_to(end);
}

int corner_of(const Topology& topology, int f, int v) {
    for (int k = 0; k < 3; ++k) {
        if (topology.triangles()(f, k) == v) {
            return k;
        }
    }
    return -1;
}

/// One turn for corners at path vertices whose triangle lies on the left of the path.
MatrixX3i turns_left_of(const std::vector<int>& path, const Topology& topology) {
    MatrixX3i turn = MatrixX3i::Zero(topology.triangle_count(), 3);
    for (size_t i = 0; i < path.size(); ++i) {
        const int v = path[i];
        const int next = i + 1 < path.size() ? path[i + 1] : -1;
        const int previous = i > 0 ? path[i - 1] : -1;
        const auto fan = topology.triangles_around(v);
        const auto count = static_cast<int>(fan.size());
        // Counter-clockwise from the edge to `next` up to the edge to `previous`; at the loops from
        // or to the border.
        int start = 0;
        if (next >= 0) {
            start = -1;
            for (int j = 0; j < count; ++j) {
                const int k = corner_of(topology, fan[j], v);
                if (topology.triangles()(fan[j], (k + 1) % 3) == next) {
                    start = j;
                }
            }
        }
        if (start < 0) {
            continue;  // the path leaves along the border's far side: nothing lies on its left
        }
        const bool is_border = topology.is_boundary_vertex(v);
        for (int j = 0; j < count; ++j) {
            const int position = start + j;
            if (is_border && position >= count) {
                break;
            }
            const int f = fan[position % count];
            const int k = corner_of(topology, f, v);
            if (j > 0 && topology.triangles()(f, (k + 1) % 3) == previous) {
                break;
            }
            if (j == 0 && previous >= 0 && topology.triangles()(f, (k + 1) % 3) == previous) {
                break;
            }
            turn(f, k) = 1;
        }
    }
    return turn;
}

void arc_length_angles(const MatrixX3d& positions, std::vector<int> loop, int first, bool is_backwards,
                       VectorXd& theta) {
    if (is_backwards) {
        std::reverse(loop.begin(), loop.end());
    }
    std::rotate(loop.begin(), std::find(loop.begin(), loop.end(), first), loop.end());
    double length = 0.0;
    const auto step = [&](size_t i) {
        return (positions.row(loop[i]) - positions.row(loop[(i + 1) % loop.size()])).norm();
    };
    for (size_t i = 0; i < loop.size(); ++i) {
        theta[loop[i]] = length;
        length += step(i);
    }
    for (const int v : loop) {
        theta[v] /= length;
    }
}

}  // namespace

TubeMap map_tube(const MatrixX3d& positions, const Topology& topology, int loop0, int loop1) {
    const auto& loops = topology.boundary_loops();
    const auto euler = topology.vertex_count() - static_cast<int>(topology.edges().size()) + topology.triangle_count();
    require(loops.size() == 2 && euler == 0 && topology.part_count() == 1,
            "part: expected a tube (two border loops, no handle), found ", loops.size(), " loops, ",
            topology.part_count(), " connected parts and Euler number ", euler);
    const std::vector<int>& first = loops[loop0];
    const std::vector<int>& second = loops[loop1];
    const std::vector<int> path = path_between(positions, topology, first, second);
    const VectorXd weights = edge_weights(positions, topology);

    TubeMap map;
    map.turn = turns_left_of(path, topology);
    const int count = topology.vertex_count();
    map.s = VectorXd::Zero(count);
    map.theta = VectorXd::Zero(count);
    arc_length_angles(positions, first, path.front(), false, map.theta);
    arc_length_angles(positions, second, path.back(), true, map.theta);
    std::vector<int> unknown(static_cast<size_t>(count), 0);
    for (const int v : first) {
        unknown[v] = -1;
    }
    for (const int v : second) {
        unknown[v] = -1;
        map.s[v] = 1.0;
    }
    int unknowns = 0;
    for (int& index : unknown) {
        if (index == 0) {
            index = unknowns++;
        }
    }

    // Turns along each edge from its lower to its higher vertex; the same seen from both sides.
    const auto edge_count = topology.edges().size();
    std::vector<int> jump(edge_count, 0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int e = topology.edge_of_side(f, k);
            const int d = map.turn(f, (k + 1) % 3) - map.turn(f, k);
            const bool is_forward = topology.triangles()(f, k) == topology.edges()[e][0];
            jump[e] = is_forward ? d : -d;
        }
    }
    if (unknowns > 0) {
        std::vector<SparseEntry> entries;
        std::vector<double> right(2 * static_cast<size_t>(unknowns), 0.0);
        for (size_t e = 0; e < edge_count; ++e) {
            const double w = weights[static_cast<Eigen::Index>(e)];
            for (int side = 0; side < 2; ++side) {
                const int a = topology.edges()[e][side];
                const int b = topology.edges()[e][1 - side];
                const int i = unknown[a];
                if (i < 0) {
                    continue;
                }
                // w (x_b + jump - x_a) = 0, summed.
                const double turns = side == 0 ? jump[e] : -jump[e];
                entries.push_back({i, i, w});
                right[2 * static_cast<size_t>(i) + 1] += w * turns;
                const int j = unknown[b];
                if (j >= 0) {
                    if (j < i) {
                        entries.push_back({i, j, -w});
                    }
                } else {
                    right[2 * static_cast<size_t>(i)] += w * map.s[b];
                    right[2 * static_cast<size_t>(i) + 1] += w * map.theta[b];
                }
            }
        }
        const SparseSolver solver(compress_lower(unknowns, entries).matrix);
        solver.solve_many(right, 2);
        for (int v = 0; v < count; ++v) {
            const int i = unknown[v];
            if (i >= 0) {
                map.s[v] = right[2 * static_cast<size_t>(i)];
                map.theta[v] = right[2 * static_cast<size_t>(i) + 1];
            }
        }
    }

    // Twist: theta + delta s is a solution, too; the one of least energy has no spiral.
    double across = 0.0;
    double along = 0.0;
    for (size_t e = 0; e < edge_count; ++e) {
        const auto [a, b] = topology.edges()[e];
        const double w = weights[static_cast<Eigen::Index>(e)];
        const double ds = map.s[b] - map.s[a];
        across += w * ds * (map.theta[b] - map.theta[a] + jump[e]);
        along += w * ds * ds;
    }
    map.twist = across / along;
    map.theta -= map.twist * map.s;

    for (int f = 0; f < topology.triangle_count(); ++f) {
        Vector2d p[3];
        for (int k = 0; k < 3; ++k) {
            const int v = topology.triangles()(f, k);
            p[k] = Vector2d(map.s[v], map.theta[v] + map.turn(f, k));
        }
        const Vector2d u = p[1] - p[0];
        const Vector2d w = p[2] - p[0];
        // Loop 0 is walked with the surface on its left and theta grows with it: s points left.
        map.flipped += u.x() * w.y() - u.y() * w.x() >= 0.0 ? 1 : 0;
    }
    return map;
}

TubeLocator::TubeLocator(const Topology& topology, const TubeMap& map) : topology_(&topology), map_(&map) {
    const double side = std::sqrt(std::max(1.0, 0.5 * topology.triangle_count()));
    rows_ = columns_ = std::clamp(static_cast<int>(side), 1, 512);
    const auto bins_of = [&](int f, auto&& visit) {
        double low[2] = {1e300, 1e300};
        double high[2] = {-1e300, -1e300};
        for (int k = 0; k < 3; ++k) {
            const int v = topology.triangles()(f, k);
            const double at[2] = {map.s[v], map.theta[v] + map.turn(f, k)};
            for (int c = 0; c < 2; ++c) {
                low[c] = std::min(low[c], at[c]);
                high[c] = std::max(high[c], at[c]);
            }
        }
        const int row0 = std::clamp(static_cast<int>(low[0] * rows_), 0, rows_ - 1);
        const int row1 = std::clamp(static_cast<int>(high[0] * rows_), 0, rows_ - 1);
        const auto column0 = static_cast<int>(std::floor(low[1] * columns_));
        const int column1 = std::min(static_cast<int>(std::floor(high[1] * columns_)), column0 + columns_ - 1);
        for (int r = row0; r <= row1; ++r) {
            for (int c = column0; c <= column1; ++c) {
                visit(r * columns_ + ((c % columns_) + columns_) % columns_);
            }
        }
    };
    starts_.assign(static_cast<size_t>(rows_ * columns_) + 1, 0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        bins_of(f, [&](int bin) { ++starts_[static_cast<size_t>(bin) + 1]; });
    }
    for (size_t i = 1; i < starts_.size(); ++i) {
        starts_[i] += starts_[i - 1];
    }
    triangles_.resize(static_cast<size_t>(starts_.back()));
    std::vector<int> next(starts_.begin(), starts_.end() - 1);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        bins_of(f, [&](int bin) { triangles_[next[bin]++] = f; });
    }
}

SurfacePoint TubeLocator::find(double s, double theta) const {
    constexpr double outside = 1e-6;  // of a barycentric weight
    theta -= std::floor(theta);
    const int row = std::clamp(static_cast<int>(s * rows_), 0, rows_ - 1);
    const int column = std::clamp(static_cast<int>(theta * columns_), 0, columns_ - 1);
    SurfacePoint best;
    double best_inside = -1e300;
    const auto try_triangle = [&](int f) {
        Vector2d p[3];
        for (int k = 0; k < 3; ++k) {
            const int v = topology_->triangles()(f, k);
            p[k] = Vector2d(map_->s[v], map_->theta[v] + map_->turn(f, k));
        }
        const double middle = (p[0].y() + p[1].y() + p[2].y()) / 3.0;
        const Vector2d q(s, theta + std::round(middle - theta));
        const auto area = [](const Vector2d& a, const Vector2d& b, const Vector2d& c) {
            return (b - a).x() * (c - a).y() - (b - a).y() * (c - a).x();
        };
        const double whole = area(p[0], p[1], p[2]);
        if (whole == 0.0) {
            return;
        }
        const Vector3d b(area(q, p[1], p[2]) / whole, area(p[0], q, p[2]) / whole, area(p[0], p[1], q) / whole);
        if (b.minCoeff() > best_inside) {
            best_inside = b.minCoeff();
            best = {f, b};
        }
    };
    // The bin, then (rounding at its border) wider rings of bins.
    for (int reach = 0; reach <= std::max(rows_, columns_) && best_inside < -outside; ++reach) {
        for (int r = std::max(0, row - reach); r <= std::min(rows_ - 1, row + reach); ++r) {
            for (int c = column - reach; c <= column + reach; ++c) {
                const int bin = r * columns_ + ((c % columns_) + columns_) % columns_;
                for (int i = starts_[bin]; i < starts_[static_cast<size_t>(bin) + 1]; ++i) {
                    try_triangle(triangles_[i]);
                }
            }
        }
        if (reach >= 2 && best_inside > -1e-2) {
            break;
        }
    }
    if (best_inside < -1e-2) {
        throw SolverFailure(concat("part: no triangle at s ", s, ", theta ", theta));
    }
    best.barycentric = best.barycentric.cwiseMax(0.0);
    best.barycentric /= best.barycentric.sum();
    return best;
}

}  // namespace cutis
