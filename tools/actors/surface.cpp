#include <algorithm>
#include <cmath>
#include <numeric>

#include "remesh.h"

namespace cutis::actor {

double worst_cosine(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
    const double ab = (b - a).squaredNorm();
    const double bc = (c - b).squaredNorm();
    const double ca = (a - c).squaredNorm();
    // The smallest angle faces the shortest side.
    const double shortest = std::min({ab, bc, ca});
    const double product = shortest == ab ? bc * ca : (shortest == bc ? ab * ca : ab * bc);
    if (product <= 0.0) {
        return 1.0;
    }
    return (ab + bc + ca - 2.0 * shortest) / (2.0 * std::sqrt(product));
}

void keep_largest_piece(SurfaceMesh& mesh) {
    std::vector<int> root(mesh.points.size());
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int v) {
        while (root[v] != v) {
            v = root[v] = root[root[v]];
        }
        return v;
    };
    for (const Eigen::Vector3i& t : mesh.triangles) {
        for (int k = 0; k < 2; ++k) {
            const int a = find(t[k]);
            const int b = find(t[k + 1]);
            root[std::max(a, b)] = std::min(a, b);
        }
    }
    std::vector<int> size(mesh.points.size(), 0);
    for (const Eigen::Vector3i& t : mesh.triangles) {
        ++size[find(t[0])];
    }
    const int largest = static_cast<int>(std::max_element(size.begin(), size.end()) - size.begin());
    SurfaceMesh kept;
    std::vector<int> index(mesh.points.size(), -1);
    for (const Eigen::Vector3i& t : mesh.triangles) {
        if (find(t[0]) != largest) {
            continue;
        }
        Eigen::Vector3i corners;
        for (int k = 0; k < 3; ++k) {
            if (index[t[k]] < 0) {
                index[t[k]] = static_cast<int>(kept.points.size());
                kept.points.push_back(mesh.points[t[k]]);
            }
            corners[k] = index[t[k]];
        }
        kept.triangles.push_back(corners);
    }
    mesh = std::move(kept);
}

double smallest_angle_deg(const SurfaceMesh& mesh) {
    double worst = -1.0;
    for (const Eigen::Vector3i& t : mesh.triangles) {
        worst = std::max(worst, worst_cosine(mesh.points[t[0]], mesh.points[t[1]], mesh.points[t[2]]));
    }
    return std::acos(std::clamp(worst, -1.0, 1.0)) * 180.0 / M_PI;
}

}  // namespace cutis::actor
