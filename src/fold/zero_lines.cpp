#include "fold/zero_lines.h"

#include <algorithm>

namespace cutis::fold_detail {

namespace {

/// The segment of a line in one triangle: the two sides it crosses.
struct Crossing {
    int side[2];
};

SurfacePoint crossing_point(const Topology& topology, const VectorXd& value, int f, int side) {
    const int a = topology.triangles()(f, side);
    const int b = topology.triangles()(f, (side + 1) % 3);
    // From the lower vertex number, so that both triangles of a side compute the same place.
    const bool is_turned = a > b;
    const double low = value[is_turned ? b : a];
    const double high = value[is_turned ? a : b];
    const double t = std::clamp(-low / (high - low), 0.0, 1.0);
    SurfacePoint point;
    point.triangle = f;
    point.barycentric.setZero();
    point.barycentric[side] = is_turned ? t : 1.0 - t;
    point.barycentric[(side + 1) % 3] = is_turned ? 1.0 - t : t;
    return point;
}

}  // namespace

std::vector<SurfaceLine> zero_lines(const Topology& topology, const VectorXd& value) {
    const MatrixX3i& triangles = topology.triangles();
    const auto crossing_of = [&](int f, Crossing& crossing) {
        int found = 0;
        for (int k = 0; k < 3; ++k) {
            const bool a = value[triangles(f, k)] >= 0.0;
            const bool b = value[triangles(f, (k + 1) % 3)] >= 0.0;
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
    std::vector<unsigned char> is_used(static_cast<size_t>(topology.triangle_count()), 0);
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
            line.points.push_back(crossing_point(topology, value, triangle, side));
        };
        for (size_t i = behind.size(); i-- > 0;) {
            add(behind[i].triangle, behind[i].out);
        }
        add(f, crossing.side[0]);
        add(f, crossing.side[1]);
        for (const Visit& visit : ahead) {
            add(visit.triangle, visit.out);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace cutis::fold_detail
