#include "fold/guard.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>

namespace cutis::fold_detail {

namespace {

constexpr int guard_chunk = 1024;
// Of the rest area, what must stay.
constexpr double least = 0.02;
// Folds fade while a triangle of the base itself comes down to what must stay.
constexpr double fade = 0.02;

/// Root of the lower bound c + min(0, l) t + min(0, q) t^2, at most 1.
double lowest_root(double c, double l, double q) {
    l = std::min(0.0, l);
    q = std::min(0.0, q);
    if (c + l + q >= 0.0) {
        return 1.0;
    }
    return std::min(1.0, 2.0 * c / (-l + std::sqrt(l * l - 4.0 * q * c)));
}

}  // namespace

FoldGuard::FoldGuard(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals,
                     const VectorXd& spread)
    : topology_(topology) {
    const MatrixX3i& triangles = topology.triangles();
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const Vector3d a = rest.row(triangles(f, 0));
        const Vector3d area = (Vector3d(rest.row(triangles(f, 1))) - a)
                                  .cross(Vector3d(rest.row(triangles(f, 2))) - a);
        const Vector3d normal = (normals.row(triangles(f, 0)) + normals.row(triangles(f, 1)) +
                                 normals.row(triangles(f, 2)))
                                    .normalized();
        rest_area_.push_back(std::max({area.dot(normal), 0.2 * area.norm(), 1e-30}));
    }
    std::vector<std::vector<int>> near(static_cast<size_t>(topology.vertex_count()));
    for (const auto& [a, b] : topology.edges()) {
        near[static_cast<size_t>(a)].push_back(b);
        near[static_cast<size_t>(b)].push_back(a);
    }
    first_.push_back(0);
    for (int v = 0; v < topology.vertex_count(); ++v) {
        for (const int u : near[static_cast<size_t>(v)]) {
            near_.push_back(u);
            climb_.push_back(static_cast<float>((rest.row(u) - rest.row(v)).norm() / spread[v]));
        }
        first_.push_back(static_cast<int>(near_.size()));
    }
    part_.resize(rest_area_.size());
    share_.resize(static_cast<size_t>(topology.vertex_count()));
    next_.resize(share_.size());
}

void FoldGuard::find_shares(const MatrixX3d& base, const MatrixX3d& directions,
                            const VectorXd& heights, const Workers& workers) {
    const MatrixX3i& triangles = topology_.triangles();
    workers.for_chunks(topology_.triangle_count(), guard_chunk, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            const int i = triangles(f, 0);
            const int j = triangles(f, 1);
            const int k = triangles(f, 2);
            double& t = part_[static_cast<size_t>(f)];
            t = 1.0;
            if (heights[i] == 0.0 && heights[j] == 0.0 && heights[k] == 0.0) {
                continue;
            }
            const Vector3d d0 = heights[i] * directions.row(i);
            const Vector3d d1 = heights[j] * directions.row(j);
            const Vector3d d2 = heights[k] * directions.row(k);
            Vector3d normal =
                (directions.row(i) + directions.row(j) + directions.row(k)).transpose();
            normal /= std::max(normal.norm(), 1e-12) * rest_area_[static_cast<size_t>(f)];
            const Vector3d e1 = base.row(j) - base.row(i);
            const Vector3d e2 = base.row(k) - base.row(i);
            const double c = e1.cross(e2).dot(normal) - least;
            if (!(c > 0.0)) {
                t = 0.0;
                continue;
            }
            t = std::min(1.0, c / fade);
            const double l[3] = {(e2 - e1).cross(d0).dot(normal), d1.cross(e2).dot(normal),
                                 e1.cross(d2).dot(normal)};
            const double q[3] = {d1.cross(d2).dot(normal), d2.cross(d0).dot(normal),
                                 d0.cross(d1).dot(normal)};
            double worst = c;
            for (int m = 0; m < 3; ++m) {
                worst += std::min(0.0, l[m]) + std::min(0.0, q[m]);
            }
            if (worst >= 0.0) {
                continue;
            }
            for (int m = 0; m < 3; ++m) {
                const int n = (m + 1) % 3;
                t = std::min(
                    {t, lowest_root(c, l[m], 0.0), lowest_root(c, l[m] + l[n], q[3 - m - n])});
            }
            t = std::min(t, lowest_root(c, l[0] + l[1] + l[2], q[0] + q[1] + q[2]));
        }
    });
    const int count = topology_.vertex_count();
    std::atomic<bool> is_held = false;
    workers.for_chunks(count, guard_chunk, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            double share = 1.0;
            for (const int f : topology_.triangles_around(v)) {
                share = std::min(share, part_[static_cast<size_t>(f)]);
            }
            share_[static_cast<size_t>(v)] = share;
            if (share < 1.0) {
                is_held = true;
            }
        }
    });
    // Shares rise no faster than the spread allows: no holes beside a vertex that is held.
    while (is_held) {
        is_held = false;
        workers.for_chunks(count, guard_chunk, [&](int begin, int end) {
            for (int v = begin; v < end; ++v) {
                double share = share_[static_cast<size_t>(v)];
                for (int n = first_[static_cast<size_t>(v)]; n < first_[static_cast<size_t>(v) + 1];
                     ++n) {
                    share =
                        std::min(share, share_[static_cast<size_t>(near_[static_cast<size_t>(n)])] +
                                            static_cast<double>(climb_[static_cast<size_t>(n)]));
                }
                next_[static_cast<size_t>(v)] = share;
                if (share < share_[static_cast<size_t>(v)]) {
                    is_held = true;
                }
            }
        });
        share_.swap(next_);
    }
}

}  // namespace cutis::fold_detail
