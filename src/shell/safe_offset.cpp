#include "shell/safe_offset.h"

#include <cmath>

#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "mesh/triangle_grid.h"

namespace cutis {

namespace {

constexpr double kept_share = 0.25;  // of the volume the apex alone would give
constexpr double spare = 1.1;        // a tetrahedron below its share is given this much more
constexpr int exact_rounds = 50;     // then heights also fall by `lowering` each round, which ends
constexpr double lowering = 0.8;
constexpr int most_rounds = 1000;  // 0.8^1000: far below any height that could still matter

struct SortedTriangle {
    int a = 0, b = 0, c = 0;
    double sign = 1.0;
};

SortedTriangle sorted_triangle(const MatrixX3i& triangles, int f) {
    SortedTriangle t{triangles(f, 0), triangles(f, 1), triangles(f, 2), 1.0};
    const auto order = [&](int& i, int& j) {
        if (i > j) {
            std::swap(i, j);
            t.sign = -t.sign;
        }
    };
    order(t.a, t.b);
    order(t.b, t.c);
    order(t.a, t.b);
    return t;
}

/// Half the way to the next surface along each direction.
void stay_below_walls(const Topology& topology, const MatrixX3d& base, const MatrixX3d& directions, VectorXd& heights) {
    const TriangleGrid grid(base, topology.triangles());
    for (int v = 0; v < topology.vertex_count(); ++v) {
        const Vector3d from = base.row(v).transpose();
        const Vector3d direction = directions.row(v).transpose();
        if (heights[v] == 0.0) {
            continue;
        }
        const double wall = grid.first_hit(from, direction, 2.0 * heights[v], v);
        heights[v] = std::min(heights[v], 0.5 * wall);
    }
}

void check_offset_options(const Topology& topology, const MatrixX3d& base, const SafeOffsetOptions& options) {
    require(base.rows() == topology.vertex_count(), "shell base: expected ", topology.vertex_count(),
            " positions, found ", base.rows());
    check_struct(options, "shell", topology.vertex_count());
}

}  // namespace

int lower_heights(const Topology& topology, const MatrixX3d& base, const MatrixX3d& directions, double kept,
                  VectorXd& heights, LoweringScratch& scratch) {
    const int n = topology.vertex_count();
    VectorXd& caps = scratch.caps;
    std::vector<unsigned char>& is_changed = scratch.is_changed;
    is_changed.assign(static_cast<size_t>(n), 1);
    for (int v = 0; v < n; ++v) {
        if (directions.row(v).isZero(0.0)) {
            heights[v] = 0.0;
        }
    }
    const auto changed = [&](int v) { return is_changed[v] != 0; };
    for (int round = 0; round < most_rounds; ++round) {
        caps = heights;
        const double further = round < exact_rounds ? 1.0 : lowering;
        for (int f = 0; f < topology.triangle_count(); ++f) {
            const SortedTriangle t = sorted_triangle(topology.triangles(), f);
            if (!changed(t.a) && !changed(t.b) && !changed(t.c)) {
                continue;
            }
            const double height_b = heights[t.b], height_c = heights[t.c];
            const Vector3d a = base.row(t.a);
            const Vector3d ab = base.row(t.b).transpose() - a, ac = base.row(t.c).transpose() - a;
            const Vector3d da = directions.row(t.a), db = directions.row(t.b), dc = directions.row(t.c);
            // Six volumes divided by the apex's own height, as functions of the other heights; own
            // is what the apex alone would give (twice the area times its rise).
            const Vector3d outward = t.sign * ab.cross(ac);
            if (heights[t.b] > 0.0) {
                const double own = outward.dot(db);
                const double slope = t.sign * ab.cross(dc).dot(db);
                if (own > 0.0 && own + height_c * slope < kept * own) {
                    const double fits = (1.0 - spare * kept) * own / -slope;
                    caps[t.c] = std::min(caps[t.c], further * fits);
                }
            }
            if (heights[t.a] > 0.0) {
                const double own = outward.dot(da);
                const double linear = t.sign * (height_b * db.cross(ac).dot(da) + height_c * ab.cross(dc).dot(da));
                const double square = t.sign * height_b * height_c * db.cross(dc).dot(da);
                if (own > 0.0 && own + linear + square < kept * own) {
                    // Both heights times the root of spare-room + linear x + square x^2 = 0.
                    const double room = (1.0 - spare * kept) * own;
                    const double root = std::sqrt(std::max(0.0, linear * linear - 4.0 * square * room));
                    const double fits = std::min(1.0, 2.0 * room / (root - linear));
                    caps[t.b] = std::min(caps[t.b], further * fits * height_b);
                    caps[t.c] = std::min(caps[t.c], further * fits * height_c);
                }
            }
        }
        bool any = false;
        for (int v = 0; v < n; ++v) {
            is_changed[v] = caps[v] < heights[v] ? 1 : 0;
            any = any || caps[v] < heights[v];
        }
        if (!any) {
            return round;
        }
        heights = caps;
    }
    return most_rounds;
}

SafeOffset make_safe_offset(const Topology& topology, const MatrixX3d& base, const SafeOffsetOptions& options,
                            const Workers& workers) {
    check_offset_options(topology, base, options);
    const int n = topology.vertex_count();
    MatrixX3d normals;
    VectorXd areas;
    fill_triangle_normals(base, topology, workers, normals, areas);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        require(!normals.row(f).isZero(0.0), "shell base: triangle ", f, " has no area");
    }
    SafeOffset out;
    out.directions.setZero(n, 3);
    out.heights.resize(n);
    workers.for_chunks(n, 256, [&](int begin, int end) {
        std::vector<Vector3d> around;
        for (int v = begin; v < end; ++v) {
            around.clear();
            for (const int f : topology.triangles_around(v)) {
                around.emplace_back(normals.row(f).transpose());
            }
            if (const std::optional<Vector3d> direction = hull_direction(around)) {
                out.directions.row(v) = direction->transpose();
            }
        }
    });
    VectorXd asked(n);
    for (int v = 0; v < n; ++v) {
        asked[v] = options.height * options.height_factor.at(v);
        const bool has_direction = !out.directions.row(v).isZero(0.0);
        out.without_direction += has_direction ? 0 : 1;
        out.heights[v] = has_direction ? asked[v] : 0.0;
    }
    if (options.keep_off_walls) {
        stay_below_walls(topology, base, out.directions, out.heights);
    }
    LoweringScratch scratch;
    out.passes = lower_heights(topology, base, out.directions, kept_share, out.heights, scratch);

    out.positions.resize(n, 3);
    double sum = 0.0;
    int asked_count = 0;
    for (int v = 0; v < n; ++v) {
        // Base bit for bit where there is no height.
        out.positions.row(v) = base.row(v);
        if (out.heights[v] > 0.0) {
            out.positions.row(v) += out.heights[v] * out.directions.row(v);
        }
        if (asked[v] > 0.0) {
            const double share = out.heights[v] / asked[v];
            out.reduced += share < 1.0 ? 1 : 0;
            out.lowest_share = std::min(out.lowest_share, share);
            sum += share;
            ++asked_count;
        }
    }
    out.mean_share = asked_count > 0 ? sum / asked_count : 1.0;
    return out;
}

}  // namespace cutis
