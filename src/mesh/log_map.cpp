#include "mesh/log_map.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "core/geometry.h"
#include "cutis/mesh/geometry.h"

namespace cutis {

namespace {

struct Sheet {
    Vector3d place, normal, right;  // right lies in the tangent plane
    Vector2d at;                    // on the sheet
};

// A step along an edge, laid flat with its length kept.
Vector2d laid(const Sheet& from, const Vector3d& to) {
    const Vector3d step = to - from.place;
    const Vector3d flat = step - from.normal * from.normal.dot(step);
    const double length = flat.norm();
    if (length <= 1e-12 * step.norm()) {
        return from.at;
    }
    const Vector3d along = flat * (step.norm() / length);
    return from.at + Vector2d(along.dot(from.right), along.dot(from.normal.cross(from.right)));
}

}  // namespace

bool LogMap::covers(const MatrixX3d& positions, const MatrixX3i& triangles, int f) const {
    constexpr double torn = 3.0;
    for (int k = 0; k < 3; ++k) {
        const int a = triangles(f, k);
        const int b = triangles(f, (k + 1) % 3);
        if (is_reached[static_cast<size_t>(a)] == 0 ||
            (places.row(a) - places.row(b)).norm() > torn * (positions.row(a) - positions.row(b)).norm()) {
            return false;
        }
    }
    const Vector2d u = places.row(triangles(f, 1)) - places.row(triangles(f, 0));
    const Vector2d v = places.row(triangles(f, 2)) - places.row(triangles(f, 0));
    return u[0] * v[1] - u[1] * v[0] > 0.0;
}

LogMap log_map(const Topology& topology, const MatrixX3d& positions, const SurfacePoint& centre, const Vector3d& right,
               double radius) {
    const MatrixX3i& triangles = topology.triangles();
    const MatrixX3d normals = vertex_normals(positions, topology);
    LogMap map;
    map.places.setZero(topology.vertex_count(), 2);
    map.is_reached.assign(static_cast<size_t>(topology.vertex_count()), 0);
    std::vector<Sheet> sheets(static_cast<size_t>(topology.vertex_count()));
    std::vector<double> distance(sheets.size(), -1.0);
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto offer = [&](int v, double far, const Vector2d& at) {
        if (map.is_reached[static_cast<size_t>(v)] == 0 &&
            (distance[static_cast<size_t>(v)] < 0.0 || far < distance[static_cast<size_t>(v)])) {
            distance[static_cast<size_t>(v)] = far;
            map.places.row(v) = at;
            queue.push({far, v});
        }
    };

    Sheet start;
    start.place = interpolate(positions, triangles, centre);
    start.normal = interpolate(normals, triangles, centre).normalized();
    start.right = (right - start.normal * start.normal.dot(right)).normalized();
    start.at.setZero();
    for (int k = 0; k < 3; ++k) {
        const int v = triangles(centre.triangle, k);
        const Vector3d to = positions.row(v);
        offer(v, (to - start.place).norm(), laid(start, to));
    }
    while (!queue.empty()) {
        const auto [far, v] = queue.top();
        queue.pop();
        if (map.is_reached[static_cast<size_t>(v)] != 0) {
            continue;
        }
        // Place and direction: means over those reached before, nearer ones count more.
        Vector2d at = Vector2d::Zero();
        Vector3d turned = Vector3d::Zero();
        double weights = 0.0;
        Sheet& sheet = sheets[static_cast<size_t>(v)];
        sheet.place = positions.row(v);
        sheet.normal = normals.row(v);
        const auto add = [&](const Sheet& from) {
            const double weight = 1.0 / std::max((sheet.place - from.place).norm(), 1e-12);
            at += weight * laid(from, sheet.place);
            turned += weight * rotate_minimally(from.normal, sheet.normal, from.right);
            weights += weight;
        };
        for (const int f : topology.triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                const int other = triangles(f, k);
                if (other != v && map.is_reached[static_cast<size_t>(other)] != 0) {
                    add(sheets[static_cast<size_t>(other)]);
                }
            }
            if (f == centre.triangle) {
                add(start);
            }
        }
        sheet.at = weights > 0.0 ? Vector2d(at / weights) : Vector2d(map.places.row(v));
        const Vector3d level = turned - sheet.normal * sheet.normal.dot(turned);
        sheet.right = level.norm() > 0.0 ? Vector3d(level.normalized()) : start.right;
        map.places.row(v) = sheet.at;
        map.is_reached[static_cast<size_t>(v)] = 1;
        // Beyond the radius only those are passed whose triangles may reach back over the rim.
        double longest = 0.0;
        for (const int f : topology.triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                longest = std::max(longest, (positions.row(triangles(f, k)).transpose() - sheet.place).norm());
            }
        }
        if (far - longest > radius) {
            continue;
        }
        for (const int f : topology.triangles_around(v)) {
            for (int k = 0; k < 3; ++k) {
                const Vector3d to = positions.row(triangles(f, k));
                offer(triangles(f, k), far + (to - sheet.place).norm(), laid(sheet, to));
            }
        }
    }
    return map;
}

}  // namespace cutis
