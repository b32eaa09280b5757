#include "fold/isolines.h"

#include <algorithm>
#include <cmath>

namespace cutis::fold_detail {

namespace {

/// The segment of an isoline in one triangle: the two sides it crosses.
struct Crossing {
    int side[2];
};

SurfacePoint crossing_point(const Topology& topology, const VectorXd& value, double level, int f,
                            int side) {
    const int a = topology.triangles()(f, side);
    const int b = topology.triangles()(f, (side + 1) % 3);
    // From the lower vertex number, so that both triangles of a side compute the same place.
    const bool is_turned = a > b;
    const double low = value[is_turned ? b : a];
    const double high = value[is_turned ? a : b];
    const double t = std::clamp((level - low) / (high - low), 0.0, 1.0);
    SurfacePoint point;
    point.triangle = f;
    point.barycentric.setZero();
    point.barycentric[side] = is_turned ? t : 1.0 - t;
    point.barycentric[(side + 1) % 3] = is_turned ? 1.0 - t : t;
    return point;
}

}  // namespace

std::vector<SurfaceLine> isolines(const MatrixX3d& positions, const Topology& topology,
                                  const std::vector<unsigned char>& is_active,
                                  const VectorXd& value, double level) {
    const MatrixX3i& triangles = topology.triangles();
    const auto crossing_of = [&](int f, Crossing& crossing) {
        if (f < 0 || is_active[static_cast<size_t>(f)] == 0) {
            return false;
        }
        int found = 0;
        for (int k = 0; k < 3; ++k) {
            const bool a = value[triangles(f, k)] >= level;
            const bool b = value[triangles(f, (k + 1) % 3)] >= level;
            if (a != b && found < 2) {
                crossing.side[found++] = k;
            }
        }
        return found == 2;
    };
    const auto side_to = [&](int f, int g) {
        for (int k = 0; k < 3; ++k) {
            if (topology.neighbour(f, k) == g) {
                return k;
            }
        }
        return -1;
    };
    std::vector<unsigned char> is_used(is_active.size(), 0);
    // Walks from f through `side`; appends (triangle, entering side) pairs.
    struct Visit {
        int triangle;
        int out;
    };
    std::vector<SurfaceLine> lines;
    const auto walk = [&](int f, int side, std::vector<Visit>& visits) {
        for (;;) {
            const int g = topology.neighbour(f, side);
            Crossing crossing;
            if (g < 0 || !crossing_of(g, crossing) || is_used[static_cast<size_t>(g)] != 0) {
                return g;
            }
            const int entered = side_to(g, f);
            side = crossing.side[0] == entered ? crossing.side[1] : crossing.side[0];
            is_used[static_cast<size_t>(g)] = 1;
            visits.push_back({g, side});
            f = g;
        }
    };
    for (int f = 0; f < topology.triangle_count(); ++f) {
        Crossing crossing;
        if (is_used[static_cast<size_t>(f)] != 0 || !crossing_of(f, crossing)) {
            continue;
        }
        is_used[static_cast<size_t>(f)] = 1;
        std::vector<Visit> ahead;
        std::vector<Visit> behind;
        const int end = walk(f, crossing.side[1], ahead);
        SurfaceLine line;
        line.is_closed = end == f && !ahead.empty();
        if (!line.is_closed) {
            walk(f, crossing.side[0], behind);
        }
        const auto add = [&](int triangle, int side) {
            line.points.push_back(crossing_point(topology, value, level, triangle, side));
        };
        for (size_t i = behind.size(); i-- > 0;) {
            add(behind[i].triangle, behind[i].out);
        }
        add(f, crossing.side[0]);
        add(f, crossing.side[1]);
        for (const Visit& visit : ahead) {
            add(visit.triangle, visit.out);
        }
        line.arc.assign(line.points.size(), 0.0);
        for (size_t i = 1; i < line.points.size(); ++i) {
            line.arc[i] = line.arc[i - 1] + (position_at(positions, triangles, line.points[i]) -
                                             position_at(positions, triangles, line.points[i - 1]))
                                                .norm();
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

SurfacePoint point_along(const SurfaceLine& line, double arc) {
    const auto after = std::upper_bound(line.arc.begin(), line.arc.end(), arc);
    const size_t i =
        std::clamp<size_t>(static_cast<size_t>(after - line.arc.begin()), 1, line.arc.size() - 1);
    // Nearest of the two ends of the segment: each is a point of one triangle, and segments are
    // far shorter than the distance of rails.
    return arc - line.arc[i - 1] < line.arc[i] - arc ? line.points[i - 1] : line.points[i];
}

}  // namespace cutis::fold_detail
